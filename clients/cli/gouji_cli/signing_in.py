"""Commands that act as an account: where the server is, which file holds the credentials, how failures are told."""

from __future__ import annotations

import asyncio
import functools
import inspect
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from gouji_cli.bots import DEFAULT_SERVER
from gouji_cli.channel_security import security
from gouji_cli.failures import STOPPED, Stopped, run_until_stopped
from gouji_cli.server_failures import as_options, failure_of, in_the_clear
from gouji_cli.terminal import by_locale, fail

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from google.protobuf.timestamp_pb2 import Timestamp

    from gouji_client import Client, Credentials
    from gouji_client.channel import TLS

T = TypeVar("T")

FAILED = 1

Keep = Annotated[Path, typer.Option("--keep", metavar="FILE", help="The account's file of credentials.")]
Server = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="The server; else the one of the file.")
]
UseTls = Annotated[bool, typer.Option("--tls", help="Connect over TLS.")]
Ca = Annotated[Path | None, typer.Option("--ca", metavar="FILE", help="Over TLS, trusting the roots in this file.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Allow cleartext to another machine you trust the way to.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


@dataclass(frozen=True, slots=True)
class Way:
    """How to reach a server and as whom: the options that all these commands have."""

    keep: Path
    server: str | None = None
    tls: bool = False
    ca: Path | None = None
    insecure: bool = False

    def channel(self) -> TLS | bool:
        """Return what to know the server by; False for cleartext."""
        return security(self.tls, self.ca)

    def credentials(self) -> Credentials:
        """Read the file. Raises CredentialsError."""
        from gouji_client import Credentials

        return Credentials.load(self.keep)


_OPTIONS = {"keep": Keep, "server": Server, "tls": UseTls, "ca": Ca, "insecure": Insecure}
"""The options of a :class:`Way`, by its fields."""


def by_way(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes a `way` the options that make one in its place."""
    hints = get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    shown: list[inspect.Parameter] = []
    for name, own in inspect.signature(command).parameters.items():
        if name != "way":
            shown.append(own.replace(kind=keyword, annotation=hints[name]))
            continue
        defaults = inspect.signature(Way).parameters
        shown += [defaults[field].replace(kind=keyword, annotation=option) for field, option in _OPTIONS.items()]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        way = Way(**{field: given.pop(field) for field in _OPTIONS})
        command(way=way, **given)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def carry_out(way: Way, work: Coroutine[Any, Any, T]) -> T:
    """Run a command to its end and return what it found; end with one clear line if it fails."""
    from gouji_client import BadInput, GoujiError, UnsafeConnection

    try:
        return run_until_stopped(work)
    except UnsafeConnection:
        fail(in_the_clear(way.server or str(way.keep)), status=FAILED)
    except BadInput as error:  # what was given is no address, no name …
        fail(as_options(failure_of(error)))
    except GoujiError as error:
        fail(as_options(failure_of(error)), status=FAILED)
    except Stopped:
        fail(by_locale("stopped", "已停止"), status=STOPPED)


@asynccontextmanager
async def connected(way: Way, server: str = "") -> AsyncIterator[Client]:
    """Connect without signing in."""
    from gouji_client import connect

    address = server or DEFAULT_SERVER if way.server is None else way.server
    async with connect(address, tls=way.channel(), insecure=way.insecure) as client:
        yield client


@asynccontextmanager
async def signed_in(way: Way) -> AsyncIterator[Client]:
    """Sign in as the account of the file, in a session that ends with the command."""
    from gouji_client import GoujiError

    credentials = await asyncio.to_thread(way.credentials)
    async with connected(way, credentials.server) as client:
        await client.sign_in(credentials=credentials)
        try:
            yield client
        finally:
            with suppress(GoujiError):
                await client.sign_out()


def when(time: Timestamp) -> str:
    """Return a time as this machine's clock would show it."""
    return datetime.fromtimestamp(time.ToNanoseconds() / 1e9, UTC).astimezone().isoformat(" ", "seconds")

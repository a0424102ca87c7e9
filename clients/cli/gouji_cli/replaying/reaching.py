"""The way to a match that a server keeps."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_cli.bots import DEFAULT_SERVER
from gouji_cli.channel_security import security
from gouji_cli.server_failures import as_options, failure_of, in_the_clear
from gouji_cli.terminal import by_locale, fail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gouji_cli.replaying.served import Eyes, ServedFilm
    from gouji_client import ReplayStep
    from gouji_client.sync import Client

FAILED = 1
GUEST = "replay"


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the server is and as whom to ask it."""

    server: str = ""
    keep: Path | None = None
    tls: bool = False
    insecure: bool = False
    share_link: str = ""


@contextmanager
def reached(what: str, eyes: Eyes, reach: Reach) -> Iterator[ServedFilm]:
    """Connect and give the match by its name, or the one of a table, as a film; end with one clear line if it fails."""
    from gouji_cli.replaying.served import ServedFilm

    with signed_in(reach) as client:
        name = match_of(client, what)
        link = reach.share_link
        match = client.replays.get(name, share_link=link)

        def fetch(first: int, last: int) -> list[ReplayStep]:
            return list(client.replays.steps(name, eyes=eyes, first=first, last=last, share_link=link))

        yield ServedFilm(match, eyes, fetch)


@contextmanager
def signed_in(reach: Reach) -> Iterator[Client]:
    """Connect and sign in, as a new guest if need be; end with one clear line if it or what is asked then fails."""
    from gouji_client import Credentials, GoujiError, UnsafeConnection, sync

    server = reach.server
    try:
        known = None if reach.keep is None else Credentials.load(reach.keep)
        server = reach.server or (known.server if known is not None else DEFAULT_SERVER)
        with sync.connect(server, tls=security(reach.tls), insecure=reach.insecure) as client:
            client.sign_in(GUEST, credentials=known)
            yield client
    except UnsafeConnection:
        fail(in_the_clear(server), status=FAILED)
    except ValueError as error:  # what was given is no address
        fail(as_options(str(error)))
    except GoujiError as error:
        fail(as_options(failure_of(error)), status=FAILED)


def match_of(client: Client, what: str) -> str:
    """Return the name of a match, of a table's match where a table is named."""
    if not what.startswith("tables/"):
        return what
    match = next(client.replays.matches(table=what), None)
    if match is None:
        fail(
            by_locale(
                f"{what}: no finished match of it is told to this account", f"{what}：没有此账号可看的已结束牌局"
            ),
            status=FAILED,
        )
    return match.name

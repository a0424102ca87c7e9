"""Unary calls: tried again while the server is away, with a fresh token when the old one lapsed."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, TypeVar

import grpc
import grpc.aio

from gouji_client.backoff import Waits
from gouji_client.errors import ClientClosed
from gouji_client.status import error_of_call, retry_delay

if TYPE_CHECKING:
    import random

    from gouji_client.backoff import Backoff
    from gouji_client.clock import Clock
    from gouji_client.session import Session

Request = TypeVar("Request")
Response = TypeVar("Response")

_AGAIN = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,  # by a server that stops: who waits here is cancelled in another way
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)


def new_request_id() -> str:
    """Return an id that no other request has."""
    return uuid.uuid4().hex


def _version() -> str:
    try:
        return version("gouji")
    except PackageNotFoundError:  # run from its source
        return "0"


CLIENT = ("gouji-client", f"python/{_version()}")
"""The call metadata by which the server knows the client: it may refuse one that is too old."""


def authorization(token: str) -> tuple[tuple[str, str], ...]:
    """Return the call metadata that carries an access token, and says which client this is."""
    return (("authorization", f"Bearer {token}"), CLIENT)


@dataclass(slots=True)
class Calls:
    """Makes unary calls to one server.

    Every request of the API is safe to repeat: mutations carry a request id, so a call whose answer was lost is simply
    made again. `timeout` is for one try, in seconds. After `close` every call raises `ClientClosed`, on its way or not.
    """

    address: str
    clock: Clock
    backoff: Backoff
    rng: random.Random
    timeout: float = 10.0
    _closed: bool = False

    def close(self) -> None:
        """Have every call raise `ClientClosed` from now on."""
        self._closed = True

    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    async def plain(self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request) -> Response:
        """Call without a token. Raises what `status.error_of_call` makes of a failure."""
        return await self._call(method, request, None)

    async def signed(
        self, session: Session, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> Response:
        """Call with the session's access token, renewed once if the server does not take it."""
        return await self._call(method, request, session)

    async def _call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        session: Session | None,
    ) -> Response:
        waits = Waits(self.backoff, self.clock, self.rng)
        renewed = False
        while True:
            if self.is_closed():
                raise ClientClosed
            token = await session.access_token() if session else ""
            try:
                return await method(
                    request, timeout=self.timeout, metadata=authorization(token) if session else (CLIENT,)
                )
            except (asyncio.CancelledError, grpc.aio.UsageError):
                # A channel that is closed cancels its calls; that is no cancellation of who waits for them.
                if not self.is_closed() or _being_cancelled():
                    raise
                raise ClientClosed from None
            except grpc.aio.AioRpcError as error:
                if self.is_closed():
                    raise ClientClosed from error
                if session and error.code() is grpc.StatusCode.UNAUTHENTICATED and not renewed:
                    renewed = True
                    await session.renew(lapsed=token)
                    continue
                if not await self._worth_another_try(waits, error):
                    raise error_of_call(error, self.address) from error

    async def _worth_another_try(self, waits: Waits, error: grpc.aio.AioRpcError) -> bool:
        """Wait before the next try; False when there should be none."""
        if error.code() not in _AGAIN:
            return False
        asked = retry_delay(error)
        if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and not asked:
            return False  # a limit that time alone does not lift
        return await waits.pause(at_least=asked)


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

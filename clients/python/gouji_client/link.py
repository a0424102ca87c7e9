"""One connection of the play stream: what is to be sent on it, and whether it is still heard."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc.aio

if TYPE_CHECKING:
    from gouji.table.v1 import table_pb2
    from gouji_client.clock import Clock


class Link:
    """The sending side of one connection, and the time it was last heard."""

    def __init__(self, clock: Clock, token: str) -> None:
        self.token = token
        """The access token that the server last got on this connection."""
        self.was_heard = False
        """Whether anything came in on it."""
        self._clock = clock
        self._opened_at = self._heard_at = clock.monotonic()
        self._outgoing: asyncio.Queue[table_pb2.PlayRequest] = asyncio.Queue()

    def send(self, request: table_pb2.PlayRequest) -> None:
        """Send after what is waiting to be sent. What is lost with the connection is the stream's to send again."""
        self._outgoing.put_nowait(request)

    def heard(self) -> None:
        """Note that something came in."""
        self.was_heard = True
        self._heard_at = self._clock.monotonic()

    def has_lasted(self, seconds: float) -> bool:
        """Whether something came in on it, and it has been open for so long."""
        return self.was_heard and self._clock.monotonic() - self._opened_at >= seconds

    async def write_to(self, call: grpc.aio.StreamStreamCall[table_pb2.PlayRequest, table_pb2.PlayResponse]) -> None:
        """Write what is to be sent. Does not return: how the connection ended is for its reader to say."""
        try:
            while True:
                await call.write(await self._outgoing.get())
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await asyncio.Event().wait()

    async def until_silent(self, seconds: float) -> None:
        """Return when nothing was heard for `seconds`."""
        while True:
            heard_at = self._heard_at
            await self._clock.sleep(max(heard_at + seconds - self._clock.monotonic(), 0.0))
            if self._heard_at == heard_at:
                return

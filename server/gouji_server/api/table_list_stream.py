"""One open WatchTables stream: tells what changed, at most four times a second, and is paced by its reader."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_server.api.replay_stream import ReplayStream
from gouji_server.api.timestamps import timestamp

if TYPE_CHECKING:
    from gouji_server.accounts import Identity
    from gouji_server.api.calls import Context
    from gouji_server.lobby.table_feed import TableFeed
    from gouji_server.tables import Clock

PAUSE_SECONDS = 0.25
"""Between two messages: what changes meanwhile comes in one."""


class TableListStream(ReplayStream):
    """See the module."""

    def __init__(
        self, identity: Identity, address: str, clock: Clock, feed: TableFeed, heartbeat_seconds: float
    ) -> None:
        super().__init__(identity, address, clock)
        self._clock = clock
        self._feed = feed
        self._heartbeat_seconds = heartbeat_seconds
        self._beat = clock.now() + heartbeat_seconds
        """When a heartbeat is due: counted from the last message, whatever woke this up since."""

    async def run(self, context: Context) -> None:
        """Write what changes until the stream is to end. Raises Refused then."""
        while True:
            told = self._feed.take()
            if told is not None:
                await self._tell(context, told)
                await self._until(self._after(PAUSE_SECONDS))
            elif self._clock.now() >= self._beat:
                await self._tell(context, b"")
            else:
                await self._until(self._feed.changed(), self._after(self._beat - self._clock.now()))

    async def _tell(self, context: Context, told: bytes) -> None:
        time = pb.WatchTablesResponse(time=timestamp(self._clock.now()))
        await self.write(context, told + time.SerializeToString())
        self._beat = self._clock.now() + self._heartbeat_seconds

    def _after(self, seconds: float) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def fire() -> None:
            if not done.done():
                done.set_result(None)

        timer = self._clock.call_at(self._clock.now() + seconds, fire)
        done.add_done_callback(lambda _: timer.cancel())
        return done

    async def _until(self, *awaited: asyncio.Future[None]) -> None:
        """Wait for one of several things. Raises Refused when the stream is to end."""
        waits: set[asyncio.Future[Any]] = {*awaited, self._ended}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if self._ended.done():
                raise self._ended.result()
        finally:
            for wait in awaited:
                wait.cancel()

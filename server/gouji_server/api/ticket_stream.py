"""One open WatchTicket stream: tells a ticket whenever it changed, and ends with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from gouji.matchmaking.v1 import matchmaking_pb2 as pb
from gouji_server.api.replay_stream import ReplayStream
from gouji_server.api.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.accounts import Identity
    from gouji_server.api.calls import Context
    from gouji_server.tables import Clock


class TicketStream(ReplayStream):
    """See the module. What changes while the reader is busy is told as it is then."""

    def __init__(self, identity: Identity, address: str, clock: Clock, heartbeat_seconds: float) -> None:
        super().__init__(identity, address, clock)
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds

    async def run(
        self,
        context: Context,
        told: Callable[[], pb.Ticket],
        changed: Callable[[], asyncio.Future[None]],
        over: Callable[[], bool],
    ) -> None:
        """Write until the ticket is over. Raises Refused when the stream is to end before."""
        news = True
        while True:
            waiting = changed()  # before it is told: nothing that happens meanwhile is missed
            try:
                message = pb.WatchTicketResponse(time=timestamp(self._clock.now()))
                if news:
                    message.ticket.CopyFrom(told())
                ended = over()
                await self.write(context, message.SerializeToString())
                if ended:
                    return
                news = await self._wait(waiting)
            finally:
                waiting.cancel()

    async def _wait(self, waiting: asyncio.Future[None]) -> bool:
        """Wait for a change, and tell whether it came before the next heartbeat. Raises Refused."""
        beat: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def fire() -> None:
            if not beat.done():
                beat.set_result(None)

        timer = self._clock.call_at(self._clock.now() + self._heartbeat_seconds, fire)
        either: set[asyncio.Future[Any]] = {waiting, beat, self._ended}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            beat.cancel()
        if self._ended.done():
            raise self._ended.result()
        return waiting.done()

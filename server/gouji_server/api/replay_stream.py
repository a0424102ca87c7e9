"""One open WatchReplay stream: it counts and ends as the streams of tables do, and is paced by its reader alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from gouji_server.api.errors import unauthenticated

if TYPE_CHECKING:
    from gouji_server.accounts import Identity
    from gouji_server.api.calls import Context
    from gouji_server.tables import Clock, Refused


class ReplayStream:
    """A stream that lasts no longer than the access token it was opened with."""

    def __init__(self, identity: Identity, address: str, clock: Clock) -> None:
        self.account = identity.caller.account
        self.address = address
        self.session = identity.session
        self._ended: asyncio.Future[Refused] = asyncio.get_running_loop().create_future()
        self._timer = clock.call_at(identity.expires, lambda: self.end(unauthenticated()))

    def end(self, end: Refused) -> None:
        """End the stream with `end` as its status."""
        if not self._ended.done():
            self._ended.set_result(end)

    def cut(self, end: Refused) -> None:
        """End the stream: nothing waits here that would have to be dropped."""
        self.end(end)

    def close(self) -> None:
        """Let everything go."""
        self._timer.cancel()

    async def write(self, context: Context, message: bytes) -> None:
        """Write a message once the reader has room for it. Raises Refused when the stream is to end."""
        writing: asyncio.Future[Any] = asyncio.ensure_future(context.write(message))
        either: set[asyncio.Future[Any]] = {writing, self._ended}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not writing.done():
                writing.cancel()
        if self._ended.done():
            raise self._ended.result()
        await writing

"""The open streams: how many an account has, and how all of them are ended when the server stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from gouji.table.v1.table_pb2 import Heartbeat
from gouji_server.api.errors import limited, unauthenticated
from gouji_server.api.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gouji.table.v1.table_pb2 import PlayResponse, WatchTableResponse
    from gouji_server.accounts import Identity
    from gouji_server.accounts.revocations import Revocations
    from gouji_server.api.calls import Context
    from gouji_server.config import Config
    from gouji_server.tables import Clock, Outbox, Refused
    from gouji_server.tables.clock import Timer

LINGER_SECONDS = 10.0
"""A stream that is to end waits that long for its reader to take what is left."""


class Endable(Protocol):
    """A stream as it is counted: of an account at an address, in a session."""

    account: str
    address: str
    session: str

    def end(self, end: Refused) -> None:
        """End it with `end` as its status."""


class Streams:
    """All open streams of the server.

    Beyond the limits (`max_streams`, and of an account and an address) a new stream is refused; those open are never
    touched. A stream ends at once with the session whose access token it was last given.
    """

    def __init__(self, config: Config, ended_sessions: Revocations) -> None:
        self._ended_sessions = ended_sessions
        ended_sessions.listen(self._end_session)
        self._most = config.max_streams
        self._most_per_account = config.max_streams_per_account
        self._most_per_address = config.max_streams_per_address
        self._open: set[Endable] = set()
        self._of_account: Counter[str] = Counter()
        self._of_address: Counter[str] = Counter()
        self._end: Callable[[], Refused] | None = None

    def __len__(self) -> int:
        """Return how many streams are open."""
        return len(self._open)

    @contextmanager
    def admit(self, stream: Endable) -> Iterator[None]:
        """Count a stream while the block runs. Raises Refused when there is no room, or the server is stopping."""
        account = stream.account
        if self._end is not None:
            raise self._end()
        if stream.session in self._ended_sessions:  # since the call was let in
            raise unauthenticated()
        if len(self._open) >= self._most:
            raise limited(
                "SERVER_FULL", "the server has no room for another stream", "服务器的数据流已满", retry_seconds=5
            )
        if self._of_account[account] >= self._most_per_account:
            raise limited(
                "TOO_MANY_STREAMS",
                f"you have {self._most_per_account} streams open, which is the most: end one first",
                f"你已打开 {self._most_per_account} 条数据流，已达上限：请先关闭一条",
            )
        address = stream.address
        if self._of_address[address] >= self._most_per_address:
            raise limited("TOO_MANY_STREAMS", "this address has too many streams open", "此地址打开的数据流太多")
        self._open.add(stream)
        self._of_account[account] += 1
        self._of_address[address] += 1
        try:
            yield
        finally:
            self._open.discard(stream)
            _count_down(self._of_account, account)
            _count_down(self._of_address, address)

    def end_all(self, end: Callable[[], Refused]) -> None:
        """End every stream, and every one that comes later, with what `end` makes."""
        self._end = end
        for stream in list(self._open):
            stream.end(end())

    def _end_session(self, session: str) -> None:
        for stream in list(self._open):
            if stream.session == session:
                stream.end(unauthenticated())


def _count_down(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]


class Stream:
    """One open stream: what waits for its reader, and until when its caller is known.

    When it is to end, what waits is sent first; a reader that does not take that is cut off after `LINGER_SECONDS`.
    """

    def __init__(self, identity: Identity, address: str, outbox: Outbox, clock: Clock) -> None:
        self.account = identity.caller.account
        self.address = address
        self.session = identity.session
        self.outbox = outbox
        self._clock = clock
        self._expires = identity.expires
        self._timer: Timer = clock.call_at(identity.expires, self._lapse)
        self._writing: asyncio.Task[Any] | None = None

    def renew(self, identity: Identity) -> None:
        """Let the stream live as long as a newer token, and be of that token's session."""
        expires = identity.expires
        if self.outbox.ended:
            return
        self.session = identity.session
        if expires > self._expires:
            self._expires = expires
            self._timer.cancel()
            self._timer = self._clock.call_at(expires, self._lapse)

    def end(self, end: Refused) -> None:
        """End the stream with `end` as its status, once what waits is sent."""
        if not self.outbox.ended:
            self.outbox.finish(end)
            self._timer.cancel()
            self._timer = self._clock.call_at(self._clock.now() + LINGER_SECONDS, self._cut_off)

    def close(self) -> None:
        """Let everything go: the reader is gone, or has been told all."""
        self._timer.cancel()
        self.outbox.close()

    async def write(
        self, context: Context, heartbeat_seconds: float, response: type[PlayResponse | WatchTableResponse]
    ) -> None:
        """Write what comes until the stream ends; raises what it ends with. Silence is broken by heartbeats."""
        self._writing = asyncio.current_task()
        while (message := await self.outbox.drain(heartbeat_seconds)) is not None:
            if not message:
                heartbeat = Heartbeat(time=timestamp(self._clock.now()))
                message = response(heartbeat=heartbeat).SerializeToString()
            await context.write(message)
        if self.outbox.end is not None:
            raise self.outbox.end

    def _lapse(self) -> None:
        self.end(unauthenticated())

    def _cut_off(self) -> None:
        if self._writing is not None:
            self._writing.cancel()

"""What waits to be sent on one stream, and how much of it at most.

Steps that a reader is too slow for are dropped, a table at a time, and replaced by one snapshot when the reader is
ready again. Results of commands are never dropped; instead no more commands are read while too many results wait.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from gouji.table.v1 import table_pb2
from gouji_server.tables.steps import RESULTS_TAG, chunk, result_chunk

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.clock import Clock, Timer
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.refusals import Refused


class Follower(Protocol):
    """A subscription, as its outbox sees it."""

    table: str
    lagging: bool

    def resync(self) -> None:
        """Have a snapshot put into the outbox."""

    def detach(self) -> None:
        """Follow no more."""


class Outbox:
    """The way out of one stream. It belongs to the stream's task and to the tables that it follows.

    ``one_table``: the stream is for one table and ends after its TableClosed.
    """

    __slots__ = (
        "_bytes",
        "_chunks",
        "_clock",
        "_ended",
        "_followers",
        "_idle_end",
        "_lagging",
        "_limits",
        "_on_close",
        "_one_table",
        "_owners",
        "_quiet_since",
        "_results",
        "_room",
        "_timeout",
        "_timer",
        "_unanswered",
        "_waiter",
        "end",
    )

    def __init__(
        self,
        clock: Clock,
        limits: Limits,
        *,
        one_table: bool = False,
        on_close: Callable[[Outbox], None] | None = None,
    ) -> None:
        self._clock = clock
        self._limits = limits
        self._one_table = one_table
        self._on_close = on_close
        self._chunks: list[bytes] = []
        self._owners: list[Follower | None] = []
        self._bytes = 0
        self._results = 0
        self._unanswered = 0
        self._followers: dict[str, Follower] = {}
        self._lagging: list[Follower] = []
        self._waiter: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._timer: Timer | None = None
        self._timeout = 0.0
        self._quiet_since = 0.0
        self._ended = False
        self._idle_end = False
        self.end: Refused | None = None

    # ── the stream's side ──

    async def drain(self, timeout: float | None = None) -> bytes | None:  # noqa: ASYNC109 - a heartbeat's, no limit
        """Wait for something to send and return all that waits as one message.

        Returns ``b""`` when nothing came for `timeout` seconds, and None when the stream is to end: with :attr:`end` if
        that is set, else well.
        """
        if self._lagging:
            self._ask_for_snapshots()
        if not self._chunks and not self._ended:
            if timeout is not None:
                self._arm(timeout)
            waiter = self._waiter = asyncio.get_running_loop().create_future()
            try:
                await waiter
            finally:
                self._waiter = None
        if self._chunks:
            return self._take()
        return None if self._ended else b""

    async def room(self) -> None:
        """Wait until another command may be read: until fewer than the limit wait for results or for their leaving."""
        while self._unanswered + self._results >= self._limits.commands_in_flight and not self._ended:
            self._room = asyncio.get_running_loop().create_future()
            try:
                await self._room
            finally:
                self._room = None

    def put_result(self, request_id: str, version: int = 0) -> None:
        """Tell that a command was carried out."""
        self._put_result(result_chunk(request_id, version))

    def put_refusal(self, request_id: str, refused: Refused) -> None:
        """Tell that a command was refused."""
        result = table_pb2.CommandResult(request_id=request_id, error=refused.to_proto())
        self._put_result(chunk(RESULTS_TAG, result.SerializeToString()))

    def finish(self, end: Refused | None = None) -> None:
        """End the stream once what waits is sent, with the status of `end`, or well."""
        if self._ended:
            return
        self.end = end
        self._let_go()

    def finish_when_idle(self) -> None:
        """No more commands will come: end well once none waits for its result and no table is followed."""
        self._idle_end = True
        self._finish_if_idle()

    def close(self) -> None:
        """The reader is gone: drop everything."""
        self._let_go()
        self._drop_all()
        if self._on_close is not None:
            self._on_close(self)

    @property
    def ended(self) -> bool:
        """Whether nothing more is accepted."""
        return self._ended

    @property
    def waiting_bytes(self) -> int:
        """What waits to be sent."""
        return self._bytes

    # ── the tables' side ──

    def expect(self) -> None:
        """Note that a command was taken, whose :meth:`answer` or :meth:`refuse` follows."""
        self._unanswered += 1

    def answer(self, request_id: str, version: int) -> None:
        """Answer a command that was taken."""
        self._unanswered -= 1
        self.put_result(request_id, version)
        self._finish_if_idle()

    def refuse(self, request_id: str, refused: Refused) -> None:
        """Refuse a command that was taken."""
        self._unanswered -= 1
        self.put_refusal(request_id, refused)
        self._finish_if_idle()

    def follow(self, follower: Follower) -> None:
        """Have steps of a table come here; a subscription of the same table gives way."""
        before = self._followers.get(follower.table)
        if before is not None:
            before.detach()
            self._drop(before)
        self._followers[follower.table] = follower

    def follower(self, table: str) -> Follower | None:
        """Return the subscription of a table, if there is one."""
        return self._followers.get(table)

    @property
    def followed(self) -> int:
        """How many tables come here."""
        return len(self._followers)

    def unfollow(self, follower: Follower) -> None:
        """Have no more steps of a table come here; what waits is still sent. A stream of one table ends."""
        if self._followers.get(follower.table) is follower:
            del self._followers[follower.table]
        if follower in self._lagging:
            self._lagging.remove(follower)
        if self._one_table:
            self.finish()
        else:
            self._finish_if_idle()

    def put(self, follower: Follower, step: bytes) -> None:
        """Send a step, or note that the reader is too slow for this table: then no more before its snapshot."""
        if self._ended or follower.lagging:
            return
        chunks = self._chunks
        if chunks and self._is_full(len(step)):
            self._overflow(follower)
            return
        chunks.append(step)
        self._owners.append(follower)
        self._bytes += len(step)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    # ── inside ──

    def _finish_if_idle(self) -> None:
        if self._idle_end and not self._unanswered and not self._followers:
            self.finish()

    def _put_result(self, result: bytes) -> None:
        if self._ended:
            self._wake_room()
            return
        self._results += 1
        self._chunks.append(result)
        self._owners.append(None)
        self._bytes += len(result)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _is_full(self, more: int) -> bool:
        limits = self._limits
        return self._bytes + more > limits.outbox_bytes or len(self._chunks) >= limits.outbox_chunks

    def _take(self) -> bytes:
        """Take what waits, as much as one message holds."""
        if self._bytes > self._limits.message_bytes:
            return self._take_part(self._fitting())
        message = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._owners.clear()
        self._bytes = 0
        if self._results:
            self._results = 0
            self._wake_room()
        return message

    def _take_part(self, count: int) -> bytes:
        message = b"".join(self._chunks[:count])
        self._results -= self._owners[:count].count(None)
        self._wake_room()
        del self._chunks[:count]
        del self._owners[:count]
        self._bytes -= len(message)
        return message

    def _fitting(self) -> int:
        size = 0
        for count, what in enumerate(self._chunks):
            size += len(what)
            if size > self._limits.message_bytes:
                return max(count, 1)
        return len(self._chunks)

    def _overflow(self, follower: Follower) -> None:
        """Drop what waits of one table; a snapshot will replace it."""
        follower.lagging = True
        self._lagging.append(follower)
        self._drop(follower)

    def _drop(self, follower: Follower) -> None:
        kept = [(what, owner) for what, owner in zip(self._chunks, self._owners, strict=True) if owner is not follower]
        self._bytes = sum(len(what) for what, _ in kept)
        self._chunks = [what for what, _ in kept]
        self._owners = [owner for _, owner in kept]

    def _ask_for_snapshots(self) -> None:
        lagging, self._lagging = self._lagging, []
        for follower in lagging:
            follower.resync()

    def _let_go(self) -> None:
        """Accept nothing more."""
        if self._ended:
            return
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        followers, self._followers = self._followers, {}
        self._lagging.clear()
        for follower in followers.values():
            follower.detach()
        self._wake_room()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _drop_all(self) -> None:
        self._chunks.clear()
        self._owners.clear()
        self._bytes = 0
        self._results = 0

    def _wake_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    # A timer per wait would cost more than the wait: one is left running, and looks when it fires.

    def _arm(self, timeout: float) -> None:
        self._timeout = timeout
        self._quiet_since = self._clock.now()
        if self._timer is None:
            self._timer = self._clock.call_at(self._quiet_since + timeout, self._look)

    def _look(self) -> None:
        self._timer = None
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        due = self._quiet_since + self._timeout
        if self._clock.now() < due:
            self._timer = self._clock.call_at(due, self._look)
        else:
            waiter.set_result(None)

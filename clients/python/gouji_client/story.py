"""One table's story as it arrives: what is new, what is old, what is broken; and the readers' backlogs."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2
from gouji_client.errors import GoujiError, ProtocolBroken
from gouji_client.view import view_of_snapshot

if TYPE_CHECKING:
    from gouji.table.v1 import events_pb2
    from gouji_client.backoff import Waits
    from gouji_client.view import Position, TableView

BACKLOG = 1000
"""Updates that wait for one reader at most. Past that its backlog is replaced by one snapshot of the newest view."""

_BREAKS = 5
"""Times in a row that a story may break before the client stops asking for it anew."""


class Verdict(Enum):
    """What an update is to one who has read up to some position."""

    NEW = "new"
    """It follows without a gap, or it is a snapshot from further on."""
    OLD = "old"
    """All of it was read before."""
    BROKEN = "broken"
    """It does not follow: something between is missing, or the server went back."""


def judge(at: Position | None, update: table_pb2.TableUpdate) -> Verdict:
    """Say what `update` is to one who has read up to `at` (None: nothing yet).

    `n` counts public events, `p` what was said to this seat alone; both must go on without a gap.
    """
    if at is None or update.epoch != at.epoch:
        return Verdict.NEW if update.HasField("snapshot") else Verdict.BROKEN
    if update.HasField("snapshot"):
        return _judge_snapshot(at, update)
    numbers = [event.n for event in update.events]
    if numbers and numbers != list(range(numbers[0], update.n + 1)):
        return Verdict.BROKEN
    fresh = update.n > at.n
    if fresh and (not numbers or numbers[0] > at.n + 1):
        return Verdict.BROKEN
    if not update.HasField("seat"):
        return Verdict.NEW if fresh else Verdict.OLD
    if at.seat is not None and update.seat.seat != at.seat:
        return Verdict.BROKEN
    told = update.p - at.p
    if told > 1 or (told < 0 and fresh) or (told == 1 and update.n < at.n):
        return Verdict.BROKEN
    return Verdict.NEW if fresh or told == 1 else Verdict.OLD


def _judge_snapshot(at: Position, update: table_pb2.TableUpdate) -> Verdict:
    seat = update.seat.seat if update.HasField("seat") else None
    told = update.p - at.p if seat == at.seat and seat is not None else 0
    if update.n < at.n or told < 0:
        return Verdict.BROKEN
    if update.n == at.n and told == 0 and seat == at.seat:
        return Verdict.OLD
    return Verdict.NEW


@dataclass(frozen=True, slots=True)
class Update:
    """A step of a table's story: what happened, and the table after it.

    `events` are without a gap to the update before, unless `restart` is set: then the reader starts anew from `view`,
    and `restart` says why (the first update of every reader has it). Both are empty or None when only something was
    said to this seat alone, such as that its answer is in.
    """

    table: str
    events: tuple[events_pb2.TableEvent, ...]
    view: TableView
    restart: table_pb2.SnapshotReason.ValueType | None = None


class Feed:
    """One reader of a story: an async iterator of updates that ends with the story, or raises what broke it."""

    def __init__(self) -> None:
        self._waiting: deque[Update] = deque()
        self._wake = asyncio.Event()
        self._over = False
        self._failure: GoujiError | None = None

    def __aiter__(self) -> Feed:
        return self

    async def __anext__(self) -> Update:
        """Return the next update, waiting for it."""
        while not self._waiting:
            if self._failure is not None:
                raise self._failure
            if self._over:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._waiting.popleft()

    @property
    def backlog(self) -> int:
        """Updates that can be read without waiting."""
        return len(self._waiting)

    def push(self, update: Update) -> None:
        """Add an update, or put a snapshot in the place of too long a backlog."""
        if len(self._waiting) >= BACKLOG:
            self._waiting.clear()
            update = Update(update.table, (), update.view, table_pb2.SNAPSHOT_REASON_SLOW_READER)
        self._waiting.append(update)
        self._wake.set()

    def finish(self, failure: GoujiError | None = None) -> None:
        """End after what waits: normally, or with `failure`."""
        self._over = True
        self._failure = failure
        self._wake.set()


class Story:
    """One table's story: its newest view and its readers."""

    def __init__(self, table: str, waits: Waits) -> None:
        self.table = table
        self.waits = waits
        """The waits between tries to follow it while the server says that it cannot be followed yet."""
        self.view: TableView | None = None
        self.over = False
        self.failure: GoujiError | None = None
        self._feeds: list[Feed] = []
        self._anew = True
        self._breaks = 0

    @property
    def after(self) -> table_pb2.Place | None:
        """The place to ask the tail from; None to ask for a snapshot."""
        return None if self._anew or self.view is None else self.view.at.to_place()

    def open_feed(self) -> Feed:
        """Add a reader. It starts with the newest view, if there is one."""
        feed = Feed()
        if self.view is not None:
            feed.push(Update(self.table, (), self.view, table_pb2.SNAPSHOT_REASON_FIRST))
        if self.over:
            feed.finish(self.failure)
        self._feeds.append(feed)
        return feed

    def close_feed(self, feed: Feed) -> None:
        """Take a reader off. Twice is no error."""
        if feed in self._feeds:
            self._feeds.remove(feed)
            feed.finish()

    def take(self, update: table_pb2.TableUpdate) -> bool:
        """Read an update; return False if the story must be asked for anew, with `after` as it is then."""
        if self.over:
            return True
        snapshot = update.HasField("snapshot")
        if self._anew and not snapshot:
            return True  # the rest of what was asked for before: the snapshot is on its way
        at = self.view.at if self.view else None
        verdict = judge(at, update)
        if verdict is Verdict.BROKEN:
            return self._broken(f"its story does not follow: at {at}, then {_numbers(update)}")
        try:
            self._read(update, verdict)
        except ProtocolBroken as error:
            return self._broken(str(error))
        if snapshot:
            self._anew = False
        return True

    def fail(self, failure: GoujiError) -> None:
        """End the story for all its readers with `failure`."""
        if not self.over:
            self.over, self.failure = True, failure
            for feed in self._feeds:
                feed.finish(failure)

    def finish(self) -> None:
        """End the story: the table is closed."""
        self.over = True
        for feed in self._feeds:
            feed.finish()

    def _read(self, update: table_pb2.TableUpdate, verdict: Verdict) -> None:
        if verdict is Verdict.OLD:
            # An old snapshot may still say more than was known, such as a deadline; an old step never does.
            if update.HasField("snapshot"):
                self.view = view_of_snapshot(update)
                self._end_if_closed(())
            return
        if update.HasField("snapshot"):
            step = Update(self.table, (), view_of_snapshot(update), update.snapshot.reason)
        else:
            assert self.view is not None  # noqa: S101 - `judge` takes nothing but a snapshot as the first
            known = self.view.at.n
            if update.events and update.events[0].n <= known:
                update = _without_known(update, known)
            step = Update(self.table, tuple(update.events), self.view.after(update))
        self.view = step.view
        self._breaks = 0
        for feed in self._feeds:
            feed.push(step)
        self._end_if_closed(step.events)

    def _end_if_closed(self, events: tuple[events_pb2.TableEvent, ...]) -> None:
        closing = any(event.HasField("table_closed") for event in events)
        # Who comes too late for the event itself is told by the table's state.
        if closing or (not events and self.view is not None and self.view.over):
            self.finish()

    def _broken(self, why: str) -> bool:
        self._anew = True
        self._breaks += 1
        if self._breaks > _BREAKS:
            self.fail(ProtocolBroken(f"{self.table}: {why}"))
            return True
        return False


def _without_known(update: table_pb2.TableUpdate, n: int) -> table_pb2.TableUpdate:
    """Return the update without its events up to `n`."""
    made = table_pb2.TableUpdate()
    made.CopyFrom(update)
    del made.events[:]
    made.events.extend(event for event in update.events if event.n > n)
    return made


def _numbers(update: table_pb2.TableUpdate) -> str:
    first = f"{update.events[0].n}–" if update.events else ""
    kind = "a snapshot at " if update.HasField("snapshot") else ""
    return f"{kind}epoch {update.epoch}, n {first}{update.n}, p {update.p}"

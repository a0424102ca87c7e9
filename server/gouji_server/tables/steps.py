"""Steps of a table's story: encoded once, kept for a while.

A step is what one input made of a table. Its public half is one byte string, the same object for six seats and all
spectators; a seat to which something was said besides gets the same bytes with its private half behind them (protobuf
merges what is concatenated). A chunk is a step as a field 1 of a stream's message, PlayResponse and WatchTableResponse
alike, so a stream's message is its chunks joined.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_server.tables.convert import WRITERS, DealStateWriter, history_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import gouji_rules as gr
    from gouji.lobby.v1 import lobby_pb2

UPDATES_TAG = b"\x0a"
RESULTS_TAG = b"\x12"

SPECTATOR = -1
"""The seat of those who have none."""


def chunk(tag: bytes, *parts: bytes) -> bytes:
    """Write a length-delimited field whose value is the parts joined."""
    size = sum(map(len, parts))
    length = bytearray()
    rest = size
    while rest > 127:
        length.append(rest & 127 | 128)
        rest >>= 7
    length.append(rest)
    return b"".join((tag, length, *parts))


class Step:
    """One step.

    ``seq`` is the journal's number of its input; ``n`` and ``p`` (per seat) the place after it. ``shared`` is the chunk
    for everyone to whom nothing private was said, None if it has no public event; ``private`` the chunks of the seats
    to which something was; ``size`` what it takes in memory; ``info_changed`` the table's lobby facts changed.
    """

    __slots__ = ("info_changed", "n", "p", "private", "seq", "shared", "size")

    def __init__(
        self,
        seq: int,
        n: int,
        p: tuple[int, ...],
        shared: bytes | None,
        private: dict[int, bytes],
        *,
        info_changed: bool = False,
    ) -> None:
        self.seq = seq
        self.n = n
        self.p = p
        self.shared = shared
        self.private = private
        self.info_changed = info_changed
        self.size = len(shared or b"") + sum(map(len, private.values()))

    def chunk_for(self, seat: int) -> bytes | None:
        """Return what a seat, or a spectator (-1), is sent of this step; None for nothing."""
        return self.private.get(seat, self.shared)


class StepEncoder:
    """Writes the steps and snapshots of one table, reusing its messages."""

    __slots__ = ("_lobby", "_snapshot", "_state", "_update")

    def __init__(self, table: str, epoch: int) -> None:
        self._update = table_pb2.TableUpdate(table=table, epoch=epoch)
        self._state = DealStateWriter(self._update.state)
        self._lobby = table_pb2.TableUpdate(table=table, epoch=epoch)
        self._snapshot: tuple[int, int, bytes] = (-1, -1, b"")

    def next_deal(self) -> None:
        """Another deal begins."""
        self._state.reset()

    def public(
        self,
        n: int,
        happened: Sequence[object],
        time_ms: int,
        *,
        by_clock: bool,
        info: lobby_pb2.Table | None,
        deal: DealFacts | None,
    ) -> bytes:
        """Write the public half of a step whose last event is number `n`."""
        update = self._lobby if deal is None else self._update
        del update.events[:]
        update.n = n
        if info is None:
            update.ClearField("table_info")
        else:
            update.table_info.CopyFrom(info)
        self._write_events(update.events, n - len(happened), happened, time_ms, by_clock=by_clock)
        if deal is not None:
            self._state.update(deal.public, deal.number, deal.scores, deal.decision, deal.deadline_ms)
        return update.SerializeToString()

    def _write_events(
        self, into: object, before: int, happened: Sequence[object], time_ms: int, *, by_clock: bool
    ) -> None:
        seconds, rest = divmod(time_ms, 1000)
        nanos = rest * 1_000_000
        add = into.add  # type: ignore[attr-defined]
        for said in happened:
            before += 1
            event: events_pb2.TableEvent = add()
            event.n = before
            time = event.time
            time.seconds = seconds
            time.nanos = nanos
            if by_clock:
                event.by_clock = True
                by_clock = False
            WRITERS[type(said)](event, said)

    def place_alone(self, n: int) -> bytes:
        """Write the public half of a step that says something to one seat alone."""
        update = self._lobby
        del update.events[:]
        update.ClearField("table_info")
        update.n = n
        return update.SerializeToString()

    def snapshot(
        self, n: int, reason: table_pb2.SnapshotReason.ValueType, info: lobby_pb2.Table, deal: DealFacts | None
    ) -> bytes:
        """Write the public half of a snapshot; many readers at one place get the same bytes."""
        if self._snapshot[:2] == (n, reason):
            return self._snapshot[2]
        made = table_pb2.TableUpdate(table=self._update.table, epoch=self._update.epoch, n=n, table_info=info)
        made.snapshot.reason = reason
        if deal is not None:
            self._state.update(deal.public, deal.number, deal.scores, deal.decision, deal.deadline_ms)
            made.state.CopyFrom(self._state.message)
            made.snapshot.plays.extend(history_messages(deal.public))
            made.snapshot.deal_started.deal = deal.number
            made.snapshot.deal_started.commitment = deal.commitment
        public = made.SerializeToString()
        self._snapshot = (n, reason, public)
        return public


class DealFacts:
    """What a step tells of a running deal, beside its public state."""

    __slots__ = ("commitment", "deadline_ms", "decision", "number", "public", "scores")

    def __init__(self, public: gr.PublicState, number: int, scores: tuple[int, ...], commitment: bytes) -> None:
        self.public = public
        self.number = number
        self.scores = scores
        self.commitment = commitment
        self.decision = 0
        self.deadline_ms = 0


def private_part(seat: int, p: int, hand: Iterable[int], *, answered: bool) -> bytes:
    """Write a seat's private half."""
    part = state_pb2.SeatPart(seat=seat, hand=hand, answered=answered)  # type: ignore[arg-type]
    return table_pb2.TableUpdate(p=p, seat=part).SerializeToString()


class StepRing:
    """The recent steps, bounded in number and bytes."""

    __slots__ = ("_bytes", "_most_bytes", "_most_steps", "_start", "steps")

    def __init__(self, most_steps: int, most_bytes: int) -> None:
        self.steps: deque[Step] = deque()
        self._most_steps = most_steps
        self._most_bytes = most_bytes
        self._bytes = 0
        self._start: tuple[int, tuple[int, ...]] = (0, (0,) * 6)

    def start_at(self, n: int, p: tuple[int, ...]) -> None:
        """Forget all steps; the next one follows on this place."""
        self.steps.clear()
        self._bytes = 0
        self._start = (n, p)

    def add(self, step: Step) -> None:
        """Keep a step, letting the oldest go beyond the bounds."""
        steps = self.steps
        steps.append(step)
        self._bytes += step.size
        while len(steps) > self._most_steps or (self._bytes > self._most_bytes and len(steps) > 1):
            gone = steps.popleft()
            self._bytes -= gone.size
            self._start = (gone.n, gone.p)

    def tail(self, seat: int, n: int, p: int) -> list[bytes] | table_pb2.SnapshotReason.ValueType:
        """Return the chunks that a seat, or a spectator (-1), has not seen at (n, p), or why there are none.

        The place must be one at which this reader stood: spectators have p = 0.
        """
        steps = self.steps
        start_n, start_p = self._start
        last_n, last_p = (steps[-1].n, steps[-1].p) if steps else self._start
        if n > last_n or (seat >= 0 and p > last_p[seat]) or (seat < 0 and p != 0):
            return table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
        if n < start_n or (seat >= 0 and p < start_p[seat]):
            return table_pb2.SNAPSHOT_REASON_TOO_OLD
        at = (start_n, start_p[seat] if seat >= 0 else 0)
        found: list[bytes] | None = [] if at == (n, p) else None
        for step in steps:
            said = step.chunk_for(seat)
            if said is None:
                continue
            if found is not None:
                found.append(said)
            elif (step.n, step.p[seat] if seat >= 0 else 0) == (n, p):
                found = []
        return table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE if found is None else found

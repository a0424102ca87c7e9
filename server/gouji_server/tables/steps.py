"""Steps of a table's story: encoded once, kept for a while.

A step is what one input made of a table. Its public half is one byte string, the same object for six seats and all
spectators; a seat to which something was said besides gets the same bytes with its private half behind them (protobuf
merges what is concatenated). A chunk is a step as a field 1 of a stream's message, PlayResponse and WatchTableResponse
alike, so a stream's message is its chunks joined.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_server.tables.convert import WRITERS, DealStateWriter, history_messages
from gouji_server.tables.promise import write_begun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1 import events_pb2, state_pb2
    from gouji_server.tables import happenings
    from gouji_server.tables.lobby_state import Audience
    from gouji_server.tables.promise import Promise

UPDATES_TAG = b"\x0a"
RESULTS_TAG = b"\x12"

SPECTATOR = -1
"""The seat of those who have none."""


def chunk(tag: bytes, *parts: bytes) -> bytes:
    """Write a length-delimited field whose value is the parts joined."""
    return b"".join((tag, _varint(sum(map(len, parts))), *parts))


def result_chunk(request_id: str, version: int) -> bytes:
    """Write the CommandResult of a command that was carried out; `version` is 0 for none. By hand: there are many."""
    said = request_id.encode()
    told = b"".join((b"\x10", _varint(version))) if version else b""
    return chunk(RESULTS_TAG, b"\x0a", _varint(len(said)), said, told)


def _varint(value: int) -> bytes:
    """Write a number as protobuf does."""
    if value < 128:
        return _SMALL[value]
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


_SMALL = tuple(bytes((value,)) for value in range(128))


class Step:
    """One step.

    ``seq`` is the journal's number of its input; ``n`` and ``p`` (per seat) the place after it. ``shared`` is the chunk
    for everyone to whom nothing private was said, None if it has no public event; ``private`` the chunks of the seats
    to which something was; ``size`` what it takes in memory; ``info_changed`` the table's lobby facts changed;
    ``audience`` who may follow after it, None for everybody, or as before where those facts are. ``due`` is when those
    without a seat may be told (milliseconds; 0: at once); ``base`` a snapshot after it for who is told later from then
    on, empty in a match and where nobody is.
    """

    __slots__ = ("audience", "base", "due", "info_changed", "n", "p", "private", "seq", "shared", "size")

    def __init__(
        self,
        seq: int,
        n: int,
        p: tuple[int, ...],
        shared: bytes | None,
        private: dict[int, bytes],
        *,
        info_changed: bool = False,
        audience: Audience | None = None,
        due: int = 0,
        base: bytes = b"",
    ) -> None:
        self.seq = seq
        self.n = n
        self.p = p
        self.shared = shared
        self.private = private
        self.info_changed = info_changed
        self.audience = audience
        self.due = due
        self.base = base
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

    def next_deal(self, number: int) -> None:
        """Another deal begins."""
        self._state.reset(number)

    def of_deal(self, n: int, happened: Sequence[object], time_ms: int, deal: DealFacts, *, by_clock: bool) -> bytes:
        """Write the public half of a step of a deal, whose last event is number `n`."""
        update = self._update
        update.n = n
        events = update.events
        played = _write_events(events, n, happened, time_ms, by_clock=by_clock)
        self._state.update(deal.public, deal.scores, deal.decision, deal.deadline_ms, played)
        self._update_table(deal)
        public = update.SerializeToString()
        del events[:]
        return public

    def _update_table(self, deal: DealFacts) -> None:
        """Write what the table adds to the deal's own state."""
        self._state.update_votes(deal.for_ending)
        self._state.update_banks(deal.bank_left)
        self._state.update_presence(deal.absent, deal.autopilot)

    def of_lobby(self, n: int, happened: Sequence[object], time_ms: int, info: lobby_pb2.Table) -> bytes:
        """Write the public half of a step that changes the lobby facts, whose last event is number `n`."""
        update = table_pb2.TableUpdate(table=self._lobby.table, epoch=self._lobby.epoch, n=n, table_info=info)
        _write_events(update.events, n, happened, time_ms, by_clock=False)
        return update.SerializeToString()

    def of_both(
        self,
        n: int,
        happened: Sequence[object],
        time_ms: int,
        info: lobby_pb2.Table,
        deal: DealFacts,
        *,
        by_clock: bool,
    ) -> bytes:
        """Write the public half of a step of a deal that changes the lobby facts too: a match's last."""
        self._update.table_info.CopyFrom(info)
        public = self.of_deal(n, happened, time_ms, deal, by_clock=by_clock)
        self._update.ClearField("table_info")
        return public

    def of_seat(self, n: int) -> bytes:
        """Write the public half of a step that says something to one seat alone."""
        self._lobby.n = n
        return self._lobby.SerializeToString()

    def snapshot(
        self,
        n: int,
        reason: table_pb2.SnapshotReason.ValueType,
        info: lobby_pb2.Table,
        deal: DealFacts | None,
        promise: Promise | None = None,
    ) -> bytes:
        """Write the public half of a snapshot; many readers at one place get the same bytes."""
        if self._snapshot[:2] == (n, reason):
            return self._snapshot[2]
        made = table_pb2.TableUpdate(table=self._lobby.table, epoch=self._lobby.epoch, n=n, table_info=info)
        made.snapshot.reason = reason
        if promise is not None:
            promise.write(made.snapshot)
        if deal is not None:
            self._state.update(deal.public, deal.scores, deal.decision, deal.deadline_ms)
            self._update_table(deal)
            made.state.CopyFrom(self._state.message)
            made.snapshot.plays.extend(history_messages(deal.public))
            write_begun(made.snapshot.deal_started, deal.begun)
        public = made.SerializeToString()
        self._snapshot = (n, reason, public)
        return public


def _write_events(
    events: RepeatedCompositeFieldContainer[events_pb2.TableEvent],
    n: int,
    happened: Sequence[object],
    time_ms: int,
    *,
    by_clock: bool,
) -> state_pb2.PlayedCards | None:
    """Write events, the last of which is number `n`; return the last play among them."""
    seconds = time_ms // 1000
    nanos = time_ms % 1000 * 1_000_000
    n -= len(happened)
    played = None
    for said in happened:
        n += 1
        event = events.add(n=n)
        time = event.time
        time.seconds = seconds
        if nanos:
            time.nanos = nanos
        if by_clock:
            event.by_clock = True
            by_clock = False
        kind = type(said)
        WRITERS[kind](event, said)
        if kind is gr.Played:
            played = event.played.play
    return played


class DealFacts:
    """What a step tells of a running deal, beside its public state."""

    __slots__ = (
        "absent",
        "autopilot",
        "bank_left",
        "begun",
        "deadline_ms",
        "decision",
        "for_ending",
        "number",
        "public",
        "scores",
    )

    def __init__(self, public: gr.PublicState, scores: tuple[int, ...], begun: happenings.DealStarted) -> None:
        self.public = public
        self.number = begun.deal
        self.scores = scores
        self.begun = begun
        self.decision = 0
        self.deadline_ms = 0
        self.for_ending = 0
        """Mask of the people who are for ending the match (R17)."""
        self.bank_left: tuple[int, ...] = ()
        """Milliseconds in each seat's bank."""
        self.absent = 0
        """Mask of the seats whose player does not follow the table."""
        self.autopilot = 0
        """Mask of the seats that a bot plays for their player."""


def private_part(
    seat: int,
    p: int,
    hand: bytes,
    *,
    answered: bool,
    felt: tuple[tuple[int, int], ...] = (),
    auto_decline: bool = False,
    auto_always: bool = False,
    peeked: Iterable[tuple[int, bytes]] = (),
    granted: int = 0,
) -> bytes:
    """Write a seat's private half: fields 20 and 21 of a TableUpdate.

    By hand, since it is written with every play: cards are below 128, so a hand is its own packed field.
    """
    part = b"".join((_SEAT_FIELD[seat], b"\x12", _varint(len(hand)), hand, b"\x18\x01" if answered else b""))
    for least, most in felt:
        part += b"\x22\x04\x08%c\x10%c" % (least, most)
    if auto_decline:
        part += b"\xa0\x01\x01\xa8\x01\x01" if auto_always else b"\xa0\x01\x01"
    for holder, cards in peeked:
        part += chunk(b"\xf2\x01", _SEAT_FIELD[holder], b"\x12", _varint(len(cards)), cards)
    if granted:
        part += chunk(b"\xfa\x01", bytes(ally for ally in range(6) if granted >> ally & 1))
    return b"".join((b"\xa0\x01", _varint(p), b"\xaa\x01", _varint(len(part)), part))


_SEAT_FIELD = (b"", *(bytes((8, seat)) for seat in range(1, 6)))
"""Field 1 of a SeatPart, by seat; 0 is not written."""


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

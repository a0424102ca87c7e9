"""A table's story: its state, the journal's numbering and digests, and the steps that readers follow.

Live, :meth:`Story.make` turns an input into a journal entry and a step. In recovery :func:`recover` folds the entries
of a journal in the same way and compares digests.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2
from gouji_server.journal import Entry
from gouji_server.tables import inputs
from gouji_server.tables.convert import SEATS_IN
from gouji_server.tables.digests import digest_after
from gouji_server.tables.lobby_state import PLAYING
from gouji_server.tables.steps import SPECTATOR, UPDATES_TAG, Step, StepEncoder, StepRing, chunk, private_part
from gouji_server.tables.table import Effect, TableState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gouji_server.tables.limits import Limits

_SLICE = 200
"""Entries folded before others get their turn."""


class Diverged(Exception):
    """The fold of a journal does not arrive where the entry says it did."""

    def __init__(self, seq: int, kind: str) -> None:
        super().__init__(f"entry {seq} ({kind}) does not lead where it led")
        self.seq = seq
        self.kind = kind


class Story:
    """See the module. ``seq`` is the number of the last entry, made durable or about to be.

    ``shown``: after recovery of a table whose match is told later to those without a seat, a snapshot of what they may
    know, and the steps that they are to be told.
    """

    __slots__ = ("_digest", "encoder", "ring", "seq", "shown", "state")

    def __init__(self, name: str, limits: Limits) -> None:
        self.state = TableState(name, limits)
        self.ring = StepRing(limits.ring_steps, limits.ring_bytes)
        self.encoder: StepEncoder | None = None
        self.seq = 0
        self.shown: tuple[bytes, list[Step]] | None = None
        self._digest = b""

    def make(self, happening: inputs.Input) -> tuple[Entry, Step]:
        """Make an input happen. Raises gouji_rules.RuleViolation for a move that the rules refuse: nothing changed."""
        running = self.state.state == PLAYING
        effect = self.state.apply(happening)
        kind, body = inputs.encode(happening)
        self.seq += 1
        self._digest = digest_after(self._digest, kind, body, self.state)
        step = self._encode(effect, running=running)
        return Entry(self.seq, kind, body, self._digest), step

    def replay(self, entry: Entry, *, encode: bool) -> Step | None:
        """Make a journal's entry happen again; return its step if that is to be encoded. Raises :class:`Diverged`."""
        with _diverging(entry):
            running = self.state.state == PLAYING
            effect = self._happen_again(entry)
            if encode:
                return self._encode(effect, running=running)
            self._skip(effect)
        return None

    def retell(self, entry: Entry) -> tuple[Effect, bytes, dict[int, bytes]]:
        """Make a journal's entry happen again, for a reader of a match that is over.

        Return what came of it, the TableUpdate that all were told (that of a seat's step where they were told nothing),
        and for each seat to which something was said, a built-in bot's too, the TableUpdate that says it. Raises
        :class:`Diverged`.
        """
        with _diverging(entry):
            effect = self._happen_again(entry)
            told = effect.happened or effect.info_changed
            public = self._public(effect) if told else self._encoder().of_seat(self.state.n)
            return effect, public, {seat: self._private(seat) for seat in SEATS_IN[effect.touched]}

    def _happen_again(self, entry: Entry) -> Effect:
        effect = self.state.apply(inputs.decode(entry.kind, entry.body))
        self.seq += 1
        self._digest = digest_after(self._digest, entry.kind, entry.body, self.state)
        if self._digest != entry.digest or self.seq != entry.seq:
            raise Diverged(entry.seq, entry.kind)
        return effect

    def _skip(self, effect: Effect) -> None:
        """Take note of a step too old to be kept."""
        encoder = self._encoder()
        if effect.new_deal and self.state.facts is not None:
            encoder.next_deal(self.state.facts.number)
        self.ring.start_at(self.state.n, tuple(self.state.p))

    def _encoder(self) -> StepEncoder:
        if self.encoder is None:
            self.encoder = StepEncoder(self.state.name, self.state.epoch)
        return self.encoder

    def _encode(self, effect: Effect, *, running: bool) -> Step:
        state = self.state
        shared: bytes | None = None
        if effect.happened or (effect.info_changed and not effect.quiet):
            public = self._public(effect)
            shared = chunk(UPDATES_TAG, public)
        else:
            public = self._encoder().of_seat(state.n)
        private = {}
        told = effect.touched & ~state.seats.bots
        if told:
            for seat in SEATS_IN[told]:
                private[seat] = chunk(UPDATES_TAG, public, self._private(seat))
        step = Step(
            self.seq,
            state.n,
            tuple(state.p),
            shared,
            private,
            info_changed=effect.info_changed,
            audience=state.audience if effect.info_changed else None,
        )
        if state.spectator_delay_ms:
            if running:
                step.due = effect.time + state.spectator_delay_ms
            elif shared is not None:
                step.base = self.snapshot(SPECTATOR, table_pb2.SNAPSHOT_REASON_FIRST)
        self.ring.add(step)
        return step

    def _public(self, effect: Effect) -> bytes:
        state = self.state
        encoder = self._encoder()
        facts = state.facts
        if facts is None or not effect.of_deal:
            return encoder.of_lobby(state.n, effect.happened, effect.time, state.info())
        if effect.new_deal:
            encoder.next_deal(facts.number)
        if effect.info_changed:
            return encoder.of_both(state.n, effect.happened, effect.time, state.info(), facts, by_clock=effect.by_clock)
        return encoder.of_deal(state.n, effect.happened, effect.time, facts, by_clock=effect.by_clock)

    def _private(self, seat: int) -> bytes:
        state = self.state
        answered = bool(state.answered >> seat & 1)
        return private_part(
            seat,
            state.p[seat],
            state.hand(seat),
            answered=answered,
            felt=state.felt(seat),
            auto_decline=bool(state.auto_decline >> seat & 1),
            auto_always=bool(state.auto_always >> seat & 1),
            peeked=() if state.closed or state.ousted >> seat & 1 else state.peeks.seen_by(seat),
            granted=state.peeks.granted[seat],
        )

    def snapshot(self, seat: int, reason: table_pb2.SnapshotReason.ValueType) -> bytes:
        """Return the TableUpdate of a snapshot for a seat, or for a spectator (-1)."""
        state = self.state
        public = self._encoder().snapshot(state.n, reason, state.info(), state.facts, state.promise)
        return public + self._private(seat) if seat >= 0 else public

    def freeze(self) -> None:
        """Stop a table whose journal cannot be followed: under another epoch, since its numbering means nothing now."""
        effect = Effect(self.state.time)
        self.state.epoch += 1
        self.encoder = None
        self.state.freeze(effect)
        self.ring.start_at(self.state.n, tuple(self.state.p))
        self._encode(effect, running=False)


@contextmanager
def _diverging(entry: Entry) -> Iterator[None]:
    """A spoiled entry may fail in any way, wherever what it says is used."""
    try:
        yield
    except Diverged:
        raise
    except Exception as error:
        raise Diverged(entry.seq, entry.kind) from error


async def recover(
    name: str, entries: Sequence[Entry], limits: Limits, now_ms: int = 0, *, whole: bool = True
) -> tuple[Story, Diverged | None]:
    """Fold a journal. Where an entry does not lead where it led, the story is frozen at the one before it; at the last
    where what follows could not be read. Raises :class:`Diverged` where there is no entry to begin with."""
    try:
        if not entries:
            raise Diverged(1, "unread")
        story = await _fold(name, entries, limits, now_ms)
        if not whole:
            story.freeze()
        return story, None
    except Diverged as diverged:
        good = await _fold(name, entries[: diverged.seq - 1], limits, now_ms) if diverged.seq > 1 else None
        if good is None or good.seq != diverged.seq - 1:
            raise
        good.freeze()
        return good, diverged


async def _fold(name: str, entries: Sequence[Entry], limits: Limits, now_ms: int) -> Story:
    story = Story(name, limits)
    first_kept = len(entries) - limits.ring_steps
    late: list[Step] | None = None
    for at, entry in enumerate(entries):
        if late is None and _told_later(story.state, entry, now_ms):
            late = []
            story.shown = story.snapshot(SPECTATOR, table_pb2.SNAPSHOT_REASON_FIRST), late
        step = story.replay(entry, encode=at >= first_kept or late is not None)
        if late is not None and step is not None:
            late.append(step)
        if at % _SLICE == _SLICE - 1:
            await asyncio.sleep(0)
    if late is None and story.state.spectator_delay_ms:
        story.shown = story.snapshot(SPECTATOR, table_pb2.SNAPSHOT_REASON_FIRST), []
    return story


def _told_later(state: TableState, entry: Entry, now_ms: int) -> bool:
    """Whether what an entry says is not to be told yet to those without a seat."""
    if not state.spectator_delay_ms or state.state != PLAYING:
        return False
    with _diverging(entry):
        return inputs.decode(entry.kind, entry.body).time + state.spectator_delay_ms > now_ms

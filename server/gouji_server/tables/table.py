"""The state of one table: a fold over its inputs, and nothing else.

The same code runs live and in recovery. :meth:`TableState.apply` makes an input happen and returns what came of it;
what cannot happen is refused before anything changed. Nothing here waits, reads a clock or draws a random number.
"""

# ruff: noqa: SLF001 - the table of folds below the class is the class's own; mypyc wants it outside

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gouji_rules as gr
from gouji.table.v1 import events_pb2
from gouji_rules.fairness import Proof
from gouji_server.tables import happenings, inputs
from gouji_server.tables.absence_state import ABSENCE_FOLDS, SET_AUTO_DECLINE, SET_AUTOPILOT
from gouji_server.tables.convert import SEATS_IN
from gouji_server.tables.lobby_state import (
    ADD_BOT,
    CHOOSE_OPPOSITE,
    FINISHED,
    FOLDS,
    FROZEN,
    JOIN_TABLE,
    LEAVE_TABLE,
    PLAYING,
    SET_READY,
    WAITING,
    Effect,
)
from gouji_server.tables.moves import action_of
from gouji_server.tables.peek_state import GRANT_PEEK, Peeks
from gouji_server.tables.promise import CONTRIBUTE_ENTROPY, Promise
from gouji_server.tables.requests import Answer, body_hash
from gouji_server.tables.seats import SEATS
from gouji_server.tables.standing_still import STILL_FOLDS, StandingStill
from gouji_server.tables.steps import DealFacts

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.limits import Limits

ASKED_TOGETHER = sum(
    1 << kind for kind in (gr.Kind.WINDOW, gr.Kind.REVOLT, gr.Kind.SHOW, gr.Kind.CALL, gr.Kind.WAIVE, gr.Kind.SWAP)
)
"""Mask of the questions whose answers stay hidden until all are in (R5, R32, R42, R50, R73); a call is told at once."""

__all__ = [
    "ADD_BOT",
    "ASKED_TOGETHER",
    "ASK_COUNT",
    "CHOOSE_OPPOSITE",
    "FEEL",
    "FINISHED",
    "FROZEN",
    "JOIN_TABLE",
    "LEAVE_TABLE",
    "PLAYING",
    "SET_READY",
    "SUBMIT_ACTION",
    "VOTE_DISSOLUTION",
    "WAITING",
    "Effect",
    "TableState",
]

ALL_SEATS = (1 << SEATS) - 1
_NOTHING_ASKED: tuple[object, ...] = ()
NO_PROOF = Proof(b"", b"")
"""Of a table without a deal yet. What a running deal was made of is secret until it is over."""

SUBMIT_ACTION = "SubmitAction"
ASK_COUNT = "AskCount"
FEEL = "Feel"
VOTE_DISSOLUTION = "VoteDissolution"
_SAID = frozenset((VOTE_DISSOLUTION, SET_AUTOPILOT, SET_AUTO_DECLINE, GRANT_PEEK))


class TableState(StandingStill):
    """One table.

    ``n`` counts its public events, ``p`` what was said to each seat alone; ``decision`` is the `n` at which the open
    question was asked (0: none is) and ``deadline`` when it lapses (milliseconds, 0: never). ``answered`` is the mask
    of the seats whose hidden answer is in. ``made`` is what the maker of the table was answered. ``said`` counts what
    each seat said in this deal besides its answers, ``changes`` what each account did before the match.
    ``told_at`` is when something was last told to all.
    """

    __slots__ = (
        "_asked",
        "_cards",
        "_felt",
        "answered",
        "deal",
        "decision",
        "p",
        "peeks",
        "promise",
        "proof",
        "time",
        "told_at",
    )

    def __init__(self, name: str, limits: Limits) -> None:
        super().__init__(name, limits)
        self.p = [0] * SEATS
        self.decision = 0
        self.answered = 0
        self.deal: gr.Deal | None = None
        self.promise: Promise | None = None
        self.peeks = Peeks()
        self.proof = NO_PROOF
        self.time = 0
        self.told_at = 0
        self._cards: list[bytes] = [b""] * SEATS
        self._felt: list[tuple[tuple[int, int], ...]] = [()] * SEATS
        self._asked: tuple[object, ...] = _NOTHING_ASKED

    # ── reading ──

    @property
    def closed(self) -> bool:
        """Whether no event follows."""
        return self.state in (FINISHED, FROZEN)

    @property
    def wants_deal(self) -> bool:
        """Whether the next deal is to begin."""
        return self.state == PLAYING and not self.stands_still and (self.deal is None or self.deal.over)

    @property
    def asked_together(self) -> bool:
        """Whether the open question is one whose answers stay hidden until all are in."""
        return self.deal is not None and bool(ASKED_TOGETHER >> self.deal.public.kind & 1)

    @property
    def waiting_for(self) -> int:
        """Mask of the seats asked now that have not answered."""
        return 0 if self.deal is None else self.deal.public.asked & ~self.answered

    def hand(self, seat: int) -> bytes:
        """Return a seat's real cards, ascending."""
        return self._cards[seat]

    def felt(self, seat: int) -> tuple[tuple[int, int], ...]:
        """Return what a seat felt of its opposite's hand in this deal: each time the least and the most cards (R82)."""
        return self._felt[seat]

    # ── folding ──

    def apply(self, entry: inputs.Input) -> Effect:
        """Make an input happen. Raises gouji_rules.RuleViolation for a move that the rules refuse: nothing changed."""
        effect = Effect(entry.time)
        _APPLY[type(entry)](self, entry, effect)
        self.time = entry.time
        if effect.happened:
            self.told_at = entry.time
        if effect.touched:
            for seat in SEATS_IN[effect.touched]:
                self.p[seat] += 1
        return effect

    def _unchanged(self, entry: inputs.Unchanged, effect: Effect) -> None:
        seat = self.seats.seat_of(entry.account)
        key = (entry.account, entry.method, entry.request_id)
        body = bytes.fromhex(entry.body)
        if entry.method in _SAID:
            self._keep_said(seat, key, body)
            return
        if self.state == WAITING:
            self._count_change(entry.account)
        else:
            self.said[seat] += 1
        self._keep_lobby(key, body, seat)

    def _deal_promised(self, entry: inputs.DealPromised, effect: Effect) -> None:
        match = self.match
        if match is None or not self.wants_deal or self.promise is not None:
            raise inputs.BadEntry("a deal is promised where none is due")
        self.promise = Promise(match.deal_number, bytes.fromhex(entry.secret), entry.begins)
        self._tell(effect, self.promise.told())
        effect.of_deal = self.facts is not None

    def _entropy_given(self, entry: inputs.EntropyGiven, effect: Effect) -> None:
        promise, entropy = self.promise, bytes.fromhex(entry.entropy)
        if promise is None:
            raise inputs.BadEntry("entropy where no deal is promised")
        promise.given[entry.seat] = entropy
        self._tell(effect, happenings.EntropyGiven(entry.seat, entropy))
        effect.of_deal = self.facts is not None
        key = (entry.account, CONTRIBUTE_ENTROPY, entry.request_id)
        self.requests.keep_move(key, Answer(body_hash(entry.deal, entropy), self.n))

    def _deal_starting(self, entry: inputs.DealStarting, effect: Effect) -> None:
        match = self.match
        if match is None or not self.wants_deal:
            raise inputs.BadEntry("a deal begins where none is due")
        promise = self.promise or Promise(match.deal_number, bytes.fromhex(entry.secret), 0)
        self.promise = None
        self.proof = proof = promise.proof
        self.deal = match.start_deal(proof.seed)
        self.requests.next_deal()
        self.peeks.reset()
        self.said = [0] * SEATS
        self.gone_told = [0] * SEATS
        self._felt = [()] * SEATS
        self.auto_decline &= self.auto_always
        begun = happenings.DealStarted(match.deal_number, proof.commitment, proof.entropies)
        self._tell(effect, begun, *self.deal.start_events)
        self.facts = DealFacts(self.deal.public, tuple(match.scores), begun)
        self.facts.absent, self.facts.autopilot = self.absent, self.autopilot
        effect.new_deal = True
        effect.touched = (1 << SEATS) - 1
        self._after_deal_input(effect)

    def _moved(self, entry: inputs.Moved, effect: Effect) -> None:
        deal = self._running()
        seat = entry.seat
        together = ASKED_TOGETHER >> deal.public.kind & 1
        effect.happened = happened = deal.apply(seat, action_of(entry), entry.cards or None)  # type: ignore[assignment]
        self.n += len(happened)
        self._after_deal_input(effect)
        if entry.request_id:
            if not together:  # an answer that is hidden must not show in a count
                self.expired[seat] = 0
            key = (self.seats.players[seat].account, SUBMIT_ACTION, entry.request_id)
            self.requests.keep_move(key, Answer(entry.body, self.n))

    def _lapsed(self, entry: inputs.Lapsed, effect: Effect) -> None:
        deal = self._running()
        effect.by_clock = not ASKED_TOGETHER >> deal.public.kind & 1
        cards = bytes.fromhex(entry.cards) or None
        for seat in SEATS_IN[self.waiting_for]:
            self.expired[seat] += effect.by_clock
            self._tell(effect, *deal.apply(seat, deal.default_action(seat), cards))
        self._after_deal_input(effect)

    def _compensated(self, entry: inputs.Compensated, effect: Effect) -> None:
        facts = self.facts
        if facts is None or not self.deadline or entry.decision != self.decision:
            raise inputs.BadEntry("a clock is compensated where none runs")
        self.deadline = facts.deadline_ms = self.deadline + entry.by_ms
        self.times.shift(entry.by_ms)
        self._tell(effect, happenings.ClockCompensated(entry.by_ms))
        effect.of_deal = True

    def _count_asked(self, entry: inputs.CountAsked, effect: Effect) -> None:
        said = self._running().ask_count(entry.seat, entry.of)
        self._tell(effect, said)
        effect.of_deal = True
        # What all heard is kept, not the hand: asked again later, the same id gets what was told and not what is held.
        told = said.count if said.count >= 0 else None
        self._keep_said(entry.seat, (entry.account, ASK_COUNT, entry.request_id), body_hash(entry.of), told)

    def _hand_felt(self, entry: inputs.HandFelt, effect: Effect) -> None:
        seat = entry.seat
        said, felt = self._running().feel(seat)
        self._tell(effect, said)
        effect.of_deal = True
        effect.touched |= 1 << seat
        self._felt[seat] = (*self._felt[seat], felt)
        self.requests.keep_move((entry.account, FEEL, entry.request_id), Answer(body_hash(), self.n, felt=felt))

    def vote_changes(self, seat: int, *, agrees: bool) -> bool:
        """Whether a vote for ending the match, or against it, changes anything (R17)."""
        agreed = self.match.agreed if self.match is not None else 0
        if not agrees:
            return bool(agreed)
        return not agreed >> seat & 1 or agreed | self.house == ALL_SEATS

    def _dissolution_voted(self, entry: inputs.DissolutionVoted, effect: Effect) -> None:
        match, facts, deal = self.match, self.facts, self.deal
        if match is None or facts is None or deal is None or self.state != PLAYING:
            raise inputs.BadEntry("a vote where no match is being played")
        self._tell(effect, happenings.DissolutionVoted(entry.seat, entry.agrees))
        effect.of_deal = True
        dissolved, own = None, 0
        if entry.agrees:
            dissolved, own = match.agree_to_dissolve(entry.seat), match.agreed
            if match.agreed | self.house == ALL_SEATS:  # seats that the server plays go with the people
                for seat in SEATS_IN[self.house & ~match.agreed]:
                    dissolved = match.agree_to_dissolve(seat)
        else:
            match.object_to_dissolving(entry.seat)
        facts.for_ending = own  # what a bot plays for is its player's vote all the same
        if dissolved is not None:
            self._break_off(effect, events_pb2.MATCH_END_REASON_DISSOLVED, dissolved)
        self._keep_said(entry.seat, (entry.account, VOTE_DISSOLUTION, entry.request_id), body_hash(entry.agrees))

    def _break_off(
        self,
        effect: Effect,
        reason: events_pb2.MatchEndReason.ValueType,
        *said: object,
        closes: events_pb2.CloseReason.ValueType = events_pb2.CLOSE_REASON_MATCH_OVER,
    ) -> None:
        match, facts, deal = self.match, self.facts, self.deal
        if match is None or self.state != PLAYING:
            raise inputs.BadEntry("a match that is not being played is broken off")
        cut_off: list[object] = []
        if facts is not None and deal is not None:  # else its first deal has not begun
            facts.decision = facts.deadline_ms = 0
            effect.of_deal = True
            cut_off = [] if deal.over else [happenings.DealRevealed(facts.number, deal, self.proof)]
        self.decision = self.deadline = 0
        self._tell(effect, *said, *cut_off, happenings.MatchEnded(tuple(match.scores), reason))
        self._close(effect, closes)

    def _frozen(self, entry: inputs.Frozen, effect: Effect) -> None:
        self.freeze(effect)

    def freeze(self, effect: Effect) -> None:
        """Stop the table for good."""
        self.deadline = 0
        self._close(effect, events_pb2.CLOSE_REASON_FROZEN)
        self.state = FROZEN

    def _peek_set(self, entry: inputs.PeekSet, effect: Effect) -> None:
        deal, seat = self.deal, entry.seat
        if deal is None or self.state != PLAYING or (entry.ally - seat) % 2 or entry.ally == seat:
            raise inputs.BadEntry("a look where nobody may look")
        self.peeks.set(seat, entry.ally, on=entry.on)
        effect.touched |= 1 << seat | self.peeks.look(deal.public, self._cards)
        self._keep_said(seat, (entry.account, GRANT_PEEK, entry.request_id), body_hash(entry.ally, entry.on))

    # ── parts of a step ──

    def _running(self) -> gr.Deal:
        if self.deal is None or not self.decision:
            raise inputs.BadEntry("a move where no deal is running")
        return self.deal

    def _after_deal_input(self, effect: Effect) -> None:
        """Settle what follows from the deal's new state: its end, the question, and to whom something was said."""
        deal, facts = self.deal, self.facts
        if deal is None or facts is None:
            raise inputs.BadEntry("no deal")
        public = deal.public
        asked = (public.kind, public.asked, public.verbs, public.due, public.barred)
        if asked != self._asked and not effect.happened:
            self._tell(effect, happenings.QuestionOpened())
        if effect.happened:
            effect.of_deal = True
            if asked == self._asked and public.kind == gr.Kind.CALL:
                pass  # a call was told: the others are asked as before (R42)
            elif public.asked:
                self.decision = self.n
                self.times.settle(effect.time)
                together = bool(ASKED_TOGETHER >> public.kind & 1)
                self.declining = self.auto_decline & public.asked if public.kind == gr.Kind.WINDOW else 0
                self.deadline = self.times.ask(public.asked, effect.time, together=together)
            else:
                self.times.settle(effect.time)
                self._deal_over(effect, deal)
                self.decision = self.deadline = 0
            self._asked = asked if self.decision else _NOTHING_ASKED
            facts.decision, facts.deadline_ms, facts.bank_left = self.decision, self.deadline, self.times.banks
        position = deal.position
        if ASKED_TOGETHER >> public.kind & 1:
            answered = public.asked & ~position.waiting
            effect.touched |= answered ^ self.answered
            self.answered = answered
        elif self.answered:
            effect.touched |= self.answered
            self.answered = 0
        cards = position.cards
        if cards is not None and cards != self._cards:
            for seat in range(SEATS):
                if cards[seat] != self._cards[seat]:
                    effect.touched |= 1 << seat
            self._cards = cards[:]
        if self.peeks:
            effect.touched |= self.peeks.look(public, self._cards)

    def _deal_over(self, effect: Effect, deal: gr.Deal) -> None:
        match, facts = self.match, self.facts
        if match is None or facts is None:
            raise inputs.BadEntry("a deal without a match")
        number = match.deal_number
        step = match.finish(deal)
        facts.scores = tuple(match.scores)
        self._tell(effect, happenings.DealRevealed(facts.number, deal, self.proof))
        if step.over:
            if step.lot is not None:
                self._tell(effect, step.lot)
            played = match.deals and number >= match.deals
            reason = events_pb2.MATCH_END_REASON_DEALS if played else events_pb2.MATCH_END_REASON_SWEEP
            self._tell(effect, happenings.MatchEnded(tuple(match.scores), reason))
            self._close(effect, events_pb2.CLOSE_REASON_MATCH_OVER)


_APPLY: dict[type[Any], Callable[[TableState, Any, Effect], None]] = {
    **FOLDS,
    **ABSENCE_FOLDS,
    **STILL_FOLDS,
    inputs.DealPromised: TableState._deal_promised,
    inputs.EntropyGiven: TableState._entropy_given,
    inputs.DealStarting: TableState._deal_starting,
    inputs.Moved: TableState._moved,
    inputs.Lapsed: TableState._lapsed,
    inputs.Compensated: TableState._compensated,
    inputs.CountAsked: TableState._count_asked,
    inputs.HandFelt: TableState._hand_felt,
    inputs.PeekSet: TableState._peek_set,
    inputs.DissolutionVoted: TableState._dissolution_voted,
    inputs.Unchanged: TableState._unchanged,
    inputs.Frozen: TableState._frozen,
}

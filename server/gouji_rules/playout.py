"""Random simulations: the one driver that answers forced decisions itself. Tables never do (R23, R36).

It plays on the engine's own functions and decides as :mod:`~gouji_rules.legality` counts: with as many ways as a seat
has legal actions, each is as likely as the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from gouji_rules import leads, revolution, revolution_answers, soundness
from gouji_rules.actions import (
    BURN_TAG,
    CALL_BLIND,
    CALL_OPEN,
    DROP_HEAD,
    KEEP_HEAD,
    KILL_TAG,
    NO,
    SWAP,
    WAIVE,
    Action,
    Verb,
)
from gouji_rules.deal import Deal
from gouji_rules.enumeration import (
    GUARDS,
    GUARDS_ABOVE,
    ONE_RANK,
    answer_at,
    count_answers,
    count_plain_leads,
    jokers_in,
    kinds_in,
    lead_table,
    naturals_of_hand,
    plain_lead_at,
    whole_hand,
)
from gouji_rules.events import Manner
from gouji_rules.plays import LOW_MASK, NO_PLAY, Play
from gouji_rules.position import FIRST_AFTER, OPPOSITE_BIT, seats_in
from gouji_rules.question import BURN_BIT, FOLLOW_VERBS, KILL_BIT, WIND_BIT, YIELD_BIT, Kind
from gouji_rules.trick import ask_next, close_window, do_pass, do_wind, do_yield, put_down

if TYPE_CHECKING:
    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet
    from gouji_rules.state import PublicState


class Rng(Protocol):
    """What a simulation needs of a source of randomness; ``random.Random`` has it."""

    def random(self) -> float:
        """A float in [0, 1)."""

    def randbytes(self, n: int, /) -> bytes:
        """``n`` random bytes."""


def random_deal(rules: RuleSet, rng: Rng) -> int:
    """Play one deal with uniformly random legal actions. How many decisions had more than one option."""
    return play_out(Deal.start(rules, rng.randbytes(32), track_cards=False), rng)


# Members of an enumeration are slow to look up in its class.
_LEAD: Final = Kind.LEAD
_FOLLOW: Final = Kind.FOLLOW
_WINDOW: Final = Kind.WINDOW
_LEADING: Final = Manner.LEAD
_FOLLOWING: Final = Manner.FOLLOW


def play_out(deal: Deal, rng: Rng) -> int:
    """Play a deal to its end at random, in place. How many decisions had more than one option.

    The deal keeps no list of answers for what was played here.
    """
    pos = deal.position
    p = pos.public
    decisions = _answer_before_play(deal, rng)
    random = rng.random
    naturals = pos.naturals
    wild = pos.wild
    top = low = above = -1
    conduct = pos.conduct
    answers = conduct.answers
    hold_three = conduct.hold_three
    left = pos.left
    tables = answers.tables(NO_PLAY)
    while True:
        kind = p.kind
        if kind is _FOLLOW:
            if p.top != top:
                top = p.top
                low = top & LOW_MASK
                above = GUARDS_ABOVE[low]
                tables = answers.tables(p.top)
            seat = p.turn
            verbs = p.verbs
            code = wild[seat]
            table = tables.get(code) or answers.table(p.top, code)
            ways = table.bare_above[low]
            enough = (naturals[seat] | GUARDS) - table.least & above
            if not ways and not enough and verbs == FOLLOW_VERBS:
                if p.yielder == seat:
                    do_pass(pos, seat)
                    continue
                # It can only pass. So do those after it who can only pass too, up to the first with a choice.
                after = FIRST_AFTER[p.top_owner]
                chooses = _may_choose(p)
                passed = p.asked
                pending = p.pending ^ passed
                while pending:
                    seat = after[pending]
                    bit = 1 << seat
                    if chooses & bit:
                        break
                    code = wild[seat]
                    table = tables.get(code) or answers.table(p.top, code)
                    ways = table.bare_above[low]
                    enough = (naturals[seat] | GUARDS) - table.least & above
                    if ways or enough:
                        break
                    passed |= bit
                    pending ^= bit
                p.passed |= passed
                p.pending = pending
                if not ways and not enough:
                    ask_next(pos, p)
                    continue
                p.turn = seat
                p.asked = 1 << seat
            if enough:
                if table.single:
                    ways += enough.bit_count()
                else:
                    ways = count_answers(table, naturals_of_hand(naturals[seat]), low)
            others = 1 if verbs == FOLLOW_VERBS else 2 + (verbs & _BOTH == _BOTH)
            decisions += 1
            index = int(random() * (ways + others)) - others
            if index >= 0:
                play = answer_at(table, naturals_of_hand(naturals[seat]), low, index)
                put_down(pos, seat, play, _FOLLOWING)
            elif index == -1:
                do_pass(pos, seat)
            elif verbs & YIELD_BIT and index == -2:
                do_yield(pos, seat)
            else:
                do_wind(pos, seat)
        elif kind is _LEAD:
            seat = p.turn
            held = naturals[seat]
            cards = left[seat]
            if hold_three:
                threes = held & ONE_RANK
                held -= threes
                cards -= threes
            if p.must_hold_joker or p.must_hold_four or not cards:
                decisions += _lead(pos, seat, rng)
                continue
            leads_of = lead_table(wild[seat])
            ways = count_plain_leads(leads_of, cards)
            index = 0
            if ways > 1:
                decisions += 1
                index = int(random() * ways)
            play = plain_lead_at(leads_of, naturals_of_hand(held), index)
            put_down(pos, seat, play, _LEADING)
        elif kind is _WINDOW:
            decisions += _answer_window(pos, rng)
        else:
            return decisions


def _may_choose(p: PublicState) -> int:
    """Mask of the seats that could have more than a play or a pass when asked about the top play (R24, R27)."""
    if p.melee:
        return 0
    if p.top_last:
        return 63
    return 0 if p.top_gouji else OPPOSITE_BIT[p.top_owner]


def _answer_before_play(deal: Deal, rng: Rng) -> int:
    """Answer everything that is asked before the first lead."""
    pos = deal.position
    p = pos.public
    decisions = 0
    while p.kind not in _IN_PLAY:
        if p.kind is Kind.HEAD:
            decisions += 1
            revolution.choose_head(pos, p.turn, KEEP_HEAD if rng.random() < 0.5 else DROP_HEAD)
        elif p.kind in _TOGETHER:
            decisions += _answer_together(deal, rng)
        else:
            decisions += _answer_alone(deal, rng)
    return decisions


_IN_PLAY: Final = frozenset({Kind.LEAD, Kind.FOLLOW, Kind.WINDOW, Kind.NONE})
_TOGETHER: Final = frozenset({Kind.REVOLT, Kind.SHOW, Kind.CALL, Kind.WAIVE, Kind.SWAP})
_BOTH: Final = YIELD_BIT | WIND_BIT


def _lead(pos: Position, seat: int, rng: Rng) -> int:
    """Lead where R34, R43 or R45 restrict it; 1 if there was a choice."""
    p = pos.public
    naturals, code, left = pos.naturals[seat], pos.wild[seat], pos.left[seat]
    joker, four = p.must_hold_joker, p.must_hold_four
    if pos.conduct.hold_three:
        threes = naturals & ONE_RANK
        if threes == left:
            put_down(pos, seat, whole_hand(naturals_of_hand(naturals), code), _LEADING)
            return 0
        naturals -= threes
        left -= threes
    hand = naturals_of_hand(naturals)
    ways = leads.count_without_threes(hand, code, left, joker, four)
    index = int(rng.random() * ways) if ways > 1 else 0
    put_down(pos, seat, leads.at_without_threes(hand, code, index, joker, four), _LEADING)
    return ways > 1


def _answer_window(pos: Position, rng: Rng) -> int:
    """Answer a window for every seat in it. How many had a choice.

    A verb with cards is open for the answers to the top play; under `burn = strict` a burn only for the sound ones.
    """
    p = pos.public
    conduct = pos.conduct
    top = p.top
    low = top & LOW_MASK
    above = GUARDS_ABOVE[low]
    burning, killing = p.verbs & BURN_BIT, p.verbs & KILL_BIT
    strict = conduct.strict
    decisions = 0
    for seat in seats_in(pos.waiting):
        code = pos.wild[seat]
        naturals = pos.naturals[seat]
        if strict and not killing and jokers_in(code) < kinds_in(naturals) - 2:
            continue
        table = conduct.answers.table(top, code)
        if not table.bare_above[low] and not (naturals | GUARDS) - table.least & above:
            continue
        hand = naturals_of_hand(naturals)
        ways = count_answers(table, hand, low)
        burns: list[Play] | None = None
        burn_ways = 0 if not burning or p.only_kill >> seat & 1 else ways
        if burn_ways and strict:
            burns = soundness.sound_burns(hand, code, top, table, hold_three=conduct.hold_three)
            burn_ways = len(burns)
        options = burn_ways + (ways if killing else 0)
        if not options:
            continue
        decisions += 1
        index = int(rng.random() * (options + 1)) - 1
        if index >= burn_ways:
            pos.answer(seat, Action(KILL_TAG | answer_at(table, hand, low, index - burn_ways)))
        elif index >= 0:
            burn = answer_at(table, hand, low, index) if burns is None else burns[index]
            pos.answer(seat, Action(BURN_TAG | burn))
    close_window(pos)
    return decisions


def _answer_alone(deal: Deal, rng: Rng) -> int:
    """Answer a question about tribute, asked of one seat."""
    seat = seats_in(deal.public.asked)[0]
    legal = deal.legal_actions(seat)
    deal.apply(seat, legal[int(rng.random() * len(legal)) if len(legal) > 1 else 0])
    return len(legal) > 1


def _answer_together(deal: Deal, rng: Rng) -> int:
    """Answer a question before play for every seat asked: about showing, calls, tribute or revolution."""
    decisions = 0
    pos = deal.position
    kind = pos.public.kind
    if kind is Kind.REVOLT:
        return _answer_revolution(deal, rng)
    two = kind in _YES_OR_NO
    for seat in seats_in(pos.waiting):
        if two:
            decisions += 1
            deal.carry_out(seat, NO if int(rng.random() * 2) == 0 else _yes(pos.public))
            continue
        legal = deal.legal_actions(seat)
        index = 0
        if len(legal) > 1:
            decisions += 1
            index = int(rng.random() * len(legal))
        deal.carry_out(seat, legal[index])
    return decisions


_YES_OR_NO: Final = frozenset({Kind.CALL, Kind.WAIVE, Kind.SWAP})


def _yes(p: PublicState) -> Action:
    """The one answer but no."""
    if p.kind is Kind.CALL:
        return CALL_BLIND if p.verbs >> Verb.CALL_BLIND & 1 else CALL_OPEN
    return WAIVE if p.kind is Kind.WAIVE else SWAP


def _answer_revolution(deal: Deal, rng: Rng) -> int:
    """The same about revolution: a seat whose hand is as dealt, with 2s or jokers, can only say no (R50)."""
    decisions = 0
    pos = deal.position
    moved = 0
    for move in pos.public.moves:
        moved |= 1 << move.giver | 1 << move.taker
    for seat in seats_in(pos.waiting):
        if pos.wild[seat] and not moved >> seat & 1:
            pos.answer(seat, NO)
            continue
        answers = revolution_answers.open_answers(deal.rules, deal.hand_asked(seat))
        index = 0
        if len(answers) > 1:
            decisions += 1
            index = int(rng.random() * len(answers))
        pos.answer(seat, answers[index])
    deal.close_question()
    return decisions

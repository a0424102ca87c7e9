"""Random simulations: the one driver that answers forced decisions itself. Tables never do (R23, R36).

It plays on the engine's own functions and decides as :mod:`~gouji_rules.legality` counts: with as many ways as a seat
has legal actions, each is as likely as the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gouji_rules import leads, legality, revolution, soundness, trick
from gouji_rules.actions import BURN_TAG, DROP_HEAD, KEEP_HEAD, NO, Action
from gouji_rules.cards import NATURAL_RANKS
from gouji_rules.deal import Deal
from gouji_rules.enumeration import (
    GUARDS,
    GUARDS_ABOVE,
    answer_at,
    count_leads,
    kinds_in,
    lead_at,
)
from gouji_rules.events import Manner
from gouji_rules.plays import LOW_MASK, NO_PLAY
from gouji_rules.position import seats_in
from gouji_rules.question import FOLLOW_VERBS, KILL_BIT, WIND_BIT, YIELD_BIT, Kind

if TYPE_CHECKING:
    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet


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
_LEAD = Kind.LEAD
_FOLLOW = Kind.FOLLOW
_WINDOW = Kind.WINDOW
_LEADING = Manner.LEAD
_FOLLOWING = Manner.FOLLOW


def play_out(deal: Deal, rng: Rng) -> int:
    """Play a deal to its end at random, in place. How many decisions had more than one option.

    The deal keeps no list of answers for what was played here.
    """
    pos = deal.position
    p = pos.public
    decisions = _answer_before_play(deal, rng)
    random = rng.random
    put_down, do_pass = trick.put_down, trick.do_pass
    hands = pos.hands
    naturals = pos.naturals
    wild = pos.wild
    top = low = above = -1
    conduct = pos.conduct
    find_tables, find_table = conduct.answers.tables, conduct.answers.table
    plain_leads = conduct.plain_leads
    tables = find_tables(NO_PLAY)
    while True:
        kind = p.kind
        if kind is _FOLLOW:
            seat = p.turn
            code = wild[seat]
            if p.top != top:
                top = p.top
                low = top & LOW_MASK
                above = GUARDS_ABOVE[low]
                tables = find_tables(p.top)
            table = tables.get(code) or find_table(p.top, code)
            ways = table.bare_above[low]
            enough = (naturals[seat] | GUARDS) - table.least & above
            if enough:
                if table.single:
                    ways += enough.bit_count()
                else:
                    upto = table.upto
                    for held in hands[seat][low + 1 : NATURAL_RANKS]:
                        ways += upto[held]
            verbs = p.verbs
            if verbs == FOLLOW_VERBS:
                if not ways:
                    do_pass(pos, seat)
                    continue
                others = 1
            else:
                others = 2 + (verbs & _BOTH == _BOTH)
            decisions += 1
            index = int(random() * (ways + others)) - others
            if index >= 0:
                put_down(pos, seat, answer_at(table, hands[seat], low, index), _FOLLOWING)
            elif index == -1:
                do_pass(pos, seat)
            elif verbs & YIELD_BIT and index == -2:
                trick.do_yield(pos, seat)
            else:
                trick.do_wind(pos, seat)
        elif kind is _LEAD:
            seat = p.turn
            if not plain_leads:
                decisions += _lead(pos, seat, rng)
                continue
            hand = hands[seat]
            code = wild[seat]
            joker = p.must_hold_joker
            ways = count_leads(hand, code, pos.left[seat], joker)
            index = 0
            if ways > 1:
                decisions += 1
                index = int(random() * ways)
            put_down(pos, seat, lead_at(hand, code, index, joker), _LEADING)
        elif kind is _WINDOW:
            decisions += _answer_window(pos, rng)
        else:
            return decisions


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


_IN_PLAY = frozenset({Kind.LEAD, Kind.FOLLOW, Kind.WINDOW, Kind.NONE})
_TOGETHER = frozenset({Kind.REVOLT, Kind.SHOW, Kind.CALL, Kind.WAIVE, Kind.SWAP})
_BOTH = YIELD_BIT | WIND_BIT


def _lead(pos: Position, seat: int, rng: Rng) -> int:
    """Lead where R43 or R45 restrict it; 1 if there was a choice."""
    p = pos.public
    hand, code = pos.hands[seat], pos.wild[seat]
    held, joker, four = pos.conduct.hold_three, p.must_hold_joker, p.must_hold_four
    ways = leads.count(hand, code, pos.left[seat], hold_three=held, joker=joker, four=four)
    index = int(rng.random() * ways) if ways > 1 else 0
    trick.put_down(pos, seat, leads.at(hand, code, index, hold_three=held, joker=joker, four=four), _LEADING)
    return ways > 1


def _answer_window(pos: Position, rng: Rng) -> int:
    """Answer a window for every seat in it."""
    p = pos.public
    conduct = pos.conduct
    if not conduct.strict or p.verbs & KILL_BIT:
        return _answer_wide_window(pos, rng)
    decisions = 0
    for seat in seats_in(p.asked):
        code = pos.wild[seat]
        if (code >> 5 & 15) + (code >> 9) >= kinds_in(pos.naturals[seat]) - 2:
            table = conduct.answers.table(p.top, code)
            burns = soundness.sound_burns(pos.hands[seat], code, p.top, table, hold_three=conduct.hold_three)
            if burns:
                decisions += 1
                index = int(rng.random() * (len(burns) + 1)) - 1
                if index >= 0:
                    pos.answers[seat] = Action(BURN_TAG | burns[index])
    trick.close_window(pos)
    return decisions


def _answer_wide_window(pos: Position, rng: Rng) -> int:
    """The same where kills are open, or burns need not be sound: a verb with cards for every answer to the top play."""
    p = pos.public
    decisions = 0
    rules = pos.rules
    for seat in seats_in(p.asked):
        question = p.question_for(seat)
        if question is None:
            continue
        legal = legality.LegalActions(rules, question, pos.hands[seat])
        if len(legal) > 1:
            decisions += 1
            index = int(rng.random() * len(legal))
            if index:
                pos.answers[seat] = legal[index]
    trick.close_window(pos)
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
    if pos.public.kind is Kind.REVOLT and not pos.public.moves:
        return _answer_revolution(deal, rng)
    for seat in seats_in(pos.public.asked):
        legal = deal.legal_actions(seat)
        index = 0
        if len(legal) > 1:
            decisions += 1
            index = int(rng.random() * len(legal))
        deal.carry_out(seat, legal[index])
    return decisions


def _answer_revolution(deal: Deal, rng: Rng) -> int:
    """The same about revolution where nobody holds other cards than were dealt: most seats can only say no."""
    decisions = 0
    pos = deal.position
    for seat in range(6):
        if pos.wild[seat]:
            pos.answers[seat] = NO
            continue
        legal = deal.legal_actions(seat)
        index = 0
        if len(legal) > 1:
            decisions += 1
            index = int(rng.random() * len(legal))
        pos.answers[seat] = legal[index]
    deal.close_question()
    return decisions

"""Random simulations: the one driver that answers forced decisions itself. Tables never do (R23, R36).

It plays on the engine's own functions and decides as :mod:`~gouji_rules.legality` counts: with as many ways as a seat
has legal actions, each is as likely as the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gouji_rules import enumeration, revolution, trick
from gouji_rules.actions import BURN_TAG, DROP_HEAD, KEEP_HEAD, NO, Action
from gouji_rules.cards import NATURAL_RANKS
from gouji_rules.deal import Deal
from gouji_rules.enumeration import (
    GUARDS,
    GUARDS_ABOVE,
    answer_at,
    count_leads,
    follow_table,
    follow_tables,
    kinds_in,
    lead_at,
)
from gouji_rules.events import Manner
from gouji_rules.plays import LOW_MASK, NO_PLAY
from gouji_rules.position import seats_in
from gouji_rules.question import FOLLOW_VERBS, WIND_BIT, YIELD_BIT, Kind

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
_NONE = Kind.NONE
_LEADING = Manner.LEAD
_FOLLOWING = Manner.FOLLOW


def play_out(deal: Deal, rng: Rng) -> int:
    """Play a deal to its end at random, in place. How many decisions had more than one option.

    The deal keeps no list of answers for what was played here.
    """
    pos = deal.position
    p = pos.public
    random = rng.random
    put_down, do_pass = trick.put_down, trick.do_pass
    hands = pos.hands
    naturals = pos.naturals
    wild = pos.wild
    decisions = 0
    top = low = above = -1
    tables = follow_tables(NO_PLAY)
    while True:
        kind = p.kind
        if kind is _FOLLOW:
            seat = p.turn
            code = wild[seat]
            if p.top != top:
                top = p.top
                low = top & LOW_MASK
                above = GUARDS_ABOVE[low]
                tables = follow_tables(p.top)
            table = tables.get(code) or follow_table(p.top, code)
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
        elif kind is _NONE:
            return decisions
        elif kind is Kind.HEAD:
            decisions += 1
            revolution.choose_head(pos, p.turn, KEEP_HEAD if random() < 0.5 else DROP_HEAD)
        else:
            decisions += _answer_together(deal, rng)


_BOTH = YIELD_BIT | WIND_BIT


def _answer_window(pos: Position, rng: Rng) -> int:
    """Answer a burn window for every seat in it."""
    p = pos.public
    decisions = 0
    for seat in seats_in(p.asked):
        code = pos.wild[seat]
        if (code >> 5 & 15) + (code >> 9) >= kinds_in(pos.naturals[seat]) - 2:
            burns = enumeration.sound_burns(pos.hands[seat], code, p.top)
            if burns:
                decisions += 1
                index = int(rng.random() * (len(burns) + 1)) - 1
                if index >= 0:
                    pos.answers[seat] = Action(BURN_TAG | burns[index])
    trick.close_window(pos)
    return decisions


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

"""Random simulations: the one driver that answers forced decisions itself. Tables never do (R23, R36).

It plays on the engine's own functions and decides as :mod:`~gouji_rules.legality` counts: with as many ways as a seat
has legal actions, each is as likely as the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gouji_rules import enumeration, revolution, trick
from gouji_rules.actions import BURN_TAG, DROP_HEAD, KEEP_HEAD, Action
from gouji_rules.deal import Deal
from gouji_rules.enumeration import count_follows, count_leads, follow_at, jokers_in, lead_at
from gouji_rules.events import Manner
from gouji_rules.question import WIND_BIT, YIELD_BIT, Kind

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


def play_out(deal: Deal, rng: Rng) -> int:
    """Play a deal to its end at random, in place. How many decisions had more than one option.

    The deal keeps no list of answers for what was played here.
    """
    pos = deal.position
    p = pos.public
    random = rng.random
    hands = pos.hands
    wild = pos.wild
    decisions = 0
    while True:
        kind = p.kind
        if kind == Kind.FOLLOW:
            seat = p.turn
            hand = hands[seat]
            code = wild[seat]
            top = p.top
            verbs = p.verbs
            ways = count_follows(hand, code, top)
            others = 1 if verbs < YIELD_BIT else 1 + bool(verbs & YIELD_BIT) + bool(verbs & WIND_BIT)
            index = -1
            if ways + others > 1:
                decisions += 1
                index = int(random() * (ways + others)) - others
            if index >= 0:
                trick.put_down(pos, seat, follow_at(hand, code, top, index), Manner.FOLLOW)
            elif index == -1 or others == 1:
                trick.do_pass(pos, seat)
            elif verbs & YIELD_BIT and index == -2:
                trick.do_yield(pos, seat)
            else:
                trick.do_wind(pos, seat)
        elif kind == Kind.LEAD:
            seat = p.turn
            hand = hands[seat]
            code = wild[seat]
            joker = p.must_hold_joker
            ways = count_leads(hand, code, must_hold_joker=joker)
            index = 0
            if ways > 1:
                decisions += 1
                index = int(random() * ways)
            trick.put_down(pos, seat, lead_at(hand, code, index, must_hold_joker=joker), Manner.LEAD)
        elif kind == Kind.WINDOW:
            decisions += _answer_window(pos, rng)
        elif kind == Kind.NONE:
            return decisions
        elif kind == Kind.HEAD:
            decisions += 1
            revolution.choose_head(pos, p.turn, KEEP_HEAD if random() < 0.5 else DROP_HEAD)
        else:
            decisions += _answer_together(deal, rng)


def _answer_window(pos: Position, rng: Rng) -> int:
    """Answer a burn window for every seat in it."""
    p = pos.public
    asked = p.asked
    decisions = 0
    for seat in range(6):
        if asked >> seat & 1 and jokers_in(pos.wild[seat]) >= pos.kinds[seat] - 2:
            burns = enumeration.sound_burns(pos.hands[seat], pos.wild[seat], p.top)
            if burns:
                decisions += 1
                index = int(rng.random() * (len(burns) + 1)) - 1
                if index >= 0:
                    pos.answers[seat] = Action(BURN_TAG | burns[index])
    trick.close_window(pos)
    return decisions


def _answer_together(deal: Deal, rng: Rng) -> int:
    """Answer a question about revolution or showing for every seat."""
    decisions = 0
    for seat in range(6):
        legal = deal.legal_actions(seat)
        if len(legal) > 1:
            decisions += 1
        deal.apply(seat, legal[int(rng.random() * len(legal))])
    return decisions

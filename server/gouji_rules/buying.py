"""Buying (买三, 买四, R43, R49): automatic, from the first leader on; every card that moves is seen by all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.cards import BIG, SEATS, SMALL, TWO
from gouji_rules.events import CardBought
from gouji_rules.handover import hand_over

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet

THREE: Final = 0
FOUR: Final = 1

# Steps from the buyer to the seats that it asks in turn, by `buy_from`.
_TURN_ORDER: Final = (1, 2, 3, 4, 5)
_SOURCES: Final = {
    "S0": (3, *_TURN_ORDER),
    "S1": (3, 1, 5, 2, 4),
    "S3": (3, 2, 4),
    "S4": (3, 1, 5, 2, 4),
    "off": (),
}
_GIFTS: Final = {"S3": (2, 4)}
"""From these a 3 is given without payment."""

# What is paid, the first that is held, by `buy_with`: 2, small joker, big joker everywhere.
_PRICES: Final = {
    "S0": (TWO, SMALL, BIG),
    "S1": (TWO, SMALL, BIG),
    "S3": (TWO, SMALL, BIG),
    "S4": (TWO, SMALL, BIG),
    "off": (),
}


def buy_threes(pos: Position) -> None:
    """Every seat without a 3 gets one, in turn order from the first leader (R49)."""
    leader = pos.public.first_leader
    for step in range(SEATS):
        _buy_three(pos, (leader + step) % SEATS)


def _buy_three(pos: Position, buyer: int) -> None:
    rules = pos.rules
    if pos.held(buyer, THREE):
        return
    price = _first_held(pos.hand(buyer), _PRICES[rules.buy_with])
    if price < 0:
        return
    steps = _sources(rules)
    seller = _first_with_two(pos, buyer, steps, THREE)
    if seller < 0:
        seller = _first_with_two(pos, buyer, _TURN_ORDER, THREE)
    if seller >= 0:
        free = (seller - buyer) % SEATS in _GIFTS.get(rules.buy_from, ()) and rules.teams == "federation"
        _move(pos, buyer, seller, THREE, -1 if free else price)


def buy_four(pos: Position, buyer: int) -> bool:
    """Get a 4 for a seat that has to lead one and holds none (R43): whether that could be done.

    From the opposite if it has two, else the nearest seat in turn order with two, of those still in play; paid with a
    2, unpaid by a buyer that has none.
    """
    seller = _first_with_two(pos, buyer, (3, *_TURN_ORDER), FOUR)
    if seller < 0:
        return False
    _move(pos, buyer, seller, FOUR, TWO if pos.held(buyer, TWO) else -1)
    return True


def _sources(rules: RuleSet) -> tuple[int, ...]:
    """In individual play there are no allies (R7): after the opposite, plain turn order."""
    return _SOURCES[rules.buy_from if rules.teams == "federation" else "S0"]


def _first_with_two(pos: Position, buyer: int, steps: Sequence[int], rank: int) -> int:
    for step in steps:
        seat = (buyer + step) % SEATS
        if pos.public.active >> seat & 1 and pos.held(seat, rank) >= 2:
            return seat
    return -1


def _first_held(hand: Sequence[int], ranks: Sequence[int]) -> int:
    return next((rank for rank in ranks if hand[rank]), -1)


def _move(pos: Position, buyer: int, seller: int, rank: int, price: int) -> None:
    card = hand_over(pos, seller, buyer, (rank,), "buy")
    paid = hand_over(pos, buyer, seller, (price,), "pay") if price >= 0 else ()
    if pos.events is not None and card:
        pos.events.append(CardBought(buyer, seller, card[0], paid[0] if paid else None))

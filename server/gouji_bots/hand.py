"""What a hand is worth and how it can be put down, by rules of thumb.

A hand is fifteen rank counts. A *group* is all the cards of one rank 3..A. The burden of a hand is how many leads it
still takes to be rid of it; its power is what it can win tricks with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.cards import ACE, BIG, NATURAL_RANKS, SMALL, TWO
from gouji_rules.plays import Play, compose, counts_of_play

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GOUJI_AT = (99, 99, 99, 99, 99, 99, 99, 5, 4, 3, 2, 2)
"""Fewest cards of a group 3..A that make a gouji play by themselves (R13)."""

_JOKER_WORTH = {SMALL: 1.3, BIG: 2.0}
_TWO_WORTH = 1.0
_GOUJI_WORTH = 0.6
"""Power of a group that is a gouji play, besides costing no more than any lead."""
_LOW_BURDEN = 0.045
"""What a group weighs more for every rank that it is below the ace."""
_CARD_BURDEN = 0.03


def groups(hand: Sequence[int]) -> list[int]:
    """The ranks 3..A held, ascending."""
    return [rank for rank in range(NATURAL_RANKS) if hand[rank]]


def low_groups(hand: Sequence[int]) -> list[int]:
    """The ranks held whose group is no gouji play: what must be led, or got rid of under another's lead."""
    return [rank for rank in range(NATURAL_RANKS) if 0 < hand[rank] < GOUJI_AT[rank]]


def worth(hand: Sequence[int]) -> float:
    """How good it is to hold what is left: power less burden. An empty hand is best."""
    total = _JOKER_WORTH[SMALL] * hand[SMALL] + _JOKER_WORTH[BIG] * hand[BIG] + _TWO_WORTH * hand[TWO]
    cards = 0
    for rank in range(NATURAL_RANKS):
        held = hand[rank]
        if not held:
            continue
        cards += held
        if held >= GOUJI_AT[rank]:
            total += _GOUJI_WORTH
        else:
            total -= 1.0 + _LOW_BURDEN * (ACE - rank)
    cards += hand[TWO] + hand[SMALL] + hand[BIG]
    return total - _CARD_BURDEN * cards if cards else 100.0


def without(hand: Sequence[int], play: Play) -> list[int]:
    """The hand after a play."""
    return [held - used for held, used in zip(hand, counts_of_play(play), strict=True)]


def whole(hand: Sequence[int]) -> Play:
    """All cards of the hand as one play, or 0 if they are none (R10)."""
    ranks = groups(hand)
    if len(ranks) > 1:
        return Play(0)
    rank = ranks[0] if ranks else 0
    return compose(rank, hand[rank] if ranks else 0, hand[TWO], hand[SMALL], hand[BIG])


def leads_left(hand: Sequence[int]) -> int:
    """How many leads the hand takes when every group goes down at once, the twos and jokers with the last."""
    return max(len(groups(hand)), 1) if any(hand) else 0


def runs_out(hand: Sequence[int], tops: int) -> bool:
    """Whether the owner of the lead can be rid of `hand` for certain: every lead but the last holds a top joker.

    `tops` is how many jokers of the hand nothing can beat.
    """
    return leads_left(hand) - 1 <= tops


def answers(hand: Sequence[int], play: Play) -> Iterator[Play]:
    """Yield plays that beat `play` without waste: for every rank, with as few twos and jokers as it can.

    Of the jokers, none, then one after the other, small ones first; as many big ones as the small ones of `play` ask.
    """
    size, small_on_top, low = play >> 22, play >> 14 & 15, play & 15
    for big in range(small_on_top, min(hand[BIG], size) + 1):
        for small in range(min(hand[SMALL], size - big) + 1):
            body = size - big - small
            if not body:
                if (SMALL if small else BIG) > low:
                    yield compose(0, 0, 0, small, big)
                continue
            if body <= hand[TWO] and low < TWO:
                yield compose(0, 0, body, small, big)
            for rank in range(low + 1, NATURAL_RANKS):
                naturals = min(hand[rank], body)
                if naturals and body - naturals <= hand[TWO]:
                    yield compose(rank, naturals, body - naturals, small, big)

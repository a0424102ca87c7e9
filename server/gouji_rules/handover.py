"""Cards that go from hand to hand: bought, paid, given as tribute and returned, all seen by everyone (R49, R78)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.cards import RANK_OF_CARD, Card
from gouji_rules.state import Moved, with_seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.position import Position
    from gouji_rules.state import PublicState


def hand_over(
    pos: Position, giver: int, taker: int, ranks: Sequence[int], why: str, chosen: bytes | None = None
) -> tuple[Card, ...]:
    """Move cards of these ranks from one hand to another and note it for all to see.

    ``chosen`` are the real cards, one per rank in the same order; None takes the lowest of each rank. Returns the real
    cards, empty where they are not tracked.
    """
    p = pos.public
    cards: tuple[Card, ...] = ()
    if pos.cards is not None:
        moved = lowest_of(pos.cards[giver], ranks) if chosen is None else chosen
        rest = bytearray(pos.cards[giver])
        for card in moved:
            rest.remove(card)
        pos.cards[giver] = bytes(rest)
        pos.cards[taker] = bytes(sorted(pos.cards[taker] + moved))
        cards = tuple(map(Card, moved))
    for rank in ranks:
        pos.change(giver, rank, -1)
        pos.change(taker, rank, 1)
    for seat in (giver, taker):
        left = pos.left[seat]
        p.count_shown = with_seat(p.count_shown, seat, left if left <= pos.report_at else -1)
    p.moves += (Moved(giver, taker, why, tuple(ranks), cards),)
    return cards


def lowest_of(held: bytes | bytearray, ranks: Sequence[int]) -> bytes:
    """The lowest real card of each rank, of cards in ascending order."""
    rest = list(held)
    moved = bytearray()
    for rank in ranks:
        card = next(card for card in rest if RANK_OF_CARD[card] == rank)
        rest.remove(card)
        moved.append(card)
    return bytes(moved)


def dealt_counts(p: PublicState, seat: int, hand: Sequence[int]) -> tuple[int, ...]:
    """What a seat was dealt, as fifteen counts, from its hand before the first lead and the moves seen by all."""
    counts = list(hand)
    for move in p.moves:
        for rank in move.ranks:
            if move.giver == seat:
                counts[rank] += 1
            if move.taker == seat:
                counts[rank] -= 1
    return tuple(counts)

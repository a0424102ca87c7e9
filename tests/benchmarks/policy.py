"""The cheap player of the load: plays a real game from its own hand and what is asked, and never burns.

It leads its lowest rank whole, follows with the lowest cards that beat (its jokers only when few cards are left),
leaves its allies' better plays alone, and otherwise passes. So deals end, most questions are answered with a pass, and
high plays open burn windows, as among people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import state_pb2, table_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

NATURAL_RANKS = 12
TWO, SMALL, BIG = 12, 13, 14
FEW_CARDS = 12
TEN = 7

DECLINE = table_pb2.Action(verb=state_pb2.VERB_DECLINE)
PASS = table_pb2.Action(verb=state_pb2.VERB_PASS)
NO = table_pb2.Action(verb=state_pb2.VERB_NO)
DROP_HEAD = table_pb2.Action(verb=state_pb2.VERB_DROP_HEAD)


def rank_of(card: int) -> int:
    """Return the rank, 0 to 14, of a card as numbered on the wire."""
    return card - 40 if card > 52 else (card - 1) % 13


def by_rank(hand: Sequence[int]) -> list[list[int]]:
    """Sort a hand's cards into fifteen lists by rank."""
    piles: list[list[int]] = [[] for _ in range(15)]
    for card in hand:
        piles[rank_of(card)].append(card)
    return piles


def lead(piles: Sequence[list[int]], must_hold_joker: bool) -> list[int]:
    """Choose the cards of a lead: the lowest rank whole; while burning with a joker (R34)."""
    for rank in range(NATURAL_RANKS):
        if piles[rank]:
            cards = list(piles[rank])
            break
    else:
        cards = list(piles[TWO])
    jokers = [*piles[SMALL], *piles[BIG]]
    if must_hold_joker or not cards:
        cards += jokers[:1]
    return cards


def follow(piles: Sequence[list[int]], top: state_pb2.PlayedCards, allied: bool) -> list[int] | None:
    """Choose the cards that beat the top play (R12), or None to pass."""
    play = top.play
    size, jokers = len(top.cards), play.small_jokers + play.big_jokers
    body = size - jokers
    if play.big_jokers or not body:
        return None
    left = sum(map(len, piles))
    low = play.rank - 1  # on the wire ranks are numbered from 1
    if allied and (jokers or low >= TEN):
        return None
    if jokers and (left > 2 * FEW_CARDS or len(piles[BIG]) < jokers):
        return None
    head = piles[BIG][:jokers]
    for rank in range(low + 1, NATURAL_RANKS):
        held = len(piles[rank])
        if held >= body and (held <= body + 2 or left <= FEW_CARDS):
            return piles[rank][:body] + head
        if 0 < held < body <= held + len(piles[TWO]) and body - held <= 2 and not allied:
            return piles[rank] + piles[TWO][: body - held] + head
    if low < TWO and len(piles[TWO]) >= body and left <= FEW_CARDS:
        return piles[TWO][:body] + head
    return None


def choose(state: state_pb2.DealState, seat: int, hand: Sequence[int]) -> table_pb2.Action:
    """Answer the open question for a seat that is asked."""
    kind = state.question.kind
    if kind == state_pb2.QUESTION_KIND_WINDOW:
        return DECLINE
    if kind == state_pb2.QUESTION_KIND_LEAD:
        cards: list[int] | None = lead(by_rank(hand), state.question.must_hold_joker)
    elif kind == state_pb2.QUESTION_KIND_FOLLOW:
        top = state.trick.top
        cards = follow(by_rank(hand), top, allied=(top.seat - seat) % 2 == 0)
    elif kind == state_pb2.QUESTION_KIND_HEAD:
        return DROP_HEAD
    else:
        return NO
    return PASS if cards is None else table_pb2.Action(verb=state_pb2.VERB_PLAY, cards=cards)  # type: ignore[arg-type]

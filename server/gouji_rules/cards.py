"""Cards, ranks and their notation (rules.md §1 and R1).

A rank is an int 0..14 in the order of :data:`RANKS`. A hand is usually a sequence of fifteen counts, one per rank.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NewType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gouji_rules.rule_set import RuleSet

Rank = NewType("Rank", int)
"""0..14: 3, 4, … K, A, 2, small joker, big joker."""

RANKS: Final = "3456789TJQKA2sb"
"""The ranks from low to high, as they are written in records (R-notation)."""

ACE: Final = 11
TWO: Final = 12
SMALL: Final = 13
BIG: Final = 14
RANK_COUNT: Final = 15
NATURAL_RANKS: Final = 12
"""Ranks 3..A, the only ones that a body of naturals can have (R10)."""

SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")

SEATS: Final = 6


class Card(IntEnum):
    """A physical card, numbered as on the wire: suit * 13 + rank + 1; 53 and 54 are the jokers."""

    CLUB_3 = 1
    CLUB_4 = 2
    CLUB_5 = 3
    CLUB_6 = 4
    CLUB_7 = 5
    CLUB_8 = 6
    CLUB_9 = 7
    CLUB_10 = 8
    CLUB_JACK = 9
    CLUB_QUEEN = 10
    CLUB_KING = 11
    CLUB_ACE = 12
    CLUB_2 = 13
    DIAMOND_3 = 14
    DIAMOND_4 = 15
    DIAMOND_5 = 16
    DIAMOND_6 = 17
    DIAMOND_7 = 18
    DIAMOND_8 = 19
    DIAMOND_9 = 20
    DIAMOND_10 = 21
    DIAMOND_JACK = 22
    DIAMOND_QUEEN = 23
    DIAMOND_KING = 24
    DIAMOND_ACE = 25
    DIAMOND_2 = 26
    HEART_3 = 27
    HEART_4 = 28
    HEART_5 = 29
    HEART_6 = 30
    HEART_7 = 31
    HEART_8 = 32
    HEART_9 = 33
    HEART_10 = 34
    HEART_JACK = 35
    HEART_QUEEN = 36
    HEART_KING = 37
    HEART_ACE = 38
    HEART_2 = 39
    SPADE_3 = 40
    SPADE_4 = 41
    SPADE_5 = 42
    SPADE_6 = 43
    SPADE_7 = 44
    SPADE_8 = 45
    SPADE_9 = 46
    SPADE_10 = 47
    SPADE_JACK = 48
    SPADE_QUEEN = 49
    SPADE_KING = 50
    SPADE_ACE = 51
    SPADE_2 = 52
    SMALL_JOKER = 53
    BIG_JOKER = 54


ALL_CARDS: Final[tuple[Card, ...]] = tuple(Card)
"""The 54 cards of one pack, ascending."""

_CARD: Final[dict[int, Card]] = {int(card): card for card in Card}

RANK_OF_CARD: Final[bytes] = bytes([255] + [(c - 1) % 13 for c in range(1, 53)] + [SMALL, BIG])
"""Rank by card value; index 0 is no card."""


class NotationError(ValueError):
    """A text that cannot be read; says which piece of it and where.

    ``piece`` is the offending text, ``position`` its index in ``text``; ``text_en`` and ``text_zh`` are for people.
    """

    def __init__(self, text: str, position: int, piece: str, text_en: str, text_zh: str) -> None:
        super().__init__(text_en)
        self.text = text
        self.position = position
        self.piece = piece
        self.text_en = text_en
        self.text_zh = text_zh


def rank_of(card: int) -> Rank:
    """The rank of a card, 0..14."""
    if not 1 <= card <= 54:
        raise ValueError(f"{card} is no card: cards are 1 to 54")
    return Rank(RANK_OF_CARD[card])


def as_cards(numbers: Iterable[int]) -> tuple[Card, ...]:
    """Cards by their numbers. Raises KeyError for a number that is no card's."""
    return tuple(map(_CARD.__getitem__, numbers))


def suit_of(card: int) -> int:
    """The suit of a card, 0..3 for clubs, diamonds, hearts, spades; -1 for a joker."""
    if not 1 <= card <= 54:
        raise ValueError(f"{card} is no card: cards are 1 to 54")
    return -1 if card > 52 else (card - 1) // 13


def counts_of(cards: Iterable[int]) -> list[int]:
    """Fifteen counts, one per rank, of real cards."""
    counts = [0] * RANK_COUNT
    for card in cards:
        counts[rank_of(card)] += 1
    return counts


def format_cards(cards: Iterable[int]) -> str:
    """Real cards in R-notation, suits left out, low to high: ``"33345b"``."""
    return format_counts(counts_of(cards))


def format_counts(counts: Sequence[int]) -> str:
    """Rank counts in R-notation, low to high: ``"33345b"``."""
    return "".join(RANKS[rank] * count for rank, count in enumerate(counts))


_JOKER_TAILS: Final = "花王虎鬼剑劍头頭牛"
_SPELLINGS: Final[dict[str, int]] = {
    **{char: rank for rank, char in enumerate(RANKS)},
    "t": 7,
    "j": 8,
    "q": 9,
    "k": 10,
    "a": 11,
    "S": SMALL,
    "B": BIG,
    "10": 7,
    "钱": TWO,
    "錢": TWO,
    "两": TWO,
    "兩": TWO,
    "混": TWO,
    "帽": ACE,
    "尖": ACE,
    "老K": 10,
    "老k": 10,
    "小": SMALL,
    "大": BIG,
    **{"小" + tail: SMALL for tail in _JOKER_TAILS},
    **{"大" + tail: BIG for tail in _JOKER_TAILS},
}


def parse_ranks(text: str) -> list[int]:
    """Read R-notation into fifteen counts.

    Characters in any order, spaces between; also ``10``, letters in the other case and the Chinese names of
    rules.md §1. Raises :class:`NotationError` naming the piece that is no card.
    """
    counts = [0] * RANK_COUNT
    position = 0
    while position < len(text):
        two = text[position : position + 2]
        if len(two) == 2 and two in _SPELLINGS:
            counts[_SPELLINGS[two]] += 1
            position += 2
            continue
        one = text[position]
        if one in _SPELLINGS:
            counts[_SPELLINGS[one]] += 1
        elif not one.isspace():
            raise NotationError(
                text,
                position,
                one,
                f"“{one}” at position {position + 1} is no card: cards are written {' '.join(RANKS)}",
                f"第{position + 1}个字“{one}”不是牌：牌写作 {' '.join(RANKS)}",
            )
        position += 1
    return counts


def pack(rule_set: RuleSet) -> tuple[Card, ...]:
    """The whole pack (R1) in its documented order: one pack of 54 ascending, then the next (docs/shuffle.md).

    Without the cards removed: going through their ranks from low to high and through the suits clubs, diamonds, hearts,
    spades in turn, on from where the rank before stopped, each time the last such card of the order. So what stays of
    a rank is as even as possible over the suits, and so is the whole.
    """
    if not rule_set.removed:
        return ALL_CARDS * rule_set.decks
    return _pack_without(rule_set.decks, rule_set.removed)


@lru_cache(64)
def _pack_without(decks: int, removed: str) -> tuple[Card, ...]:
    left = list(ALL_CARDS * decks)
    suit = 0
    for rank, gone in enumerate(parse_ranks(removed)):
        for _ in range(gone):
            card = rank + 40 if rank >= SMALL else 13 * suit + rank + 1
            if rank < SMALL:
                suit = (suit + 1) % len(SUIT_NAMES)
            del left[len(left) - 1 - left[::-1].index(_CARD[card])]
    return tuple(left)


def pack_counts(rule_set: RuleSet) -> list[int]:
    """Fifteen counts of the whole pack (R1)."""
    whole = [4 * rule_set.decks] * 13 + [rule_set.decks] * 2
    if rule_set.removed:
        return [held - gone for held, gone in zip(whole, parse_ranks(rule_set.removed), strict=True)]
    return whole


def cards_per_seat(rule_set: RuleSet) -> int:
    """Cards dealt to each seat (R1)."""
    return sum(pack_counts(rule_set)) // SEATS

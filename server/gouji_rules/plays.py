"""Plays (一手牌): what a set of cards put down at once means (R10, R13).

A play is packed into one int so that the engine allocates nothing per legal move:

====  =======  ====================================================================================
bits  field    meaning
====  =======  ====================================================================================
0-3   low      rank of the body (3..A, or 2 for twos alone); for jokers alone the weaker joker's
4-8   N        naturals, cards of the body's own rank 3..A
9-13  X        twos, counted as the body's rank (贴钱)
14-17 Y        small jokers (挂花)
18-21 Z        big jokers
22-27 size     all cards
====  =======  ====================================================================================

0 is no play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NewType

from gouji_rules.cards import BIG, NATURAL_RANKS, RANK_COUNT, RANKS, SMALL, TWO, counts_of, format_counts, parse_ranks
from gouji_rules.errors import PlayError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gouji_rules.rule_set import RuleSet

Play = NewType("Play", int)

NO_PLAY: Final = Play(0)

NATURAL_SHIFT: Final = 4
TWO_SHIFT: Final = 9
SMALL_SHIFT: Final = 14
BIG_SHIFT: Final = 18
SIZE_SHIFT: Final = 22

ONE_SIZE: Final = 1 << SIZE_SHIFT
ONE_NATURAL: Final = (1 << NATURAL_SHIFT) + ONE_SIZE
ONE_TWO: Final = (1 << TWO_SHIFT) + ONE_SIZE
ONE_SMALL: Final = (1 << SMALL_SHIFT) + ONE_SIZE
ONE_BIG: Final = (1 << BIG_SHIFT) + ONE_SIZE

LOW_MASK: Final = 15
SMALL_MASK: Final = 15 << SMALL_SHIFT
BIG_MASK: Final = 15 << BIG_SHIFT
JOKER_MASK: Final = SMALL_MASK | BIG_MASK
SIZE_MASK: Final = 63 << SIZE_SHIFT
PLAY_MASK: Final = (1 << 28) - 1


def compose(rank: int, naturals: int, twos: int, small: int, big: int) -> Play:
    """Pack a play from its parts. ``rank`` (0..11) is read only when there are naturals."""
    size = naturals + twos + small + big
    if min(naturals, twos, small, big) < 0 or size == 0:
        raise PlayError("R10", "NOT_A_PLAY", "a play has at least one card", "一手牌至少一张")
    if naturals > 31 or twos > 31 or small > 15 or big > 15:
        raise PlayError("R10", "NOT_A_PLAY", "more cards than six packs hold", "张数超过六副牌")
    if naturals:
        if not 0 <= rank < NATURAL_RANKS:
            raise PlayError("R10", "NOT_A_PLAY", "naturals have a rank from 3 to A", "本牌的点数是 3 到 A")
        low = rank
    else:
        low = TWO if twos else SMALL if small else BIG
    return Play(low + naturals * ONE_NATURAL + twos * ONE_TWO + small * ONE_SMALL + big * ONE_BIG)


def make_play(counts: Sequence[int]) -> Play:
    """Pack fifteen rank counts into a play. Raises :class:`PlayError` (R10) if they are none."""
    ranks = [rank for rank in range(NATURAL_RANKS) if counts[rank]]
    if len(ranks) > 1:
        names = " ".join(RANKS[rank] for rank in ranks)
        raise PlayError(
            "R10",
            "NOT_A_PLAY",
            f"{format_counts(counts)} mixes the ranks {names}: a play has one rank, with twos and jokers",
            f"{format_counts(counts)} 混了不同点数 {names}：一手牌只能有一种点数，可贴钱、挂花",
        )
    if not any(counts):
        raise PlayError("R10", "NOT_A_PLAY", "no cards: a play has at least one", "没有牌：一手牌至少一张")
    rank = ranks[0] if ranks else 0
    return compose(rank, counts[rank] if ranks else 0, counts[TWO], counts[SMALL], counts[BIG])


def parse_play(text: str) -> Play:
    """Read a play in R-notation. Raises NotationError for a bad piece, :class:`PlayError` (R10) for no play."""
    return make_play(parse_ranks(text))


def play_of_cards(cards: Iterable[int]) -> Play:
    """The play that real cards make. Raises :class:`PlayError` (R10) if they make none."""
    return make_play(counts_of(cards))


def format_play(play: Play) -> str:
    """A play as people write it, jokers first, big before small, then naturals, then twos: ``"bs5555"``."""
    body = RANKS[play & LOW_MASK] * naturals_of(play)
    return "b" * big_of(play) + "s" * small_of(play) + body + "2" * twos_of(play)


def size(play: Play) -> int:
    """How many cards."""
    return play >> SIZE_SHIFT


def size_of_parts(play: int) -> int:
    """How many cards, counted from the parts of a play whose size field may be missing."""
    parts = play >> NATURAL_SHIFT & 31, play >> TWO_SHIFT & 31, play >> SMALL_SHIFT & 15, play >> BIG_SHIFT & 15
    return sum(parts)


def low_of(play: Play) -> int:
    """The rank of the body; for jokers alone the weaker joker's. It is the rank of the weakest card (R12)."""
    return play & LOW_MASK


def naturals_of(play: Play) -> int:
    """Cards of the body's own rank 3..A."""
    return play >> NATURAL_SHIFT & 31


def twos_of(play: Play) -> int:
    """Twos."""
    return play >> TWO_SHIFT & 31


def small_of(play: Play) -> int:
    """Small jokers."""
    return play >> SMALL_SHIFT & 15


def big_of(play: Play) -> int:
    """Big jokers."""
    return play >> BIG_SHIFT & 15


def body_of(play: Play) -> int:
    """Cards of the body: naturals and twos."""
    return naturals_of(play) + twos_of(play)


def counts_of_play(play: Play) -> list[int]:
    """Fifteen rank counts of the cards in a play."""
    counts = [0] * RANK_COUNT
    if naturals_of(play):
        counts[low_of(play)] = naturals_of(play)
    counts[TWO] = twos_of(play)
    counts[SMALL] = small_of(play)
    counts[BIG] = big_of(play)
    return counts


# Fewest body cards that make a gouji play (R13), by the body's rank 3..A.
_GOUJI_BODY: Final = (99, 99, 99, 99, 99, 99, 99, 5, 4, 3, 2, 2)


def is_gouji(rules: RuleSet, play: Play) -> bool:
    """Whether a play is a gouji play (够级牌, R13)."""
    if play & JOKER_MASK:
        return True
    low = play & LOW_MASK
    if low == TWO:
        return twos_of(play) >= rules.gouji_twos
    return body_of(play) >= _GOUJI_BODY[low]

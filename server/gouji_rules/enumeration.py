"""Legal plays by number: how many there are and what the k-th is, without listing them.

A hand is its rank counts; its *wild code* packs its twos and jokers as a play does above bit 9 (X, Y << 5, Z << 9).
Plays are told apart by body rank, so for each rank only the number of naturals held matters: tables kept here hold, per
wild code, all ways to complete a body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.cards import BIG, NATURAL_RANKS, RANK_COUNT, SMALL, TWO
from gouji_rules.plays import (
    LOW_MASK,
    ONE_BIG,
    ONE_NATURAL,
    ONE_SMALL,
    ONE_TWO,
    SIZE_SHIFT,
    SMALL_SHIFT,
    Play,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WILD_MASK: Final = 0x1FFF
JOKER_CODE: Final = 0x1FE0
SMALL_CODE: Final = 5
BIG_CODE: Final = 9

NATURALS_LIMIT: Final = 32

# A hand's naturals spread out over one int, eight bits a rank, so that one subtraction compares all ranks: with the
# guard bit of each rank set, taking n from every rank leaves the guard bits of those with at least n.
RANK_BITS: Final = 8
ONE_RANK: Final = 255
"""The bits of the 3s."""
UNITS: Final = tuple(1 << RANK_BITS * rank for rank in range(NATURAL_RANKS))
EVERY_RANK: Final = sum(UNITS)
GUARDS: Final = EVERY_RANK << RANK_BITS - 1
GUARDS_ABOVE: Final = tuple(sum(unit << RANK_BITS - 1 for unit in UNITS[low + 1 :]) for low in range(RANK_COUNT))
"""By weakest card of a top play: the guard bits of the ranks above it."""


WILD_AT: Final = RANK_BITS * NATURAL_RANKS
"""A whole hand as one int: its naturals, spread out, then from this bit on its wild code."""
NATURALS_MASK: Final = (1 << WILD_AT) - 1
WILD_SHIFTS: Final = (0, SMALL_CODE, BIG_CODE)
"""Where the wild code has the counts of 2s, small and big jokers."""
ONE_OF_RANK: Final = (*UNITS, *(1 << WILD_AT + shift for shift in WILD_SHIFTS))
"""One card of each rank in a hand as one int."""


def pack_hand(hand: Sequence[int]) -> int:
    """A hand of fifteen counts as one int."""
    return spread(hand) | wild_code(hand) << WILD_AT


def cards_in(packed: int) -> int:
    """How many cards a packed hand holds."""
    code = packed >> WILD_AT
    return sum(naturals_of_hand(packed & NATURALS_MASK)) + (code & 31) + jokers_in(code)


def naturals_of_hand(naturals: int) -> bytes:
    """The twelve counts 3..A of spread-out naturals."""
    return naturals.to_bytes(NATURAL_RANKS, "little")


def count_in(naturals: int, code: int, rank: int) -> int:
    """How many cards of a rank spread-out naturals and a wild code hold."""
    if rank < NATURAL_RANKS:
        return naturals >> RANK_BITS * rank & ONE_RANK
    return code & 31 if rank == TWO else code >> SMALL_CODE & 15 if rank == SMALL else code >> BIG_CODE


def spread(hand: Sequence[int]) -> int:
    """A hand's naturals, spread out."""
    return int.from_bytes(bytes(hand[:NATURAL_RANKS]), "little")


def kinds_in(naturals: int) -> int:
    """Distinct ranks 3..A of spread-out naturals."""
    return ((naturals | GUARDS) - EVERY_RANK & GUARDS).bit_count()


def wild_code(hand: Sequence[int]) -> int:
    """The wild code of a hand's twos and jokers."""
    return hand[TWO] | hand[SMALL] << SMALL_CODE | hand[BIG] << BIG_CODE


def jokers_in(code: int) -> int:
    """Jokers of a wild code."""
    return (code >> SMALL_CODE & 15) + (code >> BIG_CODE)


class LeadTable:
    """The ways to attach twos and jokers of one wild code to a body, those without a joker first.

    ``tails`` are play ints without the body; ``bare`` are the same plays without naturals (entry 0, nothing at all, is
    no play); ``plain`` is how many of them hold no joker, ``count`` how many there are, ``wilds`` how many cards the
    code has.
    """

    __slots__ = ("bare", "count", "plain", "tails", "wilds")

    def __init__(self, code: int) -> None:
        twos, small, big = code & 31, code >> SMALL_CODE & 15, code >> BIG_CODE
        self.tails: list[int] = []
        self.bare: list[Play] = []
        self.plain: int = twos + 1
        jokers = [(y, z) for z in range(big + 1) for y in range(small + 1)]
        for y, z in jokers:
            for x in range(twos + 1):
                tail = x * ONE_TWO + y * ONE_SMALL + z * ONE_BIG
                self.tails.append(tail)
                self.bare.append(Play(tail | (TWO if x else SMALL if y else BIG)))
        self.count: int = len(self.tails)
        self.wilds: int = twos + small + big


class FollowTable:
    """The answers to a top play of one size and number of small jokers that one wild code allows.

    ``tails`` are play ints without the body's rank, by number of naturals; ``upto[c]`` is how many of them a hand
    with c naturals of a rank can make. ``bare`` are the answers without naturals, those of twos (``twos`` many) first;
    ``bare_above[low]`` is how many of them beat a top play whose weakest card is ``low``. ``least`` is the fewest
    naturals of a rank that make an answer, spread out to every rank; ``single``: with as many there is just one.
    """

    __slots__ = ("bare", "bare_above", "least", "single", "tails", "twos", "upto")

    def __init__(self, ways: Iterable[tuple[int, int, int]], twos: int) -> None:
        """``ways``: the numbers of small jokers, big jokers and body cards that answer; ``twos`` held."""
        by_naturals: list[list[int]] = [[] for _ in range(NATURALS_LIMIT)]
        of_twos: list[Play] = []
        of_jokers: list[Play] = []
        for y, z, body in ways:
            for x in range(min(twos, body) + 1):
                naturals = body - x
                tail = x * ONE_TWO + y * ONE_SMALL + z * ONE_BIG
                if naturals:
                    if naturals < NATURALS_LIMIT:
                        by_naturals[naturals].append(tail + naturals * ONE_NATURAL)
                elif x:
                    of_twos.append(Play(tail | TWO))
                else:
                    of_jokers.append(Play(tail | (SMALL if y else BIG)))
        self.tails: list[int] = []
        self.upto: list[int] = []
        for tails in by_naturals:
            self.tails += tails
            self.upto.append(len(self.tails))
        self.bare: list[Play] = of_twos + of_jokers
        self.twos: int = len(of_twos)
        self.bare_above: list[int] = [len(self.bare)] * TWO + [len(of_jokers)] * (RANK_COUNT - TWO)
        least = next((n for n, tails in enumerate(by_naturals) if tails), NATURALS_LIMIT - 1)
        self.least: int = least * EVERY_RANK
        self.single: bool = len(self.tails) == 1


def _ways_by_card(cards: int, small_on_top: int, code: int) -> Iterator[tuple[int, int, int]]:
    """R12: as many cards, and big jokers over every small one."""
    small, big = code >> SMALL_CODE & 15, code >> BIG_CODE
    for z in range(small_on_top, min(big, cards) + 1):
        for y in range(min(small, cards - z) + 1):
            yield y, z, cards - z - y


_LEADS: Final[dict[int, LeadTable]] = {}
_FOLLOWS: Final[dict[int, dict[int, FollowTable]]] = {}
_SHARED: Final[dict[tuple[int, int, int], FollowTable]] = {}

_TOP_CODE_MASK: Final = 63 << SIZE_SHIFT | 15 << SMALL_SHIFT


def lead_table(code: int) -> LeadTable:
    """The table of leads for a wild code (kept: there are at most 17 * 5 * 5 with four packs)."""
    table = _LEADS.get(code)
    if table is None:
        table = _LEADS[code] = LeadTable(code)
    return table


def follow_tables(top: Play) -> dict[int, FollowTable]:
    """The tables of answers to a top play without a big joker, by wild code; filled by :func:`follow_table`."""
    key = top & _TOP_CODE_MASK
    tables = _FOLLOWS.get(key)
    if tables is None:
        tables = _FOLLOWS[key] = {}
    return tables


def follow_table(top: Play, code: int) -> FollowTable:
    """The table of answers to a top play without a big joker for a wild code."""
    tables = follow_tables(top)
    table = tables.get(code)
    if table is None:
        table = tables[code] = _shared_table(top, code)
    return table


def _shared_table(top: Play, code: int) -> FollowTable:
    """Wilds beyond the number of cards change nothing, and without enough big jokers there is no answer."""
    cards = top >> SIZE_SHIFT
    small_on_top = top >> SMALL_SHIFT & 15
    twos, small, big = code & 31, code >> SMALL_CODE & 15, code >> BIG_CODE
    if big < small_on_top:
        key = (0, 0, 0)
        used = 0
        cards = small_on_top = 1
    else:
        used = min(twos, cards) | min(small, cards) << SMALL_CODE | min(big, cards) << BIG_CODE
        key = (cards, small_on_top, used)
    table = _SHARED.get(key)
    if table is None:
        table = _SHARED[key] = FollowTable(_ways_by_card(cards, small_on_top, used), used & 31)
    return table


def count_leads(hand: Sequence[int], code: int, left: int, must_hold_joker: bool) -> int:
    """How many plays a hand of ``left`` cards may lead (R10, R34). Of the hand only the naturals are read."""
    table = lead_table(code)
    if not must_hold_joker:
        return count_plain_leads(table, left)
    ways = (left - table.wilds + 1) * (len(table.tails) - table.plain)
    return ways + (not code & JOKER_CODE and is_one_play(hand, code))


def count_plain_leads(table: LeadTable, left: int) -> int:
    """The same where nothing restricts a lead, from the table."""
    return (left - table.wilds + 1) * table.count - 1


def lead_at(hand: Sequence[int], code: int, index: int, must_hold_joker: bool) -> Play:
    """The lead of a number below :func:`count_leads`: by body rank, then naturals; jokers and twos alone last."""
    table = lead_table(code)
    if not must_hold_joker:
        return plain_lead_at(table, hand, index)
    if not code & JOKER_CODE:
        return whole_hand(hand, code)
    return _lead_from(table, hand, index, table.plain)


def plain_lead_at(table: LeadTable, hand: Sequence[int], index: int) -> Play:
    """The same where nothing restricts a lead, from the table."""
    return _lead_from(table, hand, index, 0)


def _lead_from(table: LeadTable, hand: Sequence[int], index: int, first: int) -> Play:
    """The lead of a number among those with a tail from ``first`` on."""
    body, tail = divmod(index, table.count - first)
    rank = 0
    for held in hand[:NATURAL_RANKS]:
        if body < held:
            return rank + (body + 1) * ONE_NATURAL + table.tails[first + tail]  # type: ignore[return-value]
        body -= held
        rank += 1  # noqa: SIM113 - pairs of enumerate cost more
    return table.bare[tail + (first or 1)]


def count_follows(hand: Sequence[int], code: int, top: Play) -> int:
    """How many plays of a hand beat a top play without a big joker (R11, R12)."""
    tables = _FOLLOWS.get(top & _TOP_CODE_MASK)
    table = (tables.get(code) if tables else None) or follow_table(top, code)
    return count_answers(table, hand, top & LOW_MASK)


def count_answers(table: FollowTable, hand: Sequence[int], low: int) -> int:
    """The same, from the table and the top play's weakest card."""
    total = table.bare_above[low]
    if table.tails:
        upto = table.upto
        for held in hand[low + 1 : NATURAL_RANKS]:
            total += upto[held]
    return total


def follow_at(hand: Sequence[int], code: int, top: Play, index: int) -> Play:
    """The answer of a number below :func:`count_follows`: by body rank, then naturals; twos and jokers last."""
    return answer_at(follow_table(top, code), hand, top & LOW_MASK, index)


def answer_at(table: FollowTable, hand: Sequence[int], low: int, index: int) -> Play:
    """The same, from the table and the top play's weakest card."""
    upto = table.upto
    rank = low
    for held in hand[low + 1 : NATURAL_RANKS]:
        rank += 1
        ways = upto[held]
        if index < ways:
            return rank + table.tails[index]  # type: ignore[return-value]
        index -= ways
    return table.bare[index if low < TWO else index + table.twos]


def is_one_play(hand: Sequence[int], code: int) -> bool:
    """Whether all cards of a hand make one play (R10). Of the hand only the naturals are read."""
    kinds = sum(1 for held in hand[:NATURAL_RANKS] if held)
    return kinds == 1 or (not kinds and code > 0)


def whole_hand(hand: Sequence[int], code: int) -> Play:
    """The one play of all cards of a hand for which :func:`is_one_play` holds."""
    small, big = code >> SMALL_CODE & 15, code >> BIG_CODE
    tail = (code & 31) * ONE_TWO + small * ONE_SMALL + big * ONE_BIG
    for rank in range(NATURAL_RANKS):
        if hand[rank]:
            return Play(rank + hand[rank] * ONE_NATURAL + tail)
    return Play(tail | (TWO if code & 31 else SMALL if small else BIG))

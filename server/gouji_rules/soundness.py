"""Which burns leave a sound rest (R31)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.cards import NATURAL_RANKS
from gouji_rules.enumeration import WILD_MASK, answer_at, count_answers, jokers_in
from gouji_rules.plays import LOW_MASK, NATURAL_SHIFT, TWO_SHIFT, Play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.enumeration import FollowTable


def sound_burns(
    hand: Sequence[int], code: int, top: Play, table: FollowTable, *, hold_three: bool = False
) -> list[Play]:
    """The plays with which a hand may burn a top play under `burn = strict`, in the order of the answers.

    ``table`` has the answers to the top play.
    """
    kinds = kinds_held(hand)
    if jokers_in(code) < kinds - 2:
        return []
    low = top & LOW_MASK
    return [
        play
        for play in (answer_at(table, hand, low, index) for index in range(count_answers(table, hand, low)))
        if is_sound_burn(hand, code, kinds, play, hold_three=hold_three)
    ]


def kinds_held(hand: Sequence[int]) -> int:
    """Distinct ranks 3..A of a hand."""
    return sum(1 for held in hand[:NATURAL_RANKS] if held)


def is_sound_burn(hand: Sequence[int], code: int, kinds: int, play: Play, *, hold_three: bool = False) -> bool:
    """R31: after the play, jokers >= g - 1, where g is the number of distinct ranks 3..A left.

    An empty rest, and one of twos and jokers alone, always pass. With 3s to hold g counts 4..A only, 1 if there are but
    twos, and the 3s are one more play that needs no joker: jokers >= g. ``kinds`` is the number of distinct ranks 3..A
    held.
    """
    rank = play & LOW_MASK
    if rank < NATURAL_RANKS and (play >> NATURAL_SHIFT & 31) == hand[rank]:
        kinds -= 1
    used = play >> TWO_SHIFT & WILD_MASK
    jokers = jokers_in(code) - jokers_in(used)
    if not hold_three or not hand[0]:
        return jokers >= kinds - 1
    groups = kinds - 1 or int((code & 31) > (used & 31))
    return jokers >= groups

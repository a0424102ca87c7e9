"""The leads of a hand by number, under the rules that restrict them (R34, R43, R45)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.enumeration import JOKER_CODE, count_leads, lead_at, lead_table, whole_hand
from gouji_rules.plays import ONE_NATURAL, Play

if TYPE_CHECKING:
    from collections.abc import Sequence

FOUR: Final = 1
"""The rank of a 4."""


def count(hand: Sequence[int], code: int, left: int, *, hold_three: bool, joker: bool, four: bool) -> int:
    """How many plays a hand of ``left`` cards may lead.

    ``hold_three``: 3s stay for the last play, alone (R45); ``joker``: every lead but the last holds one (R34);
    ``four``: it holds a natural 4 where the hand does (R43), which a burner is free of.
    """
    if hold_three and hand[0]:
        if left == hand[0]:
            return 1
        if joker and not code & JOKER_CODE:
            return 0
        left -= hand[0]
        hand = b"\0" + bytes(hand[1:])
    return count_without_threes(hand, code, left, joker, four)


def at(hand: Sequence[int], code: int, index: int, *, hold_three: bool, joker: bool, four: bool) -> Play:
    """The lead of a number below :func:`count`."""
    if hold_three and hand[0]:
        if not code and not any(hand[1:12]):
            return whole_hand(hand, code)
        hand = b"\0" + bytes(hand[1:])
    return at_without_threes(hand, code, index, joker, four)


def count_without_threes(hand: Sequence[int], code: int, left: int, joker: bool, four: bool) -> int:
    """The same where no 3s are kept, for a hand of ``left`` cards."""
    if four and not joker and hand[FOUR]:
        return hand[FOUR] * len(lead_table(code).tails)
    return count_leads(hand, code, left, joker)


def at_without_threes(hand: Sequence[int], code: int, index: int, joker: bool, four: bool) -> Play:
    """The lead of a number below :func:`count_without_threes`."""
    if four and not joker and hand[FOUR]:
        tails = lead_table(code).tails
        body, tail = divmod(index, len(tails))
        return Play(FOUR + (body + 1) * ONE_NATURAL + tails[tail])
    return lead_at(hand, code, index, joker)

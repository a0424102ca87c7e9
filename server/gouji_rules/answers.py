"""The answers to a top play by number, under every `mixed_jokers` and `joker_kill` (R11, R12, R15).

Where both are as in qingdao the tables are those of :mod:`~gouji_rules.enumeration`; for the others the same tables are
filled with the ways to attach jokers that these rules allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.comparison import cover_jokers
from gouji_rules.enumeration import BIG_CODE, SMALL_CODE, FollowTable, follow_table
from gouji_rules.plays import BIG_SHIFT, JOKER_MASK, SIZE_MASK, SIZE_SHIFT, SMALL_SHIFT, Play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_rules.rule_set import RuleSet

_TOP_MASK: Final = SIZE_MASK | JOKER_MASK


class Answers:
    """The tables of answers under one `mixed_jokers` and one `joker_kill`."""

    __slots__ = ("_as_small", "_by_top", "_kill", "_shared")

    def __init__(self, as_small: bool, kill: str) -> None:
        self._as_small: bool = as_small
        self._kill: str = kill
        self._by_top: dict[int, dict[int, FollowTable]] = {}
        self._shared: dict[tuple[int, int], FollowTable] = {}

    def tables(self, top: Play) -> dict[int, FollowTable]:
        """Those of a top play, by wild code; :meth:`table` fills them where needed."""
        key = top & _TOP_MASK
        tables = self._by_top.get(key)
        if tables is None:
            tables = self._by_top[key] = {}
        return tables

    def table(self, top: Play, code: int) -> FollowTable:
        """The table of a top play for a wild code."""
        tables = self.tables(top)
        table = tables.get(code)
        if table is None:
            table = tables[code] = self._make(top, code)
        return table

    def _make(self, top: Play, code: int) -> FollowTable:
        """Twos beyond the cards of the top play change nothing: one table serves all such codes."""
        if not self._as_small and self._kill != "full" and not top >> BIG_SHIFT & 15:
            return follow_table(top, code)  # nothing there is killed: as without kills
        used = code & ~31 | min(code & 31, top >> SIZE_SHIFT)
        key = (top & _TOP_MASK, used)
        table = self._shared.get(key)
        if table is None:
            table = self._shared[key] = FollowTable(self._ways(top, used), used & 31)
        return table

    def _ways(self, top: Play, code: int) -> Iterator[tuple[int, int, int]]:
        """The numbers of small jokers, big jokers and body cards of every answer."""
        cards = top >> SIZE_SHIFT
        small, big = top >> SMALL_SHIFT & 15, top >> BIG_SHIFT & 15
        body = cards - small - big
        small, big = self._counted(small, big)
        full = self._kill == "full"
        killable = bool(big or (full and small)) and self._kill != "off"
        for z in range((code >> BIG_CODE) + 1):
            for y in range((code >> SMALL_CODE & 15) + 1):
                own_small, own_big = self._counted(y, z)
                by_card = not big and own_big >= small and y + z <= cards
                if by_card:
                    yield y, z, cards - y - z
                if by_card and cards - y - z == body:
                    continue
                if killable and cover_jokers(small, big, own_small, own_big, full=full):
                    yield y, z, body

    def _counted(self, small: int, big: int) -> tuple[int, int]:
        """`mixed_jokers` (R12)."""
        return (small + big, 0) if self._as_small and small and big else (small, big)


class _ByCard(Answers):
    """Qingdao's: nothing beats a play with a big joker."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(False, "off")

    def _make(self, top: Play, code: int) -> FollowTable:
        return _NONE if top >> BIG_SHIFT & 15 else follow_table(top, code)


_NONE: Final = FollowTable((), 0)
_BY_CARD: Final = _ByCard()
_OTHERS: Final = {
    (mixed, kill): Answers(mixed == "as_small", kill)
    for mixed in ("by_card", "as_small")
    for kill in ("off", "two_big", "full")
    if (mixed, kill) != ("by_card", "off")
}


def answers_under(rules: RuleSet) -> Answers:
    """The tables for a rule set."""
    return _OTHERS.get((rules.mixed_jokers, rules.joker_kill), _BY_CARD)

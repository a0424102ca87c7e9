"""Obligations (贡, R70-R76): what a deal leaves to be paid before the next one is played, and their text form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gouji_rules.cards import SEATS
from gouji_rules.errors import DealError

KINDS = ("stifle", "burn", "point", "loser")
"""The kinds of tribute in the order in which they are paid (R70)."""

_TEXT = re.compile(r"\s*([0-5])\s*>\s*([0-5])\s+(\w+)\s+(\d{1,3})\s*")


@dataclass(frozen=True, slots=True)
class Obligation:
    """``payer`` owes ``receiver`` tribute of one ``kind`` (of :data:`KINDS`): ``count`` cards.

    Its text, as in records, is ``"5>0 loser 2"``.
    """

    payer: int
    receiver: int
    kind: str
    count: int

    def __post_init__(self) -> None:
        seats = range(SEATS)
        if self.payer not in seats or self.receiver not in seats or self.payer == self.receiver:
            raise DealError(
                f"tribute is owed by one seat from 0 to 5 to another, not by {self.payer} to {self.receiver}",
                f"贡由 0 至 5 号中的一家欠另一家，不能是 {self.payer} 号欠 {self.receiver} 号",
            )
        if self.kind not in KINDS:
            raise DealError(
                f"“{self.kind}” is no kind of tribute: {', '.join(KINDS)}",
                f"没有“{self.kind}”这种贡：{'、'.join(KINDS)}",
            )
        if not 1 <= self.count <= 999:
            raise DealError(f"{self.count} is no number of cards to owe", f"欠贡的张数不能是 {self.count}")

    def __str__(self) -> str:
        """As a record writes it."""
        return f"{self.payer}>{self.receiver} {self.kind} {self.count}"


def parse_obligation(text: str) -> Obligation:
    """Read ``"5>0 loser 2"``. Raises DealError that says what is wrong with it."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise DealError(
            f"“{text}” is no obligation: write PAYER>RECEIVER KIND COUNT, such as “5>0 loser 2”",
            f"“{text}”不是欠贡：请写 欠家>得家 种类 张数，例如“5>0 loser 2”",
        )
    return Obligation(int(found[1]), int(found[2]), found[3], int(found[4]))

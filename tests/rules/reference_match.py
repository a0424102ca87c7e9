"""R17, R50, R64, R68, R76 and R79 on the second machine: deals in a row."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.rules import reference_scoring as scoring

if TYPE_CHECKING:
    from gouji_rules import RuleSet
    from tests.rules.reference_deal import ReferenceDeal
    from tests.rules.reference_table import Debt


@dataclass
class ReferenceMatch:
    """`deals` is how many deals it has at most, 0 for no end of its own."""

    rules: RuleSet
    deals: int
    scores: list[int] = field(default_factory=list)
    debts: list[Debt] = field(default_factory=list)
    number: int = 1
    over: bool = False
    lot: int = -1
    lots: list[int] = field(default_factory=list)  # the sides between which a lot decided

    def __post_init__(self) -> None:
        self.deals = self.deals or self.rules.deals
        self.scores = [0] * (2 if self.rules.teams == "federation" else 6)

    def finish(self, deal: ReferenceDeal, seed: bytes | None) -> None:
        """Count a deal that is over; a void one is dealt again with the same debts."""
        if deal.kind == "void":
            return
        self.scores = [sum(pair) for pair in zip(self.scores, scoring.scores(deal), strict=True)]
        self.debts = scoring.debts_left(deal)
        swept = self.rules.sweep_tribute == "match_ends" and scoring.is_sweep(deal)
        if self.number == self.deals or swept:
            self.over = True
            self.debts = []
            if self.rules.tie_by_lot and len(self.leaders()) > 1:
                self.lots = self.leaders()
                self.lot = self.draw_lot(seed) if seed else -1
        else:
            self.number += 1

    def leaders(self) -> list[int]:
        return [side for side, score in enumerate(self.scores) if score == max(self.scores)]

    def draw_lot(self, seed: bytes) -> int:
        """docs/shuffle.md."""
        drawn = hashlib.sha512(b"gouji/lot/1" + seed).digest()[:8]
        return self.leaders()[int.from_bytes(drawn, "big") % len(self.leaders())]

    def winner(self) -> int:
        if self.lot >= 0:
            return self.lot
        return self.leaders()[0] if self.over and len(self.leaders()) == 1 else -1

"""A match (一局): deals in a row and their sum (R50, R68)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.deal import Deal

if TYPE_CHECKING:
    from gouji_rules.obligations import Obligation
    from gouji_rules.rule_set import RuleSet
    from gouji_rules.scoring import DealResult


@dataclass(frozen=True, slots=True)
class MatchStep:
    """What a finished deal does to its match.

    ``scores`` of the match so far; ``deal_number`` of the next deal (of the last one if the match is over); a void deal
    changes neither.
    """

    result: DealResult
    scores: tuple[int, ...]
    deal_number: int
    over: bool


class Match:
    """Deals of one rule set played in a row.

    ``deals`` is how many there are (R68); 0 takes the rule set's own number, and where that is open too the match ends
    only when its players say so. Void deals do not count (R50).
    """

    __slots__ = ("deal_number", "deals", "obligations", "over", "results", "rules", "scores")

    def __init__(self, rules: RuleSet, deals: int = 0) -> None:
        if deals < 0:
            raise ValueError(f"a match cannot have {deals} deals")
        self.rules: RuleSet = rules
        self.deals: int = deals or rules.deals
        self.deal_number: int = 1
        self.scores: tuple[int, ...] = (0, 0)
        self.over: bool = False
        self.obligations: tuple[Obligation, ...] = ()
        self.results: list[DealResult] = []

    def start_deal(self, seed: bytes) -> Deal:
        """Deal the next deal, or a void one again, from a new seed."""
        if self.over:
            raise ValueError("the match is over")
        return Deal.start(self.rules, seed, number=self.deal_number, obligations=self.obligations)

    def finish(self, deal: Deal) -> MatchStep:
        """Count a deal that is over. Raises DealRunning if it is not, ValueError if it is not the one due."""
        if self.over:
            raise ValueError("the match is over")
        if deal.public.number != self.deal_number or deal.rules != self.rules:
            raise ValueError(f"deal {deal.public.number} is not the one due: {self.deal_number}")
        result = deal.result
        if not result.void:
            self.results.append(result)
            self.scores = tuple(a + b for a, b in zip(self.scores, result.scores, strict=True))
            self.obligations = result.obligations
            if self.deals and self.deal_number >= self.deals:
                self.over = True
            else:
                self.deal_number += 1
        return MatchStep(result, self.scores, self.deal_number, self.over)

"""A match (一局): deals in a row, their sum and what they leave to be paid (R17, R50, R64, R68, R79)."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha512
from typing import TYPE_CHECKING

from gouji_rules.cards import SEATS
from gouji_rules.deal import Deal
from gouji_rules.events import LotDrawn, MatchDissolved

if TYPE_CHECKING:
    from gouji_rules.obligations import Obligation
    from gouji_rules.rule_set import RuleSet
    from gouji_rules.scoring import DealResult

ALL_SEATS = 63

_LOT_TAG = b"gouji/lot/1"


@dataclass(frozen=True, slots=True)
class MatchStep:
    """What a finished deal does to its match.

    ``scores`` of the match so far; ``deal_number`` of the next deal (of the last one if the match is over); a void deal
    changes neither. ``lot`` is told where the match was tied and settled by lot (R64).
    """

    result: DealResult
    scores: tuple[int, ...]
    deal_number: int
    over: bool
    lot: LotDrawn | None = None


class Match:
    """Deals of one rule set played in a row.

    ``deals`` is how many there are (R68); 0 takes the rule set's own number, and where that is open too the match ends
    only when its players say so. Void deals do not count (R50) and leave ``obligations``, what is owed before the next
    deal, as they were (R79). ``scores`` are by team, in individual play by seat. ``agreed`` is the mask of the seats
    that agree to dissolve the match (R17).
    """

    __slots__ = (
        "agreed",
        "deal_number",
        "deals",
        "dissolved",
        "lot",
        "obligations",
        "over",
        "results",
        "rules",
        "scores",
    )

    def __init__(self, rules: RuleSet, deals: int = 0) -> None:
        if deals < 0:
            raise ValueError(f"a match cannot have {deals} deals")
        self.rules: RuleSet = rules
        self.deals: int = deals or rules.deals
        self.deal_number: int = 1
        self.scores: tuple[int, ...] = (0, 0) if rules.teams == "federation" else (0,) * SEATS
        self.over: bool = False
        self.dissolved: bool = False
        self.agreed: int = 0
        self.lot: LotDrawn | None = None
        self.obligations: tuple[Obligation, ...] = ()
        self.results: list[DealResult] = []

    def start_deal(self, seed: bytes) -> Deal:
        """Deal the next deal, or a void one again, from a new seed. A proposal to end the match is off then (R17)."""
        self._need_running()
        self.agreed = 0
        return Deal.start(self.rules, seed, number=self.deal_number, obligations=self.obligations)

    def finish(self, deal: Deal) -> MatchStep:
        """Count a deal that is over. Raises DealRunning if it is not, ValueError if it is not the one due."""
        self._need_running()
        if deal.public.number != self.deal_number or deal.rules != self.rules:
            raise ValueError(f"deal {deal.public.number} is not the one due: {self.deal_number}")
        result = deal.result
        if not result.void:
            self.results.append(result)
            self.scores = tuple(a + b for a, b in zip(self.scores, result.scores, strict=True))
            self.obligations = result.obligations
            if self._is_last(result):
                self.over = True
                self.obligations = ()
                self._settle_tie(deal)
            else:
                self.deal_number += 1
        return MatchStep(result, self.scores, self.deal_number, self.over, self.lot)

    def _is_last(self, result: DealResult) -> bool:
        """All deals are played, or a sweep ends the match (R68, R76)."""
        if self.deals and self.deal_number >= self.deals:
            return True
        return result.sweep and self.rules.sweep_tribute == "match_ends"

    @property
    def leaders(self) -> tuple[int, ...]:
        """The teams, in individual play the seats, with the most points: more than one where they are level."""
        most = max(self.scores)
        return tuple(side for side, score in enumerate(self.scores) if score == most)

    @property
    def winner(self) -> int:
        """The team, in individual play the seat, that has won the match, a lot included; -1 while none has."""
        if not self.over:
            return -1
        if self.lot is not None:
            return self.lot.team
        return self.leaders[0] if len(self.leaders) == 1 else -1

    def _settle_tie(self, last: Deal) -> None:
        """A tie is settled by lot where the rules say so: from the last deal's seed, so anyone can check it (R64)."""
        if self.rules.tie_by_lot and len(self.leaders) > 1:
            self.lot = LotDrawn(draw_lot(last.seed or last.digest(), self.leaders))

    # ── dissolving (R17) ─────────────────────────────────────────────────────────────────────────────────────────────

    def agree_to_dissolve(self, seat: int) -> MatchDissolved | None:
        """A seat proposes to end the match, or agrees to; with the sixth the match is over.

        The running deal is not scored, its obligations lapse and the deals finished count.
        """
        self._need_running()
        _need_seat(seat)
        self.agreed |= 1 << seat
        if self.agreed != ALL_SEATS:
            return None
        self.over = self.dissolved = True
        self.obligations = ()
        return MatchDissolved()

    def object_to_dissolving(self, seat: int) -> None:
        """A seat does not agree: the proposal is off, whoever agreed."""
        self._need_running()
        _need_seat(seat)
        self.agreed = 0

    def _need_running(self) -> None:
        if self.over:
            raise ValueError("the match is over")


def draw_lot(seed: bytes, sides: tuple[int, ...]) -> int:
    """One of ``sides`` by lot: the first eight bytes, big-endian, of SHA-512("gouji/lot/1" ‖ seed), modulo how many."""
    return sides[int.from_bytes(sha512(_LOT_TAG + seed).digest()[:8], "big") % len(sides)]


def _need_seat(seat: int) -> None:
    if not 0 <= seat < SEATS:
        raise ValueError(f"{seat} is no seat: seats are 0 to {SEATS - 1}")

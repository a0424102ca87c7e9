"""What came of a match, as one who played or watched it knows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class DealSummary:
    """A deal that is over: seats in finishing order, scores by team (even seats first), and its record file's text."""

    deal: int
    places: tuple[int, ...]
    scores: tuple[int, ...]
    sweep: bool
    record: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What came of a match.

    `seat` is the own one; `scores` are the match's, by team, even seats first (six by seat in individual play); `deals`
    holds the deals whose end was seen: one that ended while the client was away for long may be missing, and `complete`
    tells. A match that a sweep or an agreement ended early is complete with the deals that were played. `close_reason`
    says why the table was closed. `faults` counts the decisions in which the bot failed and the default action was
    played for it. `lot` is the side, in individual play the seat, that a lot gave a tied match to (R64), or None.
    """

    table: str
    seat: int | None
    scores: tuple[int, ...]
    deals: tuple[DealSummary, ...]
    complete: bool
    close_reason: events_pb2.CloseReason.ValueType
    faults: int = 0
    lot: int | None = None

    @property
    def own_score(self) -> int:
        """The score of the own side. 0 for a spectator and before any deal has ended."""
        if self.seat is None or not self.scores:
            return 0
        return self.scores[self.seat % len(self.scores)]

    @property
    def winner(self) -> int | None:
        """The side, in individual play the seat, with more points than any other, or that won a tie by lot (R64)."""
        if self.lot is not None:
            return self.lot
        leaders = [side for side, score in enumerate(self.scores) if score == max(self.scores)]
        return leaders[0] if len(leaders) == 1 else None

    @property
    def won(self) -> bool:
        """Whether the own side is the winner."""
        return self.seat is not None and bool(self.scores) and self.winner == self.seat % len(self.scores)

    def write_records(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the deals' records as `deal-1.toml`, … into `folder`, made if missing, and return the paths."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for deal in self.deals:
            path = target / f"deal-{deal.deal}.toml"
            path.write_text(deal.record, encoding="utf-8")
            written.append(path)
        return written


class ResultKeeper:
    """Gathers a match's result from its updates."""

    def __init__(self) -> None:
        self._ended: events_pb2.DealEnded | None = None
        self._deals: dict[int, DealSummary] = {}
        self._scores: tuple[int, ...] = ()
        self._reason: events_pb2.MatchEndReason.ValueType = events_pb2.MATCH_END_REASON_UNSPECIFIED
        self._lot: int | None = None
        self._close_reason: events_pb2.CloseReason.ValueType = 0  # type: ignore[assignment]  # unspecified

    def hear(self, event: events_pb2.TableEvent) -> DealSummary | None:
        """Take an event in; return the deal that it completes, if it does."""
        kind = event.WhichOneof("event")
        if kind == "deal_ended":
            self._ended = event.deal_ended
        elif kind == "deal_revealed" and event.deal_revealed.record and self._ended is not None:
            deal = event.deal_revealed.deal
            self._deals[deal] = DealSummary(
                deal=deal,
                places=tuple(self._ended.places),
                scores=tuple(self._ended.scores),
                sweep=self._ended.sweep,
                record=event.deal_revealed.record,
            )
            return self._deals[deal]
        elif kind == "lot_drawn":
            self._lot = event.lot_drawn.team
        elif kind == "match_ended":
            self._scores = tuple(event.match_ended.scores)
            self._reason = event.match_ended.reason
        elif kind == "table_closed":
            self._close_reason = event.table_closed.reason
        return None

    def _is_complete(self, deals_wanted: int) -> bool:
        """Whether every deal of the match was heard to its end; a sweep or an agreement may have ended it early."""
        last = max(self._deals, default=0)
        swept = self._reason == events_pb2.MATCH_END_REASON_SWEEP and last > 0 and self._deals[last].sweep
        if swept or self._reason == events_pb2.MATCH_END_REASON_DISSOLVED:
            deals_wanted = last
        return sorted(self._deals) == list(range(1, deals_wanted + 1))

    def result(
        self, table: str, seat: int | None, scores: tuple[int, ...], deals_wanted: int, faults: int
    ) -> MatchResult:
        """Return the result; `scores` are those of the last state, for when the match's own end was not seen."""
        return MatchResult(
            table=table,
            seat=seat,
            scores=self._scores or scores,
            deals=tuple(self._deals[deal] for deal in sorted(self._deals)),
            complete=self._is_complete(deals_wanted),
            close_reason=self._close_reason,
            faults=faults,
            lot=self._lot,
        )

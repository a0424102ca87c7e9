"""What a watcher knows of a table: the updates it received, folded. Drawing and narrating read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.table.v1 import state_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1 import events_pb2
    from gouji_client import Update

SEATS = 6


def play_text(cards: Iterable[int]) -> str:
    """Write the cards of a play as people do: jokers first, then its body, `bsKKK2`."""
    return gr.format_play(gr.play_of_cards(cards))


@dataclass(slots=True)
class DealOutcome:
    """How one deal ended: seats in finishing order, scores by team (even seats first), and whether it was a sweep."""

    deal: int
    places: list[int]
    scores: list[int]
    sweep: bool


@dataclass(slots=True)
class Scene:
    """A table as one watcher knows it.

    `table` and `state` are the newest received (`None` before), `deal` is the running deal's number, 0 before the
    first. `words` is what each seat last did in the running trick: a play as text, or `pass`, `yield`, `wind`.
    `outcomes` holds the deals that ended, `revealed` what was opened after each of them (R84), `lot` the side, in
    individual play the seat, that a tied match went to by lot (R64).
    """

    table: lobby_pb2.Table | None = None
    state: state_pb2.DealState | None = None
    deal: int = 0
    words: dict[int, str] = field(default_factory=dict)
    outcomes: list[DealOutcome] = field(default_factory=list)
    revealed: list[events_pb2.DealRevealed] = field(default_factory=list)
    final_scores: list[int] | None = None
    lot: int | None = None
    closed: events_pb2.TableClosed | None = None

    def apply(self, update: Update) -> None:
        """Take one update in."""
        view = update.view
        self.table = view.info
        if update.restart is not None:
            self.deal = view.deal_started.deal if view.deal_started is not None else 0
            self.words.clear()
            for play in view.plays:
                self._say_play(play.seat, play.cards, lead=play.manner == gr.Manner.LEAD)
        for event in update.events:
            self._take(event)
        self.state = view.state

    def name(self, seat: int) -> str:
        """Return the display name of a seat, `seat 3` where nobody is known. Unprintable characters are left out."""
        player = self.player(seat)
        shown = "".join(char for char in player.display_name if char.isprintable()) if player is not None else ""
        return shown or f"seat {seat}"

    def player(self, seat: int) -> lobby_pb2.Player | None:
        """Return who sits there, as far as known."""
        if self.table is None:
            return None
        return next((player for player in self.table.players if player.seat == seat), None)

    @property
    def totals(self) -> list[int]:
        """Scores of the deals that ended, by team (or by seat in individual play)."""
        if self.final_scores is not None:
            return self.final_scores
        if self.outcomes:
            return [sum(scores) for scores in zip(*(outcome.scores for outcome in self.outcomes), strict=True)]
        return list(self.state.scores) if self.state is not None else []

    def _say_play(self, seat: int, cards: Iterable[int], *, lead: bool) -> None:
        if lead:
            self.words.clear()
        self.words[seat] = play_text(cards)

    def _take(self, event: events_pb2.TableEvent) -> None:
        kind = event.WhichOneof("event")
        if kind == "deal_started":
            self.deal = event.deal_started.deal
            self.words.clear()
        elif kind == "played":
            play = event.played.play
            self._say_play(play.seat, play.cards, lead=play.manner == state_pb2.MANNER_LEAD)
        elif kind == "passed":
            self.words[event.passed.seat] = "pass"
        elif kind == "yielded":
            self.words[event.yielded.seat] = "yield"
        elif kind == "wind_asked":
            self.words[event.wind_asked.seat] = "wind"
        elif kind == "deal_ended":
            ended = event.deal_ended
            self.outcomes.append(DealOutcome(self.deal, list(ended.places), list(ended.scores), ended.sweep))
        elif kind == "deal_revealed":
            self.revealed.append(event.deal_revealed)
        elif kind == "lot_drawn":
            self.lot = event.lot_drawn.team
        elif kind == "match_ended":
            self.final_scores = list(event.match_ended.scores)
        elif kind == "table_closed":
            self.closed = event.table_closed

"""What a watcher knows of a table: the updates it received, folded. Drawing and narrating read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_rules import RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji.cards.v1 import cards_pb2
    from gouji.lobby.v1 import lobby_pb2

SEATS = 6


def play_text(play: cards_pb2.Play) -> str:
    """Write a play as people do: jokers first, then its body, `bsKKK2`."""
    body = RANKS[play.rank - 1] * play.naturals if play.naturals else ""
    return "b" * play.big_jokers + "s" * play.small_jokers + body + "2" * play.twos


def play_size(play: cards_pb2.Play) -> int:
    """Return how many cards a play has."""
    return play.naturals + play.twos + play.small_jokers + play.big_jokers


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
    `history` holds the plays of the running deal, `outcomes` the deals that ended, `revealed` what was opened after
    each of them (R84).
    """

    table: lobby_pb2.Table | None = None
    state: state_pb2.DealState | None = None
    deal: int = 0
    words: dict[int, str] = field(default_factory=dict)
    history: list[state_pb2.PlayedCards] = field(default_factory=list)
    outcomes: list[DealOutcome] = field(default_factory=list)
    revealed: list[events_pb2.DealRevealed] = field(default_factory=list)
    voided: int = 0
    final_scores: list[int] | None = None
    closed: events_pb2.TableClosed | None = None

    def apply(self, update: table_pb2.TableUpdate) -> None:
        """Take one update in."""
        if update.HasField("table_info"):
            self.table = update.table_info
        if update.HasField("snapshot"):
            self.history = list(update.snapshot.plays)
            self.deal = update.snapshot.deal_started.deal
            self._retell(self.history)
        for event in update.events:
            self._take(event)
        if update.HasField("state"):
            self.state = update.state

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

    @property
    def cards_played(self) -> int:
        """How many cards of the running deal lie on the table."""
        return sum(len(play.cards) for play in self.history)

    def _retell(self, plays: Iterable[state_pb2.PlayedCards]) -> None:
        self.words.clear()
        for play in plays:
            self._say_play(play)

    def _say_play(self, play: state_pb2.PlayedCards) -> None:
        if play.manner == state_pb2.MANNER_LEAD:
            self.words.clear()
        self.words[play.seat] = play_text(play.play)

    def _take(self, event: events_pb2.TableEvent) -> None:
        kind = event.WhichOneof("event")
        if kind == "deal_started":
            self.deal = event.deal_started.deal
            self.history.clear()
            self.words.clear()
        elif kind == "played":
            self.history.append(event.played.play)
            self._say_play(event.played.play)
        elif kind == "passed":
            self.words[event.passed.seat] = "pass"
        elif kind == "yielded":
            self.words[event.yielded.seat] = "yield"
        elif kind == "wind_asked":
            self.words[event.wind_asked.seat] = "wind"
        elif kind == "deal_voided":
            self.voided += 1
        elif kind == "deal_ended":
            ended = event.deal_ended
            self.outcomes.append(DealOutcome(self.deal, list(ended.places), list(ended.scores), ended.sweep))
        elif kind == "deal_revealed":
            self.revealed.append(event.deal_revealed)
        elif kind == "match_ended":
            self.final_scores = list(event.match_ended.scores)
        elif kind == "table_closed":
            self.closed = event.table_closed
        elif kind == "seat_changed":
            self._seat(event.seat_changed.player)

    def _seat(self, player: lobby_pb2.Player) -> None:
        if self.table is None:
            return
        for known in self.table.players:
            if known.seat == player.seat:
                known.CopyFrom(player)

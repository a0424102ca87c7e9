"""What a replay shows: frames, deal by deal, whether they come from a server or are played from a record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, table_pb2
from gouji_cli.scene import SEATS, DealOutcome, Scene
from gouji_client import Update
from gouji_client.testing import told
from gouji_client.view import view_of_snapshot
from gouji_rules.records.checking import replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_client import TableView
    from gouji_rules.records import Difference, Record
    from gouji_rules.records.model import Line

RECORD = "record"


@dataclass(frozen=True, slots=True)
class Frame:
    """A step: the table after it, what happened in it, and the hands that are open (empty ones: unknown)."""

    number: int
    update: Update
    hands: tuple[tuple[gr.Card, ...], ...]


@dataclass(slots=True)
class Reel:
    """One deal: its number in the match, its frames, and the outcomes of the deals before it."""

    deal: int
    frames: list[Frame]
    before: list[DealOutcome] = field(default_factory=list)

    def scene_at(self, position: int) -> Scene:
        """Return the table as somebody knows it who has watched this deal up to a frame."""
        scene = Scene(deal=self.deal, outcomes=list(self.before))
        for frame in self.frames[: position + 1]:
            scene.apply(frame.update)
        return scene


class Film(Protocol):
    """A match to be shown. Deals are counted from 0, void ones too."""

    title: str
    deals: int
    steps: int

    def reel(self, deal: int) -> Reel:
        """Return a deal."""


class RecordFilm:
    """A record, played by the rules as far as they agree with it; `differences` says where they do not."""

    def __init__(self, record: Record, title: str) -> None:
        self.title = title
        self._rules = record.rules
        self._reels: list[Reel] = []
        self._outcomes: list[DealOutcome] = []
        self._view: TableView | None = None
        self._deal: gr.Deal | None = None
        self._n = 0
        self._length = record.match_length or len(record.deals) or 1
        self.differences: list[Difference]
        self.differences, _ = replay(record, self._watch, started=self._begin)
        self.deals = len(self._reels)
        self.steps = self._n

    def reel(self, deal: int) -> Reel:
        """See `Film`."""
        return self._reels[deal]

    def _begin(self, deal: gr.Deal) -> None:
        self._deal = deal
        number = deal.public.number
        begun = events_pb2.TableEvent()
        begun.deal_started.deal = number
        self._reels.append(Reel(number, [], list(self._outcomes)))
        self._add([begun])

    def _watch(self, _line: Line | None, happened: list[gr.Event]) -> None:
        events = [told.event_message(event) for event in happened]
        if events:
            self._add(events)
        for event in happened:
            if isinstance(event, gr.DealEnded):
                scores, places = list(event.scores), list(event.places)
                self._outcomes.append(DealOutcome(self._reels[-1].deal, places, scores, event.sweep))

    def _add(self, events: Sequence[events_pb2.TableEvent]) -> None:
        deal = self._deal
        if deal is None:
            raise ValueError("a record without a deal")
        self._n += 1
        update = table_pb2.TableUpdate(table=RECORD, n=self._n, events=events)
        update.state.CopyFrom(told.state_message(deal.public_view(), self._n, self._scores()))
        if self._view is None:
            update.table_info.CopyFrom(self._table())
            update.snapshot.SetInParent()
            self._view = view_of_snapshot(update)
        else:
            self._view = self._view.after(update)
        hands = tuple(deal.cards(seat) for seat in range(SEATS))
        self._reels[-1].frames.append(Frame(self._n, Update(RECORD, tuple(update.events), self._view), hands))

    def _scores(self) -> list[int]:
        sides = 2 if self._rules.teams == "federation" else SEATS
        return [sum(outcome.scores[side] for outcome in self._outcomes) for side in range(sides)]

    def _table(self) -> lobby_pb2.Table:
        info = lobby_pb2.Table(name=RECORD, rule_set=f"ruleSets/{self._rules.name}", deals=self._length)
        info.players.extend(lobby_pb2.Player(seat=seat) for seat in range(SEATS))
        return info

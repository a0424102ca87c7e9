"""A table at one step of a replay: what a snapshot there says, for every perspective."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2

if TYPE_CHECKING:
    from gouji.replay.v1.replay_pb2 import ReplayStep

SEATS = 6
OPEN = replay_pb2.PERSPECTIVE_OPEN
SPECTATOR = replay_pb2.PERSPECTIVE_SPECTATOR
SEAT = replay_pb2.PERSPECTIVE_SEAT


class Scene:
    """A fold over the steps of a match, all hands open.

    ``said`` counts what was told to each seat alone, as a place's `p` does.
    """

    def __init__(self) -> None:
        self.said = [0] * SEATS
        self._step = 0
        self._table = ""
        self._epoch = self._n = 0
        self._info = lobby_pb2.Table()
        self._state: state_pb2.DealState | None = None
        self._begun: events_pb2.DealStarted | None = None
        self._plays: list[state_pb2.PlayedCards] = []
        self._seats = [state_pb2.SeatPart(seat=seat) for seat in range(SEATS)]

    @classmethod
    def opened(cls, opening: ReplayStep, said: str) -> Scene:
        """Return the scene that `opening()` and `json.dumps(said)` were made of."""
        scene = cls()
        update = opening.update
        scene.said = json.loads(said)
        scene._step = opening.step
        scene._table, scene._epoch, scene._n = update.table, update.epoch, update.n
        scene._info = update.table_info
        scene._state = update.state if update.HasField("state") else None
        scene._begun = update.snapshot.deal_started if update.snapshot.HasField("deal_started") else None
        scene._plays = list(update.snapshot.plays)
        scene._seats = list(opening.seats)
        return scene

    def opening(self) -> ReplayStep:
        """Return the scene as a snapshot with all hands open."""
        return self.snapshot(OPEN, 0)

    def take(self, step: ReplayStep) -> None:
        """Go one step on."""
        update = step.update
        self._step = step.step
        self._table, self._epoch, self._n = update.table, update.epoch, update.n
        if update.HasField("table_info"):
            self._info = update.table_info
        for event in update.events:
            if event.HasField("deal_started"):
                self._begun = event.deal_started
                self._plays = []
            elif event.HasField("played"):
                self._plays.append(event.played.play)
        if update.HasField("state"):
            self._state = update.state
        for part in step.seats:
            self._seats[part.seat] = part
            self.said[part.seat] += 1

    def knows(self, part: state_pb2.SeatPart) -> bool:
        """Whether a seat would be told what it knows already."""
        return self._seats[part.seat] == part

    def snapshot(self, perspective: replay_pb2.Perspective.ValueType, seat: int) -> ReplayStep:
        """Return the table as a snapshot for somebody's eyes."""
        update = table_pb2.TableUpdate(
            table=self._table, epoch=self._epoch, n=self._n, table_info=self._info, state=self._state
        )
        update.snapshot.reason = table_pb2.SNAPSHOT_REASON_REQUESTED
        update.snapshot.plays.extend(self._plays)
        if self._begun is not None:
            update.snapshot.deal_started.CopyFrom(self._begun)
        step = replay_pb2.ReplayStep(step=self._step, update=update)
        if perspective == OPEN:
            step.seats.extend(self._seats)
        elif perspective == SEAT:
            step.update.p = self.said[seat]
            step.update.seat.CopyFrom(self._seats[seat])
        return step

    def seen(
        self, step: ReplayStep, perspective: replay_pb2.Perspective.ValueType, seat: int
    ) -> replay_pb2.ReplayStep | None:
        """Return a step, just taken, as somebody's eyes saw it, None if they saw nothing. The step may be changed."""
        if perspective == OPEN:
            return step
        own = next((part for part in step.seats if part.seat == seat), None) if perspective == SEAT else None
        if own is not None:
            step.update.p = self.said[seat]
            step.update.seat.CopyFrom(own)
        elif not step.update.events and not step.update.HasField("table_info"):
            return None
        del step.seats[:]
        return step

"""Steps of the fake table's story, and the snapshots that are made from where they lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_client.testing import told

if TYPE_CHECKING:
    import gouji_rules as gr


@dataclass(frozen=True, slots=True)
class Standing:
    """The table as it stood after a step: what a snapshot is made from."""

    info: lobby_pb2.Table
    public: gr.PublicState | None
    decision: int
    scores: tuple[int, ...]
    deal_started: events_pb2.DealStarted | None
    for_ending: tuple[int, ...] = ()
    autopilot: tuple[int, ...] = ()

    def state(self) -> state_pb2.DealState | None:
        """Return the public state of the deal, None before the first."""
        if self.public is None:
            return None
        state = told.state_message(self.public, self.decision, self.scores)
        state.for_ending.extend(self.for_ending)
        for seat in state.seats:
            seat.connected, seat.autopilot = True, seat.seat in self.autopilot
        return state


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the story: its public half, each seat's private half, and the table after it.

    `told` says to which seats something was said alone, `p` how often so far.
    """

    public: table_pb2.TableUpdate
    parts: tuple[state_pb2.SeatPart, ...]
    told: tuple[bool, ...]
    p: tuple[int, ...]
    after: Standing

    def update_for(self, seat: int | None) -> table_pb2.TableUpdate | None:
        """Return what a seat, or a spectator (None), is sent of this step; None for nothing."""
        private = seat is not None and self.told[seat]
        if not private and not self.public.events:
            return None
        update = table_pb2.TableUpdate()
        update.CopyFrom(self.public)
        return self._with_part(update, seat if private else None)

    def snapshot_for(self, seat: int | None, reason: table_pb2.SnapshotReason.ValueType) -> table_pb2.TableUpdate:
        """Return a snapshot of the table after this step, for a seat or a spectator (None)."""
        after = self.after
        update = table_pb2.TableUpdate(
            table=self.public.table, epoch=self.public.epoch, n=self.public.n, table_info=after.info
        )
        update.snapshot.reason = reason
        state = after.state()
        if state is not None and after.public is not None:
            update.state.CopyFrom(state)
            update.snapshot.plays.extend(told.history_messages(after.public))
        if after.deal_started is not None:
            update.snapshot.deal_started.CopyFrom(after.deal_started)
        return self._with_part(update, seat)

    def _with_part(self, update: table_pb2.TableUpdate, seat: int | None) -> table_pb2.TableUpdate:
        if seat is not None:
            update.p = self.p[seat]
            update.seat.CopyFrom(self.parts[seat])
        return update


def asked_now(deal: gr.Deal) -> tuple[object, ...]:
    """Return what is asked, of whom, and about what."""
    public = deal.public
    return (public.kind, public.asked, public.verbs, public.due, public.barred)


def copied(info: lobby_pb2.Table) -> lobby_pb2.Table:
    """Return a copy that later changes do not reach."""
    made = lobby_pb2.Table()
    made.CopyFrom(info)
    return made

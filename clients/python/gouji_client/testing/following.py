"""One stream's reading of the fake table, with the faults that are ordered for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

from gouji.table.v1 import table_pb2
from gouji_client.testing import faults
from gouji_client.testing.refusals import Refusal, unauthenticated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_table import FakeTable


class StreamEnds(Exception):
    """The server ends a stream without an error."""


def broken() -> Refusal:
    """Return how a client sees a connection break."""
    return Refusal(grpc.StatusCode.UNAVAILABLE, "BROKEN", "the connection broke (a fault was ordered)")


def draining(retry_after: float) -> Refusal:
    """Return how a client sees a server that stops."""
    return Refusal(grpc.StatusCode.UNAVAILABLE, "STOPPING", "the server is stopping", retry_after=retry_after)


@dataclass(slots=True)
class Troubles:
    """The faults to come, and what past ones left behind. `refusals`: that many streams are not opened."""

    script: faults.FaultScript
    sleep: Callable[[float], Awaitable[None]]
    refusals: int = 0
    retry_after: float = 0.0


class Following:
    """Reads the table's steps for one stream. `account` tells whose eyes it has."""

    def __init__(
        self,
        table: FakeTable,
        account: str,
        after: table_pb2.Place | None,
        troubles: Troubles,
        accounts: FakeAccounts,
    ) -> None:
        self._table = table
        self._account = account
        self._troubles = troubles
        self._accounts = accounts
        self._epoch = table.epoch
        self._next = len(table.steps)
        self._snapshot: table_pb2.SnapshotReason.ValueType | None = table_pb2.SNAPSHOT_REASON_FIRST
        if after is not None:
            self._seek(after)

    @property
    def seat(self) -> int | None:
        """The seat of the reader, None for a spectator."""
        return self._table.seat_of(self._account)

    def _seek(self, after: table_pb2.Place) -> None:
        """Go on after a place, if it is one at which this reader stood."""
        seat = self.seat
        steps = self._table.steps
        self._snapshot = table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
        if after.epoch != self._table.epoch:
            return
        for index in range(len(steps) - 1, -1, -1):
            if (steps[index].public.n, steps[index].p[seat] if seat is not None else 0) == (after.n, after.p):
                self._next = index + 1
                self._snapshot = None
                return

    async def updates(self) -> AsyncIterator[table_pb2.TableUpdate]:
        """Yield what can be told now. Raises `Refusal` or `StreamEnds` where a fault says so."""
        if self._table.epoch != self._epoch:
            raise broken()
        if self._snapshot is not None:
            reason, self._snapshot = self._snapshot, None
            yield self._table.steps[self._next - 1].snapshot_for(self.seat, reason)
        while self._next < len(self._table.steps):
            step = self._table.steps[self._next]
            update = step.update_for(self.seat)
            if update is None:
                self._next += 1
                continue
            more = any(later.update_for(self.seat) for later in self._table.steps[self._next + 1 :])
            due = self._troubles.script.due(self.seat, step.public.n, more=more)
            async for told in self._with_faults(update, due):
                yield told

    async def _with_faults(
        self, update: table_pb2.TableUpdate, due: list[faults.StreamFault]
    ) -> AsyncIterator[table_pb2.TableUpdate]:
        """Yield an update, or what the faults make of it, and go one step on."""
        for fault in due:
            if isinstance(fault, faults.Delay):
                await self._troubles.sleep(fault.seconds)
            elif isinstance(fault, faults.GoBack):
                yield self._snapshot_at(self._next - 1 - fault.steps)
        self._end_where_due(due, update)
        resync = next((fault for fault in due if isinstance(fault, faults.Resync)), None)
        if resync is not None:
            self._next = min(self._next + resync.steps, len(self._table.steps))
            yield self._snapshot_at(self._next - 1, resync.reason)
            return
        self._next += 1
        if any(isinstance(fault, faults.Skip) for fault in due):
            return
        yield update
        if any(isinstance(fault, faults.Duplicate) for fault in due):
            yield update
        if any(isinstance(fault, faults.DropStream) for fault in due):
            raise broken()

    def _end_where_due(self, due: list[faults.StreamFault], update: table_pb2.TableUpdate) -> None:
        """Raise what ends the stream before the step is sent."""
        for fault in due:
            if isinstance(fault, faults.DropStream) and not fault.sent:
                raise broken()
            if isinstance(fault, faults.EndStream):
                raise StreamEnds
            if isinstance(fault, faults.Drain):
                self._troubles.refusals, self._troubles.retry_after = fault.refusals, fault.retry_after
                raise draining(fault.retry_after)
            if isinstance(fault, faults.LapseToken):
                self._accounts.lapse(self._account, refresh_too=fault.refresh_too)
                raise unauthenticated()
            if isinstance(fault, faults.NewEpoch):
                self._table.renumber()
                raise broken()

    def _snapshot_at(
        self, index: int, reason: table_pb2.SnapshotReason.ValueType = table_pb2.SNAPSHOT_REASON_SLOW_READER
    ) -> table_pb2.TableUpdate:
        return self._table.steps[max(index, 0)].snapshot_for(self.seat, reason)

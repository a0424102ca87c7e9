"""What all were told of a table up to some step, folded from the very bytes that they were sent.

Nothing here knows a table's state: what comes out of it can hold nothing that was not in those bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2

if TYPE_CHECKING:
    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1 import events_pb2


class PublicFold:
    """A snapshot for people without a seat, brought forward by steps as a client brings its own forward."""

    __slots__ = ("_snapshot",)

    def __init__(self, snapshot: bytes) -> None:
        """`snapshot`: a TableUpdate of a snapshot for a spectator."""
        self._snapshot = table_pb2.TableUpdate.FromString(snapshot)

    @property
    def n(self) -> int:
        """The number of the last event taken."""
        return self._snapshot.n

    @property
    def epoch(self) -> int:
        """Which numbering that belongs to."""
        return self._snapshot.epoch

    @property
    def info(self) -> lobby_pb2.Table:
        """The lobby facts; not to be changed."""
        return self._snapshot.table_info

    def take(self, step: bytes) -> None:
        """Take the next step: the chunk of its public half, a stream's message of one update."""
        for update in table_pb2.WatchTableResponse.FromString(step).updates:
            self._take(update)

    def _take(self, update: table_pb2.TableUpdate) -> None:
        made = self._snapshot
        made.n = update.n
        if update.HasField("table_info"):
            made.table_info.CopyFrom(update.table_info)
        for event in update.events:
            self._take_event(event)
        if update.HasField("state"):
            made.state.CopyFrom(update.state)

    def _take_event(self, event: events_pb2.TableEvent) -> None:
        snapshot = self._snapshot.snapshot
        match event.WhichOneof("event"):
            case "played":
                snapshot.plays.append(event.played.play)
            case "deal_promised":
                snapshot.deal_promised.CopyFrom(event.deal_promised)
                del snapshot.entropies[:]
            case "entropy_given":
                snapshot.entropies.append(event.entropy_given.entropy)
                snapshot.entropies.sort(key=lambda given: given.seat)
            case "deal_started":
                snapshot.ClearField("deal_promised")
                del snapshot.entropies[:]
                del snapshot.plays[:]
                snapshot.deal_started.CopyFrom(event.deal_started)

    def snapshot(self, reason: table_pb2.SnapshotReason.ValueType) -> bytes:
        """Write it as a TableUpdate."""
        self._snapshot.snapshot.reason = reason
        return self._snapshot.SerializeToString()

"""From the table's words to the wire's: events about who is there, and about the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gouji_server.tables import happenings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji.table.v1 import events_pb2


def _presence_changed(event: events_pb2.TableEvent, said: happenings.PresenceChanged) -> None:
    event.presence_changed.seat = said.seat
    event.presence_changed.connected = said.connected


def _autopilot_changed(event: events_pb2.TableEvent, said: happenings.AutopilotChanged) -> None:
    event.autopilot_changed.seat = said.seat
    event.autopilot_changed.on = said.on
    event.autopilot_changed.reason = said.reason  # type: ignore[assignment]


def _clock_compensated(event: events_pb2.TableEvent, said: happenings.ClockCompensated) -> None:
    event.clock_compensated.by.FromMilliseconds(said.by_ms)


def _table_suspended(event: events_pb2.TableEvent, said: happenings.TableSuspended) -> None:
    event.table_suspended.SetInParent()


def _table_resumed(event: events_pb2.TableEvent, said: happenings.TableResumed) -> None:
    event.table_resumed.SetInParent()


def _table_held(event: events_pb2.TableEvent, said: happenings.TableHeld) -> None:
    event.table_held.SetInParent()


def _table_released(event: events_pb2.TableEvent, said: happenings.TableReleased) -> None:
    event.table_released.SetInParent()


ABSENCE_WRITERS: dict[type[Any], Callable[[events_pb2.TableEvent, Any], None]] = {
    happenings.PresenceChanged: _presence_changed,
    happenings.AutopilotChanged: _autopilot_changed,
    happenings.ClockCompensated: _clock_compensated,
    happenings.TableSuspended: _table_suspended,
    happenings.TableResumed: _table_resumed,
    happenings.TableHeld: _table_held,
    happenings.TableReleased: _table_released,
}
"""How each is written."""

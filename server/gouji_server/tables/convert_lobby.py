"""From a waiting table's own events to the wire's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gouji.table.v1 import events_pb2
from gouji_server.tables import happenings

if TYPE_CHECKING:
    from collections.abc import Callable


def _seat_changed(event: events_pb2.TableEvent, said: happenings.SeatChanged) -> None:
    event.seat_changed.player.CopyFrom(said.player.to_proto())


def _seats_moved(event: events_pb2.TableEvent, said: happenings.SeatsMoved) -> None:
    moved = event.seats_moved
    moved.players.extend(player.to_proto() for player in said.players)
    if said.chooser < 0:
        moved.reason = events_pb2.SEATS_MOVED_REASON_DRAWN
    else:
        moved.reason = events_pb2.SEATS_MOVED_REASON_OPPOSITE_CHOSEN
        moved.chooser = said.chooser


def _table_changed(event: events_pb2.TableEvent, said: happenings.TableChanged) -> None:
    event.table_changed.fields.extend(said.fields)


def _player_kicked(event: events_pb2.TableEvent, said: happenings.PlayerKicked) -> None:
    kicked = event.player_kicked
    kicked.seat = said.player.seat
    kicked.account = said.player.account
    kicked.display_name = said.player.name
    kicked.banned = said.banned


LOBBY_WRITERS: dict[type[Any], Callable[[events_pb2.TableEvent, Any], None]] = {
    happenings.SeatChanged: _seat_changed,
    happenings.SeatsMoved: _seats_moved,
    happenings.TableChanged: _table_changed,
    happenings.PlayerKicked: _player_kicked,
}
"""How each kind of event before a match is written."""

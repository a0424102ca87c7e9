"""Hints: what a built-in bot would answer in the caller's place, from what its seat sees, thought where bots think."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_server.tables import refusals
from gouji_server.tables.deciding import check_playing, own_seat

if TYPE_CHECKING:
    from gouji_server.tables.house_bots import Choice
    from gouji_server.tables.table import TableState

POLICY = "simple"
MOST_AT_ONCE = 4
"""Hints that are thought about at once; beyond: RESOURCE_EXHAUSTED, `HINTS_BUSY`. Bots in seats go before them."""


class Position(NamedTuple):
    """What a hint is for."""

    decision: int
    view: gr.SeatView


def position(state: TableState, account: str) -> Position:
    """Return what the caller's seat is asked. Raises Refused where it is asked nothing, or there are no hints."""
    seat = own_seat(state, account)
    check_playing(state, seat)
    if not state.hints:
        raise refusals.no_hints()
    if state.deal is None or not state.waiting_for >> seat & 1:
        raise refusals.not_asked()
    return Position(state.decision, state.deal.view(seat))


def action_of(choice: Choice) -> table_pb2.Action:
    """Write a bot's choice as an action."""
    verb: int = gr.verb_of(choice.action)
    suit: int = gr.suit_shown(choice.action) + 1
    return table_pb2.Action(verb=verb, cards=list(choice.cards), suit=suit)  # type: ignore[arg-type]

"""Judges commands about one's own seat being played by the server (:mod:`gouji_server.tables.deciding`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2
from gouji_server.tables import inputs
from gouji_server.tables.absence_state import SET_AUTO_DECLINE, SET_AUTOPILOT
from gouji_server.tables.deciding import check_playing, check_request_id, check_said, own_seat, unchanged
from gouji_server.tables.requests import Answer, body_hash

if TYPE_CHECKING:
    from gouji_server.tables.table import TableState


def decide_autopilot(
    state: TableState, account: str, on: bool, request_id: str, now_ms: int
) -> inputs.AutopilotSet | inputs.Unchanged | Answer:
    """Judge somebody's handing its seat to a bot, or taking it back. Taking it back is never one word too many."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    known = state.requests.find((account, SET_AUTOPILOT, request_id), body_hash(on))
    if known is not None:
        return known
    check_playing(state, seat)
    if bool(state.autopilot >> seat & 1) == on:
        check_said(state, seat)
        return unchanged(now_ms, account, SET_AUTOPILOT, body_hash(on), request_id)
    if on:
        check_said(state, seat)
    reason = events_pb2.AUTOPILOT_REASON_ASKED if on else events_pb2.AUTOPILOT_REASON_TAKEN_BACK
    return inputs.AutopilotSet(now_ms, seat, on, reason, account, request_id)


def decide_auto_decline(
    state: TableState, account: str, on: bool, always: bool, request_id: str, now_ms: int
) -> inputs.AutoDeclineSet | inputs.Unchanged | Answer:
    """Judge somebody's wanting to be declined for in burn windows, or no longer."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    body = body_hash(on, always)
    known = state.requests.find((account, SET_AUTO_DECLINE, request_id), body)
    if known is not None:
        return known
    check_playing(state, seat)
    is_on, is_always = bool(state.auto_decline >> seat & 1), bool(state.auto_always >> seat & 1)
    if (is_on, is_always) == (on, on and always):
        check_said(state, seat)
        return unchanged(now_ms, account, SET_AUTO_DECLINE, body, request_id)
    if on:
        check_said(state, seat)
    return inputs.AutoDeclineSet(now_ms, account, seat, on, always, request_id)

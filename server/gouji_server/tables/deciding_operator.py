"""Judges what the server's operators want of a table (:mod:`gouji_server.tables.deciding`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables import operator_inputs, refusals
from gouji_server.tables.deciding import check_request_id
from gouji_server.tables.lobby_state import FROZEN, PLAYING, WAITING
from gouji_server.tables.requests import Answer, body_hash
from gouji_server.tables.seats import check_seat
from gouji_server.tables.standing_still import CLOSE_TABLE, FREEZE_TABLE, KICK_SEAT, OPERATORS, UNFREEZE_TABLE

if TYPE_CHECKING:
    from gouji_server.tables.table import TableState


def decide_hold(state: TableState, request_id: str, now_ms: int) -> operator_inputs.Held | Answer:
    """Judge having a match stand still. One that is held stays held."""
    known = _known(state, FREEZE_TABLE, request_id, body_hash())
    if known is not None:
        return known
    _check_match(state)
    return _as_it_is(state) if state.held else operator_inputs.Held(now_ms, request_id)


def decide_release(state: TableState, least_ms: int, request_id: str, now_ms: int) -> operator_inputs.Released | Answer:
    """Judge letting a match go on. One that is not held goes on."""
    known = _known(state, UNFREEZE_TABLE, request_id, body_hash())
    if known is not None:
        return known
    _check_match(state)
    return operator_inputs.Released(now_ms, least_ms, request_id) if state.held else _as_it_is(state)


def decide_shut_down(state: TableState, request_id: str, now_ms: int) -> operator_inputs.ShutDown | Answer:
    """Judge closing a table."""
    known = _known(state, CLOSE_TABLE, request_id, body_hash())
    if known is not None:
        return known
    _check_open(state)
    return operator_inputs.ShutDown(now_ms, request_id)


def decide_oust(state: TableState, seat: int, request_id: str, now_ms: int) -> operator_inputs.Ousted | Answer:
    """Judge taking a seat from who sits there. In a match a bot's stays a bot's."""
    seat = check_seat(seat)
    known = _known(state, KICK_SEAT, request_id, body_hash(seat))
    if known is not None:
        return known
    _check_open(state)
    player = state.seats.players[seat]
    if not player.account and not (player.bot and state.state == WAITING):
        raise refusals.nobody_there(seat)
    heir = state.heir(player.account) if player.account and state.state == WAITING else ""
    return operator_inputs.Ousted(now_ms, seat, heir, request_id)


def _known(state: TableState, method: str, request_id: str, body: bytes) -> Answer | None:
    check_request_id(request_id)
    return state.requests.find((OPERATORS, method, request_id), body)


def _as_it_is(state: TableState) -> Answer:
    return Answer(body_hash(), table=state.info().SerializeToString())


def _check_match(state: TableState) -> None:
    if state.state == WAITING:
        raise refusals.not_started()
    if state.state != PLAYING:
        _check_open(state)


def _check_open(state: TableState) -> None:
    if state.closed:
        raise refusals.frozen() if state.state == FROZEN else refusals.match_over()

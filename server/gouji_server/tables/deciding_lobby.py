"""Judges what an owner does with a table that waits, as :mod:`gouji_server.tables.deciding` judges all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables import inputs, refusals
from gouji_server.tables.deciding import check_changes, check_request_id, check_waiting
from gouji_server.tables.lobby_state import RESET_JOIN_CODE
from gouji_server.tables.requests import Answer, body_hash
from gouji_server.tables.seats import not_owner

if TYPE_CHECKING:
    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.table import TableState


def join_code(state: TableState, account: str) -> str:
    """Return the join code to who may tell it to others. Raises Refused."""
    if account != state.owner and state.seats.seat_of(account) < 0:
        raise state.stranger(account, refusals.not_seated())
    if not state.private:
        raise refusals.not_private()
    return state.code


def decide_reset_code(
    state: TableState, caller: Caller, code: str, request_id: str, now_ms: int
) -> inputs.CodeReset | Answer:
    """Judge the owner's wish for another join code; `code` is the one drawn."""
    check_owner(state, caller)
    check_request_id(request_id)
    known = state.requests.find((caller.account, RESET_JOIN_CODE, request_id), body_hash())
    if known is not None:
        return known
    check_waiting(state)
    if not state.private:
        raise refusals.not_private()
    check_changes(state, caller.account)
    return inputs.CodeReset(now_ms, caller.account, code, request_id)


def check_owner(state: TableState, caller: Caller) -> None:
    """Raise Refused for who does not own the table."""
    if caller.account != state.owner:
        raise state.stranger(caller.account, not_owner())

"""Judges what an owner does with a table that waits, as :mod:`gouji_server.tables.deciding` judges all else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules.errors import shortened
from gouji_server.tables import inputs, refusals
from gouji_server.tables.deciding import check_changes, check_request_id, check_waiting
from gouji_server.tables.lobby_state import KICK_PLAYER, RESET_JOIN_CODE, UPDATE_TABLE
from gouji_server.tables.requests import Answer, body_hash
from gouji_server.tables.seats import check_seat, not_owner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.table import TableState

DEFAULT_DEALS = 3
"""Deals of a match where neither the owner nor the rules say how many."""


def join_code(state: TableState, account: str) -> str:
    """Return the join code to who may tell it to others. Raises Refused."""
    if account != state.owner and state.seats.seat_of(account) < 0:
        raise state.stranger(account, refusals.not_seated())
    if not state.private:
        raise refusals.not_private()
    return state.code


def check_sharing(state: TableState, account: str) -> bool:
    """Say whether somebody owns the table. Raises Refused for who neither does nor sits there: only they share it."""
    if account != state.owner and state.seats.seat_of(account) < 0:
        raise state.stranger(account, refusals.not_seated())
    return account == state.owner


def decide_reset_code(
    state: TableState, caller: Caller, code: str, request_id: str, now_ms: int
) -> inputs.CodeReset | Answer:
    """Judge the owner's wish for another join code; `code` is the one drawn."""
    check_owner(state, caller)
    check_request_id(request_id)
    known = state.requests.find((caller.account, RESET_JOIN_CODE, request_id), body_hash())
    if known is not None:
        return known
    check_waiting(state, caller.account, now_ms)
    if not state.private:
        raise refusals.not_private()
    check_changes(state, caller.account)
    return inputs.CodeReset(now_ms, caller.account, code, request_id)


def decide_update(
    state: TableState, caller: Caller, said: Mapping[str, object], code: str, request_id: str, now_ms: int
) -> inputs.TableUpdated | inputs.Unchanged | Answer:
    """Judge the owner's change of what the table is like; `code` is the join code drawn in case it becomes private."""
    check_owner(state, caller)
    check_request_id(request_id)
    body = body_hash(json.dumps(said, sort_keys=True, ensure_ascii=False))
    known = state.requests.find((caller.account, UPDATE_TABLE, request_id), body)
    if known is not None:
        return known
    check_waiting(state, caller.account, now_ms)
    changes = dict(said)
    try:
        fields, rules = state.outcome_of(changes)
    except gr.RuleSetError as error:
        wrong = tuple((f"table.options.{shortened(field)}", error.text_en) for field in error.fields)
        raise refusals.Refused(
            refusals.INVALID_ARGUMENT, "BAD_RULE_SET", error.text_en, error.text_zh, fields=wrong
        ) from error
    if state.rated and (changes.get("team_chat") or changes.get("hints")):
        raise refusals.bad_field("update_mask", "not at a rated table: team_chat, hints", "计分桌不许联邦内交谈与提示")
    if changes.get("deals") == 0:
        changes["deals"] = rules.deals or DEFAULT_DEALS
        fields, _ = state.outcome_of(changes)
    check_changes(state, caller.account)
    if not fields:
        return inputs.Unchanged(now_ms, caller.account, UPDATE_TABLE, body.hex(), request_id)
    drawn = code if "private" in fields and changes["private"] else ""
    return inputs.TableUpdated(now_ms, caller.account, changes, body.hex(), drawn, request_id)


def decide_kick(
    state: TableState, caller: Caller, seat: int, account: str, ban: bool, request_id: str, now_ms: int
) -> inputs.Kicked | Answer:
    """Judge the owner's taking a seat from who sits there."""
    check_owner(state, caller)
    check_request_id(request_id)
    seat = check_seat(seat)
    body = body_hash(seat, account, ban)
    known = state.requests.find((caller.account, KICK_PLAYER, request_id), body)
    if known is not None:
        return known
    check_waiting(state, caller.account, now_ms)
    player = state.seats.players[seat]
    if player.free:
        raise refusals.nobody_there(seat)
    if account and player.account != account:
        raise refusals.another_there(seat)
    if player.account == caller.account:
        raise refusals.kicking_oneself()
    check_changes(state, caller.account)
    return inputs.Kicked(now_ms, caller.account, seat, ban and bool(player.account), body.hex(), request_id)


def check_owner(state: TableState, caller: Caller) -> None:
    """Raise Refused for who does not own the table."""
    if caller.account != state.owner:
        raise state.stranger(caller.account, not_owner())

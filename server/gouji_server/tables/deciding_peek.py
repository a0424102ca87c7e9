"""Judges whether somebody may let an ally look at its hand (:mod:`gouji_server.tables.deciding`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables import inputs, refusals
from gouji_server.tables.deciding import check_playing, check_request_id, check_said, own_seat, unchanged
from gouji_server.tables.peek_state import GRANT_PEEK
from gouji_server.tables.requests import body_hash
from gouji_server.tables.seats import check_seat

if TYPE_CHECKING:
    from gouji_server.tables.requests import Answer
    from gouji_server.tables.table import TableState


def decide_peek(
    state: TableState, account: str, ally: int, on: bool, request_id: str, now_ms: int
) -> inputs.PeekSet | inputs.Unchanged | Answer:
    """Judge somebody's letting an ally look at its hand, or no longer. The rules say when the ally then does."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    ally = check_seat(ally)
    body = body_hash(ally, on)
    known = state.requests.find((account, GRANT_PEEK, request_id), body)
    if known is not None:
        return known
    check_playing(state, seat)
    if state.rules.peek == "none" or state.rules.teams != "federation":
        raise refusals.no_peeking()
    if ally == seat or (ally - seat) % 2:
        raise refusals.not_an_ally()
    if bool(state.peeks.granted[seat] >> ally & 1) == on:
        check_said(state, seat)
        return unchanged(now_ms, account, GRANT_PEEK, body, request_id)
    if on:
        check_said(state, seat)
    return inputs.PeekSet(now_ms, account, seat, ally, on, request_id)

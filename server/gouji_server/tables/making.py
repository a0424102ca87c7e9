"""Tables that the server makes for people who are not there yet: rematches, and what the matchmaker puts together."""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules.option_values import read_overrides, settings_of
from gouji_server.tables import inputs, refusals
from gouji_server.tables.lobby_state import FROZEN, PLAYING, WAITING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.table import TableState

_REMATCH_TAG = b"gouji/rematch/1"
_MATCHED_TAG = b"gouji/matched/1"
_NO_ID = "-"
"""Stands for the request id of who made a table that nobody asked for by one."""


@dataclass(frozen=True, slots=True)
class MatchedTable:
    """What the matchmaker puts together: accounts and built-in bots by seat, and how long people have to be ready."""

    rule_set: str
    accounts: Mapping[int, str]
    ready_seconds: float
    bots: Mapping[int, str] = field(default_factory=dict)


def rematch_name(table: str, turn: int, key: bytes) -> str:
    """Name the rematch of a table; `turn` counts from 0 those that are over."""
    return _name(_REMATCH_TAG, f"{table}/{turn}", key)


def matched_name(match: str, key: bytes) -> str:
    """Name the table of what the matchmaker put together under an id of its own."""
    return _name(_MATCHED_TAG, match, key)


def _name(tag: bytes, said: str, key: bytes) -> str:
    digest = hmac.digest(key, b"\0".join((tag, said.encode())), "sha256")
    return f"tables/{base64.b32encode(digest[:10]).decode().lower()}"


def check_rematch(state: TableState, account: str) -> None:
    """Raise Refused unless somebody who sat at a table may have it played again."""
    if state.seats.seat_of(account) < 0:
        raise state.stranger(account, refusals.not_seated())
    if state.state == WAITING:
        raise refusals.not_started()
    if state.state == PLAYING:
        raise refusals.match_running()
    if state.state == FROZEN:
        raise refusals.frozen()
    if state.match is None:
        raise refusals.match_over()


def rematch_of(
    state: TableState,
    caller: Caller,
    code: str,
    now_ms: int,
    epoch: int,
    seconds: float,
    shunned: Collection[str] = (),
) -> inputs.Created:
    """Return the making of a table like one that is over, each seat kept for its player, bots in theirs.

    For accounts in `shunned` none is kept.
    """
    options = read_overrides(settings_of(state.rules))
    return inputs.Created(
        time=now_ms,
        epoch=epoch,
        rules=state.rule_set,
        options={name: list(value) if isinstance(value, tuple) else value for name, value in options.items()},
        title=state.title,
        deals=state.total_deals,
        decision_ms=state.times.control.decision_ms,
        spectators=state.spectators,
        owner=caller.account,
        owner_name=caller.display_name,
        seat=-1,
        request_id=_NO_ID,
        owner_bot=caller.bot,
        private=state.private,
        code=code if state.private else "",
        bank_ms=state.times.control.bank_ms,
        reserved={
            str(player.seat): player.account
            for player in state.seats.players
            if player.account and player.account not in shunned
        },
        reserved_until=now_ms + round(seconds * 1000),
        bots={str(player.seat): player.bot for player in state.seats.players if player.bot},
        spectator_delay_ms=state.spectator_delay_ms,
        most_spectators=state.most_spectators,
        team_chat=state.team_chat,
        hints=state.hints,
        rated=state.rated,
    )


def matched_of(wanted: MatchedTable, now_ms: int, epoch: int, spectator_delay_seconds: float = 0.0) -> inputs.Created:
    """Return the making of a matchmaker's table: nobody owns it, and it is closed if it does not begin in time."""
    rules = gr.preset(wanted.rule_set)
    return inputs.Created(
        time=now_ms,
        epoch=epoch,
        rules=wanted.rule_set,
        options={},
        title="",
        deals=rules.deals or 3,
        decision_ms=20_000,
        spectators=True,
        owner="",
        owner_name="",
        seat=-1,
        request_id=_NO_ID,
        bank_ms=180_000,
        reserved={str(seat): account for seat, account in wanted.accounts.items()},
        reserved_until=now_ms + round(wanted.ready_seconds * 1000),
        bots={str(seat): policy for seat, policy in wanted.bots.items()},
        matched=True,
        spectator_delay_ms=round(spectator_delay_seconds * 1000),
    )

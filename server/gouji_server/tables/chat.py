"""What people say at one table: the last of it, who may hear what, and who may say it.

It is no part of the table's story: nothing of it is in the journal, takes a number of an event, or moves a place.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gouji.table.v1 import chat_pb2
from gouji_server.tables import refusals
from gouji_server.tables.lobby_state import PLAYING
from gouji_server.tables.steps import chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.table import TableState

    Scope: TypeAlias = chat_pb2.ChatScope.ValueType

TEAM, TABLE, SPECTATORS = chat_pb2.CHAT_SCOPE_TEAM, chat_pb2.CHAT_SCOPE_TABLE, chat_pb2.CHAT_SCOPE_SPECTATORS

CHAT_TAG = b"\xca\x01"
"""Field 25 of PlayResponse and WatchTableResponse."""

Ring = tuple[int, int]
"""A scope, and in the team's own the team, 0 or 1."""


class Said(NamedTuple):
    """Something said. ``due`` is when people without a seat may hear it (milliseconds; 0: at once)."""

    message: chat_pb2.ChatMessage
    team: int
    due: int
    chunk: bytes

    @property
    def ring(self) -> Ring:
        """Where it is kept."""
        return self.message.scope, self.team


class Chat:
    """See the module. Bounded: `chat_ring` messages of each scope, `chat_requests` request ids; the oldest go."""

    def __init__(self, table: str, limits: Limits) -> None:
        self._table = table
        self._limits = limits
        self._rings: dict[Ring, deque[Said]] = {}
        self._numbers: dict[Ring, int] = {}
        self._answered: OrderedDict[tuple[str, str], tuple[bytes, Said]] = OrderedDict()

    def say(
        self, state: TableState, caller: Caller, said: chat_pb2.SendChatRequest, now_ms: int, *, told_closed: bool
    ) -> tuple[Said, bool]:
        """Keep what somebody says, who may look at the table; return it, and whether it is new. Raises Refused.

        ``told_closed``: whether those without a seat have been told that the table is closed.
        """
        body = said.SerializeToString(deterministic=True)
        known = self._answered.get((caller.account, said.request_id))
        if known is not None:
            if known[0] != body:
                raise refusals.used_id()
            return known[1], False
        seat = state.seats.seat_of(caller.account)
        team = _check_may_say(state, seat, said.scope, closed=state.closed if seat >= 0 else told_closed)
        made = self._make(state, caller, seat, team, said, now_ms)
        ring = self._rings.setdefault(made.ring, deque(maxlen=self._limits.chat_ring))
        ring.append(made)
        self._answered[caller.account, said.request_id] = body, made
        while len(self._answered) > self._limits.chat_requests:
            self._answered.popitem(last=False)
        return made, True

    def _make(
        self, state: TableState, caller: Caller, seat: int, team: int, said: chat_pb2.SendChatRequest, now_ms: int
    ) -> Said:
        number = self._numbers[said.scope, team] = self._numbers.get((said.scope, team), 0) + 1
        message = chat_pb2.ChatMessage(
            id=number, table=self._table, scope=said.scope, sender=caller.account, display_name=caller.display_name
        )
        if seat >= 0:
            message.seat = seat
        message.time.FromMilliseconds(now_ms)
        kind = said.WhichOneof("content")
        if kind is not None:
            setattr(message, kind, getattr(said, kind))
        if said.HasField("target_seat"):
            message.target_seat = said.target_seat
        later = said.scope == TABLE and state.state == PLAYING
        due = now_ms + state.spectator_delay_ms if later and state.spectator_delay_ms else 0
        return Said(message, team, due, chunk(CHAT_TAG, message.SerializeToString()))

    def heard_by(self, state: TableState, account: str, now_ms: int) -> list[Said]:
        """Return what somebody may hear of what was said lately, the oldest of each scope first."""
        seat = state.seats.seat_of(account)
        return [
            said
            for ring, messages in sorted(self._rings.items())
            if may_hear(state, seat, *ring)
            for said in messages
            if seat >= 0 or said.due <= now_ms
        ]

    def of_scope(self, state: TableState, account: str, scope: Scope, now_ms: int) -> list[Said]:
        """Return the part of it of one scope. Raises Refused for one that somebody may not hear."""
        seat = state.seats.seat_of(account)
        team = seat % 2 if scope == TEAM else 0
        if not may_hear(state, seat, scope, team):
            raise refusals.not_for_you()
        ring = self._rings.get((scope, team), ())
        return [said for said in ring if seat >= 0 or said.due <= now_ms]


def may_hear(state: TableState, seat: int, scope: int, team: int) -> bool:
    """Whether a seat, or somebody without one (-1), may hear a scope, in the team's own that of a team."""
    if scope == TEAM:
        return seat >= 0 and seat % 2 == team
    if scope == SPECTATORS:
        # One who watches sees all six seats' play: what it says would tell a seat more than the seat may know.
        return seat < 0 or state.closed
    return scope == TABLE and (seat >= 0 or state.spectators)


def _check_may_say(state: TableState, seat: int, scope: Scope, *, closed: bool) -> int:
    """Return the team whose own it is, 0 for other scopes. Raises Refused."""
    if scope == SPECTATORS:
        if seat >= 0:
            raise refusals.not_a_spectator()
        if not state.spectators:
            raise refusals.no_spectators()
    elif seat < 0:
        raise refusals.not_seated()
    if seat >= 0 and state.ousted >> seat & 1:
        raise refusals.ousted()
    if closed:
        raise refusals.match_over()
    if scope == TEAM:
        if not state.team_chat or state.rules.teams != "federation" or state.state != PLAYING:
            raise refusals.no_team_chat()
        return seat % 2
    return 0


def joined(said: Iterable[Said], hidden: frozenset[str]) -> bytes:
    """Return the chunks of what was said, without what comes from senders that are hidden."""
    return b"".join(one.chunk for one in said if one.message.sender not in hidden)

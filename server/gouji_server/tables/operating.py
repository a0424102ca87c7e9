"""Tables, as the server's operators deal with them. What they may know is everything; who asks is told apart elsewhere.

This is the one way by which a hand leaves a running table for somebody who does not hold it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.tables import deciding_operator
from gouji_server.tables.convert import SEATS_IN
from gouji_server.tables.messages import Change, Look
from gouji_server.tables.seats import SEATS
from gouji_server.tables.steps import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables import inputs
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.registry import Tables
    from gouji_server.tables.requests import Answer
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState

T = TypeVar("T")

REASON = table_pb2.SNAPSHOT_REASON_REQUESTED


@dataclass(frozen=True, slots=True)
class HiddenHand:
    """What a seat holds, ascending, and whether its answer to the open question is in."""

    seat: int
    cards: bytes
    answered: bool


@dataclass(frozen=True, slots=True)
class Inspection:
    """A table as it is: its lobby facts, its snapshot for the public as a TableUpdate, its last event's number, how
    many entries its journal has, the open question (0: none), who is asked, when it lapses (milliseconds, 0: never),
    and hands where wanted."""

    info: lobby_pb2.Table
    view: bytes
    version: int
    entries: int
    decision: int
    asked: tuple[int, ...]
    deadline: int
    hands: tuple[HiddenHand, ...]


class Operating:
    """See the module. Every method raises Refused."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def inspect(self, name: str, *, reveal: bool) -> Inspection:
        """Return a table as it is, with its hands or without."""
        actor = await self._actor(name)
        future: asyncio.Future[Inspection] = asyncio.get_running_loop().create_future()
        actor.post(Look(lambda story: _inspect(story, reveal=reveal), future))
        return await future

    async def hold(self, name: str, request_id: str) -> lobby_pb2.Table:
        """Have a match stand still."""
        return await self._change(name, lambda state, now: deciding_operator.decide_hold(state, request_id, now))

    async def release(self, name: str, request_id: str) -> lobby_pb2.Table:
        """Let a match go on."""
        least = int(self._tables.limits.compensation_seconds * 1000)
        return await self._change(
            name, lambda state, now: deciding_operator.decide_release(state, least, request_id, now)
        )

    async def shut_down(self, name: str, request_id: str) -> lobby_pb2.Table:
        """Close a table."""
        return await self._change(name, lambda state, now: deciding_operator.decide_shut_down(state, request_id, now))

    async def oust(self, name: str, seat: int, request_id: str) -> lobby_pb2.Table:
        """Take a seat from who sits there."""
        return await self._change(name, lambda state, now: deciding_operator.decide_oust(state, seat, request_id, now))

    def presence(self, name: str) -> tuple[bool, int]:
        """Return whether a table is in memory, and how many follow it."""
        actor = self._tables.actor_awake(name)
        return actor is not None, 0 if actor is None else len(actor.subscriptions)

    def every(
        self, matches: Callable[[lobby_pb2.Table], bool], after: tuple[int, str] | None, most: int
    ) -> list[lobby_pb2.Table]:
        """Return at most so many tables that match, newest first, from a place on."""
        return self._tables.directory.every(matches, after, most)

    def matches_of_people(self) -> int:
        """Return how many matches with people go on: those that stand still are in the journal and may wait there."""
        return sum(
            any(player.account for player in info.players)
            for info in self._tables.directory.playing()
            if not info.HasField("suspend_time") and not info.HasField("hold_time")
        )

    def counts(self) -> tuple[int, int, int]:
        """Return how many tables are not over, how many are in memory, and the bytes that wait to be read."""
        return self._tables.directory.open_tables, self._tables.awake(), self._tables.backlog_bytes()

    async def _actor(self, name: str) -> Actor:
        await self._tables.open(name)
        return self._tables.actor(name)

    async def _change(self, name: str, decide: Callable[[TableState, int], inputs.Input | Answer]) -> lobby_pb2.Table:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        (await self._actor(name)).post(Change(decide, future))
        return lobby_pb2.Table.FromString((await future).table)


def _inspect(story: Story, *, reveal: bool) -> Inspection:
    state = story.state
    hands: tuple[HiddenHand, ...] = ()
    if reveal and state.deal is not None and not (state.deal.over or state.closed):
        answered = set(SEATS_IN[state.answered])
        hands = tuple(HiddenHand(seat, state.hand(seat), seat in answered) for seat in range(SEATS))
    return Inspection(
        info=state.info(),
        view=story.snapshot(SPECTATOR, REASON),
        version=state.n,
        entries=story.seq,
        decision=state.decision,
        asked=() if state.deal is None or not state.decision else tuple(SEATS_IN[state.deal.public.asked]),
        deadline=state.deadline,
        hands=hands,
    )

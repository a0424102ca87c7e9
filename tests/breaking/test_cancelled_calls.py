"""Calls cancelled at any moment, by the ten thousand, leave nothing behind and break nothing."""

from __future__ import annotations

import asyncio
import gc
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.tables.outbox import Outbox
from gouji_server.tables.subscriptions import Subscription
from tests.server.raw_client import RawClient, new_id
from tests.server.raw_seat import begun
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.raw_seat import Seat
    from tests.server.running import Running

CALLS = 10_000
AT_ONCE = 50
SPARE = 8
"""Tasks and files that come and go for reasons of their own."""


def held() -> dict[str, int]:
    """Count what calls are made of: tasks, files, and the server's ends of streams."""
    gc.collect()
    ends = [one for one in gc.get_objects() if isinstance(one, (Outbox, Subscription))]
    return {
        "tasks": len(asyncio.all_tasks()),
        "files": len(list(Path(f"/proc/{os.getpid()}/fd").iterdir())),
        "outboxes": sum(isinstance(one, Outbox) for one in ends),
        "subscriptions": sum(isinstance(one, Subscription) for one in ends),
    }


class Canceller:
    """Makes calls and takes them back, each at a moment of its own."""

    def __init__(self, seats: list[Seat], dice: random.Random) -> None:
        self.seats = seats
        self.dice = dice
        self.answered = 0
        self.cancelled = 0

    async def many(self, calls: int) -> None:
        """Make so many, some at once."""
        for _ in range(calls // AT_ONCE):
            await asyncio.gather(*(self._one() for _ in range(AT_ONCE)))

    async def _one(self) -> None:
        seat = self.dice.choice(self.seats)
        call = self._begin(seat.client, seat.table)
        for _ in range(self.dice.choice([0, 0, 1, 3, 10, 40, 400])):
            await asyncio.sleep(0)
        call.cancel()
        with suppress(asyncio.CancelledError, grpc.aio.AioRpcError):
            await call.code()
        if call.cancelled():
            self.cancelled += 1
        else:
            self.answered += 1

    def _begin(self, client: RawClient, table: str) -> Any:
        me = client.metadata
        match self.dice.randrange(5):
            case 0:
                return client.tables.GetView(table_pb2.GetViewRequest(table=table), metadata=me)
            case 1:
                return client.watch(table)
            case 2:
                return client.tables.Play(metadata=me)
            case 3:
                vote = table_pb2.VoteDissolutionRequest(request_id=new_id(), table=table, agrees=False)
                return client.tables.VoteDissolution(vote, metadata=me)
            case _:
                request = lobby_pb2.CreateTableRequest(request_id=new_id(), title="taken back")
                return client.lobby.CreateTable(request, metadata=me)


async def calm(seat: Seat) -> None:
    """Call until there is an answer: the protocol itself refuses a call while too many are being taken back."""
    while True:
        with suppress(grpc.aio.AioRpcError):
            await seat.look()
            return


@pytest.mark.slow
async def test_nothing_is_left_of_cancelled_calls(start_server: Callable[..., Running]) -> None:
    """After ten thousand calls and streams taken back, in the middle of commits too, there are as many tasks, files,
    outboxes and subscriptions as before them, and the match is played to its end."""
    async with start_server(
        call_limit_factor=0, max_tables_per_account=10**6, max_streams_per_account=10**4
    ) as running:
        players = [await running.player(f"p{n}") for n in range(6)]
        seats = await begun(players[0], players)
        canceller = Canceller(seats, random.Random(1))
        await canceller.many(500)
        await settle()
        before = held()
        await canceller.many(CALLS)
        assert canceller.cancelled > CALLS / 2
        running.clock.advance(120)  # tables that were made and that nobody follows go to sleep
        while any(held()[what] > count + SPARE for what, count in before.items()):
            running.clock.advance(60)
            await settle()
        for seat in seats:
            await calm(seat)
        await asyncio.gather(*(seat.play() for seat in seats))
        assert all(seat.story.closed for seat in seats)

"""Readers that do not read: what waits for them is bounded, and nobody else waits for them."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2, table_pb2_grpc
from gouji_server import main
from gouji_server.tables.outbox import Outbox
from tests.server.raw_client import RawClient
from tests.server.raw_seat import Story, begun
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.raw_seat import Seat
    from tests.server.running import Running

READERS = 10
OUTBOX = 8_000
"""Bytes that may wait for a stream here."""
NARROW = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
"""Options of a client that takes little before it reads: else a whole match fits into what lies between."""
MESSAGE = 16_000
"""A message more may be under way to each."""


async def playing(seat: Seat, outboxes: list[Outbox], waiting: list[int]) -> None:
    """Play to the end, and note the most that waits for any reader meanwhile."""
    while not seat.story.closed:
        await seat.play(moves=1)
        waiting.append(max(outbox.waiting_bytes for outbox in outboxes))


@pytest.mark.slow
async def test_who_does_not_read_costs_little_and_hinders_nobody(
    monkeypatch: pytest.MonkeyPatch, start_server: Callable[..., Running]
) -> None:
    """Ten streams that are never read, and some read now and then: no more waits for any than its outbox holds, the
    players finish, and who reads at last gets a snapshot and the end of the story without a gap."""
    limits = main.limits
    monkeypatch.setattr(main, "limits", lambda config: replace(limits(config), outbox_bytes=OUTBOX))
    async with start_server(max_streams_per_account=100, call_limit_factor=0) as running:
        players = [await running.player(f"p{n}") for n in range(6)]
        seats = await begun(players[0], players, deals=1)
        table = seats[0].table
        sleepers: list[Any] = []
        channels = []
        for number in range(READERS):
            client = await running.player(f"sleeper {number}")
            channel = grpc.aio.insecure_channel(running.server.address, options=NARROW)
            channels.append(channel)
            request = table_pb2.WatchTableRequest(table=table)
            sleepers.append(table_pb2_grpc.TableServiceStub(channel).WatchTable(request, metadata=client.metadata))
            first = await sleepers[-1].read()
            assert first.updates[0].HasField("snapshot")
        dozer = await running.player("dozer")
        waiting: list[int] = []
        outboxes = [one for one in gc.get_objects() if isinstance(one, Outbox)]
        seldom = asyncio.create_task(read_now_and_then(dozer, table, seats))
        await asyncio.gather(*(playing(seat, outboxes, waiting) for seat in seats))
        assert max(waiting) <= OUTBOX + MESSAGE
        assert max(waiting) > OUTBOX / 4, "nothing ever waited: the test shows nothing"
        await seldom
        for stream in sleepers:
            story = Story()
            last: table_pb2.WatchTableResponse
            while (last := await stream.read()) is not grpc.aio.EOF:
                for update in last.updates:
                    if story.place is not None or update.HasField("snapshot"):
                        story.take(update)
            assert table_pb2.SNAPSHOT_REASON_SLOW_READER in story.snapshots
            assert story.info is not None
            assert story.info.state == lobby_pb2.TABLE_STATE_FINISHED
        for channel in channels:
            await channel.close()


async def read_now_and_then(client: RawClient, table: str, seats: list[Seat]) -> None:
    """Read one message whenever some more moves were made; hold that the story has no gap."""
    stream = client.watch(table)
    story = Story()
    while (message := await stream.read()) is not grpc.aio.EOF:
        for update in message.updates:
            story.take(update)
        reached = seats[0].story.place.n if seats[0].story.place else 0
        while not seats[0].story.closed and seats[0].story.place and seats[0].story.place.n < reached + 60:
            await settle()
    assert story.info is not None

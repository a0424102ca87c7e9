"""A server that is told to stop under load, by SIGTERM: what it acknowledged is kept, clients come back by its hint."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from typing import TYPE_CHECKING

import grpc
import pytest

from gouji_client import NewTable
from tests.server.processes import KillableServer, Nursery
from tests.server.raw_client import RawClient, refusal
from tests.server.raw_seat import PlayStream, seated
from tests.server.test_recovery_kill import Ledger, Storm, crowd, hold_together, journal_of, play

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.kill, pytest.mark.timeout(240)]

SEED = 7
TABLES = 2
STOPS = 3


class Stops(Storm):
    """Stops the server by SIGTERM in place of killing it, and starts it again when it has ended well."""

    stopped = 0

    async def _strike(self) -> None:
        assert await self.server.stop() == 0, self.server.log.read_text()
        self.stopped += 1
        await self.server.start()
        self._countdown = self._dice.randint(*self._spacing)
        self._restarting = None


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """Start servers quickly."""
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
async def server(nursery: Nursery, tmp_path: Path) -> AsyncIterator[KillableServer]:
    """A server that a test may stop."""
    server = KillableServer(nursery, tmp_path, "--call-limit-factor", "0", "--stop-grace-seconds", "5")
    await server.start()
    yield server
    await server.stop()


async def test_stopping_under_load_loses_nothing(server: KillableServer) -> None:
    """While six people play at several tables the server is stopped three times: each time it ends well, and whatever
    was acknowledged is in the journal, once; all are told the same story to its end."""
    dice = random.Random(SEED)
    async with crowd(server.address, 6) as clients:
        tables = []
        for _ in range(TABLES):
            table = (await clients[0].lobby.create(NewTable(deals=1))).name
            tables.append(table)
            for client in clients[1:]:
                await client.lobby.join(table)
            for client in clients:
                await client.lobby.set_ready(table)
        ledgers = [Ledger() for _ in tables]
        stops = Stops(server, STOPS, dice, spacing=(100, 300))
        async with asyncio.TaskGroup() as group:
            for number, (table, ledger) in enumerate(zip(tables, ledgers, strict=True)):
                for seat, client in enumerate(clients):
                    own = random.Random(SEED * 100 + number * 6 + seat)
                    group.create_task(play(client, table, ledger, stops, own))
        await stops.over()
        for table in tables:
            fresh = [await client.table(table).get_view() for client in clients]
            assert fresh == [client.table(table).view for client in clients]
    assert stops.stopped == STOPS
    assert await server.stop() == 0
    for table, ledger in zip(tables, ledgers, strict=True):
        hold_together(ledger, await journal_of(server, table))


async def test_streams_end_with_a_time_to_come_back(server: KillableServer) -> None:
    """At SIGTERM a stream ends UNAVAILABLE with RetryInfo, what was answered before it having come; the restarted
    server gives the tail from the place reached."""
    client = RawClient(server.address)
    await client.sign_in("p")
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    place = stream.stories[table].place
    os.kill(server.pid, signal.SIGTERM)
    ended = await refusal(stream.end())
    assert (ended.code, ended.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
    assert ended.retry is not None
    assert await server.wait() == 0
    await server.start()
    again = PlayStream(client)
    again.stories[table] = stream.stories[table]
    await again.subscribe(table, place)
    assert len(again.stories[table].snapshots) == 1
    await client.channel.close()

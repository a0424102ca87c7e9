"""Connections cut and the server killed at random moments, while matches of every preset run: nothing is lost."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_client import Client, NewTable
from tests.clients.cutting_proxy import CuttingProxy
from tests.server.processes import KillableServer, Nursery
from tests.server.test_recovery_kill import Ledger, Storm, crowd, hold_together, journal_of, play

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from gouji.table.v1 import events_pb2

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(300)]

SEED = 13
CUTS = 40


class Weather(Storm):
    """A storm that cuts all connections besides, `cuts` times, each after a random number of points."""

    def __init__(self, server: KillableServer, proxy: CuttingProxy, dice: random.Random) -> None:
        super().__init__(server, kills=4, dice=dice, spacing=(150, 600))
        self._proxy = proxy
        self._chance = dice
        self.cuts = 0

    def point(self) -> None:
        """Pass a point at which the server may be killed, or all connections cut or fall silent."""
        super().point()
        if self.cuts < CUTS and self._chance.random() < 0.02:
            self.cuts += 1
            self._proxy.cut()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """Start servers quickly."""
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
async def server(nursery: Nursery, tmp_path: Path) -> AsyncIterator[KillableServer]:
    """A server that a test may kill."""
    server = KillableServer(nursery, tmp_path, "--call-limit-factor", "0")
    await server.start()
    yield server
    await server.stop()


async def begin(clients: list[Client], rules: str) -> str:
    """Begin a match of six clients."""
    table = (await clients[0].lobby.create(NewTable(rule_set=rules, deals=1))).name
    for client in clients[1:6]:
        await client.lobby.join(table)
    for client in clients[:6]:
        await client.lobby.set_ready(table)
    return table


async def watch_to_the_end(client: Client, name: str, ledger: Ledger) -> None:
    """Follow a table, and hold that what was gathered update by update is what a fresh view says."""
    table = client.table(name)
    told: dict[int, events_pb2.TableEvent] = {}
    ledger.told.append(told)
    async for update in table.updates():
        for event in update.events:
            assert told.setdefault(event.n, event) == event
    assert await client.table(name).get_view() == table.view


async def test_cuts_and_kills_lose_nothing(server: KillableServer) -> None:
    """What six players and a spectator gather is what fresh views say; what was acknowledged is in the journal, once;
    and all were told the same."""
    dice = random.Random(SEED)
    presets = sorted(gr.PRESETS)
    async with CuttingProxy(server.address) as proxy, crowd(proxy.address, 7) as clients:
        tables = [await begin(clients, rules) for rules in presets]
        ledgers = [Ledger() for _ in tables]
        weather = Weather(server, proxy, dice)
        async with asyncio.TaskGroup() as group:
            for number, (table, ledger) in enumerate(zip(tables, ledgers, strict=True)):
                for client in clients:
                    group.create_task(watch_to_the_end(client, table, ledger))
                for seat in range(6):
                    own = random.Random(SEED * 1000 + number * 6 + seat)
                    group.create_task(play(clients[seat], table, ledger, weather, own))
        await weather.over()
        for table in tables:
            views = [await client.table(table).get_view() for client in clients]
            assert len({(view.at.epoch, view.at.n) for view in views}) == 1
    assert server.kills == 4
    assert weather.cuts >= 10
    assert await server.stop() == 0
    for table, ledger in zip(tables, ledgers, strict=True):
        hold_together(ledger, await journal_of(server, table))

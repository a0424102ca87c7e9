"""The client gives entropy of its own for every deal that it plays, unless told not to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_client import NewTable, PolicyBot, connect, play_match
from gouji_client.fairness import deal_faults
from tests.clients.real_server import RealServer

if TYPE_CHECKING:
    from pathlib import Path

    from gouji.table.v1 import events_pb2

LONG = 3600
"""Seconds that nobody waits for in a test: a deal that begins has been given entropy by all."""


async def watched(address: str, table: str) -> list[events_pb2.TableEvent]:
    told: list[events_pb2.TableEvent] = []
    async with connect(address) as watcher:
        await watcher.sign_in("watcher")
        async for update in watcher.table(table).updates():
            told.extend(update.events)
    return told


async def test_six_clients_make_the_seed_with_the_server(tmp_path: Path) -> None:
    """Every deal begins as soon as all six have given 32 bytes, other ones each time, and is as promised."""
    async with RealServer(tmp_path, entropy_wait_seconds=LONG) as server:
        clients = [await connect(server.address) for _ in range(6)]
        for number, client in enumerate(clients):
            await client.sign_in(f"p{number}")
        table = (await clients[0].lobby.create(NewTable(deals=2))).name
        watching = asyncio.create_task(watched(server.address, table))
        matches = (play_match(client, PolicyBot("random", seed=n), table=table) for n, client in enumerate(clients))
        await asyncio.gather(*matches)
        told = await watching
        for client in clients:
            await client.close()
    begun = [event.deal_started for event in told if event.HasField("deal_started")]
    revealed = [event.deal_revealed for event in told if event.HasField("deal_revealed")]
    assert len(begun) == len(revealed) >= 1
    given = [one.entropy for deal in begun for one in deal.entropies]
    assert all([one.seat for one in deal.entropies] == list(range(6)) for deal in begun)
    assert {len(entropy) for entropy in given} == {32}
    assert len(set(given)) == len(given)
    for started, opened in zip(begun, revealed, strict=True):
        entropies = tuple((one.seat, one.entropy) for one in started.entropies)
        assert deal_faults(gr.preset("qingdao"), started.commitment, opened, entropies) == []
        assert deal_faults(gr.preset("qingdao"), started.commitment, opened) != []


@pytest.mark.parametrize("entropy", [True, False])
async def test_it_can_be_told_not_to(tmp_path: Path, entropy: bool) -> None:
    """With `entropy=False` nothing is given, and the deal begins when its time has come."""
    wait = LONG if entropy else 0.05
    server = RealServer(tmp_path, entropy_wait_seconds=wait)
    async with server, connect(server.address, entropy=entropy) as client:
        await client.sign_in("one")
        table = client.table((await client.lobby.create(NewTable(deals=1))).name)
        for _ in range(5):
            await client.lobby.add_bot(table, "random")
        await table.follow()
        await table.set_ready()
        view = await table.until(lambda view: view.deal_started is not None)
        assert view.deal_started is not None
        assert [one.seat for one in view.deal_started.entropies] == ([0] if entropy else [])


async def test_one_who_comes_back_meanwhile_gives_too(tmp_path: Path) -> None:
    """A client that begins to follow between promise and deal is told by the snapshot, and gives."""
    async with RealServer(tmp_path, entropy_wait_seconds=LONG) as server, connect(server.address) as client:
        await client.sign_in("one")
        table = client.table((await client.lobby.create(NewTable(deals=1))).name)
        for _ in range(5):
            await client.lobby.add_bot(table, "random")
        await client.lobby.set_ready(table)  # not followed: nobody gives
        assert (await table.get_view()).deal_started is None
        view = await table.until(lambda view: view.deal_started is not None)
        assert view.deal_started is not None
        assert len(view.deal_started.entropies) == 1

"""Connections that die without a word, and old ones that the server closes."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji_client import NewTable, channel, connect
from gouji_client import client as client_module
from gouji_server.api import listener
from tests.clients.cutting_proxy import CuttingProxy
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE
from tests.server.raw_client import RawClient

if TYPE_CHECKING:
    from pathlib import Path

    from gouji_client import Client


async def hears_after(client: Client, address: str, followed: asyncio.Future[str], again: asyncio.Event) -> None:
    """Follow a new table until the connection was made anew; hold that what happens then is told, without a restart.

    ``followed`` is set to the table's name, ``again`` is waited for.
    """
    made = await client.lobby.create(NewTable(title="t"))
    async with aclosing(client.table(made.name).updates()) as updates:
        first = await anext(updates)
        followed.set_result(made.name)
        await again.wait()
        async with connect(address, backoff=AT_ONCE, rng=random.Random(2)) as other:
            await other.sign_in("other")
            await other.lobby.join(made.name)
        update = await anext(updates)
    assert update.restart is None
    assert [event.n for event in update.events] == [first.view.at.n + 1]


async def test_a_connection_that_is_dead_is_noticed_by_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that passes nothing on, and says nothing: the client's pings are not answered, it connects anew and
    resumes where it was, long before it would miss heartbeats."""
    monkeypatch.setattr(channel, "KEEPALIVE_SECONDS", 0.2)
    monkeypatch.setattr(channel, "KEEPALIVE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(listener, "MIN_PING_SECONDS", 0.01)
    async with (
        RealServer(tmp_path) as server,
        CuttingProxy(server.address) as proxy,
        connect(proxy.address, backoff=AT_ONCE, rng=random.Random(1)) as client,
    ):
        await client.sign_in("Mei")
        followed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        hearing = asyncio.create_task(hears_after(client, server.address, followed, proxy.arrived))
        await followed
        proxy.arrived.clear()
        proxy.fall_silent()
        async with asyncio.timeout(client_module.SILENCE / 2):
            await hearing


async def read_to_the_end(watch: Any) -> None:
    """Read a stream until it ends; raises what it ends with."""
    while await watch.read() is not grpc.aio.EOF:
        pass


async def test_an_old_connection_is_closed_and_nothing_is_lost(tmp_path: Path) -> None:
    """Past the age and the grace a stream ends with UNAVAILABLE; the SDK follows on by another connection."""
    ages = {"max_connection_age_seconds": 0.3, "connection_age_grace_seconds": 0.1}
    async with (
        RealServer(tmp_path, **ages) as server,
        CuttingProxy(server.address) as proxy,
        connect(proxy.address, backoff=AT_ONCE, rng=random.Random(1)) as client,
        RawClient(server.address) as raw,
    ):
        await client.sign_in("Mei")
        followed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        hearing = asyncio.create_task(hears_after(client, server.address, followed, proxy.arrived))
        table = await followed
        proxy.arrived.clear()
        await raw.sign_in("raw")
        watch = raw.watch(table)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await read_to_the_end(watch)
        assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
        await hearing


def test_clients_ping_no_faster_than_servers_allow() -> None:
    """A server tells one that pings too fast to go away; the client stays well above that."""
    assert channel.KEEPALIVE_SECONDS >= 2 * listener.MIN_PING_SECONDS

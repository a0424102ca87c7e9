"""Matchmaking through the SDK, with and without `await`, against the real server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji_client import BadInput, Client, Refused, connect, sync
from tests.clients.cutting_proxy import CuttingProxy
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from pathlib import Path


async def person(address: str, name: str) -> Client:
    client = await connect(address, backoff=AT_ONCE)
    await client.sign_in(name)
    return client


async def play(client: Client, ticket: str) -> list[int]:
    """Follow a ticket to its end, coming to its table when called; return the states it had."""
    states: list[int] = []
    async for now in client.matchmaking.watch(ticket):
        states.append(now.state)
        if now.state == matchmaking_pb2.TICKET_STATE_CALLED:
            await client.lobby.join(now.table)
            await client.lobby.set_ready(now.table)
    return states


async def test_a_party_and_three_others_find_each_other(tmp_path: Path) -> None:
    """Each follows its ticket, is called, comes, and is matched; the table plays."""
    async with RealServer(tmp_path) as server:
        people = [await person(server.address, f"p{number}") for number in range(6)]
        party = await people[0].matchmaking.create_party()
        for ally in people[1:3]:
            await ally.matchmaking.join_party(party.join_code)
        ticket = await people[0].matchmaking.queue(party=party.name)
        tickets = [ticket.name] * 3 + [(await client.matchmaking.queue()).name for client in people[3:]]
        states = await asyncio.gather(*(play(client, name) for client, name in zip(people, tickets, strict=True)))
        assert all(told[-1] == matchmaking_pb2.TICKET_STATE_MATCHED for told in states)
        table = (await people[0].matchmaking.get(ticket.name)).table
        assert (await people[0].lobby.get(table)).state == lobby_pb2.TABLE_STATE_PLAYING
        assert (await people[1].matchmaking.party(party.name)).ticket == ticket.name
        await people[1].matchmaking.leave_party(party.name)
        for client in people:
            await client.close()


async def test_a_watched_ticket_outlives_a_restart_and_is_cancelled(tmp_path: Path) -> None:
    """The watcher hears nothing of the restart, and then of the end."""
    async with RealServer(tmp_path) as server, CuttingProxy(server.address) as proxy:
        one = await person(proxy.address, "one")
        ticket = await one.matchmaking.queue(["qingdao", "shandong"], region="north", window=(1, 1, 9))
        watched = one.matchmaking.watch(ticket.name)
        assert (await anext(watched)).state == matchmaking_pb2.TICKET_STATE_QUEUED
        await server.stop()
        await server.start()
        proxy.to = server.address
        await one.matchmaking.cancel(ticket.name)
        rest = [now.state async for now in watched]
        assert rest[-1] == matchmaking_pb2.TICKET_STATE_CANCELLED
        assert all(queue.rule_set.startswith("ruleSets/") for queue in await one.matchmaking.queues())
        await one.close()


async def test_what_makes_no_sense_is_told_in_words(tmp_path: Path) -> None:
    """Bad input is refused before it is sent, and what is nobody's is refused by the server."""
    async with RealServer(tmp_path) as server:
        one = await person(server.address, "one")
        for wrong in ("qingdao", [5]):
            with pytest.raises(BadInput):
                await one.matchmaking.queue(wrong)  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            await one.matchmaking.get(5)  # type: ignore[arg-type]
        with pytest.raises(Refused, match="TICKET_NOT_FOUND"):
            await one.matchmaking.get("tickets/none")
        with pytest.raises(Refused, match="PARTY_NOT_FOUND"):
            await one.matchmaking.join_party("222222")
        await one.close()


async def test_the_facade_does_the_same(tmp_path: Path) -> None:
    """Without `await`: a party is made and left, a ticket made, asked for and given up."""
    async with RealServer(tmp_path) as server:

        def without_await() -> int:
            with sync.connect(server.address) as client:
                client.sign_in("one")
                party = client.matchmaking.create_party()
                assert client.matchmaking.party(party.name).join_code == party.join_code
                ticket = client.matchmaking.queue(party=party.name)
                assert client.matchmaking.get(ticket.name) == ticket
                assert client.matchmaking.cancel(ticket.name).state == matchmaking_pb2.TICKET_STATE_CANCELLED
                client.matchmaking.leave_party(party.name)
                return len(client.matchmaking.queues())

        assert await asyncio.to_thread(without_await) > 0

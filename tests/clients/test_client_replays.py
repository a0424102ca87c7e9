"""The client's replays against the real server: lists, records, steps, and connections that break meanwhile."""

from __future__ import annotations

import asyncio
import random
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

import gouji_client.sync
import gouji_rules as gr
from gouji_client import BadInput, Client, NewTable, PolicyBot, Refused, connect, play_match
from tests.clients.cutting_proxy import CuttingProxy
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji.replay.v1 import replay_pb2
    from gouji.table.v1 import events_pb2

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Played:
    """A match that was played at a server, and what a spectator was told of it live."""

    def __init__(self, address: str, table: str, told: list[events_pb2.TableEvent]) -> None:
        self.address = address
        self.table = table
        self.told = told

    async def client(self, address: str = "") -> Client:
        client = await connect(address or self.address, backoff=AT_ONCE, rng=random.Random(1))
        await client.sign_in("reader")
        return client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Played]:
    async with RealServer(tmp_path_factory.mktemp("server")) as server, connect(server.address) as client:
        await client.sign_in("Mei")
        made = await client.lobby.create(NewTable(deals=2, title="kept"))
        for _ in range(5):
            await client.lobby.add_bot(made.name, "random")
        told: list[events_pb2.TableEvent] = []

        async def watch() -> None:
            async with connect(server.address) as watcher:
                await watcher.sign_in("watcher")
                async for update in watcher.table(made.name).updates():
                    told.extend(update.events)

        await asyncio.gather(watch(), play_match(client, PolicyBot("random", seed=3), table=made.name))
        found = Played(server.address, made.name, told)
        await match_at(client, made.name)
        yield found


async def match_at(client: Client, table: str) -> replay_pb2.Match:
    """Return the match of a table, once it is told."""
    while True:
        async for match in client.replays.matches(table=table):
            return match


async def test_a_match_is_found_and_its_record_holds(played: Played) -> None:
    """Lists take filters by name and time; the match has its deals, and its record agrees with the rules."""
    async with await played.client() as client:
        match = await match_at(client, played.table)
        now = datetime.now(UTC)
        for filters in (
            {"rule_set": "qingdao"},
            {"ended_from": now - timedelta(hours=1)},
            {"player": match.players[0].account},
        ):
            assert [found.name async for found in client.replays.matches(**filters)] == [match.name]
        for filters in ({"rule_set": "shandong"}, {"ended_before": now - timedelta(hours=1)}):
            assert [found async for found in client.replays.matches(**filters)] == []
        assert len((await client.replays.get(match.name)).deal_results) == match.deals_begun
        record = await client.replays.record(match.name.removeprefix("matches/"))
        assert gr.check_record(record) == []


async def test_a_spectators_steps_are_the_events_that_it_was_told(played: Played) -> None:
    """The replay tells the events that a spectator was told live, and begins with the table as it was made."""
    async with await played.client() as client:
        match = await match_at(client, played.table)
        steps = [step async for step in client.replays.steps(match.name, eyes="spectator")]
        assert steps[0].update.restart is not None
        assert all(step.update.restart is None for step in steps[1:])
        events = [event for step in steps for event in step.update.events]
        assert events[-len(played.told) :] == played.told
        assert steps[-1].view.over
        assert not any(step.hands for step in steps)


async def test_an_open_replay_has_six_hands(played: Played) -> None:
    """Every step of a deal has all hands; at its end at most one side holds cards."""
    async with await played.client() as client:
        match = await match_at(client, played.table)
        deal = (await client.replays.get(match.name)).deal_results[1]
        first, *_ = steps = [step async for step in client.replays.steps(match.name, first=deal.first_step + 1)]
        assert first.number == deal.first_step
        assert [len(hand) for hand in first.hands] == [36] * 6
        assert sum(map(len, steps[-1].hands)) < sum(map(len, first.hands))


@pytest.mark.parametrize("eyes", ["open", "spectator", 0, 5])
async def test_a_connection_that_breaks_is_made_good(played: Played, eyes: Any) -> None:
    """Cut again and again, a replay tells every step once and in order."""
    async with await played.client() as direct:
        match = await match_at(direct, played.table)
        whole = [step async for step in direct.replays.steps(match.name, eyes=eyes)]
    async with CuttingProxy(played.address) as proxy, await played.client(proxy.address) as client:
        found = []
        async for step in client.replays.steps(match.name, eyes=eyes):
            found.append(step)
            if step.number % 150 == 0:
                proxy.cut()
                await asyncio.sleep(0)
        assert [step.number for step in found] == [step.number for step in whole]
        assert [step.update.events for step in found] == [step.update.events for step in whole]
        assert [step.hands for step in found] == [step.hands for step in whole]
        assert [step.view.state for step in found] == [step.view.state for step in whole]
        assert proxy.accepted > 1


async def test_what_makes_no_sense_is_said_before_anything_is_sent(played: Played) -> None:
    """Eyes that nobody has, a name that is none, and a time without a zone are BadInput; no such match is Refused."""
    async with await played.client() as client:
        for eyes in ("closed", 6, True):
            with pytest.raises(BadInput):
                await anext(client.replays.steps("matches/x", eyes=eyes))  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            await client.replays.get("")
        with pytest.raises(BadInput):
            await anext(aiter(client.replays.matches(ended_from=datetime(2026, 1, 1))))  # noqa: DTZ001
        for ask in (client.replays.get("x"), client.replays.record("x"), anext(client.replays.steps("x"))):
            with pytest.raises(Refused, match="MATCH_NOT_FOUND"):
                await ask


async def test_the_plain_client_has_them_too(played: Played) -> None:
    """Without `async` the same is told."""

    def ask() -> None:
        with closing(gouji_client.sync.connect(played.address)) as client:
            client.sign_in("plain")
            (match,) = client.replays.matches(table=played.table)
            assert client.replays.get(match.name).name == match.name
            assert client.replays.record(match.name).startswith("format")
            assert [step.number for step in client.replays.steps(match.name, last=4)] == [1, 2, 3, 4]

    await asyncio.to_thread(ask)

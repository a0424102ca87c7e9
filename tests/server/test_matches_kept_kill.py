"""No finished match is lost or kept twice at a server killed as the match ends."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_client import Backoff, Client, NewTable, connect
from tests.server.processes import KillableServer, Nursery

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(300)]

ROUNDS = 8
IMPATIENT = Backoff(first=0.02, ceiling=0.1, patience=60)


async def ended(client: Client) -> str:
    """Begin a match with five built-in bots and end it by agreement: durable when it returns the table's name."""
    table = (await client.lobby.create(NewTable(deals=1))).name
    for _ in range(5):
        await client.lobby.add_bot(table, "random")
    await client.lobby.set_ready(table)
    await client.table(table).vote_dissolution()
    return table


async def test_matches_that_ended_just_before_a_kill_are_all_there(tmp_path: Path) -> None:
    """Killed at once, or some milliseconds, after a match's end was acknowledged, the server has every match, once."""
    nursery = Nursery()
    server = KillableServer(nursery, tmp_path, "--entropy-wait-seconds", "0")  # so that votes find a deal at once
    dice = random.Random(9)
    try:
        await server.start()
        async with connect(server.address, backoff=IMPATIENT, rng=dice) as client:
            await client.sign_in("player")
            tables: list[str] = []
            for number in range(ROUNDS):
                tables += [await ended(client) for _ in range(1 + number % 3)]
                if number % 2:
                    await server.live_for(dice.uniform(0, 0.03))
                server.kill()
                await server.wait()
                await server.start()
            matches: list[str] = []
            while len(matches) < len(tables):
                matches = [match.table async for match in client.replays.matches()]
            assert sorted(matches) == sorted(tables)
            async for match in client.replays.matches():
                assert gr.check_record(await client.replays.record(match.name)) == []
            assert await server.stop() == 0
        assert server.kills == ROUNDS
        assert "match_not_kept" not in server.log.read_text()
    finally:
        nursery.close()

"""Matches whose people are all gone: suspended, resumed by the first who comes, over after a day."""

from __future__ import annotations

import random

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_server.tables import Refused, TableSpec
from tests.server.players import HomeBots, House, Reader, at_home, person, play_on, request
from tests.server.table_time import settle


async def deserted(*, deals: int = 2) -> tuple[House, Reader, Reader]:
    """Begin a match of a minute a decision, with bots that never answer, at which a player has been and is gone; return
    a watcher and the player."""
    at = House(seed=3, bots=HomeBots(1e9), limits=at_home(suspend_seconds=600))
    await at.tables.start()
    handle = await at.match(TableSpec(decision_seconds=3000, deals=deals))
    await play_on(at, handle, random.Random(3), moves=6)
    watcher, player = Reader(at, handle, person(9)), Reader(at, handle, person(2))
    for reader in (watcher, player):
        await reader.follow()
        await reader.read()
    player.outbox.close()
    await settle()
    return at, watcher, player


def kinds(reader: Reader) -> list[str | None]:
    """What the newest update told."""
    return [event.WhichOneof("event") for event in reader.updates[-1].events]


async def test_a_match_stands_still_when_all_its_people_are_gone() -> None:
    """After ten minutes without a player, though somebody watches, all hear it, the clock stops, answers are refused,
    and the lobby tells since when."""
    at, watcher, _ = await deserted()
    await at.clock.run(599)
    assert await watcher.read() == 0
    await at.clock.run(2)
    await watcher.read()
    assert kinds(watcher) == ["table_suspended"]
    assert watcher.state is not None
    assert not watcher.state.question.HasField("deadline")
    assert watcher.info is not None
    assert watcher.info.HasField("suspend_time")
    with pytest.raises(Refused) as refused:
        await watcher.handle.act(
            person(0), request(watcher.handle.name, watcher.state.question.decision, int(gr.Verb.PASS), request_id="x")
        )
    assert refused.value.reason == "TABLE_SUSPENDED"
    await at.clock.run(10_000)
    assert await watcher.read() == 0


async def test_the_first_player_who_follows_has_it_go_on() -> None:
    """A spectator's coming changes nothing; a player's has the match go on, with the time that was left."""
    at, watcher, player = await deserted()
    assert watcher.state is not None
    left = watcher.state.question.deadline.ToMilliseconds() / 1000 - at.clock.now() - 600
    await at.clock.run(5000)
    await watcher.read()
    other = Reader(at, watcher.handle, person(8))
    await other.follow()
    assert await watcher.read() == 0
    await player.follow(resume=True)
    await watcher.read()
    assert kinds(watcher) == ["table_resumed"]
    assert watcher.info is not None
    assert not watcher.info.HasField("suspend_time")
    now_left = watcher.state.question.deadline.ToMilliseconds() / 1000 - at.clock.now()
    assert round(now_left, 3) == round(left, 3)
    assert await play_on(at, watcher.handle, random.Random(4), moves=5) == 5


async def test_a_suspended_match_sleeps_and_outlives_a_restart() -> None:
    """It leaves memory, a restart does not wake it, and a player finds it as it was."""
    at, watcher, player = await deserted()
    await at.clock.run(601)
    await watcher.read()
    watcher.outbox.close()
    await at.clock.run(200)
    assert at.tables.awake() == 0
    await at.restart()
    await settle()
    assert at.tables.awake() == 0
    await player.follow(resume=True)
    await player.read()
    assert kinds(player) == ["table_resumed"]


async def test_after_a_day_it_is_over() -> None:
    """Nobody came back: the running deal is opened and not scored, and the match was abandoned."""
    at, watcher, _ = await deserted()
    await at.clock.run(600 + 24 * 3600 - 100)
    await watcher.read()
    assert not watcher.closed
    await at.clock.run(300)
    await watcher.read()
    assert kinds(watcher) == ["deal_revealed", "match_ended", "table_closed"]
    assert watcher.updates[-1].events[1].match_ended.reason == events_pb2.MATCH_END_REASON_ABANDONED
    assert watcher.info is not None
    assert watcher.info.state == lobby_pb2.TABLE_STATE_FINISHED
    assert not watcher.info.HasField("suspend_time")


async def test_a_player_who_is_there_keeps_it_going() -> None:
    """One of six is enough, whether it follows the table or only calls."""
    at, watcher, player = await deserted()
    for _ in range(5):
        await at.clock.run(500)
        await watcher.handle.view(person(4))
    assert await watcher.read() == 0
    await player.follow(resume=True)
    await at.clock.run(400)
    assert await watcher.read() == 0

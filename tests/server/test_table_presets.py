"""Whole matches by the rules of every preset, at tables."""

from __future__ import annotations

import random

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_rules.rule_set import PRESET_NAMES
from gouji_server.tables import TableSpec
from tests.server.players import House, Reader, person, play_on


@pytest.mark.parametrize("policy", ["random", "simple"])
@pytest.mark.parametrize("preset", PRESET_NAMES)
async def test_a_match_by_every_rule_set_goes_to_its_end(preset: str, policy: str) -> None:
    """Six people play a match through a restart; seats and spectators read one story without a gap, what they keep is
    what a snapshot tells, and every deal's record replays."""
    at = House(seed=4)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=3, rule_set=preset))
    readers = [Reader(at, handle, person(number)) for number in (0, 3, 9)]
    for reader in readers:
        await reader.follow()
    dice = random.Random(5)
    for turn in range(200):
        await at.clock.run(10)
        await play_on(at, handle, dice, moves=120, policy=policy)
        for reader in readers:
            await reader.read()
        if readers[0].closed:
            break
        fresh = await readers[0].fresh()
        assert (readers[0].state, readers[0].seat) == (fresh.state, fresh.seat)
        if turn == 2:
            await at.restart()
            handle = await at.tables.open(handle.name)
            for reader in readers:
                await reader.follow(resume=True)
    for reader in readers:
        assert reader.closed
        assert reader.info is not None
        assert reader.info.state == lobby_pb2.TABLE_STATE_FINISHED
    events = [event for update in readers[2].updates for event in update.events]
    reveals = [event.deal_revealed for event in events if event.HasField("deal_revealed")]
    assert [gr.check_record(reveal.record) for reveal in reveals if reveal.record] == [[]] * sum(
        1 for reveal in reveals if reveal.record
    )
    closed = [event.table_closed.reason for event in events if event.HasField("table_closed")]
    assert closed == [events_pb2.CLOSE_REASON_MATCH_OVER]

"""R83: a seat that is out sees what it saw while it played: what all are told, and an empty hand of its own."""

from __future__ import annotations

import random

import pytest

import gouji_rules as gr
from gouji_server.tables import TableSpec
from tests.server.players import House, Reader, person, play_on


@pytest.mark.parametrize("rules", gr.PRESETS)
async def test_a_seat_that_is_out_sees_no_hand(rules: str) -> None:
    """Under every preset, from the step that put it out to the end of its deal: its stream is the spectator's, byte
    for byte, but for what is said of its own empty hand; no view that it asks for has a card more."""
    house = House(seed=len(rules))
    handle = await house.match(TableSpec(rule_set=rules, deals=1))
    watcher = Reader(house, handle, person(9))
    seats = [Reader(house, handle, person(seat)) for seat in range(6)]
    for reader in (watcher, *seats):
        await reader.follow()
        await reader.read()
    dice = random.Random(rules)
    told = 0
    while not watcher.closed:
        assert watcher.state is not None
        out = [standing.seat for standing in watcher.state.seats if standing.place]
        starts = {seat: len(seats[seat].updates) for seat in out}
        watched = len(watcher.updates)
        assert await play_on(house, handle, dice, moves=1)
        for reader in (watcher, *seats):
            await reader.read()
        public = [update.SerializeToString() for update in watcher.updates[watched:]]
        for seat, start in starts.items():
            reader = seats[seat]
            part = reader.seat
            assert part is not None
            if reader.closed or part.hand:  # the next deal, or tribute given to it
                continue
            assert not part.felt
            assert not part.peeked
            plain = []
            for update in reader.updates[start:]:
                update.ClearField("seat")
                update.ClearField("p")
                if update.events or update.HasField("table_info"):
                    plain.append(update.SerializeToString())
            assert plain == public
            view = await reader.fresh()
            assert not view.seat.hand
            view.ClearField("seat")
            view.ClearField("p")
            assert view == await watcher.fresh()
            told += len(plain)
    assert told

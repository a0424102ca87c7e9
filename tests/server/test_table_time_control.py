"""Time controls: presets, and the bank that a seat has beside the time for each decision."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from google.protobuf.duration_pb2 import Duration

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables import Caller, Refused, TableSpec
from gouji_server.tables.table import ASKED_TOGETHER
from gouji_server.tables.time_control import TimeControl, Times
from tests.server.players import House, Reader, choose, live_deal, person, play_on, request
from tests.server.raw_client import new_id, refusal

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from tests.server.running import Running

NAMES = {
    lobby_pb2.TIME_PRESET_BLITZ: (8, 60),
    lobby_pb2.TIME_PRESET_NORMAL: (20, 180),
    lobby_pb2.TIME_PRESET_SLOW: (60, 600),
}


async def banked(seed: int = 0) -> tuple[House, TableHandle, Reader]:
    """Begin a match of 20 s and a bank of 30 s, play it up to the first question to one seat, and follow it."""
    at = House(seed=seed)
    handle = await at.match(TableSpec(decision_seconds=20, bank_seconds=30, deals=2))
    await play_on(at, handle, random.Random(seed), moves=6)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    assert live_deal(at, handle).public.kind == gr.Kind.LEAD
    return at, handle, reader


def bank(reader: Reader, seat: int) -> float:
    """What a follower knows of a seat's bank, in seconds."""
    assert reader.state is not None
    return reader.state.seats[seat].bank_left.ToMilliseconds() / 1000


def left(at: House, reader: Reader) -> float:
    """Seconds until the open question lapses, as a follower knows it."""
    assert reader.state is not None
    return round(reader.state.question.deadline.ToMilliseconds() / 1000 - at.clock.now(), 3)


async def answer(at: House, handle: TableHandle, seat: int, policy: str = "simple") -> None:
    """Have a seat answer the open question."""
    verb, cards, suit = choose(live_deal(at, handle).view(seat), random.Random(1), policy)
    story = at.tables._actors[handle.name]._story
    assert story is not None
    decision = story.state.decision
    asked = request(handle.name, decision, verb, cards, request_id=f"a{decision}-{seat}", suit=suit)
    await handle.act(person(seat), asked)


async def test_a_seat_asked_alone_has_its_time_and_then_its_bank() -> None:
    """The deadline is the decision time and the whole bank away, and what the answer took beyond the decision time is
    gone from the bank at the seat's next decision; other banks are whole."""
    at, handle, reader = await banked()
    seat = live_deal(at, handle).public.turn
    assert left(at, reader) == 50
    await at.clock.run(32.5)
    await answer(at, handle, seat)
    await reader.read()
    assert [bank(reader, other) for other in range(6)] == [17.5 if other == seat else 30 for other in range(6)]


async def test_an_answer_in_its_time_costs_no_bank() -> None:
    """What is left of a decision's own time is lost and not saved."""
    at, handle, reader = await banked()
    await at.clock.run(20)
    await answer(at, handle, live_deal(at, handle).public.turn)
    await reader.read()
    assert {bank(reader, seat) for seat in range(6)} == {30}


async def test_a_bank_that_is_empty_gives_no_time() -> None:
    """A seat whose decision lapsed has used its bank up: its later decisions have the decision time alone."""
    at, handle, reader = await banked(3)
    seat = live_deal(at, handle).public.turn
    await at.clock.run(49.9)
    assert await reader.read() == 0
    await at.clock.run(0.2)
    assert await reader.read() == 1
    assert reader.updates[-1].events[0].by_clock
    assert bank(reader, seat) == 0
    dice = random.Random(3)
    while live_deal(at, handle).public.asked != 1 << seat:
        await play_on(at, handle, dice, moves=1)
    await reader.read()
    assert left(at, reader) == 20


async def test_where_several_are_asked_no_bank_runs() -> None:
    """In every question whose answers are hidden, also one that a single seat is asked, all have the decision time and
    no bank is touched, however long it takes; so what is left of a bank tells nothing of an answer (R36)."""
    at = House(seed=5)
    handle = await at.match(TableSpec(decision_seconds=20, bank_seconds=30, deals=1))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    dice = random.Random(5)
    hidden = 0
    while hidden < 4 and not reader.closed:
        deal = live_deal(at, handle)
        together = bool(ASKED_TOGETHER >> deal.public.kind & 1)
        assert reader.state is not None
        decision, before = reader.state.question.decision, [bank(reader, seat) for seat in range(6)]
        if together:
            hidden += 1
            assert left(at, reader) == 20
            await at.clock.run(19)
        while reader.state.question.decision == decision and not reader.closed:
            await play_on(at, handle, dice, moves=1)
            await reader.read()
        if together:
            assert [bank(reader, seat) for seat in range(6)] == before
    assert hidden == 4


async def test_banks_are_kept_over_deals_and_a_restart() -> None:
    """A bank is for the match: the next deal begins with what is left, and so does the server after a restart."""
    at, handle, reader = await banked(2)
    seat = live_deal(at, handle).public.turn
    await at.clock.run(25)
    await answer(at, handle, seat)
    dice = random.Random(2)
    first = live_deal(at, handle)
    while live_deal(at, handle) is first:
        await play_on(at, handle, dice, moves=1)
    await at.restart()
    await reader.follow()
    await reader.read()
    assert reader.state is not None
    assert reader.state.deal == 2
    assert [bank(reader, other) for other in range(6)] == [25 if other == seat else 30 for other in range(6)]


async def test_banks_that_are_all_used_up_are_told_as_such() -> None:
    """A deal that begins with nothing left in any bank says so, as zeros: the table has banks all the same."""
    at, handle, reader = await banked(2)
    story = at.tables._actors[handle.name]._story
    assert story is not None
    story.state.times.left = (0,) * 6
    first = live_deal(at, handle)
    while live_deal(at, handle) is first:
        await play_on(at, handle, random.Random(2), moves=1)
    await reader.read()
    fresh = await reader.fresh()
    for state in (reader.state, fresh.state):
        assert state is not None
        assert state.deal == 2
        assert [seat.HasField("bank_left") for seat in state.seats] == [True] * 6
        assert not any(seat.bank_left.ToMilliseconds() for seat in state.seats)


async def test_a_table_without_banks_tells_of_none() -> None:
    """Where there is no bank no seat's state has the field, and the deadline is the decision time away."""
    at = House()
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    assert reader.state is not None
    assert not any(seat.HasField("bank_left") for seat in reader.state.seats)


@pytest.mark.parametrize("set_to", [-50_000, 0, 19_999])
def test_a_clock_set_back_takes_nothing_from_a_bank(set_to: int) -> None:
    """An answer before its question, by a clock that was set back meanwhile, costs nothing."""
    times = Times()
    times.control = TimeControl(20_000, 30_000)
    times.start()
    assert times.ask(0b100, 100_000, together=False) == 150_000
    times.settle(100_000 + set_to)
    assert times.left == (30_000,) * 6


async def test_a_bank_without_a_clock_is_refused() -> None:
    """The tables themselves refuse it too, and one that is too large."""
    at = House()
    for spec in (TableSpec(bank_seconds=5), TableSpec(decision_seconds=5, bank_seconds=3601)):
        with pytest.raises(Refused) as refused:
            await at.tables.create(Caller("accounts/a", "A"), spec, "id")
        assert refused.value.fields[0][0] == "time_control.bank"


@pytest.mark.parametrize("preset", NAMES)
async def test_presets_have_their_times(running_server: Running, preset: lobby_pb2.TimePreset.ValueType) -> None:
    """A table made with a preset tells it and its times; the same times given by hand are that preset."""
    client = await running_server.player()
    decision, saved = NAMES[preset]
    named = lobby_pb2.TimeControl(preset=preset)
    own = lobby_pb2.TimeControl(decision_time=Duration(seconds=decision), bank=Duration(seconds=saved))
    for wanted in (named, own):
        made = await client.call(lobby_pb2.CreateTableRequest(request_id=new_id(), time_control=wanted))
        told = made.table.time_control
        assert (told.preset, told.decision_time.seconds, told.bank.seconds) == (preset, decision, saved)
        assert made.table.decision_time.seconds == decision


async def test_times_that_make_no_sense_are_refused_by_name(running_server: Running) -> None:
    """A preset together with times, an unknown preset, a bank alone or out of bounds, both ways of giving the time:
    each names its field. The old field alone goes on working, and neither is no clock."""
    client = await running_server.player()
    second = Duration(seconds=1)
    control = lobby_pb2.TimeControl
    bad = {
        "time_control.preset": [control(preset=1, decision_time=second), control(preset=99)],  # type: ignore[arg-type]
        "time_control.bank": [control(bank=second), control(decision_time=second, bank=Duration(seconds=3601))],
        "time_control.decision_time": [control(decision_time=Duration(nanos=1))],
    }
    for field, controls in bad.items():
        for wanted in controls:
            failed = await refusal(client.call(lobby_pb2.CreateTableRequest(request_id=new_id(), time_control=wanted)))
            assert field in failed.fields
    both = lobby_pb2.CreateTableRequest(request_id=new_id(), time_control=control(preset=1), decision_time=second)  # type: ignore[arg-type]
    assert "decision_time" in (await refusal(client.call(both))).fields
    made = await client.call(lobby_pb2.CreateTableRequest(request_id=new_id(), decision_time=second))
    assert made.table.time_control.decision_time == made.table.decision_time == second
    assert made.table.time_control.preset == lobby_pb2.TIME_PRESET_UNSPECIFIED
    none = (await client.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table
    assert none.time_control.preset == lobby_pb2.TIME_PRESET_NONE
    assert not none.HasField("decision_time")

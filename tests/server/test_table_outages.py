"""Clocks after an outage, and answers that are under way when the time is up."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.players import House, Reader, at_home, choose, live_deal, person, play_on, request

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from gouji_server.tables.table import TableState

TIMED = TableSpec(decision_seconds=30, bank_seconds=40, deals=1)


async def begin(
    spec: TableSpec = TIMED, *, moves: int = 6, seed: int = 5, limits: Limits | None = None
) -> tuple[House, TableHandle, Reader]:
    """Begin a match, play so many answers (six: to the first lead), and watch."""
    at = House(seed=seed, limits=limits)
    await at.tables.start()
    handle = await at.match(spec)
    await play_on(at, handle, random.Random(seed), moves=moves)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    return at, handle, reader


def state_of(at: House, handle: TableHandle) -> TableState:
    story = at.tables._actors[handle.name]._story
    assert story is not None
    return story.state


def left(at: House, reader: Reader) -> float:
    """Seconds until the open question lapses, as a follower knows it."""
    assert reader.state is not None
    return round(reader.state.question.deadline.ToMilliseconds() / 1000 - at.clock.now(), 3)


async def go_down(at: House, reader: Reader, seconds: float) -> None:
    """Stop the server for so long; then the reader comes back."""
    await at.tables.close()
    await at.clock.run(seconds)
    await at.restart()
    await reader.follow(resume=True)
    await reader.read()


async def answer(at: House, handle: TableHandle, seat: int) -> None:
    """Have a seat answer as the simple bot would."""
    decision = state_of(at, handle).decision
    verb, cards, suit = choose(live_deal(at, handle).view(seat), random.Random(1), "simple")
    asked = request(handle.name, decision, verb, cards, request_id=f"{decision}-{seat}", suit=suit)
    await handle.act(person(seat), asked)


async def test_an_outage_costs_no_time() -> None:
    """Who was asked when the server went down has as long again as when it was asked, all hear by how much the deadline
    moved, and then the default comes."""
    at, _, reader = await begin()
    assert left(at, reader) == 70
    await at.clock.run(12)
    await go_down(at, reader, 500)
    (event,) = reader.updates[-1].events
    assert event.clock_compensated.by.ToMilliseconds() == 512_000
    assert left(at, reader) == 70
    await at.clock.run(69.9)
    assert await reader.read() == 0
    await at.clock.run(0.2)
    assert await reader.read() == 1
    assert reader.updates[-1].events[0].by_clock


async def test_a_second_outage_moves_it_once_more() -> None:
    """Each outage is told and counted from what was told last."""
    at, _, reader = await begin()
    for _ in range(3):
        await go_down(at, reader, 100)
        assert left(at, reader) == 70
    moved = [event for update in reader.updates for event in update.events if event.HasField("clock_compensated")]
    assert [event.clock_compensated.by.seconds for event in moved] == [100, 100, 100]


async def test_there_are_five_seconds_at_least() -> None:
    """A question of two seconds has five after an outage: who is asked has to come back first."""
    at, _, reader = await begin(TableSpec(decision_seconds=2, deals=1))
    await go_down(at, reader, 60)
    assert left(at, reader) == 5


async def test_a_bank_does_not_run_while_the_server_is_down() -> None:
    """An answer within the decision time after an outage leaves the bank whole."""
    at, handle, reader = await begin()
    seat = live_deal(at, handle).public.turn
    await go_down(at, reader, 500)
    await at.clock.run(29)
    await answer(at, reader.handle, seat)
    await reader.read()
    assert reader.state is not None
    assert reader.state.seats[seat].bank_left.seconds == 40


async def test_a_table_without_a_clock_has_nothing_to_move() -> None:
    """No event where no clock runs."""
    at, _, reader = await begin(TableSpec(deals=1))
    before = len(reader.updates)
    await go_down(at, reader, 500)
    assert len(reader.updates) == before


async def test_a_clock_set_back_over_an_outage_makes_nobody_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine's clock is an hour behind after the restart, the question has the time that it had."""
    at, _, reader = await begin()
    now, call_at = at.clock.now, at.clock.call_at
    await at.tables.close()
    monkeypatch.setattr(at.clock, "now", lambda: now() - 3600)
    monkeypatch.setattr(at.clock, "call_at", lambda due, function: call_at(due + 3600, function))
    await go_down(at, reader, 10)
    assert left(at, reader) == 70
    assert reader.updates[-1].events[0].clock_compensated.by.seconds == -3590


@pytest.mark.parametrize("answers", [0, 1, 4])
async def test_the_new_deadline_tells_of_no_hidden_answer(answers: int) -> None:
    """R36, R50: however many have answered a common question, and whenever, everyone else receives the same bytes
    before the outage and after it."""
    raw = []
    for answered in (0, answers):
        at, handle, reader = await begin(moves=0)
        assert live_deal(at, handle).public.kind == gr.Kind.REVOLT
        other = Reader(at, handle, person(5))
        await other.follow()
        for seat in range(4):
            await at.clock.run(3)
            if seat < answered:
                await answer(at, handle, seat)
        await other.read()
        await go_down(at, reader, 500)
        await other.follow(resume=True)
        await other.read()
        assert left(at, reader) == 30
        raw.append((reader.raw, other.raw))
    assert raw[0] == raw[1]


async def test_an_answer_under_way_at_the_deadline_is_in_time() -> None:
    """0.3 s after the deadline that was told the default comes, and not before: until then an answer is taken."""
    at, handle, reader = await begin(limits=at_home(lag_seconds=0.3))
    seat = live_deal(at, handle).public.turn
    await at.clock.run(70.25)
    assert await reader.read() == 0
    await answer(at, handle, seat)
    await reader.read()
    assert not any(event.by_clock for event in reader.updates[-1].events)
    assert reader.state is not None
    assert reader.state.seats[seat].bank_left.ToMilliseconds() == 0
    decision, turn = state_of(at, handle).decision, live_deal(at, handle).public.turn
    await at.clock.run(left(at, reader) + 0.35)
    with pytest.raises(Refused) as refused:
        await handle.act(person(turn), request(handle.name, decision, int(gr.Verb.PASS), request_id="late"))
    assert refused.value.reason == "STALE_DECISION"

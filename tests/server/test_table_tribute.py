"""Tribute at a table: asked, told and kept from deal to deal (R70-R79)."""

from __future__ import annotations

import random

import pytest

from gouji.table.v1 import events_pb2, state_pb2
from gouji_server.tables import TableSpec
from tests.server.players import House, Reader, person, play_on

OPTIONS = {
    "qingdao's option": (("tribute", ("loser",)),),
    "free, refusable, on a sweep the opposites": (
        ("tribute", ("loser",)),
        ("return", "free"),
        ("tribute_refusable", True),
        ("sweep_tribute", "opposites"),
    ),
    "must match, by place, shown": (
        ("tribute", ("burn", "loser")),
        ("return", "must_match"),
        ("sweep_tribute", "by_place"),
        ("waiver_shows", True),
    ),
}


async def played(options: tuple[tuple[str, object], ...], deals: int, seed: int) -> tuple[House, Reader]:
    """Play a match of six people, the server restarted in the middle; return it and a spectator's reading."""
    at = House(seed=seed)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=deals, options=options))  # type: ignore[arg-type]
    reader = Reader(at, handle, person(9))
    await reader.follow()
    dice = random.Random(seed)
    restarts = 0
    for _ in range(40):
        await at.clock.run(10)
        await play_on(at, handle, dice, moves=150)
        await reader.read()
        if reader.closed:
            break
        if restarts < 2:
            restarts += 1
            await at.restart()
            handle = await at.tables.open(handle.name)
            await handle.info()
            await reader.follow(resume=True)
    assert reader.closed
    return at, reader


def told(reader: Reader, kind: str) -> list[events_pb2.TableEvent]:
    """Return the events of a kind."""
    return [event for update in reader.updates for event in update.events if event.WhichOneof("event") == kind]


@pytest.mark.parametrize("name", OPTIONS)
async def test_r70_what_is_owed_is_paid_before_the_next_deal(name: str) -> None:
    """What a deal leaves is owed in the next one, also over restarts; payments, returns and refusals are told to all,
    and the match goes to its end."""
    _, reader = await played(OPTIONS[name], 3, 5)
    recorded = told(reader, "obligations_recorded")
    settled = [*told(reader, "tribute_paid"), *told(reader, "tribute_waived"), *told(reader, "tribute_refused")]
    owed = [debt for event in recorded[:-1] for debt in event.obligations_recorded.obligations]
    assert len(settled) == len(owed) > 0
    paid = sum(len(event.tribute_paid.cards) for event in settled)
    returned = told(reader, "card_returned")
    assert len(returned) <= paid
    assert len(told(reader, "deal_ended")) == 3
    (ended,) = told(reader, "match_ended")
    assert ended.match_ended.reason == events_pb2.MATCH_END_REASON_DEALS


async def test_r73_a_picked_card_is_told_by_the_question_that_follows() -> None:
    """`may_refuse`: the pick makes another question, which names the card and the payment; the step has an event, so
    that nobody waits for an old question."""
    _, reader = await played(OPTIONS["qingdao's option"], 4, 6)
    asked = [
        update
        for update in reader.updates
        if update.state.question.kind == state_pb2.QUESTION_KIND_REFUSE and not update.HasField("snapshot")
    ]
    assert asked
    for update in asked:
        question = update.state.question
        assert [event.WhichOneof("event") for event in update.events] == ["question_opened"]
        assert list(question.seats) == [question.tribute.payer]
        assert question.decision == update.n
        returned = question.returned
        assert returned.naturals + returned.twos + returned.small_jokers + returned.big_jokers == 1
        assert not update.state.trick.HasField("top")


async def test_a_lapsed_question_of_tribute_is_answered_for_the_seat() -> None:
    """With a clock nobody holds a deal up: the receiver's lowest card comes back, and the rest is as if answered no."""
    at = House(seed=3)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2, options=(("tribute", ("loser",)),), decision_seconds=5))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    dice = random.Random(3)
    while not told(reader, "deal_ended"):
        await at.clock.run(0.1)
        await play_on(at, handle, dice, moves=50)
        await reader.read()
    for _ in range(200):
        await at.clock.run(6)
        await reader.read()
        if reader.state is not None and reader.state.phase == state_pb2.PHASE_PLAY and reader.state.deal == 2:
            break
    assert reader.state is not None
    assert (reader.state.deal, reader.state.phase) == (2, state_pb2.PHASE_PLAY)
    assert told(reader, "tribute_paid")

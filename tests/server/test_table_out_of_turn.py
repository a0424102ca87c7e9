"""What seats say out of turn: asking for a count (R80), feeling a hand (R82), ending the match (R17)."""

from __future__ import annotations

import asyncio
import random

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, table_pb2
from gouji_server.tables import Limits, Refused, TableHandle, TableSpec
from tests.server.players import House, Reader, at_home, live_deal, person, play_on, request

ASKING = TableSpec(deals=2, options=(("report", "asked"),))
FEELING = TableSpec(deals=2, options=(("feel_chances", 3),))


async def playing(
    spec: TableSpec, *, people: int = 6, moves: int = 150, limits: Limits | None = None
) -> tuple[House, Reader]:
    """Begin a match and play some moves; return it and a spectator's reading."""
    at = House(seed=8, limits=limits)
    await at.tables.start()
    handle = await at.match(spec, people=people)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await play_on(at, handle, random.Random(8), moves=moves)
    await reader.read()
    return at, reader


def last_events(reader: Reader) -> list[str | None]:
    """Return the kinds of the newest update's events."""
    return [event.WhichOneof("event") for event in reader.updates[-1].events]


async def test_r80_a_count_asked_for_is_heard_by_all() -> None:
    """Whoever asks, in turn or not, all hear the count: the number from ten down, else that there are more. The open
    question stays as it is, the same id is not told twice, and a restart remembers it."""
    at, reader = await playing(ASKING)
    handle = reader.handle
    deal = live_deal(at, handle)
    assert reader.state is not None
    before = reader.state.question.decision
    holders = [seat for seat in range(6) if deal.public.active >> seat & 1]
    answer: tuple[int, int | None] = (0, None)
    for of in holders:
        asker = (of + 1) % 6
        answer = await handle.ask_count(person(asker), of, f"ask-{of}")
        assert await handle.ask_count(person(asker), of, f"ask-{of}") == answer
        await reader.read()
        (event,) = reader.updates[-1].events
        left = len(deal.cards(of))
        version, count = answer
        assert count == (left if left <= 10 else None)
        assert (event.n, event.count_told.asker, event.count_told.seat) == (version, asker, of)
        assert event.count_told.HasField("count") == (left <= 10)
        assert event.count_told.count == (left if left <= 10 else 0)
    assert reader.state.question.decision == before
    assert answer[0] == reader.updates[-1].n
    await at.restart()
    again = await at.tables.open(handle.name)
    assert await again.ask_count(person((holders[-1] + 1) % 6), holders[-1], f"ask-{holders[-1]}") == answer


async def test_r80_the_same_question_sent_late_is_told_what_all_heard_then() -> None:
    """Cards played since do not show in a late duplicate's answer, nor after a restart: it is no second asking."""
    at, reader = await playing(ASKING)
    handle, dice = reader.handle, random.Random(9)
    deal = live_deal(at, handle)
    while not (few := [seat for seat in range(6) if 4 < len(deal.cards(seat)) <= 10]):
        await play_on(at, handle, dice, moves=1)
    of, asker = few[0], person((few[0] + 1) % 6)
    told = await handle.ask_count(asker, of, "ask")
    assert told[1] == len(deal.cards(of))
    while len(deal.cards(of)) == told[1]:
        await play_on(at, handle, dice, moves=1)
    assert live_deal(at, handle) is deal
    assert await handle.ask_count(asker, of, "ask") == told
    await at.restart()
    again = await at.tables.open(handle.name)
    assert await again.ask_count(asker, of, "ask") == told
    assert (await again.ask_count(asker, of, "ask-anew"))[1] == len(live_deal(at, again).cards(of)) != told[1]


@pytest.mark.parametrize(
    ("spec", "caller", "of", "reason"),
    [
        (ASKING, 2, 2, "ASK_ANOTHER"),
        (ASKING, 9, 2, "NOT_SEATED"),
        (TableSpec(deals=2), 2, 3, "NO_REPORT"),
        (ASKING, 2, 6, "BAD_SEAT"),
    ],
)
async def test_a_count_that_may_not_be_asked_is_refused(spec: TableSpec, caller: int, of: int, reason: str) -> None:
    """Oneself, no seat, a stranger, and rules without asking: each refusal has its reason and tells nobody anything."""
    _, reader = await playing(spec)
    before = len(reader.updates)
    with pytest.raises(Refused) as raised:
        await reader.handle.ask_count(person(caller), of, "ask")
    assert raised.value.reason == reason
    assert await reader.read() == 0
    assert len(reader.updates) == before


async def test_r82_what_a_hand_feels_like_is_told_to_one_seat_alone() -> None:
    """All hear that a hand was felt; how thick it is the asker alone, in the answer and in its seat's part from then
    on, through restarts and snapshots, until the next deal. Three times a deal, in turn or not."""
    at, watcher = await playing(FEELING)
    handle = watcher.handle
    asker = next(seat for seat in range(6) if live_deal(at, handle).cards(seat) and opposite_cards(at, handle, seat))
    readers = {number: Reader(at, handle, person(number)) for number in range(6)}
    for reader in readers.values():
        await reader.follow()
        await reader.read()
    felt = []
    for number in range(3):
        for reader in readers.values():
            await reader.read()
        place = readers[asker].place
        before = place.p if place else 0
        version, (least, most) = await handle.feel(person(asker), f"feel-{number}")
        assert await handle.feel(person(asker), f"feel-{number}") == (version, (least, most))
        assert (least % 6, most) == (1, least + 5)
        assert least <= opposite_cards(at, handle, asker) <= most
        felt.append((least, most))
        await watcher.read()
        (event,) = watcher.updates[-1].events
        assert (event.n, event.felt.asker, event.felt.seat) == (version, asker, (asker + 3) % 6)
        assert watcher.state is not None
        assert watcher.state.seats[asker].feels_used == number + 1
        for seat, reader in readers.items():
            await reader.read()
            update = reader.updates[-1]
            public = table_pb2.TableUpdate.FromString(update.SerializeToString())
            public.ClearField("p")
            public.ClearField("seat")
            assert public == watcher.updates[-1]
            told = [(part.least, part.most) for part in update.seat.felt]
            assert (update.p, told) == ((before + 1, felt) if seat == asker else (0, []))
        await play_on(at, handle, random.Random(number), moves=7)
    with pytest.raises(Refused) as raised:
        await handle.feel(person(asker), "feel-3")
    assert (raised.value.reason, raised.value.rule) == ("NO_CHANCES_LEFT", "R82")
    await at.restart()
    handle = await at.tables.open(handle.name)
    again = await handle.feel(person(asker), "feel-0")
    assert again[1] == felt[0]
    fresh = {number: await Reader(at, handle, person(number)).fresh() for number in range(6)}
    assert [(part.least, part.most) for part in fresh[asker].seat.felt] == felt
    assert not any(view.seat.felt for number, view in fresh.items() if number != asker)
    while live_deal(at, handle).public.number == 1:
        await play_on(at, handle, random.Random(8), moves=1)
    assert not (await Reader(at, handle, person(asker)).fresh()).seat.felt
    assert (await handle.feel(person(asker), "feel-4"))[0] > again[0]


def opposite_cards(at: House, handle: TableHandle, seat: int) -> int:
    """Return how many cards a seat's opposite holds."""
    return len(live_deal(at, handle).cards((seat + 3) % 6))


@pytest.mark.parametrize(
    ("spec", "caller", "reason"),
    [(FEELING, 9, "NOT_SEATED"), (TableSpec(deals=2), 2, "NO_FEELING"), (ASKING, 2, "NO_FEELING")],
)
async def test_a_hand_that_may_not_be_felt_is_refused(spec: TableSpec, caller: int, reason: str) -> None:
    """Strangers, and rules without feeling: nobody is told anything."""
    _, reader = await playing(spec)
    before = len(reader.updates)
    with pytest.raises(Refused) as raised:
        await reader.handle.feel(person(caller), "feel")
    assert raised.value.reason == reason
    assert await reader.read() == 0
    assert len(reader.updates) == before


async def test_r82_an_answer_in_an_open_window_is_not_disturbed() -> None:
    """Feeling and asking while answers are hidden change neither who has answered nor the question."""
    both = TableSpec(deals=1, options=(*FEELING.options, *ASKING.options))
    at, reader = await playing(both, moves=0)
    handle = reader.handle
    deal = live_deal(at, handle)
    assert deal.question is not None
    assert deal.question.kind == gr.Kind.REVOLT
    decision = reader.state.question.decision if reader.state else 0
    await handle.act(person(2), request(handle.name, decision, gr.Verb.NO, request_id="no"))
    await handle.feel(person(2), "feel")
    await handle.ask_count(person(2), 1, "ask")
    view = await Reader(at, handle, person(2)).fresh()
    assert view.seat.answered
    assert view.state.question.decision == decision
    for number in (0, 1, 3, 4, 5):
        await handle.act(person(number), request(handle.name, decision, gr.Verb.NO, request_id="no"))
    assert live_deal(at, handle).question != deal.question or live_deal(at, handle).public.kind != gr.Kind.REVOLT


async def test_r17_all_six_end_the_match() -> None:
    """Each vote is told; with the sixth the match ends without the running deal, whose cards and secret are opened
    (R84), also across a restart."""
    at, reader = await playing(TableSpec(deals=3), moves=1_000)
    handle = reader.handle
    for number in range(5):
        await handle.vote_dissolution(person(number), True, "end")
        await reader.read()
        assert last_events(reader) == ["dissolution_voted"]
    await at.restart()
    handle = await at.tables.open(handle.name)
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_PLAYING
    await reader.follow(resume=True)
    assert reader.state is not None
    events = [event for update in reader.updates for event in update.events]
    commitments = [event.deal_started.commitment for event in events if event.HasField("deal_started")]
    scores = list(reader.state.scores)
    await handle.vote_dissolution(person(5), True, "end")
    await reader.read()
    ending = ["dissolution_voted", "match_dissolved", "deal_revealed", "match_ended", "table_closed"]
    assert last_events(reader) == ending
    revealed = reader.updates[-1].events[2].deal_revealed
    assert [len(hand.cards) for hand in revealed.hands] == [36] * 6
    assert (gr.commitment(revealed.secret), revealed.record) == (commitments[-1], "")
    ended = reader.updates[-1].events[3].match_ended
    assert (list(ended.scores), ended.reason) == (scores, events_pb2.MATCH_END_REASON_DISSOLVED)
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED
    await at.clock.run(3600)
    await reader.read()
    assert last_events(reader)[-1] == "table_closed"


async def test_r17_one_who_is_against_it_takes_all_votes_back() -> None:
    """After an objection everyone has to agree anew."""
    _, reader = await playing(TableSpec(deals=3))
    handle = reader.handle
    for number in range(5):
        await handle.vote_dissolution(person(number), True, "end")
    await handle.vote_dissolution(person(2), False, "no")
    await handle.vote_dissolution(person(5), True, "end")
    await reader.read()
    assert last_events(reader) == ["dissolution_voted"]
    assert not reader.closed


async def test_r17_votes_are_seen_by_who_comes_later_and_lapse_with_the_deal() -> None:
    """Who is for ending the match stands in the state, a vote that changes nothing is told to nobody, and the next deal
    begins without votes."""
    at, reader = await playing(TableSpec(deals=3), moves=3)
    handle = reader.handle
    first = await handle.vote_dissolution(person(4), True, "a")
    await handle.vote_dissolution(person(1), True, "b")
    await reader.read()
    told = len(reader.updates)
    second = await handle.vote_dissolution(person(1), True, "c")
    assert second == first + 1
    assert await handle.vote_dissolution(person(4), True, "a") == first
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await handle.vote_dissolution(person(4), False, "a")
    await reader.read()
    assert len(reader.updates) == told
    await at.restart()
    late = Reader(at, handle, person(8))
    await late.follow()
    await late.read()
    for state in (reader.state, late.state):
        assert state is not None
        assert list(state.for_ending) == [1, 4]
    handle = late.handle
    while live_deal(at, handle).public.number == 1:
        await play_on(at, handle, random.Random(8), moves=1)
    await late.read()
    assert late.state is not None
    assert list(late.state.for_ending) == []
    for number in (0, 2, 3, 5):
        await handle.vote_dissolution(person(number), True, "d")
    await late.read()
    assert not late.closed


async def test_votes_and_questions_of_one_seat_have_an_end() -> None:
    """Every word is kept and told to all: past the bound a seat is refused, the others are not, until the next deal."""
    at, reader = await playing(ASKING, limits=at_home(said_a_deal=3))
    handle = reader.handle
    of = next(seat for seat in range(1, 6) if live_deal(at, handle).cards(seat))
    await handle.ask_count(person(0), of, "a0")
    await handle.vote_dissolution(person(0), True, "a1")
    await handle.vote_dissolution(person(0), False, "a2")
    await at.restart()
    handle = await at.tables.open(handle.name)
    for saying in (handle.ask_count(person(0), of, "a3"), handle.vote_dissolution(person(0), True, "a4")):
        with pytest.raises(Refused) as raised:
            await saying
        assert (raised.value.reason, raised.value.status) == ("TOO_MUCH_SAID", "RESOURCE_EXHAUSTED")
    assert (await handle.ask_count(person(0), of, "a0"))[0] > 0
    await handle.vote_dissolution(person(1), True, "b")
    while live_deal(at, handle).public.number == 1:
        await play_on(at, handle, random.Random(8), moves=1)
    await handle.vote_dissolution(person(0), True, "a5")


async def test_nothing_is_asked_or_voted_on_where_no_deal_runs() -> None:
    """In the pause between two deals no count is told, though a vote is heard; at a frozen table and after the match
    both are refused; and votes that come with the last seat's readiness find no deal yet."""
    at, reader = await playing(ASKING, moves=0, limits=at_home(pause_seconds=60))
    handle = reader.handle
    await play_on(at, handle, random.Random(8), moves=10_000)
    with pytest.raises(Refused, match="NO_DEAL"):
        await handle.ask_count(person(0), 1, "a")
    await handle.vote_dissolution(person(0), True, "b")
    await reader.read()
    assert last_events(reader) == ["dissolution_voted"]
    await at.clock.run(61)
    await play_on(at, handle, random.Random(8), moves=10_000)
    for saying in (handle.ask_count(person(0), 1, "c"), handle.vote_dissolution(person(0), True, "d")):
        with pytest.raises(Refused, match="TABLE_CLOSED"):
            await saying


async def test_a_vote_in_the_very_turn_that_begins_the_match_is_refused() -> None:
    """Between the last readiness and the first deal, which are one turn, there is no deal to end."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(ASKING)
    for number in range(5):
        await handle.set_ready(person(number), True, "r")
    ready = asyncio.ensure_future(handle.set_ready(person(5), True, "r"))
    vote = asyncio.ensure_future(handle.vote_dissolution(person(0), True, "v"))
    ask = asyncio.ensure_future(handle.ask_count(person(0), 1, "v"))
    await ready
    for saying in (vote, ask):
        with pytest.raises(Refused, match="NO_DEAL"):
            await saying
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_PLAYING


async def test_r17_bots_go_with_the_people() -> None:
    """At a table with built-in bots the people decide."""
    _, reader = await playing(TableSpec(deals=3), people=2, moves=3)
    await reader.handle.vote_dissolution(person(0), True, "end")
    await reader.read()
    assert not reader.closed
    await reader.handle.vote_dissolution(person(1), True, "end")
    await reader.read()
    assert reader.closed


async def test_r17_one_person_among_bots_ends_the_match_at_once() -> None:
    """Where the five others are built-in bots one vote is enough, and the running deal is not scored."""
    _, reader = await playing(TableSpec(deals=3), people=1, moves=1)
    await reader.handle.vote_dissolution(person(0), True, "end")
    await reader.read()
    assert reader.closed
    assert "match_dissolved" in last_events(reader)
    assert reader.state is not None
    assert list(reader.state.scores) == [0, 0]


async def test_r17_there_must_be_a_match() -> None:
    """Before the match, and for strangers, there is nothing to end."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(TableSpec())
    for caller, reason in ((0, "MATCH_NOT_STARTED"), (9, "NOT_SEATED")):
        with pytest.raises(Refused) as raised:
            await handle.vote_dissolution(person(caller), True, "end")
        assert raised.value.reason == reason


async def test_a_deals_record_has_every_hand_that_was_felt() -> None:
    """R84, R82: what was felt stands in the record that the deal is opened with, where it happened, over a restart."""
    at, reader = await playing(FEELING, moves=40)
    handle = reader.handle
    askers = [seat for seat in range(6) if live_deal(at, handle).cards(seat) and opposite_cards(at, handle, seat)][:2]
    await handle.feel(person(askers[0]), "feel-0")
    await play_on(at, handle, random.Random(8), moves=7)
    await at.restart()
    handle = await at.tables.open(handle.name)
    await handle.feel(person(askers[1]), "feel-1")
    reader = Reader(at, handle, person(9))
    await reader.follow()
    while live_deal(at, handle).public.number == 1:
        await play_on(at, handle, random.Random(8), moves=1)
    await reader.read()
    told = [event for update in reader.updates for event in update.events]
    record = next(event.deal_revealed.record for event in told if event.HasField("deal_revealed"))
    lines = [line.text for line in gr.read_record(record).lines]
    assert [text for text in lines if text.endswith("feel")] == [f"{seat} feel" for seat in askers]
    assert 7 < lines.index(f"{askers[0]} feel") < len(lines) - 10
    assert gr.check_record(record) == []

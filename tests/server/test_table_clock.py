"""What happens by itself: decisions lapse, built-in bots answer, whatever a player does not."""

from __future__ import annotations

import asyncio
import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.table.v1 import state_pb2
from gouji_server.tables import BotFailed, Choice, TableSpec
from tests.server.players import HomeBots, House, Reader, at_home, live_deal, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_server.tables import TableHandle


async def clocked(seed: int = 0, *, bots: HomeBots | None = None) -> House:
    """Start a house."""
    at = House(seed=seed, bots=bots)
    await at.tables.start()
    return at


async def follow(at: House, handle: TableHandle, number: int = 9) -> Reader:
    """Have somebody follow and read the beginning."""
    reader = Reader(at, handle, person(number))
    await reader.follow()
    await reader.read()
    return reader


async def test_each_question_tells_when_it_lapses() -> None:
    """A clocked table's question has a deadline its decision time after the step that asked it; others have none."""
    at = await clocked()
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    reader = await follow(at, handle)
    assert reader.state is not None
    assert reader.state.question.deadline.seconds == int(at.clock.now()) + 20
    await at.clock.run(7)
    await play_on(at, handle, random.Random(1), moves=6)
    await reader.read()
    assert reader.state.question.deadline.seconds == int(at.clock.now()) + 20


async def test_a_table_without_a_clock_waits_for_ever() -> None:
    """Without a decision time a question has no deadline and nothing lapses."""
    at = await clocked()
    handle = await at.match(TableSpec(deals=1))
    reader = await follow(at, handle)
    assert reader.state is not None
    assert not reader.state.question.HasField("deadline")
    await at.clock.run(20_000)
    assert await reader.read() == 0


async def test_a_clock_that_is_set_back_makes_nobody_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the machine's clock is set back by an hour the open decision lapses as if it had not been, and the next ones
    have their time and no more."""
    at = await clocked(3)
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    await play_on(at, handle, random.Random(3), moves=6)
    reader = await follow(at, handle)
    now, call_at = at.clock.now, at.clock.call_at
    monkeypatch.setattr(at.clock, "now", lambda: now() - 3600)
    monkeypatch.setattr(at.clock, "call_at", lambda due, function: call_at(due + 3600, function))
    for _ in range(3):
        at.clock.advance(19.9)
        await settle()
        assert await reader.read() == 0
        at.clock.advance(0.2)
        await settle()
        assert await reader.read() == 1
        assert reader.updates[-1].events[0].by_clock


async def test_a_question_to_one_seat_lapses_into_its_default() -> None:
    """R21, R20: at the deadline and not before, a follow passes and a lead puts the lowest single down, marked as the
    clock's."""
    at = await clocked(3)
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    await play_on(at, handle, random.Random(3), moves=6)
    reader = await follow(at, handle)
    deal = live_deal(at, handle)
    assert deal.public.kind == gr.Kind.LEAD
    seat = deal.public.turn
    lowest = deal.cards(seat)
    await at.clock.run(19.9)
    assert await reader.read() == 0
    await at.clock.run(0.2)
    assert await reader.read() == 1
    event = reader.updates[-1].events[0]
    assert event.by_clock
    assert event.played.play.seat == seat
    (card,) = event.played.play.cards
    assert gr.rank_of(card) == min(gr.rank_of(held) for held in lowest)
    await at.clock.run(20)
    assert await reader.read() == 1
    event = reader.updates[-1].events[0]
    assert event.by_clock
    assert event.HasField("passed")


def deals() -> Iterator[tuple[bytes, gr.Deal]]:
    """Deal after deal, with their secrets."""
    for number in count():
        secret = number.to_bytes(32, "big")
        yield secret, gr.Deal.start(gr.preset("qingdao"), gr.deal_seed(secret))


def secret_led_by(seat: int) -> bytes:
    """Find a deal with this first leader."""
    return next(secret for secret, deal in deals() if deal.lead == seat)


def secret_with_many_lowest() -> bytes:
    """Find a deal whose first leader holds at least three different cards of its lowest rank."""
    for secret, deal in deals():
        cards = deal.cards(deal.lead)
        lowest = min(gr.rank_of(card) for card in cards)
        if len({card for card in cards if gr.rank_of(card) == lowest}) > 2:
            return secret
    raise AssertionError


async def test_the_clock_leads_with_any_card_of_the_lowest_rank() -> None:
    """Of several cards of the lowest rank each is put down sometimes, so that the choice tells nothing of the suits."""
    seen = set()
    secret = secret_with_many_lowest()
    for seed in range(12):
        at = House(seed=seed)
        await at.tables.start()
        at.entropy.secrets.append(secret)
        handle = await at.match(TableSpec(decision_seconds=20, deals=1))
        await at.clock.run(41)
        reader = await follow(at, handle)
        seen.add(int(reader.plays[0].cards[0]))
        await at.tables.close()
    assert len(seen) > 1
    assert len({gr.rank_of(card) for card in seen}) == 1


async def test_r36_a_lapsed_window_is_not_marked_as_the_clocks() -> None:
    """Seats that have not answered a common question get its default at the deadline, those that have keep theirs; the
    event does not tell that the clock closed it."""
    at = await clocked(1)
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    reader = await follow(at, handle)
    assert reader.state is not None
    decision = reader.state.question.decision
    await handle.act(person(2), request(handle.name, decision, gr.Verb.NO, request_id="n"))
    own = await follow(at, handle, 2)
    await at.clock.run(20)
    assert await reader.read() == 1
    event = reader.updates[-1].events[0]
    assert event.HasField("revolution_settled")
    assert not event.by_clock
    await own.read()
    assert own.seat is not None
    assert not own.seat.answered


async def test_an_answer_before_the_deadline_stops_the_clock() -> None:
    """The next question has its own full time."""
    at = await clocked(2)
    handle = await at.match(TableSpec(decision_seconds=20, deals=1))
    await play_on(at, handle, random.Random(2), moves=6)
    await at.clock.run(15)
    await play_on(at, handle, random.Random(2), moves=1)
    reader = await follow(at, handle)
    await at.clock.run(19)
    assert await reader.read() == 0
    await at.clock.run(1)
    assert await reader.read() == 1


async def test_a_match_nobody_plays_is_played_out_by_the_clock() -> None:
    """With nobody answering the defaults bring a match to its end, and its record replays."""
    at = await clocked(4)
    handle = await at.match(TableSpec(decision_seconds=1, deals=1))
    reader = await follow(at, handle)
    await at.clock.run(5000)
    await reader.read()
    assert reader.closed
    (record,) = [e.deal_revealed.record for u in reader.updates for e in u.events if e.HasField("deal_revealed")]
    assert gr.check_record(record) == []


async def test_a_clocked_table_goes_on_after_a_restart_though_nobody_comes() -> None:
    """The server wakes tables at which time runs by itself."""
    at = await clocked(6)
    handle = await at.match(TableSpec(decision_seconds=30, deals=1))
    await at.restart()
    await settle()
    assert at.tables.awake() == 1
    await at.clock.run(40)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    assert reader.state is not None
    assert reader.state.phase == state_pb2.PHASE_PLAY


# ── built-in bots ──


async def test_bots_play_a_match_to_its_end() -> None:
    """Five bots and a person play a match; bots answer by themselves, the person when it pleases."""
    at = await clocked(7)
    handle = await at.match(TableSpec(deals=1), people=1)
    reader = await follow(at, handle, 0)
    dice = random.Random(7)
    for _ in range(2000):
        await at.clock.run(0.01)
        if await play_on(at, handle, dice, moves=1) == 0 and at.clock.next_due is None:
            break
    await reader.read()
    assert reader.closed


async def test_a_bot_answers_after_its_delay_and_not_before() -> None:
    """The delay is the time at which the answer comes, whatever the bot took to think."""
    at = await clocked(8, bots=HomeBots(seconds=2))
    handle = await at.match(TableSpec(deals=1), people=5)
    reader = await follow(at, handle)
    await play_on(at, handle, random.Random(8), moves=5)
    await at.clock.run(1.9)
    assert await reader.read() == 0
    await at.clock.run(0.2)
    assert await reader.read() > 0


class NoBots(HomeBots):
    """Bots that never answer, fail, or answer with what is not legal."""

    def __init__(self, how: str) -> None:
        super().__init__(0.5)
        self.how = how
        self.asked = 0

    async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Choice:
        self.asked += 1
        if self.how == "hang":
            await asyncio.Event().wait()
        if self.how == "fail":
            raise BotFailed("as told")
        if self.how == "odd cards":
            return Choice(gr.play_action(gr.parse_play("3")), b"\x02")
        return Choice(gr.burn_action(gr.parse_play("bbbbb")), bytes([54] * 5))


async def check_default(how: str) -> None:
    """Hold that a table whose bot does not answer well takes the bot's default."""
    bots = NoBots(how)
    at = House(seed=9, bots=bots, limits=at_home(bot_seconds=5))
    await at.tables.start()
    at.entropy.secrets.append(secret_led_by(1))  # so that the bot is asked once
    handle = await at.match(TableSpec(deals=1), people=5)
    reader = await follow(at, handle)
    await play_on(at, handle, random.Random(9), moves=5)
    await at.clock.run(0.6)
    waited = await reader.read()
    if how == "hang":
        assert waited == 0
        await at.clock.run(5)
        waited = await reader.read()
    assert waited == 1
    assert reader.updates[-1].events[0].HasField("revolution_settled")
    assert bots.asked == (2 if how == "fail" else 1)


async def test_a_bot_that_hangs_takes_its_default() -> None:
    """A bot has its delay and the thinking time, no more."""
    await check_default("hang")


async def test_a_bot_that_fails_is_asked_once_more_and_then_takes_its_default() -> None:
    """A worker that was brought down by another bot is no fault of this one, so it is asked twice."""
    await check_default("fail")


async def test_a_bot_that_answers_what_is_not_legal_takes_its_default() -> None:
    """The engine refuses the answer, by rule or by its cards, and the default stands in."""
    await check_default("illegal")
    await check_default("odd cards")


async def test_bots_are_asked_again_after_a_restart() -> None:
    """A table that waited for a bot when the server went down goes on by itself."""
    at = await clocked(10, bots=HomeBots(seconds=3))
    handle = await at.match(TableSpec(deals=1), people=5)
    await play_on(at, handle, random.Random(10), moves=5)
    await at.restart()
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    await at.clock.run(3.1)
    assert await reader.read() > 0


async def test_a_bot_gets_what_its_seat_may_see_and_no_more() -> None:
    """The view handed to a bot pickles small and holds one hand: its own."""
    seen: list[gr.SeatView] = []

    class Watching(HomeBots):
        async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Choice:
            seen.append(view)
            return await super().choose(policy, view, seed)

    at = House(seed=11, bots=Watching())
    await at.tables.start()
    handle = await at.match(TableSpec(deals=1), people=5)
    await play_on(at, handle, random.Random(11), moves=5)
    await at.clock.run(0.1)
    assert seen
    for view in seen:
        assert isinstance(view, gr.SeatView)
        assert view.seat == 5
        assert view.cards == live_deal(at, handle).cards(5) or len(view.cards) == 36

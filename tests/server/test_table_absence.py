"""Who is there, and who plays for those who are not: presence and autopilot."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji.table.v1 import events_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from gouji_server.tables.table import ASKED_TOGETHER
from tests.server.players import HomeBots, House, Reader, choose, live_deal, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from gouji_server.tables.table import TableState

EXPIRIES = events_pb2.AUTOPILOT_REASON_EXPIRIES
AWAY = events_pb2.AUTOPILOT_REASON_AWAY
ASKED = events_pb2.AUTOPILOT_REASON_ASKED
RETURNED = events_pb2.AUTOPILOT_REASON_RETURNED
TAKEN_BACK = events_pb2.AUTOPILOT_REASON_TAKEN_BACK
TIMED = TableSpec(decision_seconds=20, deals=1)
UNTIMED = TableSpec(deals=1)


class Room:
    """A match whose six people all follow it, and somebody who watches."""

    def __init__(self, at: House, handle: TableHandle) -> None:
        self.at = at
        self.handle = handle
        self.watcher = Reader(at, handle, person(9))
        self.seats = [Reader(at, handle, person(seat)) for seat in range(6)]

    @classmethod
    async def open(
        cls, spec: TableSpec = TIMED, *, moves: int = 6, seed: int = 3, bots: HomeBots | None = None, **limits: Any
    ) -> Room:
        at = House(seed=seed, bots=bots or HomeBots(1.0), limits=replace(Limits(), **limits))
        await at.tables.start()
        room = cls(at, await at.match(spec))
        await room.come(*range(6))
        await room.watcher.follow()
        await play_on(at, room.handle, random.Random(seed), moves=moves)
        await room.watcher.read()
        return room

    async def come(self, *seats: int) -> None:
        for seat in seats:
            await self.seats[seat].follow(resume=self.seats[seat].place is not None)
        await settle()

    async def go(self, *seats: int) -> None:
        for seat in seats:
            self.seats[seat].outbox.close()
        await settle()

    async def said(self, kind: str) -> list[Any]:
        """Events of one kind since the last time, as the watcher heard them."""
        before = len(self.watcher.updates)
        await self.watcher.read()
        told = [event for update in self.watcher.updates[before:] for event in update.events]
        return [getattr(event, kind) for event in told if event.WhichOneof("event") == kind]

    async def piloted(self) -> list[tuple[int, bool, int]]:
        return [(event.seat, event.on, event.reason) for event in await self.said("autopilot_changed")]

    async def present(self) -> list[tuple[int, bool]]:
        return [(event.seat, event.connected) for event in await self.said("presence_changed")]

    @property
    def state(self) -> TableState:
        story = self.at.tables._actors[self.handle.name]._story
        assert story is not None
        return story.state

    def shown(self, field: str) -> list[int]:
        """The seats of which the newest public state says so."""
        assert self.watcher.state is not None
        return [seat.seat for seat in self.watcher.state.seats if getattr(seat, field)]

    @property
    def turn(self) -> int:
        return live_deal(self.at, self.handle).public.turn

    def alone(self, seat: int) -> bool:
        """Whether this seat alone is asked."""
        public = live_deal(self.at, self.handle).public
        return public.asked == 1 << seat and not ASKED_TOGETHER >> public.kind & 1

    async def answer(self, seat: int) -> None:
        """Have a person answer as the simple bot would."""
        verb, cards, suit = choose(live_deal(self.at, self.handle).view(seat), random.Random(1), "simple")
        decision = self.state.decision
        asked = request(self.handle.name, decision, verb, cards, request_id=f"a{decision}-{seat}", suit=suit)
        await self.handle.act(person(seat), asked)


async def test_who_loses_the_connection_is_told_of_after_a_while() -> None:
    """A seat whose last stream ended is told to be gone after five seconds, and to be back at once."""
    room = await Room.open(UNTIMED)
    assert room.shown("connected") == list(range(6))
    await room.go(2)
    await room.at.clock.run(4.9)
    assert await room.present() == []
    await room.at.clock.run(0.2)
    assert await room.present() == [(2, False)]
    assert room.shown("connected") == [0, 1, 3, 4, 5]
    await room.come(2)
    assert await room.present() == [(2, True)]
    assert room.shown("connected") == list(range(6))


async def test_who_was_never_there_is_told_of_too() -> None:
    """People who sat down by calls and do not follow the match when it begins are gone after five seconds, and played
    for after a minute."""
    at = House(limits=Limits(), bots=HomeBots(1e9))
    await at.tables.start()
    room = Room(at, await at.match(UNTIMED))
    await room.watcher.follow()
    await room.watcher.read()
    await room.come(3)
    await at.clock.run(5.5)
    assert await room.present() == [(seat, False) for seat in (0, 1, 2, 4, 5)]
    await at.clock.run(60)
    assert await room.piloted() == [(seat, True, AWAY) for seat in (0, 1, 2, 4, 5)]


async def test_who_comes_back_at_once_is_not_told_of() -> None:
    """A connection that is made anew within five seconds, and one of two that ends, say nothing to others."""
    room = await Room.open(UNTIMED)
    await room.go(2)
    await room.at.clock.run(4)
    await room.come(2)
    second = Reader(room.at, room.handle, person(4))
    await second.follow()
    await room.go(4)
    await room.at.clock.run(60)
    assert await room.watcher.read() == 0


async def test_who_is_away_for_long_is_played_for_until_it_follows_again() -> None:
    """After a minute a bot plays the seat, and the owner's next stream takes it back; all hear both."""
    room = await Room.open(UNTIMED)
    seat = room.turn
    await room.go(seat)
    await room.at.clock.run(59.5)
    assert await room.piloted() == []
    await room.at.clock.run(0.6)
    assert await room.piloted() == [(seat, True, AWAY)]
    assert room.shown("autopilot") == [seat]
    before = room.state.n
    await room.at.clock.run(1.1)
    assert room.state.n > before
    assert room.turn != seat
    await room.come(seat)
    assert await room.piloted() == [(seat, False, RETURNED)]
    assert room.shown("autopilot") == []


async def test_who_calls_without_a_stream_is_not_away() -> None:
    """A client that asks for views and makes single calls keeps its seat, though it is not told to be connected."""
    room = await Room.open(UNTIMED)
    await room.go(2)
    for _ in range(4):
        await room.at.clock.run(50)
        await room.handle.view(person(2))
    assert await room.piloted() == []
    assert room.shown("connected") == [0, 1, 3, 4, 5]
    await room.at.clock.run(61)
    assert await room.piloted() == [(2, True, AWAY)]


async def lapse_alone(room: Room, seat: int) -> None:
    """Let the next decision that a seat is asked alone lapse; everyone answers all others."""
    while not room.alone(seat):
        for asked in range(6):
            if room.state.waiting_for >> asked & 1:
                await room.answer(asked)
                break
    await room.at.clock.run(20.5)


async def test_who_lets_three_decisions_lapse_in_a_row_is_played_for() -> None:
    """With the third lapse of decisions that it was asked alone the bot plays; following the table does not take the
    seat back then, since its owner was there all along: that takes a word of it."""
    room = await Room.open()
    seat = room.turn
    for _ in range(2):
        await lapse_alone(room, seat)
        assert await room.piloted() == []
    await lapse_alone(room, seat)
    assert await room.piloted() == [(seat, True, EXPIRIES)]
    await room.go(seat)
    await room.come(seat)
    assert await room.piloted() == []
    await room.handle.set_autopilot(person(seat), False, "back")
    assert await room.piloted() == [(seat, False, TAKEN_BACK)]
    await lapse_alone(room, seat)
    assert await room.piloted() == []


async def test_an_answer_begins_the_count_of_lapses_anew() -> None:
    """Two lapses, an answer, two lapses: not three in a row."""
    room = await Room.open()
    seat = room.turn
    for _ in range(2):
        await lapse_alone(room, seat)
    while not room.alone(seat):
        await room.answer(next(other for other in range(6) if room.state.waiting_for >> other & 1))
    await room.answer(seat)
    for _ in range(2):
        await lapse_alone(room, seat)
    assert await room.piloted() == []


async def test_questions_answered_in_secret_count_for_nothing() -> None:
    """Who lets a common question lapse is not counted, and who answers one is not either: a count would tell who
    answered (R36, R50)."""
    room = await Room.open(moves=0)
    assert ASKED_TOGETHER >> live_deal(room.at, room.handle).public.kind & 1
    room.state.expired[:] = [2] * 6
    await room.answer(next(seat for seat in range(6) if room.state.waiting_for >> seat & 1))
    await room.at.clock.run(20.5)
    assert not ASKED_TOGETHER >> live_deal(room.at, room.handle).public.kind & 1
    assert await room.piloted() == []


async def test_a_seat_is_handed_over_and_taken_back_in_the_middle_of_a_question() -> None:
    """The owner may have the bot play at any time and may take the seat back before the bot has answered: then the bot
    does not, and the question is the owner's."""
    room = await Room.open(UNTIMED)
    seat, decision = room.turn, room.state.decision
    await room.handle.set_autopilot(person(seat), True, "on")
    assert await room.piloted() == [(seat, True, ASKED)]
    await room.at.clock.run(0.9)
    await room.handle.set_autopilot(person(seat), False, "off")
    await room.at.clock.run(30)
    assert room.state.decision == decision
    await room.answer(seat)
    assert room.state.decision != decision


async def test_the_owner_may_answer_before_the_bot() -> None:
    """An answer of one's own is taken on autopilot too, and changes nothing about it."""
    room = await Room.open(UNTIMED)
    seat = room.turn
    await room.handle.set_autopilot(person(seat), True, "on")
    await room.answer(seat)
    assert room.turn != seat
    assert [event[1] for event in await room.piloted()] == [True]


async def test_what_changes_nothing_is_told_to_nobody() -> None:
    """Handing over twice and taking back what one has: accepted, and no event."""
    room = await Room.open(UNTIMED)
    n = await room.handle.set_autopilot(person(0), False, "a")
    assert n == room.state.n
    await room.handle.set_autopilot(person(0), True, "b")
    await room.handle.set_autopilot(person(0), True, "c")
    assert await room.piloted() == [(0, True, ASKED)]


async def test_taking_a_seat_back_is_never_one_word_too_many() -> None:
    """A seat that has used up its words of this deal may still take itself back, but not hand itself over again."""
    room = await Room.open(UNTIMED, said_a_deal=3)
    for number in range(3):
        await room.handle.set_autopilot(person(0), number % 2 == 0, f"a{number}")
    await room.handle.set_autopilot(person(0), False, "off")
    for on, code in ((True, "TOO_MUCH_SAID"), (False, "TOO_MUCH_SAID")):
        with pytest.raises(Refused) as refused:
            await room.handle.set_autopilot(person(0), on, f"more-{on}")
        assert refused.value.reason == code
    assert not room.state.autopilot


async def test_only_who_plays_hands_its_seat_over() -> None:
    """A spectator is refused, and so is everyone before the match."""
    room = await Room.open(UNTIMED)
    with pytest.raises(Refused) as refused:
        await room.handle.set_autopilot(person(9), True, "x")
    assert refused.value.reason == "NOT_SEATED"
    waiting = await room.at.new_table(request_id="other", people=2)
    with pytest.raises(Refused) as refused:
        await waiting.set_autopilot(person(1), True, "x")
    assert refused.value.reason == "MATCH_NOT_STARTED"


async def test_a_match_whose_people_are_gone_is_played_by_bots() -> None:
    """With everybody away the bots play the match to its end, and what became of it is in the journal."""
    room = (
        await Room.open(replace(TIMED, deals=1), suspend_seconds=0)
        if hasattr(Limits(), "suspend_seconds")
        else await Room.open()
    )
    await room.go(*range(6))
    await room.at.clock.run(3000)
    await room.watcher.read()
    assert room.watcher.closed


async def test_who_is_away_stays_so_over_a_restart() -> None:
    """After a restart the bots play on for those who were away, and who does not come back is told to be gone."""
    room = await Room.open(UNTIMED)
    seat = room.turn
    await room.go(seat)
    await room.handle.set_autopilot(person((seat + 1) % 6), True, "on")
    await room.at.clock.run(5.5)
    await room.at.restart()
    await settle()
    assert room.state.absent == 1 << seat
    assert room.state.autopilot == 1 << (seat + 1) % 6
    await room.come(*(other for other in range(6) if other not in (seat, (seat + 2) % 6)))
    await room.watcher.follow(resume=True)
    await room.at.clock.run(5.5)
    assert (((seat + 2) % 6), False) in await room.present()
    await room.at.clock.run(60)
    assert {away for away, _, reason in await room.piloted() if reason == AWAY} == {seat, (seat + 2) % 6}


async def test_those_who_are_played_for_go_with_the_people() -> None:
    """R17: a seat that the server plays does not stand in the way of those who want to end the match."""
    room = await Room.open(UNTIMED)
    await room.handle.set_autopilot(person(5), True, "on")
    for seat in range(4):
        await room.handle.vote_dissolution(person(seat), True, f"v{seat}")
    await room.watcher.read()
    assert not room.watcher.closed
    await room.handle.vote_dissolution(person(4), True, "v4")
    await room.watcher.read()
    assert room.watcher.closed


async def test_a_vote_is_told_of_whoever_plays_the_seat() -> None:
    """R17: who speaks for ending the match is shown as having done so, on autopilot as well, and whoever hands the seat
    over later."""
    room = await Room.open(UNTIMED)
    await room.handle.set_autopilot(person(5), True, "on")
    for seat in (5, 1):
        await room.handle.vote_dissolution(person(seat), True, f"v{seat}")
    await room.handle.set_autopilot(person(1), True, "on")
    await room.handle.vote_dissolution(person(2), True, "v2")
    await room.watcher.read()
    assert room.watcher.state is not None
    assert list(room.watcher.state.for_ending) == [1, 2, 5]
    await room.handle.vote_dissolution(person(3), False, "v3")
    await room.watcher.read()
    assert list(room.watcher.state.for_ending) == []
    for seat in (0, 2, 3, 4):
        await room.handle.vote_dissolution(person(seat), True, f"w{seat}")
    await room.watcher.read()
    assert room.watcher.closed
    assert list(room.watcher.state.for_ending) == [0, 2, 3, 4]


async def test_a_built_in_bot_plays_for_a_person_by_its_own_view() -> None:
    """What the bot is shown is the seat's view and no more, and its delay is drawn as for every built-in bot."""
    seen: list[tuple[str, int]] = []

    class Watching(HomeBots):
        async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Any:
            seen.append((policy, view.seat))
            return await super().choose(policy, view, seed)

    room = await Room.open(UNTIMED, bots=Watching(2.0))
    seat = room.turn
    await room.handle.set_autopilot(person(seat), True, "on")
    await room.at.clock.run(1.9)
    assert room.turn == seat
    await room.at.clock.run(0.2)
    assert room.turn != seat
    assert seen[0] == ("simple", seat)

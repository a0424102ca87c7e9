"""What the server's operators do to a table: hold and release a match, close it, take a seat away, look into it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, table_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from gouji_server.tables.operating import Operating
from tests.server.players import HomeBots, House, Reader, at_home, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Watched:
    """A match under way and somebody who watches it. Bots never answer, unless `quick`."""

    def __init__(self, at: House, watcher: Reader) -> None:
        self.at = at
        self.watcher = watcher
        self.name = watcher.handle.name

    @property
    def operating(self) -> Operating:
        """The operators' way in, of the server that runs now."""
        return Operating(self.at.tables)

    @property
    def left(self) -> float:
        """How long the open question has, in seconds."""
        assert self.watcher.state is not None
        return self.watcher.state.question.deadline.ToMilliseconds() / 1000 - self.at.clock.now()

    async def told(self) -> list[str | None]:
        """Read what comes; return the kinds of the newest update's events."""
        assert await self.watcher.read()
        return [event.WhichOneof("event") for event in self.watcher.updates[-1].events]

    @property
    def kinds(self) -> list[str | None]:
        """The kinds of all events that were told."""
        return [event.WhichOneof("event") for update in self.watcher.updates for event in update.events]

    async def act(self, seat: int, request_id: str = "x") -> int:
        """Have a seat pass, whether it may or not."""
        assert self.watcher.state is not None
        decision = self.watcher.state.question.decision
        return await self.watcher.handle.act(
            person(seat), request(self.name, decision, int(gr.Verb.PASS), request_id=request_id)
        )


async def watched(*, moves: int = 6, limits: Limits | None = None, bots: float = 1e9) -> Watched:
    at = House(seed=3, bots=HomeBots(bots), limits=limits or at_home())
    await at.tables.start()
    handle = await at.match(TableSpec(decision_seconds=300, deals=2))
    await play_on(at, handle, random.Random(3), moves=moves)
    watcher = Reader(at, handle, person(9))
    await watcher.follow()
    await watcher.read()
    return Watched(at, watcher)


async def test_a_held_match_stands_still_until_it_is_released() -> None:
    """All hear it, the clock stops and answers are refused, through a restart; released, the question has as long again
    as was left."""
    match = await watched()
    await match.at.clock.run(100)
    left = match.left
    held = await match.operating.hold(match.name, "h")
    assert held.HasField("hold_time")
    assert await match.told() == ["table_held"]
    assert match.watcher.info is not None
    assert match.watcher.info.HasField("hold_time")
    assert match.watcher.state is not None
    assert not match.watcher.state.question.HasField("deadline")
    with pytest.raises(Refused) as refused:
        await match.act(0)
    assert refused.value.reason == "TABLE_HELD"
    await match.at.clock.run(10_000)
    assert await match.watcher.read() == 0
    await match.at.restart()
    await match.watcher.follow(resume=True)
    released = await match.operating.release(match.name, "r")
    assert not released.HasField("hold_time")
    assert await match.told() == ["table_released"]
    assert match.left == pytest.approx(left, abs=0.01)
    assert await play_on(match.at, match.watcher.handle, random.Random(4), moves=5) == 5


async def test_a_question_that_was_nearly_over_has_five_seconds_after_it() -> None:
    """Who had a second left is not out of time at the moment of release."""
    match = await watched()
    await match.at.clock.run(match.left - 1)
    await match.operating.hold(match.name, "h")
    await match.at.clock.run(60)
    await match.operating.release(match.name, "r")
    await match.told()
    assert match.left == pytest.approx(5, abs=0.01)


async def test_bots_do_not_play_while_it_is_held() -> None:
    """An answer that a bot had begun to think of does not come, and comes when the match goes on."""
    match = await watched(bots=2.0)
    for seat in range(6):
        await match.operating.oust(match.name, seat, f"k{seat}")
    await match.operating.hold(match.name, "h")
    await match.watcher.read()
    await match.at.clock.run(600)
    assert await match.watcher.read() == 0
    await match.operating.release(match.name, "r")
    await match.at.clock.run(60)
    await match.watcher.read()
    assert {"played", "passed"} & set(match.kinds)


async def test_holding_again_changes_nothing_and_a_request_keeps_its_answer() -> None:
    """The same request after the release does not hold the match again; another one for a held match is no error."""
    match = await watched()
    first = await match.operating.hold(match.name, "h")
    assert await match.operating.hold(match.name, "other") == first
    await match.operating.release(match.name, "r")
    assert await match.operating.hold(match.name, "h") == first
    assert not (await match.operating.inspect(match.name, reveal=False)).info.HasField("hold_time")
    assert not (await match.operating.release(match.name, "again")).HasField("hold_time")


async def test_who_is_gone_does_not_end_or_resume_a_held_match() -> None:
    """Nobody's coming or going counts while operators hold it; afterwards it does."""
    match = await watched(limits=at_home(suspend_seconds=600))
    player = Reader(match.at, match.watcher.handle, person(2))
    await player.follow()
    await match.operating.hold(match.name, "h")
    assert await match.told() == ["table_held"]
    player.outbox.close()
    await settle()
    await match.at.clock.run(2 * 24 * 3600)
    assert await match.watcher.read() == 0
    await match.operating.release(match.name, "r")
    assert await match.told() == ["table_released"]
    await match.at.clock.run(601)
    assert await match.told() == ["table_suspended"]
    await match.operating.hold(match.name, "h2")
    await match.told()
    await player.follow(resume=True)
    await settle()
    assert await match.watcher.read() == 0
    await match.operating.release(match.name, "r2")
    await match.watcher.read()
    assert match.kinds[-2:] == ["table_released", "table_resumed"]
    assert match.left > 5


async def test_a_closed_match_is_opened_and_not_scored() -> None:
    """The running deal is revealed, the match ends by the operators' doing, and no event follows."""
    match = await watched()
    closed = await match.operating.shut_down(match.name, "c")
    assert closed.state == lobby_pb2.TABLE_STATE_FINISHED
    assert await match.told() == ["deal_revealed", "match_ended", "table_closed"]
    events = match.watcher.updates[-1].events
    assert events[1].match_ended.reason == events_pb2.MATCH_END_REASON_CLOSED_BY_OPERATORS
    assert list(events[1].match_ended.scores) == [0, 0]
    assert events[2].table_closed.reason == events_pb2.CLOSE_REASON_BY_OPERATORS
    assert await match.operating.shut_down(match.name, "c") == closed
    with pytest.raises(Refused) as refused:
        await match.operating.shut_down(match.name, "d")
    assert refused.value.reason == "TABLE_CLOSED"
    await match.at.restart()
    assert (await match.operating.inspect(match.name, reveal=True)).hands == ()


async def test_a_held_match_can_be_closed() -> None:
    """It is over, and is not held any more."""
    match = await watched()
    await match.operating.hold(match.name, "h")
    closed = await match.operating.shut_down(match.name, "c")
    assert (closed.state, closed.HasField("hold_time")) == (lobby_pb2.TABLE_STATE_FINISHED, False)


async def test_a_waiting_table_is_closed_but_not_held() -> None:
    """There is no match to stand still; closed, it takes nobody."""
    at = House(seed=3)
    await at.tables.start()
    table = await at.tables.create(person(0), TableSpec(), "t")
    operating = Operating(at.tables)
    with pytest.raises(Refused) as refused:
        await operating.hold(table.name, "h")
    assert refused.value.reason == "MATCH_NOT_STARTED"
    assert (await operating.shut_down(table.name, "c")).state == lobby_pb2.TABLE_STATE_FINISHED
    with pytest.raises(Refused) as late:
        await (await at.tables.open(table.name)).join(person(1), None, "j")
    assert late.value.reason == "TABLE_CLOSED"


async def test_a_seat_taken_away_in_a_match_is_played_by_a_bot_to_its_end() -> None:
    """All hear why; its player cannot answer, vote or take it back, still sees its own hand, and a repeated answer from
    before is what it was."""
    match = await watched(bots=0.5)
    assert match.watcher.state is not None
    seat = next(seat for seat in range(6) if match.watcher.state.question.seats == [seat])
    hand = table_pb2.TableUpdate.FromString(await match.watcher.handle.view(person(seat))).seat.hand
    await match.operating.oust(match.name, seat, "k")
    await match.watcher.read()
    kicked = next(
        event.autopilot_changed
        for update in match.watcher.updates
        for event in update.events
        if event.HasField("autopilot_changed")
    )
    assert (kicked.seat, kicked.on, kicked.reason) == (seat, True, events_pb2.AUTOPILOT_REASON_KICKED)
    calls: tuple[Callable[[], Awaitable[int]], ...] = (
        lambda: match.watcher.handle.set_autopilot(person(seat), False, "b"),
        lambda: match.watcher.handle.vote_dissolution(person(seat), True, "v"),
        lambda: match.act(seat),
    )
    for call in calls:
        with pytest.raises(Refused) as refused:
            await call()
        assert refused.value.reason == "SEAT_TAKEN_AWAY"
    await match.at.clock.run(2)
    await match.watcher.read()
    assert match.watcher.state.question.seats != [seat]
    view = table_pb2.TableUpdate.FromString(await match.watcher.handle.view(person(seat)))
    assert 0 < len(view.seat.hand) <= len(hand)
    player = Reader(match.at, match.watcher.handle, person(seat))
    await player.follow()
    await settle()
    await match.watcher.read()
    assert match.watcher.state.seats[seat].autopilot


async def test_a_seat_taken_away_before_the_match_is_free_and_stays_shut_to_who_sat_there() -> None:
    """The next in line owns the table of an owner who is kicked; who was kicked does not come back in."""
    at = House(seed=3)
    await at.tables.start()
    table = await at.tables.create(person(0), TableSpec(), "t")
    handle = await at.tables.open(table.name)
    await handle.join(person(1), 4, "j")
    operating = Operating(at.tables)
    after = await operating.oust(table.name, 0, "k")
    assert after.players[0].account == ""
    assert after.owner == person(1).account
    with pytest.raises(Refused) as refused:
        await handle.join(person(0), None, "again")
    assert refused.value.reason == "NOT_WELCOME"
    with pytest.raises(Refused) as nobody:
        await operating.oust(table.name, 2, "n")
    assert nobody.value.reason == "NOBODY_THERE"


async def test_hands_are_told_only_where_they_are_asked_for() -> None:
    """Without `reveal` there is no card beyond what is public; with it, the six hands as their players see them."""
    match = await watched()
    plain = await match.operating.inspect(match.name, reveal=False)
    assert plain.hands == ()
    snapshot = table_pb2.TableUpdate.FromString(plain.view)
    assert not snapshot.HasField("seat")
    revealed = await match.operating.inspect(match.name, reveal=True)
    for hand in revealed.hands:
        own = table_pb2.TableUpdate.FromString(await match.watcher.handle.view(person(hand.seat)))
        assert list(own.seat.hand) == list(hand.cards)
    assert len(revealed.hands) == 6


async def test_no_entropy_is_taken_while_a_match_is_held() -> None:
    """Between two deals a held match takes nothing for the next one; released, it does."""
    at = House(limits=at_home(entropy_seconds=60))
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    operating = Operating(at.tables)
    await operating.hold(handle.name, "h")
    with pytest.raises(Refused, match="TABLE_HELD"):
        await handle.contribute_entropy(person(0), 1, bytes(32), "e")
    await operating.release(handle.name, "r")
    assert await handle.contribute_entropy(person(0), 1, bytes(32), "e")

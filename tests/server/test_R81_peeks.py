"""Looking at an ally's hand (挑牌, R81) through the service: who sees what when, and that nobody else can tell."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_rules.peeking import may_look
from gouji_server.tables import Refused, TableSpec
from tests.leak.observed import Observed, difference
from tests.server.players import House, Reader, choose, live_deal, person, play_on, request
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import begun
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from gouji_server.tables.table import TableState
    from tests.server.running import Running

WATCHER = person(9)


def state_of(house: House, handle: TableHandle) -> TableState:
    story = house.tables._actors[handle.name]._story
    assert story is not None
    return story.state


async def seen(reader: Reader) -> dict[int, bytes]:
    """The hands that a reader's seat looks at, by its own newest part."""
    await reader.read()
    assert reader.seat is not None
    return {hand.seat: bytes(hand.cards) for hand in reader.seat.peeked}


@pytest.mark.parametrize("rules", ["qingdao", "chinagames", "lianzhong"])
async def test_an_ally_sees_the_hand_while_the_rules_allow_it(rules: str) -> None:
    """From the grant on, with every change of the hand, exactly while R81 lets the holder allow it: with ten cards or
    fewer, or (`full`) to a finished ally; in a snapshot as on the stream, and after a restart; not beyond the deal."""
    spec = TableSpec(rule_set="qingdao", options=(("peek", "full" if rules == "qingdao" else "ten"),), deals=2)
    house = House(seed=len(rules))
    handle = await house.match(spec)
    readers = {seat: Reader(house, handle, person(seat)) for seat in range(6)}
    for reader in readers.values():
        await reader.follow()
    for holder, ally in ((0, 2), (4, 2), (3, 5), (1, 3)):
        await handle.grant_peek(person(holder), ally, True, f"{holder}-{ally}")
    dice = random.Random(rules)
    looked = 0
    first = state_of(house, handle).match
    assert first is not None
    while first.deal_number == 1 and not live_deal(house, handle).over:
        await play_on(house, readers[0].handle, dice, moves=1)
        await settle()
        deal = live_deal(house, handle)
        if state_of(house, handle).match.deal_number > 1:  # type: ignore[union-attr]
            break
        for viewer, reader in readers.items():
            wanted = {
                holder: bytes(state_of(house, handle).hand(holder))
                for holder, ally in ((0, 2), (4, 2), (3, 5), (1, 3))
                if ally == viewer
                and may_look(deal.public, holder, len(state_of(house, handle).hand(holder))) >> viewer & 1
            }
            assert await seen(reader) == wanted
            looked += len(wanted)
        if dice.random() < 0.05:
            viewer = dice.randrange(6)
            fresh = await readers[viewer].fresh()
            assert fresh.seat == readers[viewer].seat
        if dice.random() < 0.02:
            await house.restart()
            for reader in readers.values():
                await reader.follow(resume=True)
    assert looked
    for reader in readers.values():
        assert await seen(reader) == {}
        assert reader.seat is not None
        assert not reader.seat.peek_granted


async def test_the_holder_alone_is_told_whom_it_lets_look_and_can_take_it_back() -> None:
    """`peek_granted` stands in the holder's own part; taking it back, or granting twice, is answered and never too
    much; the same request again changes nothing."""
    house = House()
    handle = await house.match(TableSpec(rule_set="qingdao"))
    holder, ally = Reader(house, handle, person(0)), Reader(house, handle, person(2))
    for reader in (holder, ally):
        await reader.follow()
    for _ in range(2):
        await handle.grant_peek(person(0), 2, True, "a")
    await holder.read()
    await ally.read()
    assert holder.seat is not None
    assert ally.seat is not None
    assert list(holder.seat.peek_granted) == [2]
    assert not ally.seat.peek_granted
    await handle.grant_peek(person(0), 2, False, "b")
    await holder.read()
    assert not holder.seat.peek_granted
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await handle.grant_peek(person(0), 4, True, "a")


@pytest.mark.parametrize(
    ("rules", "holder", "ally", "reason"),
    [
        ("qingdao", 0, 1, "NOT_AN_ALLY"),
        ("qingdao", 0, 0, "NOT_AN_ALLY"),
        ("chinagames", 0, 2, "NO_PEEKING"),
        ("hokkaido", 0, 2, "NO_PEEKING"),
        ("qingdao", 9, 2, "NOT_SEATED"),
    ],
)
async def test_who_may_let_nobody_look_is_refused(rules: str, holder: int, ally: int, reason: str) -> None:
    """Enemies, oneself, rules without looking and people without a seat."""
    house = House()
    handle = await house.match(TableSpec(rule_set=rules))
    with pytest.raises(Refused) as refused:
        await handle.grant_peek(person(holder), ally, True, "a")
    assert refused.value.reason == reason


class Game:
    """A game in which seat 0 lets seat 2 look, and the other way round, or does not: what everybody else receives."""

    def __init__(self, seed: int, *, peeks: bool) -> None:
        self.dice = random.Random(seed)
        self.house = House(seed=seed)
        self.peeks = peeks
        self.observed = Observed()

    async def play(self) -> Observed:
        """Play a deal; note all that seats 1, 3, 4, 5 and a watcher get, and what all commands are answered."""
        self.handle = await self.house.match(TableSpec(rule_set="qingdao", deals=2))
        readers = [Reader(self.house, self.handle, person(seat)) for seat in (1, 3, 4, 5, 9)]
        for reader in readers:
            await reader.follow()
        for move in range(260):
            state = state_of(self.house, self.handle)
            if state.closed or state.deal is None:
                break
            if self.peeks and move % 9 == 0 and state.waiting_for:
                on = self.dice_apart(move)
                await self.handle.grant_peek(person(0), 2, on, f"p{move}")
                await self.handle.grant_peek(person(2), 0, not on, f"q{move}")
            await self.move(state)
            for reader in readers:
                before = len(reader.raw)
                await reader.read()
                for message in reader.raw[before:]:
                    self.observed.note(reader.caller.account, "stream", message)
                view = await self.handle.view(reader.caller)
                self.observed.note(reader.caller.account, "view", view)
        await self.house.tables.close()
        return self.observed

    def dice_apart(self, move: int) -> bool:
        """A throw that does not move the game's own dice."""
        return random.Random(move).random() < 0.6

    async def move(self, state: TableState) -> None:
        seats = [seat for seat in range(6) if state.waiting_for >> seat & 1]
        seat = self.dice.choice(seats)
        verb, cards, suit = choose(live_deal(self.house, self.handle).view(seat), self.dice)
        asked = request(
            self.handle.name, state.decision, verb, cards, request_id=f"m{state.decision}-{seat}", suit=suit
        )
        version = await self.handle.act(person(seat), asked)
        self.observed.note("all", "version", str(version).encode())


@pytest.mark.parametrize("seed", range(6))
async def test_nobody_else_can_tell_that_somebody_looks(seed: int) -> None:
    """Every byte that the other four seats and a watcher receive, and every command's answer, is the same whether two
    allies look at each other's hands or not."""
    assert not difference(await Game(seed, peeks=True).play(), await Game(seed, peeks=False).play())


async def test_peeks_and_hints_over_connections(running_server: Running) -> None:
    """GrantPeek is answered with the table's n; GetHint with an action that the server accepts, from the caller's own
    hand, for the question that is open; who is not asked is refused; beyond the pace the wait is told."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    seats = await begun(owner, players, rule_set="ruleSets/qingdao")
    table = seats[0].table
    granted = await players[0].call(table_pb2.GrantPeekRequest(request_id=new_id(), table=table, ally=2, on=True))
    assert granted.version > 0
    for seat in seats:
        while seat.story.state is None or seat.story.seat is None:
            await seat.stream.read()
    for _ in range(8):
        asked = next(seat for seat in seats if seat.story.asked)
        hint = await asked.client.call(table_pb2.GetHintRequest(table=table))
        assert hint.decision == asked.story.decision
        assert set(hint.action.cards) <= set(asked.story.seat.hand if asked.story.seat else ())
        for other in seats:
            if not other.story.asked:
                failed = await refusal(other.client.call(table_pb2.GetHintRequest(table=table)))
                assert failed.reason == "NOT_ASKED"
        act = table_pb2.SubmitActionRequest(
            request_id=new_id(), table=table, decision=hint.decision, action=hint.action
        )
        result = await asked.stream.act(act)
        assert not result.HasField("error"), result
        for seat in seats:
            while seat.story.place is None or seat.story.place.n < result.version:
                await seat.stream.read()
    watcher = await running_server.player("watcher")
    reasons = [(await refusal(watcher.call(table_pb2.GetHintRequest(table=table)))).reason for _ in range(11)]
    assert reasons == ["NOT_SEATED"] * 10 + ["TOO_MANY_HINTS"]


async def test_a_table_may_give_no_hints_and_only_so_many_are_thought_about_at_once() -> None:
    """Where the table says so a hint is refused; beyond the bound it is refused with the time to wait, and bots in
    seats are not held up: they are asked as ever."""
    house = House()
    handle = await house.match(TableSpec(hints=False))
    asked = live_deal(house, handle).public.asked
    seat = next(seat for seat in range(6) if asked >> seat & 1)
    with pytest.raises(Refused, match="NO_HINTS"):
        await handle.hint(person(seat))
    other = House(seed=3)
    handle = await other.match(TableSpec())
    seat = next(seat for seat in range(6) if live_deal(other, handle).public.asked >> seat & 1)
    other.tables._hinting = 4
    with pytest.raises(Refused, match="HINTS_BUSY") as busy:
        await handle.hint(person(seat))
    assert busy.value.retry_seconds
    other.tables._hinting = 0
    decision, action = await handle.hint(person(seat))
    assert decision == state_of(other, handle).decision
    assert action.verb in [int(verb) for verb in gr.Verb]

# rule: R9 applies
"""How federations are formed (R9): seats drawn by lot, opposites chosen."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_server.tables import Caller, Refused, TableSpec
from gouji_server.tables.seats import Seats, opposite
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, live_deal, person, play_on
from tests.server.table_time import settle

DRAW = TableSpec(deals=1, options=(("seating", "draw"),))
CHOOSE = TableSpec(deals=1, options=(("seating", "choose_opposite"),))


async def house(seed: int = 0, journal: MemoryJournal | None = None) -> House:
    """Start tables."""
    at = House(journal, seed=seed)
    await at.tables.start()
    return at


def accounts(info: lobby_pb2.Table | None) -> list[str]:
    """Return who sits where: people by account, bots by policy."""
    assert info is not None
    return [player.account or player.bot for player in info.players]


def chairs_are_in_order(seats: Seats) -> None:
    """What a table counts on, whatever was done to its seats."""
    people = {player.account: player.seat for player in seats.players if player.account}
    assert [player.seat for player in seats.players] == list(range(6))
    assert {account: seats.seat_of(account) for account in people} == people
    assert seats.people == len(people)
    assert seats.bots == sum(1 << player.seat for player in seats.players if player.bot)
    for player in seats.players:
        other = seats.players[opposite(player.seat)]
        assert player.chosen == other.chosen
        assert not (player.chosen and (player.free or other.free))
        assert player.ready or not player.bot


DOINGS = st.tuples(
    st.sampled_from(["sit", "rise", "bot", "ready", "choose", "choose", "move"]),
    st.integers(0, 5),
    st.integers(0, 5),
    st.permutations(range(6)),
)


@given(st.lists(DOINGS, max_size=40))
def test_r9_seats_stay_in_order_whatever_people_do(doings: list[tuple[str, int, int, list[int]]]) -> None:
    """Sitting down, leaving, choosing and drawing in any order: nobody is lost or in two places, pairs are pairs, and a
    choice that is refused changes nothing."""
    seats = Seats()
    for doing, who, wanted, order in doings:
        account, sits = f"p{who}", seats.seat_of(f"p{who}")
        if doing == "sit" and sits < 0 and seats.players[wanted].free:
            seats.sit(wanted, account, account)
        elif doing == "bot" and seats.players[wanted].free:
            seats.add_bot(wanted, "simple")
        elif doing == "move" and not any(player.chosen for player in seats.players):
            seats.move(order)
        elif sits >= 0 and doing == "rise":
            assert all(player.seat in (sits, opposite(sits)) for player in seats.rise(account))
        elif sits >= 0 and doing == "ready":
            seats.set_ready(account, wanted % 2 == 0)
        elif sits >= 0 and doing == "choose":
            before = [replace(player) for player in seats.players]
            try:
                assert seats.players[opposite(seats.choose(sits, wanted))].chosen
            except Refused as refused:
                assert refused.rule == "R9"  # noqa: PT017
                assert seats.players == before
            else:
                assert not any(player.ready and player.account for player in seats.players)
        chairs_are_in_order(seats)


# ── by lot ──


async def test_r9_seats_are_drawn_when_all_are_ready() -> None:
    """Until then nobody moves. The draw is one public event that tells the six seats, the same for everyone, and comes
    before the match's start; from then on each stream speaks to its player in the new seat."""
    at = await house(seed=3)
    handle = await at.new_table(DRAW)
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
    for reader in readers:
        await reader.follow()
    chairs = [person(number).account for number in range(6)]
    for number in range(6):
        assert accounts(await handle.info()) == chairs
        await handle.set_ready(person(number), True, "ready")
    for reader in readers:
        await reader.read()
    drawn = accounts(await handle.info())
    assert sorted(drawn) == sorted(chairs)
    assert drawn != chairs
    for reader in readers:
        events = [event for update in reader.updates for event in update.events]
        kinds = [event.WhichOneof("event") for event in events]
        assert kinds[6:9] == ["seats_moved", "match_started", "deal_started"]
        moved = events[6].seats_moved
        assert (moved.reason, moved.HasField("chooser")) == (events_pb2.SEATS_MOVED_REASON_DRAWN, False)
        assert [player.account for player in moved.players] == drawn
        assert [player.seat for player in moved.players] == list(range(6))
    for number, reader in enumerate(readers[:6]):
        assert reader.seat is not None
        assert reader.seat.seat == drawn.index(person(number).account)
        assert bytes(reader.seat.hand) == bytes(live_deal(at, handle).cards(reader.seat.seat))
        fresh = await reader.fresh()
        assert (fresh.seat, fresh.p) == (reader.seat, reader.place.p if reader.place else -1)
    assert readers[6].seat is None
    assert (await handle.join(person(2), None, "again"))[1] == drawn.index(person(2).account)


async def test_r9_each_order_is_as_likely_as_another() -> None:
    """Over many tables everyone comes to every seat about as often."""
    at = await house()
    seats: Counter[tuple[int, int]] = Counter()
    for number in range(240):
        made = await at.tables.create(person(0), DRAW, f"t{number}")
        handle = await at.tables.open(made.name)
        for other in range(1, 6):
            await handle.join(person(other), None, "join")
        for other in range(6):
            await handle.set_ready(person(other), True, "ready")
        await settle(2)
        drawn = accounts(await handle.info())
        seats.update((who, drawn.index(person(who).account)) for who in range(6))
        for other in range(6):
            await handle.vote_dissolution(person(other), True, "enough")
    assert len(seats) == 36
    assert max(seats.values()) < 70, "expected 40"


async def test_r9_bots_are_drawn_like_anybody() -> None:
    """Built-in bots move too, play in their new seats, and the match is played to its end through a restart."""
    at = await house(seed=5)
    handle = await at.match(DRAW, people=2, bot="random")
    reader = Reader(at, handle, person(1))
    await reader.follow()
    drawn = accounts(await handle.info())
    assert drawn != [person(0).account, person(1).account, *["random"] * 4]
    dice = random.Random(2)
    await play_on(at, handle, dice, moves=3)
    await at.restart()
    handle = await at.tables.open(handle.name)
    assert accounts(await handle.info()) == drawn
    await reader.follow(resume=True)
    for _ in range(400):
        await at.clock.run(5)
        await play_on(at, handle, dice, moves=50)
        await reader.read()
        if reader.closed:
            break
    assert reader.closed
    assert accounts(reader.info) == drawn
    for player in reader.info.players if reader.info else ():
        assert player.account or player.display_name == f"random {player.seat}"


async def test_r9_a_draw_that_was_not_stored_was_never_told() -> None:
    """Where the append of the draw fails nobody hears of it; it is drawn when the readiness comes again."""
    journal = MemoryJournal()
    at = await house(journal=journal)
    handle = await at.new_table(DRAW)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    for number in range(5):
        await handle.set_ready(person(number), True, "ready")
    await reader.read()
    journal.fail_next = 1
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await handle.set_ready(person(5), True, "ready")
    before = len(reader.updates)
    await reader.read()
    assert len(reader.updates) == before
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_WAITING
    await handle.set_ready(person(5), True, "ready")
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_PLAYING
    await reader.read()
    assert accounts(reader.info) == accounts(await handle.info())


async def test_r9_a_reader_comes_back_to_its_new_seat() -> None:
    """A place from before the draw is good after it: the tail takes the reader to its new seat without a snapshot."""
    at = await house(seed=3)
    handle = await at.new_table(DRAW)
    reader = Reader(at, handle, person(0))
    await reader.follow()
    await reader.read()
    reader.outbox.close()
    for number in range(6):
        await handle.set_ready(person(number), True, "ready")
    await reader.follow(resume=True)
    await reader.read()
    assert len(reader.snapshots) == 1
    assert reader.seat is not None
    assert reader.seat.seat == accounts(await handle.info()).index(person(0).account)
    assert reader.seat.seat != 0
    assert reader.seat == (await reader.fresh()).seat


async def test_r9_no_longer_ready_in_the_same_turn_is_not_drawn() -> None:
    """Who takes its readiness back before the table's turn is over keeps the match from starting."""
    at = await house()
    handle = await at.new_table(DRAW)
    for number in range(5):
        await handle.set_ready(person(number), True, "ready")
    last = asyncio.ensure_future(handle.set_ready(person(5), True, "ready"))
    back = asyncio.ensure_future(handle.set_ready(person(0), False, "back"))
    await asyncio.gather(last, back)
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_WAITING
    assert accounts(await handle.info()) == [person(number).account for number in range(6)]


# ── opposites chosen ──


async def test_r9_who_is_chosen_sits_opposite() -> None:
    """The chooser moves to the seat opposite, who sits there takes the chooser's; both streams go on in the new seats,
    the pair is marked, and all people have to be ready again."""
    at = await house()
    handle = await at.new_table(CHOOSE, people=5)
    await handle.add_bot(person(0), "simple", 5, "bot")
    for number in range(4):
        await handle.set_ready(person(number), True, "ready")
    readers = [Reader(at, handle, person(number)) for number in range(5)]
    for reader in readers:
        await reader.follow()
        await reader.read()
    table, seat = await handle.choose_opposite(person(1), 2, "choose")
    assert seat == 5
    people = [person(number).account for number in range(6)]
    assert accounts(table) == [people[0], "simple", people[2], people[3], people[4], people[1]]
    assert [player.ready for player in table.players] == [False, True, False, False, False, False]
    assert [player.seat for player in table.players if player.opposite_chosen] == [2, 5]
    assert table.players[1].display_name == "simple 1"
    assert await handle.choose_opposite(person(1), 2, "choose") == (table, 5)
    assert await handle.choose_opposite(person(1), 2, "choose-again") == (table, 5)
    assert await handle.choose_opposite(person(2), 5, "me-too") == (table, 2)
    await at.restart()
    handle = await at.tables.open(handle.name)
    assert await handle.info() == table
    for number in range(5):
        await handle.set_ready(person(number), True, "ready-again")
    for number, reader in enumerate(readers):
        await reader.follow(resume=True)
        await reader.read()
        moved = [
            event.seats_moved for update in reader.updates for event in update.events if event.HasField("seats_moved")
        ]
        assert [(move.reason, move.chooser) for move in moved] == [(events_pb2.SEATS_MOVED_REASON_OPPOSITE_CHOSEN, 5)]
        assert list(moved[0].players) == list(table.players)
        assert reader.seat is not None
        assert reader.seat.seat == accounts(reader.info).index(people[number])
    dice = random.Random(3)
    for _ in range(400):
        await at.clock.run(5)
        await play_on(at, handle, dice, moves=50)
        if (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED:
            break
    assert accounts(await handle.info()) == accounts(table)


async def test_r9_one_may_choose_who_sits_opposite_already_and_a_free_seat_is_just_taken() -> None:
    """Then nobody moves but the chooser, and the pair is marked."""
    at = await house()
    handle = await at.new_table(CHOOSE, people=4)
    table, seat = await handle.choose_opposite(person(0), 3, "a")
    assert (seat, [player.seat for player in table.players if player.opposite_chosen]) == (0, [0, 3])
    table, seat = await handle.choose_opposite(person(1), 2, "b")
    assert (seat, accounts(table)[1]) == (5, "")
    assert [player.opposite_chosen for player in table.players] == [True, False, True, True, False, True]


async def test_r9_a_pair_lasts_until_one_of_it_chooses_another_or_leaves() -> None:
    """A third cannot come between; either of the two can part it, and then the one left can be chosen."""
    at = await house()
    handle = await at.new_table(CHOOSE)
    await handle.choose_opposite(person(0), 3, "a")
    for chooser, wanted in ((1, 3), (1, 0)):
        with pytest.raises(Refused) as raised:
            await handle.choose_opposite(person(chooser), wanted, "b")
        assert (raised.value.reason, raised.value.rule, raised.value.status) == (
            "OPPOSITE_TAKEN",
            "R9",
            "FAILED_PRECONDITION",
        )
    table, seat = await handle.choose_opposite(person(3), 1, "c")
    assert (seat, [player.seat for player in table.players if player.opposite_chosen]) == (4, [1, 4])
    table, seat = await handle.choose_opposite(person(2), 0, "d")
    assert seat == 3
    table = await handle.leave(person(2), "e")
    assert [player.seat for player in table.players if player.opposite_chosen] == [1, 4]
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await handle.join(person(7), 3, "f")
    await handle.choose_opposite(person(7), 0, "g")
    await handle.leave(person(7), "h")
    await reader.read()
    changed = [event.seat_changed.player for event in reader.updates[-1].events]
    assert [(player.seat, player.opposite_chosen) for player in changed] == [(3, False), (0, False)]


@pytest.mark.parametrize(
    ("spec", "caller", "wanted", "reason"),
    [
        (CHOOSE, 1, 1, "CHOOSE_ANOTHER"),
        (CHOOSE, 1, 5, "NOBODY_THERE"),
        (CHOOSE, 1, 6, "BAD_SEAT"),
        (CHOOSE, 1, -1, "BAD_SEAT"),
        (CHOOSE, 9, 1, "NO_SEAT"),
        (DRAW, 1, 2, "NO_CHOOSING"),
        (TableSpec(), 1, 2, "NO_CHOOSING"),
    ],
)
async def test_r9_a_choice_that_cannot_be_is_refused(spec: TableSpec, caller: int, wanted: int, reason: str) -> None:
    """Oneself, nobody, no seat, a stranger, a table where opposites are not chosen: nothing changes."""
    at = await house()
    handle = await at.new_table(spec, people=4)
    before = accounts(await handle.info())
    with pytest.raises(Refused) as raised:
        await handle.choose_opposite(person(caller), wanted, "choose")
    assert raised.value.reason == reason
    assert accounts(await handle.info()) == before


async def test_r9_no_opposite_is_chosen_once_the_match_has_begun() -> None:
    """Seats are fixed then."""
    at = await house()
    handle = await at.match(CHOOSE)
    with pytest.raises(Refused, match="MATCH_STARTED"):
        await handle.choose_opposite(Caller(person(1).account, ""), 2, "choose")

"""Seats at a waiting table: lost by who stays away, kept for who is to come back, and the owner's passed on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, table_pb2
from gouji_server.journal import Entry
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, at_home, person
from tests.server.raw_client import new_id, refusal

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from tests.server.running import Running

LEASE = 60.0


async def house(limits: Limits | None = None) -> House:
    at = House(limits=limits or at_home(seat_lease_seconds=LEASE, idle_seconds=30))
    await at.tables.start()
    return at


async def following(at: House, handle: TableHandle, number: int) -> Reader:
    reader = Reader(at, handle, person(number))
    await reader.follow()
    await reader.read()
    return reader


def kinds(reader: Reader, since: int = 0) -> list[str | None]:
    return [event.WhichOneof("event") for update in reader.updates[since:] for event in update.events]


def seated(table: lobby_pb2.Table) -> list[str]:
    return [player.account.removeprefix("accounts/") for player in table.players if player.account]


async def test_who_neither_follows_nor_calls_loses_the_seat() -> None:
    """A minute after its last call, and not before, the seat is free and all who follow are told."""
    at = await house()
    handle = await at.new_table(people=2)
    owner = await following(at, handle, 0)
    await at.clock.run(LEASE - 1)
    await handle.view(person(1))
    await at.clock.run(LEASE - 1)
    assert seated(await handle.info()) == ["p0", "p1"]
    before = len(owner.updates)
    await at.clock.run(1)
    await owner.read()
    assert seated(await handle.info()) == ["p0"]
    assert kinds(owner, before) == ["seat_changed"]
    with pytest.raises(Refused, match="NO_SEAT"):
        await handle.set_ready(person(1), True, "r")


async def test_who_follows_keeps_the_seat_and_has_the_whole_time_after_the_stream_ends() -> None:
    """An open stream minds the seat for hours; from its end on the time runs."""
    at = await house()
    handle = await at.new_table(people=2)
    await following(at, handle, 0)
    two = await following(at, handle, 1)
    await at.clock.run(3600)
    assert seated(await handle.info()) == ["p0", "p1"]
    two.outbox.close()
    await at.clock.run(LEASE - 1)
    assert seated(await handle.info()) == ["p0", "p1"]
    await at.clock.run(2)
    assert seated(await handle.info()) == ["p0"]


async def test_an_owner_that_is_away_passes_the_table_to_who_sat_there_longest() -> None:
    """The new owner may do what owners do, the old one no more; a restart does not change it."""
    at = await house()
    handle = await at.new_table(people=1)
    await at.clock.run(1)
    await handle.join(person(2), 4, "j")
    await at.clock.run(1)
    await handle.join(person(1), 1, "j")
    one, two = await following(at, handle, 1), await following(at, handle, 2)
    before = len(one.updates)
    await at.clock.run(LEASE + 5)
    await one.read()
    await two.read()
    assert one.info is not None
    assert one.info.owner == "accounts/p2"
    assert kinds(one, before) == ["seat_changed", "table_changed"]
    await at.restart()
    handle = await at.tables.open(handle.name)
    await handle.add_bot(person(2), "simple", None, "b")
    with pytest.raises(Refused, match="NOT_OWNER"):
        await handle.add_bot(person(0), "simple", None, "b")


async def test_a_table_whose_last_person_stayed_away_is_closed() -> None:
    """Bots wait for nobody: without people the table is over, and nothing of it stays awake."""
    at = await house()
    handle = await at.new_table(people=1)
    await handle.add_bot(person(0), "simple", None, "b")
    await at.clock.run(LEASE + 1)
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED
    await at.clock.run(120)
    assert at.tables.awake() == 0


async def test_owners_limits_go_with_the_table() -> None:
    """A table that was passed on counts for its new owner and no more for the one before."""
    at = await house(at_home(open_tables_per_account=1))
    handle = await at.new_table(people=2)
    await handle.leave(person(0), "l")
    assert (await handle.info()).owner == "accounts/p1"
    await at.tables.create(person(0), TableSpec(), "second")
    with pytest.raises(Refused, match="TOO_MANY_TABLES_OF_ACCOUNT"):
        await at.tables.create(person(1), TableSpec(), "third")


async def test_after_a_restart_everybody_has_the_whole_time_again() -> None:
    """Streams break when a server restarts, so nobody's time goes on; a sleeping table is woken to mind its seats."""
    at = await house()
    handle = await at.new_table(people=2)
    await following(at, handle, 0)
    await at.clock.run(LEASE - 5)
    await at.restart()
    handle = await at.tables.open(handle.name)
    await at.clock.run(20)
    assert seated(await handle.info()) == ["p0", "p1"]
    await at.clock.run(2 * LEASE + 30)
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED


async def test_in_a_match_nobody_loses_a_seat() -> None:
    """Once the match has begun the lease is over: who is away then is a matter of clocks and autopilots."""
    at = await house()
    handle = await at.match(people=2)
    await at.clock.run(10 * LEASE)
    assert seated(await handle.info()) == ["p0", "p1"]


async def test_without_a_lease_seats_are_kept() -> None:
    """A lease of 0 seconds is none."""
    at = await house(at_home(seat_lease_seconds=0))
    handle = await at.new_table(people=2)
    await at.clock.run(100 * LEASE)
    assert seated(await handle.info()) == ["p0", "p1"]


async def over(at: House, people: int = 2, spec: TableSpec | None = None) -> TableHandle:
    """Play a match of so many people to its end: they agree to end it."""
    handle = await at.match(spec or TableSpec(title="t", deals=2, decision_seconds=30), people=people)
    for number in range(people):
        await handle.vote_dissolution(person(number), True, f"v{number}")
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED
    return handle


async def test_a_rematch_has_the_same_settings_players_and_bots() -> None:
    """Whoever asks first makes it, all get the same one, each its own seat; with the last one ready it begins."""
    at = await house()
    options = (("feel_chances", 3),)
    old = await over(at, 3, TableSpec(title="t", deals=2, decision_seconds=30, options=options, spectators=False))
    before = await old.info()
    first, seat = await at.tables.rematch(person(1), old.name, "again")
    assert seat == 1
    assert first.owner == "accounts/p1"
    assert first.name != old.name
    for field in ("title", "rule_set", "deals", "decision_time", "spectators_allowed", "options", "time_control"):
        assert getattr(first, field) == getattr(before, field)
    assert [player.reserved_for for player in first.players] == ["accounts/p0", "", "accounts/p2", "", "", ""]
    assert [player.bot for player in first.players] == ["", "", "", "simple", "simple", "simple"]
    for number in (0, 2):
        table, seat = await at.tables.rematch(person(number), old.name, "again")
        assert (table.name, seat) == (first.name, number)
    new = await at.tables.open(first.name)
    for number in range(3):
        await new.set_ready(person(number), True, "r")
    assert (await new.info()).state == lobby_pb2.TABLE_STATE_PLAYING
    assert not (await new.info()).HasField("reserved_until")


async def test_a_kept_seat_is_for_its_player_alone_and_for_a_minute() -> None:
    """Others are refused until the time is over, told by one event a seat; a restart in between changes nothing."""
    at = await house()
    old = await over(at, 3)
    made, _ = await at.tables.rematch(person(0), old.name, "again")
    new = await at.tables.open(made.name)
    reader = await following(at, new, 0)
    with pytest.raises(Refused, match="SEAT_RESERVED"):
        await new.join(person(9), 1, "j")
    with pytest.raises(Refused, match="TABLE_FULL"):
        await new.join(person(9), None, "j")
    with pytest.raises(Refused, match="SEAT_RESERVED"):
        await new.join(person(1), 2, "j")
    assert at.tables.list(with_free_seat=True) == ([], "")
    await at.clock.run(30)
    await at.restart()
    await at.clock.run(29)
    new = await at.tables.open(made.name)
    reader.handle = new
    await reader.follow(resume=True)
    await reader.read()
    before = len(reader.updates)
    await at.clock.run(2)
    await reader.read()
    assert kinds(reader, before) == ["seat_changed", "seat_changed"]
    assert (await new.join(person(9), 1, "j"))[1] == 1
    assert (await at.tables.rematch(person(2), old.name, "late"))[1] == 2
    with pytest.raises(Refused, match="TABLE_FULL"):
        await at.tables.rematch(person(1), old.name, "late")


async def test_a_rematch_that_nobody_came_to_is_closed_and_another_can_be_made() -> None:
    """Its maker leaves, the table closes, and whoever asks then gets a new one; the id gets its old answer again."""
    at = await house()
    old = await over(at)
    first = await at.tables.rematch(person(0), old.name, "again")
    await (await at.tables.open(first[0].name)).leave(person(0), "l")
    assert await at.tables.rematch(person(0), old.name, "again") == first
    second, _ = await at.tables.rematch(person(1), old.name, "again")
    assert second.name != first[0].name
    assert at.tables.rematch_of(old.name) is not None
    assert at.tables.rematch_of(old.name).name == second.name  # type: ignore[union-attr]
    await at.restart()
    assert await at.tables.rematch(person(0), old.name, "again") == first


async def test_a_rematch_that_was_frozen_or_left_the_lists_stands_in_nobodys_way() -> None:
    """The next one is made, again and again; who had a seat at one that left the lists is answered as it was then."""
    at = await house(at_home(closed_tables_listed=1, idle_seconds=10))
    old = await over(at)
    gone = await at.tables.rematch(person(0), old.name, "again")
    await (await at.tables.open(gone[0].name)).leave(person(0), "l")
    await at.clock.run(1)
    last = await at.tables.create(person(0), TableSpec(), "later")
    await (await at.tables.open(last.name)).leave(person(0), "l")
    await at.clock.run(60)
    assert at.tables.listed(gone[0].name) is None
    assert await at.tables.rematch(person(0), old.name, "again") == gone
    frozen, _ = await at.tables.rematch(person(1), old.name, "again")
    assert frozen.name != gone[0].name
    assert at.tables.rematch_of(old.name) == at.tables.listed(frozen.name)
    await at.tables.close()
    journal = at.journal
    assert isinstance(journal, MemoryJournal)
    seq, kind, body, digest = journal.tables[frozen.name][-1]
    journal.tables[frozen.name][-1] = Entry(seq, kind, body, b"x" * len(digest))
    await at.restart()
    await at.clock.run(1)
    assert (await (await at.tables.open(frozen.name)).info()).state == lobby_pb2.TABLE_STATE_FROZEN
    third, seat = await at.tables.rematch(person(0), old.name, "third")
    assert third.name not in (frozen.name, gone[0].name)
    assert (third.state, seat) == (lobby_pb2.TABLE_STATE_WAITING, 0)


async def test_rematches_made_at_once_count_against_the_bound() -> None:
    """Many at once do not slip past the bound of open tables while none is durable yet."""
    at = await house(at_home(open_tables_per_account=3))
    old = await over(at)
    for number in range(2):
        await at.tables.create(person(0), TableSpec(), f"t{number}")
    asked = [at.tables.rematch(person(0), old.name, "a"), at.tables.create(person(0), TableSpec(), "b")]
    done = await asyncio.gather(*asked, return_exceptions=True)
    assert [error.reason for error in done if isinstance(error, Refused)] == ["TOO_MANY_TABLES_OF_ACCOUNT"]


async def test_a_rematch_of_a_private_table_is_private_and_open_to_its_players() -> None:
    """They need no code; strangers do, and it is another than before."""
    at = await house()
    table, code = await at.tables.create_with_code(person(0), TableSpec(private=True), "new")
    old = await at.tables.open(table.name)
    await old.join(person(1), None, "j", code)
    for number in range(4):
        await old.add_bot(person(0), "simple", None, f"b{number}")
    for number in range(2):
        await old.set_ready(person(number), True, "r")
    for number in range(2):
        await old.vote_dissolution(person(number), True, "v")
    made, _ = await at.tables.rematch(person(0), old.name, "again")
    assert made.private
    new = await at.tables.open(made.name)
    assert (await new.shown(person(1))).name == made.name
    assert (await at.tables.rematch(person(1), old.name, "again"))[1] == 1
    another = await new.join_code(person(1))
    assert another != code
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await new.shown(person(9), code)


async def test_only_who_played_and_only_after_the_end() -> None:
    """Before the end, without a seat, at a frozen or never begun table there is no rematch."""
    at = await house()
    handle = await at.match(people=2)
    with pytest.raises(Refused, match="MATCH_RUNNING"):
        await at.tables.rematch(person(0), handle.name, "a")
    with pytest.raises(Refused, match="NOT_SEATED"):
        await at.tables.rematch(person(9), handle.name, "a")
    waiting = await at.new_table(people=1, request_id="w")
    with pytest.raises(Refused, match="MATCH_NOT_STARTED"):
        await at.tables.rematch(person(0), waiting.name, "a")


async def test_a_table_where_seats_were_kept_and_nobody_sits_is_closed() -> None:
    """A maker that left before the others came leaves an empty table, which is closed as one that everyone left."""
    at = await house()
    old = await over(at)
    made, _ = await at.tables.rematch(person(0), old.name, "again")
    new = await at.tables.open(made.name)
    reader = await following(at, new, 0)
    await new.leave(person(0), "l")
    await reader.read()
    closed = reader.updates[-1].events[-1].table_closed
    assert closed.reason == events_pb2.CLOSE_REASON_EMPTY


async def test_a_rematch_over_the_wire_is_named_by_the_table_that_is_over(running_server: Running) -> None:
    """GetTable names it to everybody, a private one to its players alone; the same id gets the same answer."""
    for private in (False, True):
        owner, stranger = await running_server.player(), await running_server.player()
        made = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), private=private))
        name = made.table.name
        for _ in range(5):
            await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=name))
        await owner.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=name, ready=True))
        await owner.call(table_pb2.VoteDissolutionRequest(request_id=new_id(), table=name, agrees=True))
        get = lobby_pb2.GetTableRequest(name=name)
        assert (await owner.call(get)).table.rematch == ""
        rematch = lobby_pb2.RematchRequest(request_id=new_id(), name=name)
        again = await owner.call(rematch)
        assert again == await owner.call(rematch)
        assert (again.seat, again.table.private) == (0, private)
        assert (await owner.call(get)).table.rematch == again.table.name
        if not private:
            assert (await stranger.call(get)).table.rematch == again.table.name
        else:
            assert (await refusal(stranger.call(get))).reason == "TABLE_NOT_FOUND"

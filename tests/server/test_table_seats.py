"""Before the match: who may sit where, who may change it, and when it begins."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables import Caller, Refused, TableSpec
from gouji_server.tables.story import Story
from tests.server.players import House, Reader, at_home, person

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from gouji_server.tables import TableHandle

INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION = (
    3,
    5,
    6,
    7,
    8,
    9,
)


async def refused(asked: Awaitable[object]) -> tuple[int, str]:
    """Return code and reason of the refusal that must come."""
    with pytest.raises(Refused) as raised:
        await asked
    assert raised.value.text_en
    assert raised.value.text_zh
    return raised.value.code, raised.value.reason


async def house() -> House:
    """Start a house."""
    made = House()
    await made.tables.start()
    return made


def seats(table: lobby_pb2.Table) -> list[str]:
    """Say who sits where: the account's last part, the bot's policy, or nothing."""
    assert [player.seat for player in table.players] == list(range(6))
    return [player.account.removeprefix("accounts/") or player.bot for player in table.players]


async def test_a_new_table_has_its_maker_seated_and_tells_its_facts() -> None:
    """The maker gets the seat asked for, is its owner and not ready; every lobby fact is told."""
    at = await house()
    spec = TableSpec(title="晚上打够级", deals=5, decision_seconds=30, seat=2, spectators=False)
    table = await at.tables.create(person(0), spec, "new")
    assert seats(table) == ["", "", "p0", "", "", ""]
    assert (table.title, table.rule_set, table.deals, table.owner) == (
        "晚上打够级",
        "ruleSets/qingdao",
        5,
        "accounts/p0",
    )
    assert table.state == lobby_pb2.TABLE_STATE_WAITING
    assert table.decision_time.seconds == 30
    assert not table.spectators_allowed
    assert table.players[2].display_name == "Player 0"
    assert not table.players[2].ready
    assert table.create_time.seconds == int(at.clock.now())
    handle = await at.tables.open(table.name)
    assert await handle.info() == table


async def test_an_organiser_makes_a_table_without_a_seat() -> None:
    """Without a seat all six are free, and there is no clock unless asked for."""
    at = await house()
    table = await at.tables.create(person(0), TableSpec(seat=None), "new")
    assert seats(table) == [""] * 6
    assert not table.HasField("decision_time")


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (TableSpec(rule_set="marsh"), "rule_set.rules"),
        (TableSpec(options=(("stifle", "tribute"),)), "rule_set.stifle"),
        (TableSpec(options=(("cheating", True),)), "rule_set.cheating"),
        (TableSpec(title="x" * 61), "title"),
        (TableSpec(title="a\nb"), "title"),
        (TableSpec(deals=0), "deals"),
        (TableSpec(deals=101), "deals"),
        (TableSpec(decision_seconds=0.5), "decision_time"),
        (TableSpec(decision_seconds=3601), "decision_time"),
        (TableSpec(seat=6), "seat"),
    ],
)
async def test_a_table_that_cannot_be_is_refused_with_the_field(spec: TableSpec, field: str) -> None:
    """Each bad part of a table is INVALID_ARGUMENT, named by its field, and makes no table."""
    at = await house()
    with pytest.raises(Refused) as raised:
        await at.tables.create(person(0), spec, "new")
    assert raised.value.code == INVALID_ARGUMENT
    assert field in [name for name, _ in raised.value.fields]
    assert at.tables.list() == ([], "")


async def test_options_of_the_rules_can_be_overridden() -> None:
    """An override that the preset supports makes a table, also after a restart."""
    at = await house()
    spec = TableSpec(options=(("points", (3, 2, 1, -1, -2, -3)), ("show", "ask")))
    table = await at.tables.create(person(0), spec, "new")
    await at.restart()
    assert await at.tables.create(person(0), spec, "new") == table


async def test_making_a_table_again_with_one_id_makes_one_table() -> None:
    """The same request id and body give the same table, also after a restart; another body is ALREADY_EXISTS; another
    account or id makes another table."""
    at = await house()
    table = await at.tables.create(person(0), TableSpec(title="one"), "new")
    handle = await at.tables.open(table.name)
    await handle.join(person(1), None, "j")
    for restarts in range(2):
        if restarts:
            await at.restart()
        assert await at.tables.create(person(0), TableSpec(title="one"), "new") == table
        assert await refused(at.tables.create(person(0), TableSpec(title="two"), "new")) == (
            ALREADY_EXISTS,
            "REQUEST_ID_USED",
        )
    others = {
        (await at.tables.create(person(1), TableSpec(title="one"), "new")).name,
        (await at.tables.create(person(0), TableSpec(title="one"), "new2")).name,
        table.name,
    }
    assert len(others) == 3


async def test_the_same_rules_said_otherwise_are_the_same_request() -> None:
    """Options in another order, a default spelt out and what another option brings anyway make no other body, also
    after a restart; other rules, even where they come to the same deals, do."""
    at = await house()
    said = (("report", "none"), ("hold_three", True), ("removed", "444555"))
    table = await at.tables.create(person(0), TableSpec(options=said), "new")
    same = [said[::-1], (*said[:2], ("removed", "555 444")), (*said, ("decks", 4)), (("stifle", "tribute"), *said)]
    others = [said[:1], (*said, ("decks", 6)), (*said, ("deals", 3))]
    for restarts in range(2):
        if restarts:
            await at.restart()
        for options in same:
            assert await at.tables.create(person(0), TableSpec(options=options), "new") == table
        for options in others:
            asked = at.tables.create(person(0), TableSpec(options=options), "new")
            assert await refused(asked) == (ALREADY_EXISTS, "REQUEST_ID_USED")


async def test_joining_takes_the_seat_asked_for_or_the_lowest_free_one() -> None:
    """A seat wanted is given if free, without a wish the lowest free one; joining again gives the seat one has."""
    at = await house()
    handle = await at.new_table(TableSpec(seat=1), people=1)
    table, seat = await handle.join(person(1), 4, "a")
    assert (seats(table), seat) == (["", "p0", "", "", "p1", ""], 4)
    _, seat = await handle.join(person(2), None, "a")
    assert seat == 0
    assert (await handle.join(person(1), 5, "b"))[1] == 4
    assert await refused(handle.join(person(3), 4, "a")) == (FAILED_PRECONDITION, "SEAT_TAKEN")
    assert await refused(handle.join(person(3), 6, "b")) == (INVALID_ARGUMENT, "BAD_SEAT")
    assert await refused(handle.join(person(3), -1, "c")) == (INVALID_ARGUMENT, "BAD_SEAT")
    assert await refused(handle.join(person(3), 2, "")) == (INVALID_ARGUMENT, "BAD_REQUEST_ID")
    for number in (4, 5, 6):
        await handle.join(person(number), None, "a")
    assert await refused(handle.join(person(7), None, "a")) == (FAILED_PRECONDITION, "TABLE_FULL")
    assert seats(await handle.info()) == ["p2", "p0", "p4", "p5", "p1", "p6"]


async def test_leaving_frees_the_seat() -> None:
    """Who leaves is seated no more; who has no seat cannot leave; the table goes to who is left."""
    at = await house()
    handle = await at.new_table(people=2)
    assert seats(await handle.leave(person(0), "l")) == ["", "p1", "", "", "", ""]
    assert await refused(handle.leave(person(0), "l2")) == (FAILED_PRECONDITION, "NO_SEAT")
    assert await refused(handle.add_bot(person(0), "random", None, "b")) == (PERMISSION_DENIED, "NOT_OWNER")
    _, seat = await handle.add_bot(person(1), "random", None, "b")
    assert seat == 0


async def test_a_table_that_everyone_left_is_closed() -> None:
    """The last person to leave closes the table, bots or not: TableClosed with EMPTY, and nothing goes any more."""
    at = await house()
    handle = await at.new_table(people=2)
    await handle.add_bot(person(0), "random", None, "b")
    watcher = Reader(at, handle, person(9))
    await watcher.follow()
    await handle.leave(person(0), "l")
    table = await handle.leave(person(1), "l")
    await watcher.read()
    assert table.state == lobby_pb2.TABLE_STATE_FINISHED
    assert watcher.closed
    assert watcher.updates[-1].events[-1].table_closed.reason == 2
    assert await refused(handle.join(person(3), None, "j")) == (FAILED_PRECONDITION, "TABLE_CLOSED")
    assert at.tables.list() == ([], "")


async def test_only_the_owner_adds_bots_and_only_such_as_there_are() -> None:
    """A bot is the owner's to add, in a free seat, by a policy's name; it is ready at once."""
    at = await house()
    handle = await at.new_table(people=2)
    table, seat = await handle.add_bot(person(0), "", 5, "b")
    assert (seats(table)[5], seat, table.players[5].ready) == ("simple", 5, True)
    assert await refused(handle.add_bot(person(1), "simple", None, "b")) == (PERMISSION_DENIED, "NOT_OWNER")
    assert await refused(handle.add_bot(person(0), "genius", None, "b2")) == (INVALID_ARGUMENT, "NO_SUCH_BOT")
    assert await refused(handle.add_bot(person(0), "simple", 1, "b2")) == (FAILED_PRECONDITION, "SEAT_TAKEN")
    assert (await handle.add_bot(person(0), "random", None, "b2"))[1] == 2


async def test_the_match_begins_when_six_are_ready() -> None:
    """Five ready seats are not enough; readiness can be taken back; with the sixth the match and a deal begin at once,
    after which seats are fixed."""
    at = await house()
    handle = await at.new_table()
    watcher = Reader(at, handle, person(9))
    await watcher.follow()
    for number in range(5):
        await handle.set_ready(person(number), True, "r")
    await handle.set_ready(person(0), False, "r2")
    table = await handle.set_ready(person(5), True, "r")
    assert table.state == lobby_pb2.TABLE_STATE_WAITING
    await watcher.read()
    assert watcher.state is None
    table = await handle.set_ready(person(0), True, "r3")
    assert table.state == lobby_pb2.TABLE_STATE_PLAYING
    await watcher.read()
    kinds = [event.WhichOneof("event") for update in watcher.updates[-2:] for event in update.events]
    assert kinds[:3] == ["seat_changed", "match_started", "deal_started"]
    assert watcher.info is not None
    assert watcher.info.state == lobby_pb2.TABLE_STATE_PLAYING
    begun = (FAILED_PRECONDITION, "MATCH_STARTED")
    assert await refused(handle.leave(person(1), "x")) == begun
    assert await refused(handle.set_ready(person(1), False, "x")) == begun
    assert await refused(handle.join(person(9), None, "x")) == begun
    assert await refused(handle.add_bot(person(0), "simple", None, "x")) == begun
    assert (await handle.join(person(3), None, "x"))[1] == 3


async def test_readiness_without_a_seat_or_a_change_makes_no_event() -> None:
    """Who has no seat cannot be ready; saying again what was said tells nobody anything."""
    at = await house()
    handle = await at.new_table(people=2)
    assert await refused(handle.set_ready(person(5), True, "r")) == (FAILED_PRECONDITION, "NO_SEAT")
    await handle.set_ready(person(0), True, "r")
    watcher = Reader(at, handle, person(9))
    await watcher.follow()
    await watcher.read()
    await handle.set_ready(person(0), True, "again")
    assert await watcher.read() == 0


async def test_lobby_commands_are_carried_out_once() -> None:
    """The same id and body give the same answer though the table has moved on; another body is ALREADY_EXISTS; the same
    id of another account or for another command is another command. A restart changes none of this."""
    at = await house()
    handle = await at.new_table(people=1)
    joined = await handle.join(person(1), None, "id")
    left = await handle.leave(person(1), "id")
    await handle.join(person(2), None, "id")
    ready = await handle.set_ready(person(2), True, "id")
    bot = await handle.add_bot(person(0), "simple", None, "id")
    for restarts in range(2):
        if restarts:
            await at.restart()
            handle = await at.tables.open(handle.name)
        before = await handle.info()
        assert await handle.join(person(1), None, "id") == joined
        assert await handle.leave(person(1), "id") == left
        assert await handle.set_ready(person(2), True, "id") == ready
        assert await handle.add_bot(person(0), "simple", None, "id") == bot
        used = (ALREADY_EXISTS, "REQUEST_ID_USED")
        assert await refused(handle.join(person(1), 3, "id")) == used
        assert await refused(handle.set_ready(person(2), False, "id")) == used
        assert await refused(handle.add_bot(person(0), "random", None, "id")) == used
        assert await handle.info() == before


async def test_a_refused_command_leaves_its_id_free() -> None:
    """A command that was refused changed nothing, and its id may be used for another."""
    at = await house()
    handle = await at.new_table(people=1)
    assert await refused(handle.join(person(1), 0, "id")) == (FAILED_PRECONDITION, "SEAT_TAKEN")
    assert (await handle.join(person(1), 1, "id"))[1] == 1


async def test_remembered_lobby_ids_are_bounded() -> None:
    """Beyond the bound the oldest ids are forgotten: then they are new again."""
    at = House(limits=at_home(lobby_requests=3))
    await at.tables.start()
    handle = await at.new_table(people=1)
    for turn in range(4):
        await handle.set_ready(person(0), turn % 2 == 0, f"r{turn}")
    assert not (await handle.set_ready(person(0), False, "r3")).players[0].ready
    assert (await handle.set_ready(person(0), True, "r0")).players[0].ready


async def test_accounts_have_at_most_so_many_open_tables() -> None:
    """Beyond an account's bound no more tables are made until one is over; a retry of one made is still answered."""
    at = House(limits=at_home(open_tables_per_account=2, open_tables=3))
    await at.tables.start()
    handles = [await at.new_table(people=1, request_id=f"t{number}") for number in range(2)]
    too_many = (RESOURCE_EXHAUSTED, "TOO_MANY_TABLES_OF_ACCOUNT")
    assert await refused(at.tables.create(person(0), TableSpec(), "t2")) == too_many
    await at.tables.create(person(0), TableSpec(), "t1")
    await at.tables.create(person(1), TableSpec(), "t0")
    assert await refused(at.tables.create(person(2), TableSpec(), "t0")) == (RESOURCE_EXHAUSTED, "TOO_MANY_TABLES")
    await handles[0].leave(person(0), "l")
    await at.tables.create(person(0), TableSpec(), "t2")


async def test_a_late_retry_of_a_table_long_gone_is_answered_where_there_is_no_room() -> None:
    """A table that is over, out of the lists and asleep is answered for to its maker, who has as many as it may; what
    is not the same request is refused as ever."""
    at = House(limits=at_home(open_tables_per_account=1, open_tables=9, closed_tables_listed=1, idle_seconds=10))
    await at.tables.start()
    made = await at.tables.create(person(0), TableSpec(), "old")
    await at.clock.run(1)
    for number, name in enumerate((made.name, (await at.tables.create(person(1), TableSpec(), "o")).name)):
        await (await at.tables.open(name)).leave(person(number), "l")
    await at.tables.create(person(0), TableSpec(), "new")
    await at.clock.run(60)
    assert at.tables.listed(made.name) is None
    assert at.tables.awake() == 0
    too_many = (RESOURCE_EXHAUSTED, "TOO_MANY_TABLES_OF_ACCOUNT")
    assert await refused(at.tables.create(person(0), TableSpec(), "another")) == too_many
    assert await at.tables.create(person(0), TableSpec(), "old") == made
    assert await refused(at.tables.create(person(0), TableSpec(title="x"), "old")) == (6, "REQUEST_ID_USED")


async def test_a_table_that_falls_asleep_leaves_memory_at_once() -> None:
    """Its story is gone without the help of the cyclic collector, which looks seldom: memory stays flat."""

    def stories() -> int:
        return sum(isinstance(each, Story) for each in gc.get_objects())

    at = House(limits=at_home(idle_seconds=10))
    await at.tables.start()
    gc.collect()
    before = stories()
    gc.disable()
    try:
        for number in range(5):
            made = await at.tables.create(person(0), TableSpec(), f"t{number}")
            await (await at.tables.open(made.name)).leave(person(0), "l")
        assert stories() == before + 5
        await at.clock.run(60)
        assert at.tables.awake() == 0
        assert stories() == before
    finally:
        gc.enable()


async def test_tables_made_at_once_count_against_the_bound() -> None:
    """Many requests at once do not slip past the bound while none of their tables is durable yet."""
    at = House(limits=at_home(open_tables_per_account=2))
    await at.tables.start()
    asked = [at.tables.create(person(0), TableSpec(), f"t{number}") for number in range(6)]
    made = await asyncio.gather(*asked, return_exceptions=True)
    assert len([table for table in made if isinstance(table, lobby_pb2.Table)]) == 2
    assert {error.reason for error in made if isinstance(error, Refused)} == {"TOO_MANY_TABLES_OF_ACCOUNT"}


async def test_one_request_sent_twice_at_once_makes_one_table() -> None:
    """Two copies of a request under way together give the same table."""
    at = await house()
    one, two = await asyncio.gather(*(at.tables.create(person(0), TableSpec(), "new") for _ in range(2)))
    assert one == two
    assert at.tables.list() == ([one], "")


async def open_refused(at: House, name: str) -> tuple[int, str]:
    """Return the refusal of opening a table."""
    return await refused(at.tables.open(name))


@pytest.mark.parametrize(
    "name", ["tables/aaaaaaaaaaaaaaaa", "tables/", "", "tables/A", "x", "tables/aaaaaaaaaaaaaaaa/x"]
)
async def test_a_table_that_is_not_there_is_not_found(name: str) -> None:
    """An unknown name and a name that cannot be one give the same answer, and nothing stays in memory."""
    at = await house()
    assert await open_refused(at, name) == (NOT_FOUND, "TABLE_NOT_FOUND")
    assert at.tables.awake() == 0


async def act_of_stranger(handle: TableHandle) -> tuple[int, str]:
    """Try to move without a seat."""
    from gouji.table.v1 import table_pb2

    return await refused(handle.act(Caller("accounts/x", "X"), table_pb2.SubmitActionRequest(request_id="bad id!")))


async def test_who_has_no_seat_is_told_so_before_anything_else() -> None:
    """Authorisation comes before the shape of a request."""
    at = await house()
    handle = await at.new_table()
    assert await act_of_stranger(handle) == (PERMISSION_DENIED, "NOT_SEATED")

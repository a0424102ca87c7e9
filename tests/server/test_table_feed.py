"""The live list of tables: filters, changes put together, bounds, and nothing of private tables."""

from __future__ import annotations

import asyncio
import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_server.api.table_list_stream import TableListStream
from gouji_server.lobby import table_feed
from gouji_server.lobby.table_feed import FEWEST_TABLES, MOST_CHANGED, MOST_TABLES, EncodedTables, TableFeed
from gouji_server.lobby.table_filter import TableFilter
from gouji_server.tables import Limits, TableSpec
from gouji_server.tables.directory import place_of
from tests.server.players import House, person
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.table_time import settle

if TYPE_CHECKING:
    from tests.server.running import Running
    from tests.server.table_time import TableTime


def info(number: int, **facts: Any) -> pb.Table:
    made = pb.Table(name=f"tables/{number:016d}", state=pb.TABLE_STATE_WAITING, rule_set="ruleSets/qingdao", **facts)
    made.create_time.seconds = number
    if not made.players:
        made.players.extend(pb.Player(seat=seat) for seat in range(6))
    return made


def numbers(told: pb.WatchTablesResponse | None) -> list[int]:
    assert told is not None
    return [int(table.create_time.seconds) for table in told.tables]


def people(count: int, **last: Any) -> list[pb.Player]:
    return [pb.Player(seat=s, account="a", **(last if s == count - 1 else {})) for s in range(count)] + [
        pb.Player(seat=s) for s in range(count, 6)
    ]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (TableFilter(), [1, 2, 3, 4, 5]),
        (TableFilter(state=pb.TABLE_STATE_FINISHED), [6]),
        (TableFilter(with_free_seat=True), [1, 3, 4, 5]),
        (TableFilter(rule_set="ruleSets/shandong"), [3]),
        (TableFilter(text="够级"), [4]),
        (TableFilter(text="evening"), [5]),
        (TableFilter(without_bots=True), [1, 2, 3, 4]),
        (TableFilter(shunned=frozenset({"accounts/bad"})), [2, 3, 4, 5]),
    ],
)
def test_each_filter_leaves_out_what_it_says(wanted: TableFilter, found: list[int]) -> None:
    """One table is there for each filter to find or to leave out; a private one is found by none."""
    bot = pb.Player(seat=5, bot="simple", ready=True)
    shandong = info(3)
    shandong.rule_set = "ruleSets/shandong"
    over = info(6)
    over.state = pb.TABLE_STATE_FINISHED
    tables = [
        info(1, owner="accounts/bad"),
        info(2, players=people(6)),
        shandong,
        info(4, title="晚上打够级"),
        info(5, title="An Evening Match", players=[*people(5)[:5], pb.Player(seat=5)]),
        over,
        info(7, private=True),
    ]
    tables[4].players[0].CopyFrom(bot)
    assert [int(t.create_time.seconds) for t in tables if wanted.matches(t)] == found


def test_a_bot_s_account_counts_as_a_bot() -> None:
    """Without bots means without programs from outside too."""
    assert not TableFilter(without_bots=True).matches(info(1, players=people(2, is_bot_account=True)))


async def feed(wanted: TableFilter | None = None) -> tuple[House, TableFeed]:
    at = House()
    await at.tables.start()
    return at, TableFeed(at.tables, wanted or TableFilter(), EncodedTables(at.tables))


def take(reader: TableFeed) -> pb.WatchTablesResponse | None:
    told = reader.take()
    return None if told is None else pb.WatchTablesResponse.FromString(told)


async def test_a_reader_gets_the_list_and_then_what_changed_in_it() -> None:
    """First all that match, newest first; then tables that came, changed or went, each once."""
    at, reader = await feed()
    note = at.tables._directory.note
    for number in (1, 3, 2):
        note(info(number))
    first = take(reader)
    assert first is not None
    assert first.snapshot
    assert numbers(first) == [3, 2, 1]
    assert take(reader) is None
    assert not reader.changed().done()
    for title in ("a", "b", "c"):
        note(info(2, title=title))
    note(info(4))
    gone = info(1)
    gone.state = pb.TABLE_STATE_FINISHED
    note(gone)
    assert reader.changed().done()
    told = take(reader)
    assert told is not None
    assert not told.snapshot
    assert numbers(told) == [2, 4]
    assert told.tables[0].title == "c"
    assert list(told.removed) == [gone.name]
    assert take(reader) is None


async def test_what_becomes_private_is_gone_and_what_never_matched_is_not_told() -> None:
    """A table that leaves the list for whatever reason is named once; changes of others are not told at all."""
    at, reader = await feed(TableFilter(text="open"))
    note = at.tables._directory.note
    note(info(1, title="open"))
    assert numbers(take(reader)) == [1]
    note(info(2, title="other"))
    note(info(3, title="open", private=True), "ABC234")
    assert take(reader) is None
    note(info(1, title="open", private=True), "ABC235")
    told = take(reader)
    assert told is not None
    assert list(told.removed) == [info(1).name]
    note(info(1, title="open", private=True), "ABC236")
    assert take(reader) is None


async def test_what_is_not_seen_does_not_wake_nor_count() -> None:
    """Private tables and those that are filtered out neither wake a reader nor bring it the whole list anew."""
    at, reader = await feed(TableFilter(text="open"))
    note = at.tables._directory.note
    note(info(1, title="open"))
    assert numbers(take(reader)) == [1]
    waiter = reader.changed()
    for number in range(2, MOST_CHANGED + 10):
        note(info(number, title="open", private=True), f"ABC{number}")
        note(info(number + 2 * MOST_CHANGED, title="other"))
    assert not waiter.done()
    note(info(1, title="open again"))
    assert waiter.done()
    told = take(reader)
    assert told is not None
    assert not told.snapshot
    assert numbers(told) == [1]


class Written:
    """What a stream writes, and when, in seconds since it was opened."""

    def __init__(self, clock: TableTime) -> None:
        self._clock = clock
        self._opened = clock.now()
        self.told: list[tuple[float, bool, int]] = []

    async def write(self, message: bytes) -> None:
        told = pb.WatchTablesResponse.FromString(message)
        self.told.append((round(self._clock.now() - self._opened, 3), told.snapshot, len(told.tables)))


@pytest.mark.parametrize("spurious", [False, True])
async def test_heartbeats_keep_to_the_last_message(spurious: bool) -> None:
    """They come every 15 s after what was written last: changes of private tables do not move them, nor do wake-ups."""
    at, reader = await feed()
    identity: Any = SimpleNamespace(caller=person(9), session="s", expires=at.clock.now() + 1e6)
    stream = TableListStream(identity, "192.0.2.1", at.clock, reader, 15)
    context: Any = Written(at.clock)
    running = asyncio.create_task(stream.run(context))
    await settle()
    private, _ = await at.tables.create_with_code(person(0), TableSpec(private=True), "private")
    handle = await at.tables.open(private.name)
    for turn in range(6):
        await at.clock.run(10)
        await handle.set_ready(person(0), turn % 2 == 0, f"ready-{turn}")
        if spurious and reader._waiter is not None and not reader._waiter.done():
            reader._waiter.set_result(None)
        await settle()
    assert context.told == [(0, True, 0), (15, False, 0), (30, False, 0), (45, False, 0), (60, False, 0)]
    await at.tables.create(person(1), TableSpec(), "seen")
    await settle()
    await at.clock.run(15)
    assert context.told[5:] == [(60, False, 1), (75, False, 0)]
    running.cancel()
    await asyncio.wait([running])
    stream.close()
    await at.tables.close()


async def test_what_waits_for_a_slow_reader_is_bounded() -> None:
    """Beyond the bound the changes are dropped and the whole list comes instead."""
    at, reader = await feed()
    note = at.tables._directory.note
    take(reader)
    for number in range(MOST_CHANGED + 5):
        note(info(number))
    assert len(reader._changed) == 0
    told = take(reader)
    assert told is not None
    assert told.snapshot
    assert told.more
    assert numbers(told) == list(range(MOST_CHANGED + 4, MOST_CHANGED + 4 - MOST_TABLES, -1))


async def test_beyond_the_most_tables_the_newest_are_told() -> None:
    """A new table pushes the oldest out; where more than a few have gone older ones come back. No whole list again."""
    at, reader = await feed()
    note = at.tables._directory.note
    for number in range(MOST_TABLES):
        note(info(number))
    told = take(reader)
    assert told is not None
    assert not told.more
    for number in (MOST_TABLES, MOST_TABLES + 1):
        note(info(number))
    told = take(reader)
    assert told is not None
    assert (told.snapshot, told.more) == (False, True)
    assert numbers(told) == [MOST_TABLES, MOST_TABLES + 1]
    assert sorted(told.removed) == [info(0).name, info(1).name]
    note(info(1, title="changed"))
    assert take(reader) is None
    closing = range(MOST_TABLES + 1, FEWEST_TABLES, -1)
    for number in closing:
        note(over(number))
    told = take(reader)
    assert told is not None
    assert (numbers(told), told.more) == ([1, 0], False)
    assert told.tables[0].title == "changed"
    assert list(told.removed) == [info(number).name for number in closing]


def over(number: int) -> pb.Table:
    gone = info(number)
    gone.state = pb.TABLE_STATE_FINISHED
    return gone


@pytest.mark.parametrize("seed", range(6))
async def test_however_tables_come_and_go_a_reader_knows_the_newest(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """What a reader has been told, put together, is the newest that there are, as they are: no gap, none missing."""
    monkeypatch.setattr(table_feed, "MOST_TABLES", 8)
    monkeypatch.setattr(table_feed, "FEWEST_TABLES", 6)
    draw = random.Random(seed)
    at, reader = await feed(TableFilter(text="in"))
    there: dict[str, pb.Table] = {}
    known: dict[str, pb.Table] = {}
    for turn in range(400):
        for _ in range(draw.randrange(8)):
            made = info(draw.randrange(40), title=draw.choice(("in", "in", "out")), deals=turn)
            if draw.random() < (0.7 if turn % 100 > 50 else 0.3):
                made.state = pb.TABLE_STATE_FINISHED
            at.tables._directory.note(made)
            there[made.name] = made
        told = take(reader)
        if told is None:
            continue
        known = {} if told.snapshot else known
        known |= {table.name: table for table in told.tables}
        for name in told.removed:
            del known[name]
        wanted = sorted((t for t in there.values() if TableFilter(text="in").matches(t)), key=place_of)
        assert sorted(known.values(), key=place_of) == wanted[: len(known)]
        assert 6 <= len(known) <= 8 or len(known) == len(wanted)
        assert told.more or len(known) == len(wanted)
        assert len(reader._places) == len(reader._known) == len(known)


async def test_tables_are_encoded_once_for_all_readers() -> None:
    """Readers share what is told of a table until it changes, and nothing is kept of one that left the lists."""
    at = House(limits=Limits(closed_tables_listed=0))
    await at.tables.start()
    encoded = EncodedTables(at.tables)
    readers = [TableFeed(at.tables, TableFilter(), encoded) for _ in range(2)]
    note = at.tables._directory.note
    note(info(1))
    first = encoded.of(info(1))
    assert encoded.of(info(1)) is first
    for reader in readers:
        assert numbers(take(reader)) == [1]
    note(info(1, title="new"))
    for reader in readers:
        told = take(reader)
        assert told is not None
        assert told.tables[0].title == "new"
    assert len(encoded) == 1
    note(over(1))
    assert len(encoded) == 0


async def test_a_closed_feed_is_told_nothing_more() -> None:
    """Whoever has gone leaves nothing behind in the directory."""
    at, reader = await feed()
    before = len(at.tables._directory._listeners)
    reader.close()
    assert len(at.tables._directory._listeners) == before - 1
    assert reader._note not in at.tables._directory._listeners
    await at.tables.create(person(0), TableSpec(), "new")


async def create(client: RawClient, **fields: Any) -> pb.Table:
    made: pb.CreateTableResponse = await client.call(pb.CreateTableRequest(request_id=new_id(), **fields))
    return made.table


async def test_the_stream_tells_the_list_and_its_changes(running_server: Running) -> None:
    """The list first, then one message for what changed within a quarter of a second, then heartbeats in silence."""
    owner, reader = await running_server.player(), await running_server.player()
    one = await create(owner, title="one")
    stub: Any = reader.lobby.WatchTables
    call = stub(pb.WatchTablesRequest(), metadata=reader.metadata)
    first = await call.read()
    assert first.snapshot
    assert list(first.tables) == [one]
    two = await create(owner, title="two")
    await create(owner, title="hidden", private=True)
    await owner.call(pb.LeaveTableRequest(request_id=new_id(), name=one.name))
    running_server.clock.advance(0.25)
    told = await call.read()
    assert (list(told.tables), list(told.removed)) == ([two], [one.name])
    running_server.clock.advance(0.25)
    while not running_server.clock._timers:
        await create(owner, private=True)
    for _ in range(100):
        await owner.call(pb.GetTableRequest(name=two.name))
        running_server.clock.advance(1)
    beat = await call.read()
    assert not beat.snapshot
    assert not len(beat.tables) + len(beat.removed)
    assert beat.HasField("time")
    call.cancel()


async def test_what_no_list_can_be_is_named(running_server: Running) -> None:
    """Filters of bad shape are refused with the field named, in pages and live."""
    client = await running_server.player()
    for field, value in (
        ("rule_set", "ruleSets/none"),
        ("rule_set", "qingdao"),
        ("title_text", "x" * 61),
        ("state", 99),
    ):
        asked: dict[str, Any] = {field: value}
        assert (await refusal(client.call(pb.ListTablesRequest(**asked)))).fields == (field,)
        stub: Any = client.lobby.WatchTables
        call = stub(pb.WatchTablesRequest(**asked), metadata=client.metadata)
        assert (await refusal(call.read())).fields == (field,)


async def test_pages_follow_their_filters(running_server: Running) -> None:
    """A page token is good for the filters that it was made for, and pages hold what matches alone."""
    client = await running_server.player()
    for number in range(5):
        await create(client, title=f"{'odd' if number % 2 else 'even'} {number}")
        running_server.clock.advance(1)
    page = await client.call(pb.ListTablesRequest(page_size=2, title_text="EVEN"))
    assert [table.title for table in page.tables] == ["even 4", "even 2"]
    following = pb.ListTablesRequest(page_size=2, title_text="EVEN", page_token=page.next_page_token)
    assert [table.title for table in (await client.call(following)).tables] == ["even 0"]
    following.title_text = "odd"
    assert (await refusal(client.call(following))).fields == ("page_token",)

"""A journal damaged on the disk: found out, told, the last good state shown, and the other tables play on."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.data_directory import StartError
from gouji_server.journal import JournalDamaged, JournalError, SqliteJournal
from gouji_server.main import Server
from gouji_server.metrics import Metrics
from gouji_server.tables import Caller, Refused, TableSpec
from tests.server.conftest import settings
from tests.server.players import House, Reader, person, play_on
from tests.server.table_time import settle

if TYPE_CHECKING:
    from pathlib import Path

    from gouji_server.tables import TableHandle

FROZEN, PLAYING = lobby_pb2.TABLE_STATE_FROZEN, lobby_pb2.TABLE_STATE_PLAYING
FILE = "journal.sqlite3"
ALARMS = {"journal_damaged", "journal_diverges", "journal_unreadable", "table_unreadable", "summary_unreadable"}
TABLES = 5
DAMAGED = 1
"""Which of them is damaged: it has written more than a page, and others lie on both sides of it."""
LEAF = 10
"""The first byte of a page of SQLite's that holds the end of a tree of keys."""
DAMAGES = 25


async def written(path: Path) -> dict[str, table_pb2.TableUpdate]:
    """Write a journal of running matches; return each table's name and what is seen there, in order."""
    journal = await SqliteJournal.open(path)
    at = House(journal, seed=4)
    await at.tables.start()
    views = {}
    for number in range(TABLES):
        handle = await match_of(at, number)
        await play_on(at, handle, random.Random(number), moves=160 if number == DAMAGED else 30)
        views[handle.name] = await seen(handle)
    await at.tables.close()
    await journal.close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return views


async def match_of(at: House, number: int) -> TableHandle:
    """Begin a match of six people who sit at no other table."""
    six = [person(20 + number * 6 + seat) for seat in range(6)]
    made = await at.tables.create(six[0], TableSpec(deals=1), f"new-{number}")
    handle = await at.tables.open(made.name)
    for one in six[1:]:
        await handle.join(one, None, "join")
    for one in six:
        await handle.set_ready(one, True, "ready")
    return handle


async def seen(handle: TableHandle) -> table_pb2.TableUpdate:
    """What somebody without a seat sees."""
    return table_pb2.TableUpdate.FromString(await handle.view(person(99)))


def last_page(path: Path, name: str, *, alone: bool = True) -> int:
    """Where the last page begins that holds entries of this table (alone): found by what the entries say."""
    with closing(sqlite3.connect(path)) as file:
        size: int = file.execute("PRAGMA page_size").fetchone()[0]
        rows = file.execute(
            "SELECT name, digest FROM entries JOIN tables ON id = table_id ORDER BY table_id, seq"
        ).fetchall()
    raw = path.read_bytes()
    whose: dict[int, list[str]] = {}
    for whom, digest in rows:
        page = raw.index(digest) // size * size
        whose.setdefault(page, []).append(whom)
    # Not a page above: what it holds besides are the ways to all others.
    return [
        page
        for page, names in whose.items()
        if name in names and not (alone and set(names) > {name}) and raw[page] == LEAF
    ][-1]


def spoil(path: Path, name: str, how: str) -> None:
    """Damage the end of what is written of a table."""
    raw = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as file:
        rows = file.execute(
            "SELECT body, digest FROM entries WHERE table_id = (SELECT id FROM tables WHERE name = ?) ORDER BY seq",
            (name,),
        ).fetchall()
    page = last_page(path, name)
    match how:
        case "a bit of an entry":
            raw[raw.index(rows[-2][0]) + 12] ^= 1
        case "a bit of a digest":
            raw[raw.index(rows[-2][1]) + 3] ^= 0x40
        case "a page of noughts":
            raw[page : page + 4096] = bytes(4096)
        case "a page of noise":
            raw[page : page + 4096] = random.Random(1).randbytes(4096)
        case "a file cut off":
            del raw[page:]
    path.write_bytes(raw)


class Started:
    """Tables on a journal that may be damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metrics = Metrics()

    async def __aenter__(self) -> House:
        self.journal = await SqliteJournal.open(self.path)
        self.at = House(self.journal, seed=5, metrics=self.metrics)
        await self.at.tables.start()
        await settle()
        return self.at

    async def __aexit__(self, *_: object) -> None:
        await self.at.tables.close()
        await self.journal.close()

    @property
    def frozen(self) -> float:
        """What the figure for alarms says."""
        return self.metrics.registry.get_sample_value("gouji_tables_frozen_total") or 0.0


async def must_be_frozen(handle: TableHandle, whole: table_pb2.TableUpdate) -> None:
    """Hold that a table is seen in an earlier state, and plays no more."""
    view = await seen(handle)
    assert view.table_info.state == FROZEN
    assert 0 < view.n <= whole.n + 1
    seated = next(player.account for player in view.table_info.players if player.account)
    with pytest.raises(Refused, match="TABLE_FROZEN"):
        await handle.vote_dissolution(Caller(seated, ""), True, "vote")


@pytest.mark.parametrize(
    "how", ["a bit of an entry", "a bit of a digest", "a page of noughts", "a page of noise", "a file cut off"]
)
async def test_the_last_good_state_is_shown(tmp_path: Path, how: str) -> None:
    """The damaged table is frozen where it was good for the last time, with an alarm in log and figures; views of it
    are still given, and the other table is as it was and plays on to its end."""
    path = tmp_path / FILE
    views = await written(path)
    # With the file's end missing the last table is the damaged one: it wrote last.
    names = list(views)
    damaged, sound = (names[-1], names[0]) if how == "a file cut off" else (names[DAMAGED], names[-1])
    spoil(path, damaged, how)
    with capture_logs() as logs:
        started = Started(path)
        async with started as at:
            await must_be_frozen(await at.tables.open(damaged), views[damaged])
            assert started.frozen == 1
            other = await at.tables.open(sound)
            assert await seen(other) == views[sound]
            if how != "a file cut off":  # else a page where it would write may be gone
                await play_on(at, other, random.Random(3))
                assert (await seen(other)).table_info.state == lobby_pb2.TABLE_STATE_FINISHED
    assert ALARMS & {line["event"] for line in logs}


async def test_a_table_that_is_awake_when_its_pages_are_damaged(tmp_path: Path) -> None:
    """Damage that is met in play costs the table where it is, and only that one: what waits beside it is written."""
    path = tmp_path / FILE
    views = await written(path)
    first, second = (list(views)[number] for number in (DAMAGED, -1))
    journal = await SqliteJournal.open(path)
    at = House(journal, seed=5)
    await at.tables.start()
    await settle()
    handles = {name: await at.tables.open(name) for name in views}
    readers = {name: Reader(at, handle, person(99)) for name, handle in handles.items()}
    for reader in readers.values():
        await reader.follow()
        await reader.read()
    raw = bytearray(path.read_bytes())
    page = last_page(path, first, alone=False)
    raw[page : page + 8] = b"\xff" * 8
    path.write_bytes(raw)
    with closing(sqlite3.connect(path)) as file:  # a commit of another's: what the writer has in its cache is stale
        file.execute("PRAGMA user_version = 1")
    told = await asyncio.gather(
        *(play_on(at, handles[name], random.Random(1), moves=1) for name in (first, second)), return_exceptions=True
    )
    assert isinstance(told[0], Refused)
    assert told[0].reason == "NOT_DURABLE"
    assert told[1] == 1
    await settle()
    while (await seen(handles[first])).table_info.state != FROZEN:
        await settle()
    for reader in readers.values():
        await reader.read()
        assert await reader.fresh() == await seen(reader.handle)
    told_last = readers[first].info
    assert told_last is not None
    assert told_last.state == FROZEN
    await play_on(at, handles[second], random.Random(2))
    assert (await seen(handles[second])).table_info.state == lobby_pb2.TABLE_STATE_FINISHED
    await at.tables.close()
    await journal.close()


async def test_damage_anywhere_raises_an_alarm(tmp_path: Path) -> None:
    """Whatever bytes of the file are altered: the server says in a line that it cannot start, or every table is what
    it was; or else there is an alarm, and it is frozen at an earlier state, refused, or goes on from an earlier state
    where its last entries are gone with nothing to tell that they were its. None is seen in a state that never was."""
    whole = tmp_path / "whole"
    views = await written(whole)
    outcomes = set()
    for seed in range(DAMAGES):
        dice = random.Random(seed)
        path = tmp_path / f"{seed}.sqlite3"
        raw = bytearray(whole.read_bytes())
        for _ in range(dice.choice([1, 1, 4])):
            start = dice.randrange(len(raw))
            length = dice.choice([1, 1, 40, 4096])
            raw[start : start + length] = dice.randbytes(len(raw[start : start + length]))
        path.write_bytes(raw)
        with capture_logs() as logs:
            try:
                async with Started(path) as at:
                    found = [await outcome(at, name, whole_view) for name, whole_view in views.items()]
            except JournalError:
                outcomes.add("no start")
                continue
        outcomes.update(found)
        if set(found) != {"as it was"}:
            assert ALARMS & {line["event"] for line in logs}, seed
    assert {"as it was", "frozen"} <= outcomes


async def outcome(at: House, name: str, whole: table_pb2.TableUpdate) -> str:
    """How a table came out of a damaged journal."""
    try:
        handle = await at.tables.open(name)
        view = await seen(handle)
    except Refused:
        return "refused"
    if view.table_info.state == FROZEN:
        await must_be_frozen(handle, whole)
        return "frozen"
    if view == whole:
        return "as it was"
    assert view.n < whole.n
    assert (view.epoch, view.table_info.title) == (whole.epoch, whole.table_info.title)
    return "earlier"


async def test_a_torn_log_loses_its_end_and_nothing_else(tmp_path: Path) -> None:
    """Of a write-ahead log whose end never reached the disk what came before is there: the table is seen in that state
    and plays on, and a reader that was further is told by a snapshot."""
    path = tmp_path / FILE
    journal = await SqliteJournal.open(path)
    at = House(journal, seed=4)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=1))
    await play_on(at, handle, random.Random(1), moves=30)
    view = await seen(handle)
    torn = tmp_path / "torn"
    torn.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"{FILE}{suffix}", torn / f"{FILE}{suffix}")
    await at.tables.close()
    await journal.close()
    log = torn / f"{FILE}-wal"
    raw = bytearray(log.read_bytes())
    raw[len(raw) - 3 * 4120 : len(raw) - 3 * 4120 + 600] = bytes(600)
    log.write_bytes(raw)
    async with Started(torn / FILE) as at:
        handle = await at.tables.open(handle.name)
        earlier = await seen(handle)
        assert earlier.table_info.state == PLAYING
        assert 0 < earlier.n < view.n
        reader = Reader(at, handle, person(99))
        reader.place = table_pb2.Place(epoch=view.epoch, n=view.n)
        await reader.follow(resume=True)
        await reader.read()
        assert reader.snapshots == [table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE]
        await play_on(at, handle, random.Random(2))
        assert (await seen(handle)).table_info.state == lobby_pb2.TABLE_STATE_FINISHED


async def test_damage_is_told_with_what_came_before_it(tmp_path: Path) -> None:
    """The journal gives the entries that it can read, in order from the first, and says that there were more."""
    path = tmp_path / FILE
    views = await written(path)
    name = list(views)[DAMAGED]
    journal = await SqliteJournal.open(path)
    whole = await journal.read(name)
    await journal.close()
    spoil(path, name, "a page of noughts")
    journal = await SqliteJournal.open(path)
    with pytest.raises(JournalDamaged) as damaged:
        await journal.read(name)
    assert 0 < len(damaged.value.entries) < len(whole)
    assert list(damaged.value.entries) == whole[: len(damaged.value.entries)]
    assert len(await journal.summaries()) == TABLES
    await journal.close()


@pytest.mark.parametrize("file", [FILE, "records.sqlite3"])
async def test_a_server_that_cannot_read_its_files_says_so_in_a_line(tmp_path: Path, file: str) -> None:
    """Where a whole file makes no sense the start is refused with one line, and not with an error of the driver's."""
    config = settings(tmp_path)
    await (await Server.start(config)).stop()
    path = config.data_dir / file
    raw = bytearray(path.read_bytes())
    raw[4096:] = random.Random(1).randbytes(len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(StartError) as refused:
        await Server.start(config)
    assert "\n" not in str(refused.value)

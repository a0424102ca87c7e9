"""Tables on the journal that servers use: an SQLite file."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gouji_server.journal import SqliteJournal
from gouji_server.tables import Refused, TableSpec
from tests.server.players import House, Reader, person, play_on
from tests.server.test_journal_sqlite import FaultyConnection, faulty
from tests.server.test_table_durability import next_move, same_as_fresh

if TYPE_CHECKING:
    from pathlib import Path

    from gouji_server.tables import TableHandle


async def playing(journal: SqliteJournal) -> tuple[House, TableHandle, list[Reader]]:
    """Begin a match, with six seats and a spectator following."""
    at = House(journal)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=1))
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
    for reader in readers:
        await reader.follow()
        await reader.read()
    return at, handle, readers


async def test_a_failed_commit_announces_nothing(tmp_path: Path) -> None:
    """When SQLite's COMMIT fails the command is refused, no reader gets anything, every view stays as it was, and the
    same command is carried out once the disk works again."""
    journal = await SqliteJournal.open(tmp_path / "journal.db", connect=faulty)
    at, handle, readers = await playing(journal)
    await play_on(at, handle, random.Random(1), moves=6)
    for reader in readers:
        await reader.read()
    views = [await reader.fresh() for reader in readers]
    entries = await journal.read(handle.name)
    seat, asked = next_move(at, handle)
    FaultyConnection.failing = True
    try:
        with pytest.raises(Refused, match="NOT_DURABLE"):
            await handle.act(person(seat), asked)
    finally:
        FaultyConnection.failing = False
    assert [await reader.fresh() for reader in readers] == views
    assert [await reader.read() for reader in readers] == [0] * 7
    assert await journal.read(handle.name) == entries
    await handle.act(person(seat), asked)
    assert [await reader.read() for reader in readers] == [1] * 7
    assert len(await journal.read(handle.name)) == len(entries) + 1
    await at.tables.close()
    await journal.close()


async def test_a_match_goes_on_from_the_file(tmp_path: Path) -> None:
    """Played in parts, the file closed and opened in between, a match comes to its end, and its readers with it."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    at, handle, readers = await playing(journal)
    dice = random.Random(2)
    while await play_on(at, handle, dice, moves=90) == 90:
        await same_as_fresh(readers)
        await at.tables.close()
        await journal.close()
        journal = await SqliteJournal.open(tmp_path / "journal.db")
        at.journal = journal
        at.tables = at._make()
        await at.tables.start()
        for reader in readers:
            await reader.follow(resume=True)
        handle = readers[0].handle
        await same_as_fresh(readers)
    await same_as_fresh(readers)
    assert all(reader.closed for reader in readers)
    assert all(len(reader.snapshots) == 1 for reader in readers)
    await at.tables.close()
    await journal.close()

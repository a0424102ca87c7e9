"""The journal's file: durable, private, and honest when the disk is not."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from typing import TYPE_CHECKING, Any

import pytest

from gouji_server.journal import Entry, Fenced, JournalError, JournalFailed, SqliteJournal
from gouji_server.journal.sqlite import connect_to
from tests.server.test_journal_contract import NAME, entries

if TYPE_CHECKING:
    from pathlib import Path


class Commits:
    """Counts what the journal says it committed."""

    def __init__(self) -> None:
        self.entries: list[int] = []

    def commit(self, seconds: float, entries: int) -> None:
        assert seconds >= 0
        self.entries.append(entries)


class FaultyConnection(sqlite3.Connection):
    """A connection whose COMMITs fail as told."""

    failing = False

    def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
        if FaultyConnection.failing and (sql == "COMMIT" or (sql.startswith("INSERT") and not self.in_transaction)):
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *arguments)


def faulty(path: Path) -> sqlite3.Connection:
    """Connect with the means to fail."""
    return sqlite3.connect(path, isolation_level=None, factory=FaultyConnection)


def modes(folder: Path) -> dict[str, int]:
    """Read the modes of the files of a folder."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_the_writer_waits_for_the_disk(tmp_path: Path) -> None:
    """The writer's own connection has synchronous = FULL (2) over a write-ahead log."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    assert await journal.writer_pragma("synchronous") == 2
    assert await journal.writer_pragma("journal_mode") == "wal"
    await journal.close()


async def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The file and its log, which hold the seeds of running deals, have mode 0600."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    await journal.append(NAME, 0, entries(1, 1))
    assert modes(tmp_path) == {"journal.db": 0o600, "journal.db-wal": 0o600, "journal.db-shm": 0o600}
    await journal.close()


async def test_what_was_acknowledged_is_there_after_reopening(tmp_path: Path) -> None:
    """Entries and summaries outlive the journal object, and the fence goes on where it was."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    await journal.append(NAME, 0, entries(1, 2), b"s")
    await journal.close()
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    with pytest.raises(Fenced):
        await journal.append(NAME, 1, entries(2, 1))
    await journal.append(NAME, 2, entries(3, 1))
    assert await journal.read(NAME) == entries(1, 3)
    assert await journal.summaries() == [(NAME, b"s")]
    await journal.close()


async def test_appends_that_wait_together_are_one_commit(tmp_path: Path) -> None:
    """While the writer is busy appends gather, and then share a transaction."""
    commits = Commits()
    journal = await SqliteJournal.open(tmp_path / "journal.db", observer=commits)
    await asyncio.gather(*(journal.append(f"tables/{i}", 0, entries(1, 2)) for i in range(100)))
    assert sum(commits.entries) == 200
    assert len(commits.entries) < 100
    assert len(await journal.summaries()) == 100
    await journal.close()


async def test_a_write_that_fails_in_any_way_leaves_the_writer_alive(tmp_path: Path) -> None:
    """What SQLite's driver will not even take fails its group alone: a writer that ended would stop every table."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    spoiled = Entry(1, "move", b"", object())  # type: ignore[arg-type]
    too_large = Entry(1, "move", b"", 2**70)  # type: ignore[arg-type]
    for entry in (spoiled, too_large):
        with pytest.raises(JournalFailed):
            await journal.append(NAME, 0, [entry])
    await journal.append(NAME, 0, entries(1, 1))
    assert await journal.read(NAME) == entries(1, 1)
    await journal.close()


async def test_a_journal_whose_folder_is_gone_is_unreadable_and_no_worse(tmp_path: Path) -> None:
    """A file that is not there any more is a journal that cannot be read, told like any other."""
    (tmp_path / "data").mkdir()
    journal = await SqliteJournal.open(tmp_path / "data" / "journal.db")
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    with pytest.raises(JournalFailed):
        await journal.read(NAME)
    await journal.close()


async def test_a_failed_commit_fails_every_append_of_the_group(tmp_path: Path) -> None:
    """When COMMIT fails nothing of the group is acknowledged or there; afterwards the journal works on."""
    journal = await SqliteJournal.open(tmp_path / "journal.db", connect=faulty)
    await journal.append(NAME, 0, entries(1, 1), b"before")
    FaultyConnection.failing = True
    try:
        told = await asyncio.gather(
            journal.append(NAME, 1, entries(2, 2), b"after"),
            journal.append("tables/b", 0, entries(1, 1)),
            return_exceptions=True,
        )
    finally:
        FaultyConnection.failing = False
    assert [type(error) for error in told] == [JournalFailed, JournalFailed]
    assert await journal.read(NAME) == entries(1, 1)
    assert await journal.summaries() == [(NAME, b"before")]
    await journal.append(NAME, 1, entries(2, 2), b"after")
    assert await journal.read(NAME) == entries(1, 3)
    await journal.close()


async def test_a_failed_single_statement_is_no_acknowledgement(tmp_path: Path) -> None:
    """An append that is one statement, its own transaction, fails like any other, and the next one is written."""
    journal = await SqliteJournal.open(tmp_path / "journal.db", connect=faulty)
    await journal.append(NAME, 0, entries(1, 1), b"a table")
    FaultyConnection.failing = True
    try:
        with pytest.raises(JournalFailed):
            await journal.append(NAME, 1, entries(2, 2))
    finally:
        FaultyConnection.failing = False
    await journal.append(NAME, 1, entries(2, 1))
    assert await journal.read(NAME) == entries(1, 2)
    await journal.close()


async def test_after_a_shared_commit_the_next_group_gathers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What two tables write is written at once; after three in one commit, what comes waits for a large group."""
    monkeypatch.setattr("gouji_server.journal.sqlite.GATHER_SECONDS", 3600.0)
    monkeypatch.setattr("gouji_server.journal.sqlite.GATHER_APPENDS", 4)
    commits = Commits()
    journal = await SqliteJournal.open(tmp_path / "journal.db", observer=commits)
    names = ("tables/a", "tables/b", "tables/c", "tables/d")
    for name in names:
        await journal.append(name, 0, entries(1, 1))
    for seq in (1, 2):
        await asyncio.gather(*(journal.append(name, seq, entries(seq + 1, 1)) for name in names[:2]))
    await asyncio.gather(
        *(journal.append(name, 3, entries(4, 1)) for name in names[:2]), journal.append(names[2], 1, entries(2, 1))
    )
    late = [asyncio.create_task(journal.append(name, 4, entries(5, 1))) for name in names[:2]]
    late.append(asyncio.create_task(journal.append(names[2], 2, entries(3, 1))))
    assert await journal.read(names[0]) == entries(1, 4)
    assert not any(task.done() for task in late)
    await asyncio.gather(*late, journal.append(names[3], 1, entries(2, 1)))
    assert commits.entries == [1, 1, 1, 1, 2, 2, 3, 4]
    await journal.close()


async def test_a_journal_that_is_closed_writes_what_gathers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits for nobody: what was gathering is written, and acknowledged."""
    monkeypatch.setattr("gouji_server.journal.sqlite.GATHER_SECONDS", 3600.0)
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    await asyncio.gather(*(journal.append(f"tables/{name}", 0, entries(1, 1)) for name in "abc"))
    late = asyncio.create_task(journal.append("tables/a", 1, entries(2, 1)))
    await journal.read("tables/a")
    await journal.close()
    await late
    again = await SqliteJournal.open(tmp_path / "journal.db")
    assert await again.read("tables/a") == entries(1, 2)
    await again.close()


async def test_a_full_disk_is_no_acknowledgement(tmp_path: Path) -> None:
    """A real failure inside SQLite (no room for another page) fails the append and changes nothing."""

    def small(path: Path) -> sqlite3.Connection:
        connection = connect_to(path)
        connection.execute("PRAGMA max_page_count = 8")
        return connection

    journal = await SqliteJournal.open(tmp_path / "journal.db", connect=small)
    await journal.append(NAME, 0, entries(1, 1))
    with pytest.raises(JournalFailed, match="full"):
        await journal.append(NAME, 1, entries(2, 500, b"x" * 500))
    assert await journal.read(NAME) == entries(1, 1)
    await journal.append(NAME, 1, entries(2, 1))
    await journal.close()


async def test_another_writer_fences_one_table_and_no_other(tmp_path: Path) -> None:
    """A row that somebody else wrote meanwhile refuses that table's append; others in the group go through."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    await journal.append(NAME, 0, entries(1, 1))
    await journal.append("tables/b", 0, entries(1, 1))
    other = connect_to(tmp_path / "journal.db")
    other.execute("INSERT INTO entries VALUES (1, 2, 'k', x'', x'')")
    other.close()
    told = await asyncio.gather(
        journal.append(NAME, 1, entries(2, 1)), journal.append("tables/b", 1, entries(2, 1)), return_exceptions=True
    )
    assert [type(answer) for answer in told] == [Fenced, type(None)]
    assert len(await journal.read(NAME)) == 2
    assert await journal.read("tables/b") == entries(1, 2)
    await journal.close()


async def test_closing_writes_what_was_given(tmp_path: Path) -> None:
    """An append that was under way when the journal closed is there; a later one is refused."""
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    under_way = asyncio.ensure_future(journal.append(NAME, 0, entries(1, 1)))
    await asyncio.sleep(0)
    await journal.close()
    await under_way
    with pytest.raises(JournalFailed):
        await journal.append(NAME, 1, entries(2, 1))
    with pytest.raises(JournalFailed):
        await journal.read(NAME)
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    assert await journal.read(NAME) == entries(1, 1)
    await journal.close()


async def test_a_file_that_is_no_journal_is_refused_in_one_line(tmp_path: Path) -> None:
    """A damaged file, another program's database and a newer version's journal are told apart and left alone."""
    path = tmp_path / "journal.db"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(JournalError, match="cannot be used"):
        await SqliteJournal.open(path)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE cookies (a)")
    other.close()
    with pytest.raises(JournalError, match="no journal"):
        await SqliteJournal.open(path)
    path.unlink()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(JournalError, match="newer version"):
        await SqliteJournal.open(path)
    with pytest.raises(JournalError, match="cannot be used"):
        await SqliteJournal.open(tmp_path / "missing" / "journal.db")

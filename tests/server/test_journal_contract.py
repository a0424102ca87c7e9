"""What every journal promises, whatever it is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from gouji_server.journal import Entry, Fenced, Journal, SqliteJournal
from tests.server.memory_journal import MemoryJournal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

NAME = "tables/a"


def entries(first: int, count: int, mark: bytes = b"") -> list[Entry]:
    """Make entries numbered from `first`."""
    return [Entry(seq, "kind", mark + b"%d" % seq, b"digest%d" % seq) for seq in range(first, first + count)]


@pytest_asyncio.fixture(params=["memory", "sqlite"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    """Give each kind of journal, empty."""
    made: Journal = MemoryJournal() if request.param == "memory" else await SqliteJournal.open(tmp_path / "journal.db")
    yield made
    await made.close()


async def test_entries_come_back_in_order_and_whole(journal: Journal) -> None:
    """What was appended is read back, entry for entry."""
    await journal.append(NAME, 0, entries(1, 3), b"one")
    await journal.append(NAME, 3, entries(4, 200))
    assert await journal.read(NAME) == entries(1, 203)
    assert await journal.read("tables/other") == []


async def test_a_wrong_expectation_is_fenced_and_writes_nothing(journal: Journal) -> None:
    """An append that expects another last number is refused and leaves entries and summary as they were."""
    await journal.append(NAME, 0, entries(1, 2), b"old")
    for expected in (0, 1, 3):
        with pytest.raises(Fenced):
            await journal.append(NAME, expected, entries(expected + 1, 1, b"x"), b"new")
    assert await journal.read(NAME) == entries(1, 2)
    assert await journal.summaries() == [(NAME, b"old")]


async def test_a_table_that_is_not_there_can_only_be_created(journal: Journal) -> None:
    """An unknown table's last number is 0."""
    with pytest.raises(Fenced):
        await journal.append(NAME, 4, entries(5, 1))
    assert await journal.summaries() == []


async def test_a_gap_is_a_fault_of_the_caller(journal: Journal) -> None:
    """Entries are numbered on from the expected one without a gap."""
    with pytest.raises(ValueError, match="where 1 is due"):
        await journal.append(NAME, 0, entries(2, 1))
    assert await journal.read(NAME) == []


async def test_summaries_are_the_newest_in_order_of_creation(journal: Journal) -> None:
    """Each table has its last summary; tables come in the order in which they were made."""
    await journal.append("tables/b", 0, entries(1, 1), b"b")
    await journal.append("tables/a", 0, entries(1, 1), b"a")
    await journal.append("tables/b", 1, entries(2, 1), b"b2")
    await journal.append("tables/b", 2, entries(3, 1))
    assert await journal.summaries() == [("tables/b", b"b2"), ("tables/a", b"a")]

"""A call that is given up in the middle of a transaction leaves the records as they were, and open to everybody."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from gouji_server.records import database
from gouji_server.records.database import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """Records with a table to write to; a lock that somebody keeps is told soon."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    opened = await Database.open(tmp_path / "records.sqlite3")
    async with opened.transaction() as transaction:
        await transaction.execute(text("CREATE TABLE said (n INTEGER)"))
    yield opened
    await opened.close()


async def say(records: Database, n: int) -> None:
    """Write two rows, reading between them, with rows left unread."""
    async with records.transaction() as transaction:
        await transaction.execute(text("INSERT INTO said VALUES (:n)"), {"n": n})
        await transaction.execute(text("SELECT name FROM sqlite_master"))
        await transaction.execute(text("INSERT INTO said VALUES (:n)"), {"n": n})


async def rounds(count: int) -> None:
    """Let the event loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_transaction_that_is_cancelled_anywhere_is_whole_or_undone(records: Database, times: int) -> None:
    """Wherever a caller is cancelled, even twice: both rows are there or neither, and the next one writes at once."""
    given_up = []
    for steps in range(120):
        task = asyncio.create_task(say(records, steps))
        await rounds(steps)
        for _ in range(times):
            task.cancel()
            await rounds(1)
        await asyncio.wait([task])
        given_up.append(task)  # with its traceback, and whatever that holds
        async with records.transaction() as transaction:
            written = (await transaction.scalars(text("SELECT n FROM said"))).all()
        assert all(written.count(n) == 2 for n in written)
    assert any(task.cancelled() for task in given_up)


async def test_callers_that_wait_for_their_turn_may_be_cancelled(records: Database) -> None:
    """Callers cancelled while they wait for the connection take nothing with them."""
    waiting = [asyncio.create_task(say(records, n)) for n in range(30)]
    await rounds(3)
    for task in waiting[1::2]:
        task.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in done[1::2]] == [asyncio.CancelledError] * 15
    async with records.transaction() as transaction:
        written = (await transaction.scalars(text("SELECT n FROM said"))).all()
    assert sorted(written) == sorted([*range(0, 30, 2)] * 2)

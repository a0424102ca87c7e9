"""What the server remembers for its clients is bounded: the smaller memories, each filled to its bound and beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gouji_server.accounts.blocks import Blocks, TooManyBlocked
from gouji_server.matchmaking import Parties, parties
from gouji_server.records import BlockRecords, Database, blocks
from gouji_server.records.models import AccountRow, BlockRow, MuteRow
from gouji_server.social import silences
from gouji_server.social.silences import Silences
from gouji_server.tables import Refused
from gouji_server.tables.steps import Step, StepRing
from tests.server.table_time import SeededEntropy, TableTime

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """Records with twenty accounts, `a0` and so on."""
    from sqlalchemy import insert

    made = await Database.open(tmp_path / "records.sqlite3")
    async with made.transaction() as connection:
        for number in range(20):
            await connection.execute(insert(AccountRow).values(id=f"a{number}", display_name="x", created=0.0))
    yield made
    await made.close()


def test_recent_steps_are_bounded_in_bytes() -> None:
    """Beyond the bytes the oldest steps go, but never the newest; who stood before them is told so."""
    ring = StepRing(1000, 100)
    for number in range(1, 11):
        ring.add(Step(number, number, (0,) * 6, b"x" * 30, {}))
    assert len(ring.steps) == 3
    assert ring.tail(-1, 7, 0) == [b"x" * 30] * 3
    assert isinstance(ring.tail(-1, 6, 0), int)
    ring.add(Step(11, 11, (0,) * 6, b"y" * 500, {}))
    assert [step.n for step in ring.steps] == [11]


def test_the_oldest_party_goes_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more ends the party that was made longest ago: its people are free, and its code opens nothing."""
    monkeypatch.setattr(parties, "MOST_PARTIES", 3)
    made = Parties(SeededEntropy(1))
    first = made.create("p0", "accounts/0")
    for number in range(1, 4):
        made.create(f"p{number}", f"accounts/{number}")
    with pytest.raises(Refused):
        made.get("p0", "accounts/0")
    with pytest.raises(Refused):
        made.find(first.code)
    assert made.create("again", "accounts/0").members == ["accounts/0"]


@pytest.mark.parametrize("row", [BlockRow, MuteRow])
async def test_lists_of_people_are_bounded(
    database: Database, monkeypatch: pytest.MonkeyPatch, row: type[BlockRow | MuteRow]
) -> None:
    """Beyond the bound one more is refused; with one less there is room again."""
    monkeypatch.setattr(blocks, "MAX_BLOCKED", 3)
    made = Blocks(BlockRecords(database, row), TableTime())
    for number in range(1, 4):
        await made.add("accounts/a0", f"accounts/a{number}")
    await made.add("accounts/a0", "accounts/a3")
    with pytest.raises(TooManyBlocked):
        await made.add("accounts/a0", "accounts/a4")
    await made.remove("accounts/a0", "accounts/a1")
    await made.add("accounts/a0", "accounts/a4")
    assert await made.of("accounts/a0") == {"accounts/a2", "accounts/a3", "accounts/a4"}


async def test_lists_of_who_is_not_heard_are_kept_for_so_many(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more accounts than the bound the lists used longest ago are read anew, and are right all the same."""
    monkeypatch.setattr(silences, "MAX_KEPT", 2)
    blocked, muted = Blocks(BlockRecords(database), TableTime()), Blocks(BlockRecords(database, MuteRow), TableTime())
    told: list[tuple[str, frozenset[str]]] = []
    kept = Silences(blocked, muted, lambda account, hidden: told.append((account, hidden)))
    for number in range(5):
        await muted.add(f"accounts/a{number}", "accounts/a9")
        await blocked.add(f"accounts/a{number}", "accounts/a8")
    for number in range(5):
        assert await kept.of(f"accounts/a{number}") == {"accounts/a8", "accounts/a9"}
    assert len(kept._kept) == 2
    await muted.remove("accounts/a0", "accounts/a9")
    assert told[-1] == ("accounts/a0", frozenset({"accounts/a8"}))
    assert await kept.of("accounts/a0") == {"accounts/a8"}

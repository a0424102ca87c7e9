"""The records' file: durable, complete by migration, and not growing for ever."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import StaticPool

from gouji_server.api.errors import told
from gouji_server.metrics import Metrics
from gouji_server.records import (
    AccountRecord,
    AccountRecords,
    Database,
    NewSession,
    RecordsFailed,
    Retry,
    Rotated,
    SessionRecords,
    Unknown,
)
from gouji_server.records.database import alembic_config
from gouji_server.records.models import Base, DeviceSecretRow, FamilyRow, RefreshTokenRow, SignInRetryRow
from gouji_server.records.sessions import MAX_SESSIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy import Connection

ACCOUNT = AccountRecord("a", "name", 0.0)
OLD_ROWS = [
    "INSERT INTO accounts VALUES ('a', '老王', 5.0), ('b', 'b', 6.0)",
    "INSERT INTO device_secrets VALUES (CAST('secret' AS BLOB), 'a', 5.0), (CAST('other' AS BLOB), 'b', 6.0)",
    "INSERT INTO refresh_families VALUES ('s', 'a', 5.0, NULL), ('t', 'b', 6.0, 7.0)",
    "INSERT INTO refresh_tokens VALUES (CAST('old' AS BLOB), 's', 90.0, 8.0), (CAST('new' AS BLOB), 's', 90.0, NULL)",
    "INSERT INTO refresh_tokens VALUES (CAST('b' AS BLOB), 't', 90.0, NULL)",
    "INSERT INTO sign_in_retries VALUES (CAST('key' AS BLOB), 'a', 90.0)",
]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "records.sqlite3")
    yield database
    await database.close()


def session(name: str, now: float = 0.0, lifetime: float = 100.0) -> NewSession:
    return NewSession(name, f"token {name}".encode(), now, now + lifetime)


async def counts(database: Database) -> dict[str, int]:
    async with database.transaction() as connection:
        rows = (DeviceSecretRow, FamilyRow, RefreshTokenRow, SignInRetryRow)
        return {row.__tablename__: await connection.scalar(select(func.count()).select_from(row)) or 0 for row in rows}


async def limit_pages(database: Database, most: int) -> None:
    """Let the file have at most so many pages (0: as many as it has): beyond, SQLite says that the disk is full."""
    async with database.transaction() as connection:
        pages = most or await connection.scalar(text("PRAGMA page_count"))
        await connection.execute(text(f"PRAGMA max_page_count = {pages}"))


async def test_records_that_cannot_be_written_say_so(database: Database) -> None:
    """A full disk is RecordsFailed, which a client is told as UNAVAILABLE and not as a fault; nothing half-written is
    left, and when there is room again everything goes on."""
    records = AccountRecords(database)
    await limit_pages(database, 0)

    made = 0

    async def fill() -> None:
        nonlocal made
        while made < 10_000:
            account = AccountRecord(f"a{made}", "name", 0.0)
            await records.add_guest(account, f"secret {made}".encode(), session(f"s{made}"), None)
            made += 1

    with pytest.raises(RecordsFailed) as failed:
        await fill()
    metrics = Metrics()
    assert told(failed.value, metrics).reason == "NOT_DURABLE"
    assert metrics.registry.get_sample_value("gouji_faults_total") == 0
    assert await records.get(f"a{made}") is None
    assert (await counts(database))["device_secrets"] == made
    await limit_pages(database, 2**30)
    await records.add_guest(AccountRecord(f"a{made}", "name", 0.0), b"secret", session("s"), None)


async def test_the_migrations_make_what_the_models_say(database: Database) -> None:
    """Tables made by the migrations are those of the models, column for column and index for index."""

    def differences(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), Base.metadata))

    def references(connection: Connection) -> set[tuple[str, ...]]:
        # SQLAlchemy cannot read what a reference of an added column does on deletion: SQLite itself is asked.
        return {
            (table, row["from"], row["table"], row["to"], row["on_delete"])
            for table in Base.metadata.tables
            for row in connection.exec_driver_sql(f"PRAGMA foreign_key_list({table})").mappings()
        }

    async with database.transaction() as connection:
        found = await connection.run_sync(differences)
        assert [change for change in found if change[0] not in ("add_fk", "remove_fk")] == []
        assert await connection.run_sync(references) == {
            (table.name, key.parent.name, key.column.table.name, key.column.name, key.ondelete)
            for table in Base.metadata.tables.values()
            for key in table.foreign_keys
        }


async def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Accounts, secrets and sessions from before sessions were listed are all there afterwards, and work."""
    path = tmp_path / "records.sqlite3"
    with closing(sqlite3.connect(path)) as old:
        engine = create_engine("sqlite://", creator=lambda: old, poolclass=StaticPool)
        with engine.begin() as connection:
            command.upgrade(alembic_config(connection), "0001")
        for statement in OLD_ROWS:
            old.execute(statement)
        old.commit()
    database = await Database.open(path)
    try:
        records = AccountRecords(database)
        assert await counts(database) == {
            "device_secrets": 2,
            "refresh_families": 2,
            "refresh_tokens": 3,
            "sign_in_retries": 1,
        }
        account, hashes = await records.with_secrets("a")
        assert account == AccountRecord("a", "老王", 5.0)
        assert hashes == [b"secret"]
        rotated = await SessionRecords(database).rotate(b"new", b"newer", 20.0, 99.0)
        assert rotated == Rotated(AccountRecord("a", "老王", 5.0), "s", 99.0, None, None)
    finally:
        await database.close()


async def test_commits_wait_for_the_disk(database: Database) -> None:
    """Every commit is synced, over a write-ahead log, and references are held."""
    async with database.transaction() as connection:
        assert await connection.scalar(text("PRAGMA synchronous")) == 2
        assert await connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert await connection.scalar(text("PRAGMA foreign_keys")) == 1


async def test_a_block_that_fails_leaves_nothing(database: Database) -> None:
    """A sign-in whose last step fails makes no account, no secret and no session."""
    records = AccountRecords(database)
    await records.add_guest(ACCOUNT, b"secret", session("s"), None)
    before = await counts(database)
    with pytest.raises(IntegrityError):
        await records.add_guest(AccountRecord("b", "name", 0.0), b"other", session("s"), Retry(b"key", 9.0))
    assert await counts(database) == before
    assert await records.get("b") is None


async def test_what_has_lapsed_is_removed(database: Database) -> None:
    """Tokens and retries past their time go, and sessions whose last token went; accounts and secrets stay."""
    records = AccountRecords(database)
    await records.add_guest(ACCOUNT, b"secret", session("old"), Retry(b"key", 50.0))
    sessions = SessionRecords(database)
    await sessions.rotate(b"token old", b"token old 2", 10.0, 110.0)
    await sessions.begin("a", session("new", now=60.0))
    await records.drop_lapsed(49.0)
    assert await counts(database) == {
        "device_secrets": 1,
        "refresh_families": 2,
        "refresh_tokens": 3,
        "sign_in_retries": 1,
    }
    await records.drop_lapsed(100.0)
    assert await counts(database) == {
        "device_secrets": 1,
        "refresh_families": 2,
        "refresh_tokens": 2,
        "sign_in_retries": 0,
    }
    await records.drop_lapsed(110.0)
    assert await counts(database) == {
        "device_secrets": 1,
        "refresh_families": 1,
        "refresh_tokens": 1,
        "sign_in_retries": 0,
    }
    assert await records.get("a") == ACCOUNT


async def test_a_lapsed_token_rotates_nothing_before_it_is_removed(database: Database) -> None:
    """A token is good until its time, whether or not it has been cleaned away since."""
    records = AccountRecords(database)
    await records.add_guest(ACCOUNT, b"secret", session("s", lifetime=10), None)
    sessions = SessionRecords(database)
    assert await sessions.rotate(b"token s", b"next", 10.0, 20.0) == Unknown()
    assert await sessions.rotate(b"token s", b"next", 9.9, 20.0) == Rotated(ACCOUNT, "s", 20.0, None, None)


async def test_sessions_of_an_account_are_bounded(database: Database) -> None:
    """One session more than an account may have ends the one that was used longest ago, and no other account's."""
    records, sessions = AccountRecords(database), SessionRecords(database)
    await records.add_guest(ACCOUNT, b"secret", session("s0", now=1.0), None)
    await records.add_guest(AccountRecord("b", "other", 0.0), b"other secret", session("other", now=0.0), None)
    for number in range(1, MAX_SESSIONS):
        assert await sessions.begin("a", session(f"s{number}", now=2.0)) == []
    await sessions.rotate(b"token s0", b"token again", 3.0, 103.0)
    (ended,) = await sessions.begin("a", session("new", now=4.0)) or []
    assert ended not in ("s0", "other")
    left = [found.id for found in await sessions.of_account("a", 5.0)]
    assert len(left) == MAX_SESSIONS
    assert left[:2] == ["new", "s0"]
    assert ended not in left
    assert [found.id for found in await sessions.of_account("b", 5.0)] == ["other"]


async def test_a_session_cannot_begin_with_a_secret_that_went(database: Database) -> None:
    """A device secret that was made void after it was looked at begins nothing."""
    records, sessions = AccountRecords(database), SessionRecords(database)
    await records.add_guest(ACCOUNT, b"secret", session("s"), None)
    await sessions.end_all("a", 1.0, but="s", secret=b"another secret")
    with_old = replace(session("t"), device=b"secret")
    assert await sessions.begin("a", with_old) is None
    assert await sessions.begin("a", replace(with_old, device=b"another secret")) == []

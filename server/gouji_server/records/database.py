"""The records' database: opening it, bringing it up to date, transactions."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

import structlog
from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.util import CommandError
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, DBAPIError, InternalError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from gouji_server.data_directory import StartError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncEngine

Result = TypeVar("Result")

log = structlog.get_logger("gouji.records")

BUSY_SECONDS = 10
"""How long a statement waits for another program that has the file locked (a backup)."""


class RecordsFailed(Exception):
    """The records could not be read or written: the disk is full, gone or read-only. Whether it was written is open."""


class Database:
    """The records in one SQLite file, in write-ahead mode, every commit synced.

    All transactions go through one connection, one after the other: SQLite has one writer anyway, and what is done here
    takes well under a millisecond.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open the file at `path` and bring its tables up to date.

        Raises StartError if the file is no database, or was written by a newer server.
        """
        engine = create_async_engine(
            f"sqlite+aiosqlite:///{path}",
            pool_size=1,
            max_overflow=0,
            connect_args={"timeout": BUSY_SECONDS},
            hide_parameters=True,
        )
        event.listen(engine.sync_engine, "connect", _set_up_connection)
        event.listen(engine.sync_engine, "begin", _begin_immediate)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(migrate)
        except CommandError as error:
            await engine.dispose()
            raise StartError(f"{path} was written by a newer server: {error}") from error
        except DBAPIError as error:
            await engine.dispose()
            raise StartError(f"{path} cannot be used: {error.orig}") from error
        return cls(engine)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Run the block in one transaction: durable when the block is left, undone when it raises.

        A caller that is cancelled goes on when the statement under way has ended, so that the transaction ends too: the
        driver would leave it open behind a connection that nobody has any more, and the records locked. Raises
        RecordsFailed.
        """
        connection = self._connection()
        try:
            try:
                connection = await to_its_end(connection.start())
                _begun = await to_its_end(connection.begin().start())
                try:
                    yield connection
                except BaseException:
                    await to_its_end(connection.rollback())
                    raise
                await to_its_end(connection.commit())
            finally:
                if connection.sync_connection is not None:
                    await to_its_end(connection.close())
        except DatabaseError as error:
            # The database's own trouble. A damaged page is told as the class above all; what statements do wrong (a
            # constraint broken, say) is told as one of the others.
            if type(error) is not DatabaseError and not isinstance(error, (OperationalError, InternalError)):
                raise
            log.error("records_failed", error=str(error.orig))  # noqa: TRY400 - the text says it all
            raise RecordsFailed from error

    def _connection(self) -> AsyncConnection:
        return _Whole(self._engine)

    async def close(self) -> None:
        """Close the file."""
        await self._engine.dispose()


class _Whole(AsyncConnection):
    """A connection whose statements are not given up half-way."""

    async def execute(self, *arguments: Any, **options: Any) -> Any:
        """See AsyncConnection; what else executes goes through here."""
        return await to_its_end(super().execute(*arguments, **options))


async def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run some work to its end. Who is cancelled meanwhile is cancelled then, whatever came of it."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled():  # the loop is being taken down
                raise
            cancelled = error
        except BaseException:  # noqa: BLE001 - the task has it too
            break
    if cancelled is not None:
        task.exception()  # it is known, and told to nobody
        raise cancelled
    return task.result()


def alembic_config(connection: Connection) -> AlembicConfig:
    """Return Alembic's settings for the migrations of this package, to run on `connection`."""
    config = AlembicConfig()
    config.set_main_option("script_location", "gouji_server.records:migrations")
    config.attributes["connection"] = connection
    return config


def migrate(connection: Connection) -> None:
    """Bring the tables up to date."""
    command.upgrade(alembic_config(connection), "head")


def _set_up_connection(connection: Any, _record: object) -> None:
    # The driver's own idea of when to begin a transaction is switched off: SQLAlchemy's is used, see below.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
    finally:
        cursor.close()


def _begin_immediate(connection: Connection) -> None:
    # A transaction that reads first and writes later could otherwise be refused half-way.
    connection.exec_driver_sql("BEGIN IMMEDIATE")

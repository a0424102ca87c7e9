"""The journal in an SQLite file.

One thread writes, with ``synchronous=FULL`` over a write-ahead log: a COMMIT returns after the log is on the disk. All
appends that wait when the thread is free go into one transaction (group commit), so that busy tables share the cost of
a commit. They gather in the event loop, so that the thread takes the interpreter lock once a group and not once an
append. A COMMIT that fails fails all of them, and none is announced. Under load, when several tables share a commit,
the next group gathers until it is large or a little time has passed: a commit costs about the same however much it
holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import structlog

from gouji_server.journal.entries import Entry, Fenced, JournalDamaged, JournalError, JournalFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_T = TypeVar("_T")
_Rows = tuple[list[tuple[Any, ...]], Exception | None]

_log = structlog.get_logger("gouji.journal")

SCHEMA_VERSION = 1
FULL = 2
"""The value of `PRAGMA synchronous` at which a COMMIT waits for the disk."""

_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE tables (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, summary BLOB NOT NULL) STRICT;
CREATE TABLE entries (
    table_id INTEGER NOT NULL REFERENCES tables,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;
COMMIT;
"""

_MOST_ROWS = 64
"""Rows of one INSERT: each step of a statement lets go of the interpreter lock, so fewer, larger ones wait less."""
GATHER_SECONDS = 0.01
"""At most, from the beginning of a commit that several tables shared to that of the next. One alone never waits."""
GATHER_FROM_TABLES = 3
"""A commit that so many tables shared says that there is load; two meet by chance."""
GATHER_APPENDS = 16
"""A group that holds so many waits for no more."""
_MOST_KNOWN = 10_000
"""Tables whose last number the writer remembers; beyond that all are forgotten and looked up again."""
_ENTRIES_OF = (
    "SELECT seq, kind, body, digest FROM entries WHERE table_id = (SELECT id FROM tables WHERE name = ?) ORDER BY seq"
)
_LEAST_TABLE_BYTES = 30
"""A table's name and summary take more."""
_HEADER_BYTES = 100
_MOST_MISSING = 1 << 32
"""Bytes. A header that says that more are missing is itself damaged. (They take no room on the disk.)"""
_DAMAGES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""SQLite's codes for bytes on the disk that make no sense: trying again does not help, and other pages may be good."""


class Observer(Protocol):
    """Is told of every commit."""

    def commit(self, seconds: float, entries: int) -> None:
        """Count one commit that made `entries` entries durable in `seconds`."""


@dataclass(slots=True)
class _Append:
    table: str
    expected_seq: int
    entries: Sequence[Entry]
    summary: bytes | None
    done: asyncio.Future[None]
    error: Exception | None = None


@dataclass(slots=True)
class _Ask:
    sql: str
    done: asyncio.Future[object]
    answer: object = None


class SqliteJournal:
    """See the module. Made with :meth:`open`, in the event loop that will use it."""

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection], observer: Observer | None) -> None:
        self._path = path
        self._connect = connect
        self._observer = observer
        self._loop = asyncio.get_running_loop()
        self._gathered: list[_Append | _Ask] = []
        self._writing = False
        self._next_group = 0.0
        self._gathering: asyncio.TimerHandle | None = None
        self._given: queue.SimpleQueue[list[_Append | _Ask] | None] = queue.SimpleQueue()
        self._closed = False
        self._known: dict[str, tuple[int, int]] = {}
        self._readers = ThreadPoolExecutor(1, "journal-reader")
        self._writer = threading.Thread(target=self._write_all, name="journal-writer", daemon=True)
        self._opened: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        observer: Observer | None = None,
        connect: Callable[[Path], sqlite3.Connection] | None = None,
    ) -> Self:
        """Open or make the file at `path` (made with mode 0600).

        `connect` replaces the way connections are made, for tests of failing disks. Raises :class:`JournalError` if
        the file is none of ours, of a newer version, or cannot be made durable.
        """
        journal = cls(path, connect or connect_to, observer)
        journal._writer.start()
        try:
            await journal._opened
        except JournalError:
            journal._closed = True
            journal._readers.shutdown(wait=False)
            raise
        return journal

    async def append(
        self, table: str, expected_seq: int, entries: Sequence[Entry], summary: bytes | None = None
    ) -> None:
        """See :class:`~gouji_server.journal.entries.Journal`."""
        if self._closed:
            raise JournalFailed("the journal is closed")
        for seq, entry in enumerate(entries, expected_seq + 1):
            if entry.seq != seq:
                raise ValueError(f"{table}: entry {entry.seq} where {seq} is due")
        done: asyncio.Future[None] = self._loop.create_future()
        self._gather(_Append(table, expected_seq, entries, summary, done))
        await done

    async def read(self, table: str) -> list[Entry]:
        """See :class:`~gouji_server.journal.entries.Journal`."""
        rows, damage = await self._query(_ENTRIES_OF, (table,))
        entries = [Entry(*row) for row in rows]
        if damage is not None:
            raise JournalDamaged(f"{table}: nothing can be read after entry {len(entries)}: {damage}", entries)
        return entries

    async def summaries(self) -> list[tuple[str, bytes]]:
        """See :class:`~gouji_server.journal.entries.Journal`."""
        rows, damage = await self._query("SELECT name, summary FROM tables ORDER BY id")
        if damage is not None:
            rows = await self._undamaged_summaries()
            _log.error("journal_damaged", error=str(damage), tables_readable=len(rows))
        return [(name, summary) for name, summary in rows]

    async def _undamaged_summaries(self) -> list[tuple[Any, ...]]:
        """Read the summaries one by one, leaving out what cannot be read."""
        ends = [
            rows[0][0] or 0
            for sql in ("SELECT max(id) FROM tables", "SELECT max(table_id) FROM entries")
            for rows, damage in (await self._query(sql),)
            if damage is None
        ]
        if not ends:
            raise JournalFailed(f"the journal {self._path} is damaged beyond reading: restore a backup")
        # Numbers have no gaps, so there cannot be more than bytes allow: the ends may be damaged themselves.
        most = min(max(ends), self._path.stat().st_size // _LEAST_TABLE_BYTES)
        found: list[tuple[Any, ...]] = []
        for number in range(1, most + 1):
            found += (await self._query("SELECT name, summary FROM tables WHERE id = ?", (number,)))[0]
        return found

    async def writer_pragma(self, name: str) -> object:
        """Ask the writer's own connection for the value of a pragma, such as ``synchronous``."""
        if self._closed:
            raise JournalFailed("the journal is closed")
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no pragma")
        done: asyncio.Future[object] = self._loop.create_future()
        self._gather(_Ask(f"PRAGMA {name}", done))
        return await done

    async def close(self) -> None:
        """See :class:`~gouji_server.journal.entries.Journal`."""
        if not self._closed:
            self._closed = True
            if self._gathering is not None:
                self._gathering.cancel()
            if self._gathered:
                self._given.put(self._gathered)
                self._gathered = []
            self._given.put(None)
            self._readers.shutdown(wait=False)
        await asyncio.to_thread(self._writer.join)

    # ── the loop's side of writing: what comes while the writer is busy goes to it together ──

    def _gather(self, what: _Append | _Ask) -> None:
        self._gathered.append(what)
        if self._gathering is not None and len(self._gathered) >= GATHER_APPENDS:
            self._gathering.cancel()
            self._gathering = None
            self._loop.call_soon(self._give)
        if not self._writing:
            # At the end of the loop's round, so that all tables of this round share a commit.
            self._writing = True
            self._loop.call_soon(self._give)

    def _give(self) -> None:
        self._gathering = None
        gathered, self._gathered = self._gathered, []
        self._writing = bool(gathered)
        if gathered:
            tables = {one.table for one in gathered if isinstance(one, _Append)}
            self._next_group = self._loop.time() + GATHER_SECONDS if len(tables) >= GATHER_FROM_TABLES else 0.0
            self._given.put(gathered)

    def _settle(self, group: list[_Append | _Ask]) -> None:
        """A group is written: tell, and give the writer what came meanwhile."""
        for one in group:
            if isinstance(one, _Ask):
                _succeed(one.done, one.answer)
            elif one.error is not None:
                _fail(one.done, one.error)
            else:
                _succeed(one.done, None)
        if len(self._gathered) < GATHER_APPENDS and self._next_group > self._loop.time():
            self._gathering = self._loop.call_at(self._next_group, self._give)
        else:
            self._give()

    # ── reading: a thread and a connection of its own ──

    async def _query(self, sql: str, arguments: tuple[object, ...] = ()) -> _Rows:
        """Return rows, and the error where those after them are damaged."""
        if self._closed:
            raise JournalFailed("the journal is closed")
        return await self._loop.run_in_executor(self._readers, self._query_now, sql, arguments)

    def _query_now(self, sql: str, arguments: tuple[object, ...]) -> _Rows:
        rows: list[tuple[Any, ...]] = []
        try:
            with contextlib.closing(self._connect(self._path)) as connection:
                connection.text_factory = _lenient  # a text that is none is for its reader to judge
                for row in connection.execute(sql, arguments):
                    rows.append(row)  # noqa: PERF402 - what was read before an error is kept
                return rows, None
        except (sqlite3.Error, OSError, MemoryError) as error:
            if _is_damage(error):
                return rows, error
            raise JournalFailed(f"the journal {self._path} cannot be read: {error}") from error

    # ── writing: everything below runs in the writer's thread ──

    def _write_all(self) -> None:
        try:
            connection = self._prepared()
        except Exception as error:  # noqa: BLE001 - a damaged file makes SQLite fail in many ways, for want of memory too
            told = JournalError(f"the journal {self._path} cannot be used: {error}")
            self._call(_fail, self._opened, error if isinstance(error, JournalError) else told)
            return
        self._call(_succeed, self._opened, None)
        with contextlib.closing(connection):
            while (group := self._given.get()) is not None:
                appends = [one for one in group if isinstance(one, _Append)]
                if appends:
                    self._commit(connection, appends)
                for one in group:
                    if isinstance(one, _Ask):
                        one.answer = connection.execute(one.sql).fetchone()[0]
                self._call(self._settle, group)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(function, *arguments)

    def _prepared(self) -> sqlite3.Connection:
        missing = _fill_up(self._path)
        if missing:
            _log.error("journal_damaged", error=f"the file's last {missing} bytes are missing")
        connection = self._connect(self._path)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise JournalError(f"{self._path} is an SQLite file, but no journal")
        if version > SCHEMA_VERSION:
            raise JournalError(f"the journal {self._path} was made by a newer version of this server")
        # Entries that are altered are found by their digests; that some are gone, by the shape of the pages alone.
        shape = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if shape != "ok":
            _log.error("journal_damaged", error=" ".join(shape.split()))
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise JournalError(
                f"{self._path} cannot have a write-ahead log here (SQLite says {mode}): use a local disk"
            )
        connection.execute("PRAGMA synchronous = FULL")
        if connection.execute("PRAGMA synchronous").fetchone()[0] != FULL:
            raise JournalError(f"{self._path} cannot be written durably: SQLite was built without synchronous=FULL")
        if version == 0:
            connection.executescript(_SCHEMA)

    def _commit(self, connection: sqlite3.Connection, appends: list[_Append]) -> None:
        """Write all appends in one transaction; each one's `error` says how it went."""
        started = time.perf_counter()
        try:
            written = self._transaction(connection, appends)
        except sqlite3.IntegrityError as error:
            if len(appends) > 1:
                # Another process wrote to one of these tables: find out to which.
                for append in appends:
                    self._commit(connection, [append])
                return
            appends[0].error = Fenced(f"{appends[0].table}: {error}")
            return
        except Exception as error:  # noqa: BLE001 - a writer that ended would leave every table waiting for ever
            if _is_damage(error) and len(appends) > 1:
                # Where one table's pages are damaged, those of others need not be.
                for append in appends:
                    self._commit(connection, [append])
                return
            for append in appends:
                append.error = JournalFailed(f"the journal {self._path} cannot be written: {error}")
            return
        if written and self._observer is not None:
            self._observer.commit(time.perf_counter() - started, written)

    def _transaction(self, connection: sqlite3.Connection, appends: list[_Append]) -> int:
        """Return the number of entries made durable."""
        try:
            if connection.in_transaction:  # an earlier rollback failed too
                connection.rollback()
            rows: list[object] = []
            if self._are_plain(appends):
                for append in appends:
                    self._admit(connection, append, rows)
                if rows:
                    connection.execute(_insert(len(rows) // 5), rows)
                return len(rows) // 5
            connection.execute("BEGIN IMMEDIATE")
            for append in appends:
                self._admit(connection, append, rows)
            count = len(rows) // 5
            for start in range(0, count, _MOST_ROWS):
                part = rows[start * 5 : (start + _MOST_ROWS) * 5]
                connection.execute(_insert(len(part) // 5), part)
            connection.execute("COMMIT")
        except BaseException:
            self._known.clear()
            if connection.in_transaction:
                connection.rollback()
            raise
        return count

    def _are_plain(self, appends: list[_Append]) -> bool:
        """Whether one INSERT writes all there is: it is its own transaction, and takes the interpreter lock once."""
        if sum(len(append.entries) for append in appends) > _MOST_ROWS:
            return False
        return all(append.summary is None and append.table in self._known for append in appends)

    def _admit(self, connection: sqlite3.Connection, append: _Append, rows: list[object]) -> None:
        """Check the fence of one append and add its rows."""
        table_id, last = self._known.get(append.table) or self._look_up(connection, append.table)
        if last != append.expected_seq:
            append.error = Fenced(f"{append.table} is at {last}, not at {append.expected_seq}")
            return
        if table_id == 0:
            made = connection.execute(
                "INSERT INTO tables (name, summary) VALUES (?, ?)", (append.table, append.summary or b"")
            )
            table_id = made.lastrowid or 0
        elif append.summary is not None:
            connection.execute("UPDATE tables SET summary = ? WHERE id = ?", (append.summary, table_id))
        for entry in append.entries:
            rows += (table_id, *entry)
        last += len(append.entries)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[append.table] = (table_id, last)

    def _look_up(self, connection: sqlite3.Connection, table: str) -> tuple[int, int]:
        found = connection.execute(
            "SELECT id, (SELECT max(seq) FROM entries WHERE table_id = id) FROM tables WHERE name = ?", (table,)
        ).fetchone()
        return (0, 0) if found is None else (found[0], found[1] or 0)


def _is_damage(error: Exception) -> bool:
    """Whether an error says that what is on the disk is damaged. The code's low byte is its kind."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in _DAMAGES


def _fill_up(path: Path) -> int:
    """Put noughts where the end of a database file is missing; return how many bytes.

    SQLite would read nothing of such a file. Now the pages that are there can be read, and those that are gone are
    damaged ones. Pages that the write-ahead log holds are read from there as ever.
    """
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(b"SQLite format 3\0"):
            return 0
        page = int.from_bytes(header[16:18], "big")
        whole = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
        missing = whole - path.stat().st_size
        # The count of pages is good where it was written together with the count of changes; none has this many more.
        if header[24:28] == header[92:96] and 0 < missing < _MOST_MISSING:
            file.truncate(whole)
            return missing
    return 0


def _lenient(text: bytes) -> str:
    return text.decode(errors="replace")


def connect_to(path: Path) -> sqlite3.Connection:
    """Open an SQLite file, made with mode 0600; transactions are begun and ended by hand."""
    path.touch(mode=0o600)
    return sqlite3.connect(path, isolation_level=None, timeout=5)


def _insert(rows: int) -> str:
    return f"INSERT INTO entries VALUES {','.join(['(?,?,?,?,?)'] * rows)}"  # noqa: S608 - question marks alone


def _fail(future: asyncio.Future[_T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _succeed(future: asyncio.Future[_T], answer: _T) -> None:
    if not future.done():
        future.set_result(answer)

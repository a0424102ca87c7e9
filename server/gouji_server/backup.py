"""Copies of a data directory: taken while the server runs, of one instant, and put back where there is nothing yet."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

JOURNAL, RECORDS = "journal.sqlite3", "records.sqlite3"
DATABASES = (JOURNAL, RECORDS)
NOTE = "backup.json"
"""Written last: a backup without it is not whole."""
FORMAT = 1
BUSY_SECONDS = 30


class BackupError(Exception):
    """A backup cannot be taken or put back; the message says why in one line, for people."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    format: int
    time: str
    tables: int
    accounts: int
    matches: int


def back_up(data_dir: Path, folder: Path) -> Backup:
    """Copy journal, records and keys of `data_dir` into `folder`, which must be new or empty. Raises BackupError.

    The server may run: for a moment it waits with its writing, so that both databases are copied as they were at one
    instant; then it goes on while they are copied.
    """
    data_dir, folder = data_dir.expanduser().absolute(), folder.expanduser().absolute()
    for name in DATABASES:
        if not (data_dir / name).is_file():
            raise BackupError(f"{data_dir} is no data directory of a server: it has no {name}")
    with _told("taken"), ExitStack() as stack:
        _make_private(folder)
        readers = _of_one_instant(data_dir, stack)
        for name in _keys(data_dir):
            _copy_file(data_dir / name, folder / name)
        for name, reader in zip(DATABASES, readers, strict=True):
            _copy_database(reader, folder / name)
        made = _counted(folder)
        _write_note(folder, made)
    return made


def restore(folder: Path, data_dir: Path) -> Backup:
    """Make `data_dir`, which must be new or empty, of a backup. Raises BackupError; then nothing is there."""
    folder, data_dir = folder.expanduser().absolute(), data_dir.expanduser().absolute()
    made = read_note(folder)
    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise BackupError(f"{data_dir} is not empty: a backup is put back only where there is nothing yet")
    making = data_dir.with_name(f".{data_dir.name}.restoring")
    with _told("put back"):
        shutil.rmtree(making, ignore_errors=True)
        _make_private(making)
        try:
            for name in _keys(folder):
                _copy_file(folder / name, making / name)
            for name in DATABASES:
                with closing(_connect(folder / name)) as reader:
                    _copy_database(reader, making / name)
            with contextlib.suppress(FileNotFoundError):
                data_dir.rmdir()
            making.rename(data_dir)
            _sync(data_dir.parent)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    return made


def read_note(folder: Path) -> Backup:
    """Return what a backup says of itself. Raises BackupError for what is none, or is not whole."""
    try:
        made = Backup(**json.loads((folder / NOTE).read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise BackupError(f"{folder} is no backup, or one that was not finished: it has no {NOTE}") from error
    except (OSError, ValueError, TypeError) as error:
        raise BackupError(f"{folder / NOTE} cannot be read") from error
    if made.format != FORMAT:
        raise BackupError(f"{folder} was made by a newer version of this server")
    for name in DATABASES:
        if not (folder / name).is_file():
            raise BackupError(f"{folder} is not whole: it has no {name}")
    return made


def _of_one_instant(data_dir: Path, stack: ExitStack) -> list[sqlite3.Connection]:
    """Open both databases so that they are read as they are at one instant, at which nobody writes to either."""
    both = stack.enter_context(closing(_connect(data_dir / JOURNAL)))
    both.execute("ATTACH DATABASE ? AS records", (str(data_dir / RECORDS),))
    both.execute("BEGIN IMMEDIATE")
    try:
        readers = [stack.enter_context(closing(_connect(data_dir / name))) for name in DATABASES]
        for reader in readers:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()  # only now its instant is fixed
    finally:
        both.execute("ROLLBACK")
    return readers


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)


def _copy_database(reader: sqlite3.Connection, to: Path) -> None:
    os.close(os.open(to, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(_connect(to)) as target:
        reader.backup(target)
        found = target.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise BackupError(f"{to.name} is damaged: {found.splitlines()[-1]}")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _sync(to)


def _copy_file(source: Path, to: Path) -> None:
    file = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as written:
        written.write(source.read_bytes())
        written.flush()
        os.fsync(file)


def _keys(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.key") if path.is_file())


def _counted(folder: Path) -> Backup:
    def count(name: str, table: str) -> int:
        with closing(_connect(folder / name)) as database:
            found: int = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - names of ours
            return found

    return Backup(
        format=FORMAT,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        tables=count(JOURNAL, "tables"),
        accounts=count(RECORDS, "accounts"),
        matches=count(RECORDS, "matches"),
    )


def _write_note(folder: Path, made: Backup) -> None:
    making = folder / f"{NOTE}.new"
    _write_text(making, json.dumps(asdict(made), indent=2) + "\n")
    making.rename(folder / NOTE)
    _sync(folder)


def _write_text(path: Path, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as written:
        written.write(text)
        written.flush()
        os.fsync(file)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BackupError(f"{folder} is not empty: name a new folder")
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        folder.chmod(0o700)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextlib.contextmanager
def _told(what: str) -> Iterator[None]:
    """Say of a disk or a database that fails what could not be done."""
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(f"the backup cannot be {what}: {error}") from error
    except OSError as error:
        raise BackupError(f"the backup cannot be {what}: {error.filename or ''}: {error.strerror}") from error


__all__ = ["Backup", "BackupError", "back_up", "read_note", "restore"]

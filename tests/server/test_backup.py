"""Backups: taken while a server plays, of one instant, and put back only where there is nothing."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji_server.backup import NOTE, BackupError, back_up, restore
from gouji_server.journal import SqliteJournal
from gouji_server.records import Database
from tests.server.conftest import settings
from tests.server.running import Running
from tests.server.test_replay_service import ended, kept, listed

if TYPE_CHECKING:
    from pathlib import Path


def column(file: Path, query: str) -> set[str]:
    with closing(sqlite3.connect(file)) as database:
        return {row[0] for row in database.execute(query)}


def emptied(folder: Path) -> Path:
    """Make a data directory like that of a server that has just started."""

    async def make() -> None:
        await (await SqliteJournal.open(folder / "journal.sqlite3")).close()
        await (await Database.open(folder / "records.sqlite3")).close()

    folder.mkdir(mode=0o700)
    asyncio.run(make())
    (folder / "tokens.key").write_bytes(bytes(32))
    return folder


async def test_what_was_there_is_there_again(running_server: Running, tmp_path: Path) -> None:
    """A server on a restored backup has its tables, accounts with their sessions, and matches, and plays on."""
    owner = await running_server.player("owner")
    match = await kept(owner, await ended(owner))
    table = (await owner.call(lobby_pb2.CreateTableRequest(request_id="open"))).table
    session = owner.session
    made = await asyncio.to_thread(back_up, running_server.config.data_dir, tmp_path / "backup")
    assert (made.tables, made.accounts, made.matches) == (2, 1, 1)
    await owner.call(lobby_pb2.CreateTableRequest(request_id="later"))
    assert restore(tmp_path / "backup", tmp_path / "other" / "data") == made
    async with Running(settings(tmp_path / "other")) as again:
        client = again.client()
        client.session = session
        assert await listed(client) == [match]
        assert (await client.call(lobby_pb2.GetTableRequest(name=table.name))).table == table
        request = lobby_pb2.SetReadyRequest(request_id="ready", name=table.name, ready=True)
        assert (await client.call(request)).table.players[0].ready
        assert (await client.refresh()).account == session.account


async def test_both_databases_are_of_one_instant(running_server: Running, tmp_path: Path) -> None:
    """Taken again and again while accounts are made and matches end: no backup has a table without its owner's account,
    or a match of a table that is not over; each has all that was acknowledged before it."""
    done: list[str] = []

    async def play() -> None:
        while len(done) < 12:
            owner = await running_server.player("owner")
            done.append(await ended(owner))

    playing = asyncio.create_task(play())
    number = 0
    while not playing.done():
        before = set(done)
        folder = tmp_path / f"backup-{number}"
        await asyncio.to_thread(back_up, running_server.config.data_dir, folder)
        number += 1
        journal, records = folder / "journal.sqlite3", folder / "records.sqlite3"
        tables = column(journal, "SELECT name FROM tables")
        assert before <= tables
        accounts = column(records, "SELECT 'accounts/' || id FROM accounts")
        with closing(sqlite3.connect(journal)) as database:
            rows = database.execute("SELECT name, summary FROM tables").fetchall()
        infos = {name: lobby_pb2.Table.FromString(summary) for name, summary in rows}
        assert {info.owner for info in infos.values()} <= accounts
        for table in column(records, "SELECT table_name FROM kept_tables"):
            assert infos[table].state == lobby_pb2.TABLE_STATE_FINISHED
    await playing
    assert number > 1


def test_a_backup_is_closed_to_others(tmp_path: Path) -> None:
    """Folder and files are for their owner alone, also where the folder was there and open."""
    data = emptied(tmp_path / "data")
    (tmp_path / "backup").mkdir(mode=0o755)
    old = os.umask(0)
    try:
        back_up(data, tmp_path / "backup")
        restore(tmp_path / "backup", tmp_path / "new")
    finally:
        os.umask(old)
    for folder in (tmp_path / "backup", tmp_path / "new"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert (tmp_path / "new" / "tokens.key").read_bytes() == bytes(32)
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"journal.sqlite3", "records.sqlite3", "tokens.key"}


def test_what_holds_anything_is_left_as_it_is(tmp_path: Path) -> None:
    """Neither backup nor restore writes into a folder that is not empty, and neither follows what is no backup."""
    data = emptied(tmp_path / "data")
    back_up(data, tmp_path / "backup")
    used = tmp_path / "used"
    used.mkdir()
    (used / "mine").write_text("mine")
    with pytest.raises(BackupError, match="not empty"):
        back_up(data, used)
    with pytest.raises(BackupError, match="not empty"):
        restore(tmp_path / "backup", used)
    assert [path.name for path in used.iterdir()] == ["mine"]
    with pytest.raises(BackupError, match="not empty"):
        restore(tmp_path / "backup", data)
    with pytest.raises(BackupError, match="no data directory"):
        back_up(used, tmp_path / "next")
    assert not (tmp_path / "next").exists()
    with pytest.raises(BackupError, match="no backup"):
        restore(used, tmp_path / "next")


@pytest.mark.parametrize("how", ["note", "database", "newer", "nonsense", "damaged"])
def test_a_backup_that_is_not_whole_is_not_put_back(tmp_path: Path, how: str) -> None:
    """Without its note or a database, of a newer format, damaged: refused in one line, and nothing is left behind."""
    data = emptied(tmp_path / "data")
    folder = tmp_path / "backup"
    back_up(data, folder)
    note = json.loads((folder / NOTE).read_text())
    if how == "note":
        (folder / NOTE).unlink()
    elif how == "database":
        (folder / "records.sqlite3").unlink()
    elif how == "newer":
        (folder / NOTE).write_text(json.dumps(note | {"format": 2}))
    elif how == "nonsense":
        (folder / NOTE).write_text("{")
    else:
        raw = bytearray((folder / "records.sqlite3").read_bytes())
        raw[4096:9000] = bytes(9000 - 4096)
        (folder / "records.sqlite3").write_bytes(raw)
    with pytest.raises(BackupError) as refused:
        restore(folder, tmp_path / "new")
    assert "\n" not in str(refused.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]

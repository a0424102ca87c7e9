"""A disk that is full: refused in plain words, nothing told that is not kept, and on it goes when there is room."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from sqlalchemy import event

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import table_pb2
from gouji_server.journal import sqlite as journal_file
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import begun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.server.raw_seat import Seat
    from tests.server.running import Running

MOST_PAGES = 2**30


class Disk:
    """How much room there is: none while `full`, which SQLite itself finds out where it wants another page."""

    def __init__(self) -> None:
        self.full = False

    def limit(self, connection: sqlite3.Connection) -> None:
        """Have a connection's next transaction find the room that there is."""
        most = connection.execute("PRAGMA page_count").fetchone()[0] if self.full else MOST_PAGES
        connection.execute(f"PRAGMA max_page_count = {most}")


@pytest.fixture
def journal_disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk of the journals that are opened in this test."""
    disk = Disk()

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            if sql == "BEGIN IMMEDIATE" or (sql.startswith("INSERT") and not self.in_transaction):
                disk.limit(self)
            return super().execute(sql, *arguments)

    def connect(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, isolation_level=None, factory=Connection)

    monkeypatch.setattr(journal_file, "connect_to", connect)
    return disk


async def views(clients: list[RawClient], table: str) -> list[bytes]:
    """What each sees at a table."""
    request = table_pb2.GetViewRequest(table=table)
    return [(await client.call(request)).SerializeToString(deterministic=True) for client in clients]


async def until_refused(seats: list[Seat]) -> tuple[Seat, table_pb2.SubmitActionRequest]:
    """Have the seats play until one is refused for want of room; return it and what it asked."""
    while True:
        for seat in seats:
            if not (await seat.look()).asked:
                continue
            asked = await seat.next_request(seat.seen)
            try:
                await seat.client.call(asked)
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017
                return seat, asked


async def test_a_journal_without_room(journal_disk: Disk, start_server: Callable[..., Running]) -> None:
    """Moves and new tables are refused with UNAVAILABLE and a reason, views are given and tell nothing of what was
    refused, after a restart neither; with room again the same request is carried out once and the match ends."""
    async with start_server() as running:
        players = [await running.player(f"p{n}") for n in range(6)]
        seats = await begun(players[0], players)
        journal_disk.full = True
        seat, asked = await until_refused(seats)
        before = await views(players, seat.table)
        told = await refusal(seat.client.call(asked))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_DURABLE")
        assert set(told.texts) == {"en-US", "zh-CN"}
        large = "x" * 60
        refused = 0
        for _ in range(200):  # small ones may fit into the last page
            try:
                await players[0].call(lobby_pb2.CreateTableRequest(request_id=new_id(), title=large))
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017
                refused += 1
                break
        assert refused
        assert await views(players, seat.table) == before
        journal_disk.full = False
        await seat.client.call(asked)
        await seat.client.call(asked)
        assert (await views(players, seat.table)) != before
        for one in seats:
            reached = (await one.look()).place
            while one.story.place != reached:
                assert await one.stream.read()
        await asyncio.gather(*(one.play() for one in seats))
        last = await views(players, seat.table)
        metadata = [player.metadata for player in players]
        await running.restart()
        again = [running.client() for _ in players]
        answers = [
            await client.tables.GetView(table_pb2.GetViewRequest(table=seat.table), metadata=one)
            for client, one in zip(again, metadata, strict=True)
        ]
        assert [answer.SerializeToString(deterministic=True) for answer in answers] == last


async def test_records_without_room(start_server: Callable[..., Running]) -> None:
    """New accounts are refused with UNAVAILABLE, nobody who is there is harmed, tables play on; with room again people
    sign in, and the match that ended meanwhile is kept."""
    disk = Disk()
    async with start_server() as running:
        players = [await running.player(f"p{n}") for n in range(6)]
        seats = await begun(players[0], players)
        engine = running.server.records._engine.sync_engine

        @event.listens_for(engine, "begin", insert=True)
        def limit(connection: Any) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar() if disk.full else MOST_PAGES
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

        disk.full = True
        client = running.client()
        told = None
        for number in range(2000):
            try:
                await client.sign_in(f"guest {number}")
            except grpc.aio.AioRpcError as error:
                told = error
                break
        assert told is not None
        assert told.code() is grpc.StatusCode.UNAVAILABLE
        me = session_pb2.GetAccountRequest(name="accounts/me")
        assert (await players[0].call(me)).account.display_name == "p0"
        await asyncio.gather(*(seat.play() for seat in seats))
        disk.full = False
        await client.sign_in("late")
        assert (await client.call(me)).account.display_name == "late"

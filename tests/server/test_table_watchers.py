"""Who watches a table that shuts them out: told of that, and of nothing after it, whatever happened at once with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gouji_server.tables import Refused
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, at_home, person
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle

CHANGES: list[dict[str, object]] = [{"private": True}, {"spectators": False}]


async def change_at_once(handle: TableHandle, changes: dict[str, object]) -> list[object]:
    """Have the owner shut watchers out and two more things happen, all in one turn."""
    done = await asyncio.gather(
        handle.update(person(0), changes, "u"),
        handle.set_ready(person(1), True, "x"),
        handle.leave(person(4), "l"),
        return_exceptions=True,
    )
    await settle()
    return list(done)


async def following(at: House, handle: TableHandle, number: int) -> Reader:
    reader = Reader(at, handle, person(number))
    await reader.follow()
    await reader.read()
    return reader


def kinds(reader: Reader) -> list[list[str | None]]:
    """The events of each step that came."""
    return [[event.WhichOneof("event") for event in update.events] for update in reader.updates if update.events]


@pytest.mark.parametrize("changes", CHANGES, ids=["private", "no spectators"])
async def test_what_follows_in_the_same_turn_is_not_for_watchers(changes: dict[str, object]) -> None:
    """Who watches is told of the change and of nothing after it; who sits hears all up to its own leaving."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(people=5)
    readers = [await following(at, handle, number) for number in (9, 4, 1)]
    await change_at_once(handle, changes)
    for reader in readers:
        await reader.read()
    changed, seat = ["table_changed"], ["seat_changed"]
    assert [kinds(reader) for reader in readers] == [[changed], [changed, seat, seat], [changed, seat, seat]]
    assert [reader.outbox.follower(handle.name) is None for reader in readers] == [True, True, False]


@pytest.mark.parametrize("kept", [True, False], ids=["steps kept", "steps lost"])
@pytest.mark.parametrize("changes", CHANGES, ids=["private", "no spectators"])
async def test_what_is_read_back_from_the_journal_is_not_for_watchers(changes: dict[str, object], kept: bool) -> None:
    """Where an append seemed to fail and the table is read again, watchers are let go as well: told of the change where
    its step is kept, of nothing where they would need a snapshot."""
    journal = MemoryJournal()
    at = House(journal, limits=at_home() if kept else at_home(ring_steps=1))
    await at.tables.start()
    handle = await at.new_table(people=5)
    watcher, sitter = [await following(at, handle, number) for number in (9, 1)]
    journal.lose_next = 1
    assert all(isinstance(outcome, Refused) for outcome in await change_at_once(handle, changes))
    for reader in (watcher, sitter):
        await reader.read()
    assert kinds(watcher) == ([["table_changed"]] if kept else [])
    assert len(watcher.snapshots) == 1
    assert watcher.outbox.follower(handle.name) is None
    assert len(sitter.snapshots) == (1 if kept else 2)
    assert sitter.outbox.follower(handle.name) is not None

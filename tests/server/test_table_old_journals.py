"""Journals that an earlier version wrote: whatever the fold learns, they lead where they led then.

``cases/old_journals.jsonl`` was written by the tables at commit 90d4005, before owners, presence, banks, reservations
and promised deals: each table's name and what happens there, then its entries as kind, body (a move's in base64) and
digest.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_server.journal import Entry
from gouji_server.tables import Limits
from gouji_server.tables.story import recover
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, person

_FILE = Path(__file__).parents[1] / "cases" / "old_journals.jsonl"
KINDS = {
    *("create", "join", "leave", "ready", "bot", "choose", "seats", "deal", "move", "lapse"),
    *("count", "feel", "dissolve", "same", "abandon"),
}
"""All kinds of that time but the freezing of a faulty table."""


def _read() -> dict[str, tuple[str, list[Entry]]]:
    tables: dict[str, tuple[str, list[Entry]]] = {}
    entries: list[Entry] = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        if isinstance(said, dict):
            entries = []
            tables[said["what"]] = said["table"], entries
            continue
        kind, body, digest = said
        raw = base64.b64decode(body) if kind == "move" else body.encode()
        entries.append(Entry(len(entries) + 1, kind, raw, bytes.fromhex(digest)))
    return tables


OLD = _read()


def test_the_journals_hold_every_kind_of_entry() -> None:
    """No kind that was written then is missing from what is read below."""
    assert {entry.kind for _, entries in OLD.values() for entry in entries} == KINDS


@pytest.mark.parametrize("what", OLD)
async def test_an_old_journal_leads_where_it_led(what: str) -> None:
    """Every entry folds to the digest that was written with it: nothing old freezes at a restart."""
    name, entries = OLD[what]
    story, diverged = await recover(name, entries, Limits())
    assert diverged is None
    assert story.seq == len(entries)
    assert story.state.state != pb.TABLE_STATE_FROZEN


async def test_a_table_that_its_owner_left_then_is_played_on_today() -> None:
    """It has the owner that it had, and takes who comes; what was asked then gets the answer that it got."""
    name, entries = OLD["an owner leaves"]
    journal = MemoryJournal()
    journal.tables[name] = list(entries)
    at = House(journal)
    await at.tables.start()
    handle = await at.tables.open(name)
    assert (await handle.info()).owner == "accounts/p0"
    _, seat = await handle.join(person(4), None, "later")
    assert seat == 1
    assert (await handle.join(person(2), None, "join-2"))[1] == 2

"""A journal spoiled in any way freezes its table and says so; the table's actor lives, and nobody else notices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gouji_server.journal import Entry
from gouji_server.tables import Limits, Refused, TableSpec
from gouji_server.tables import table as table_module
from gouji_server.tables.story import Story, recover
from gouji_server.tables.table import Effect, TableState
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, person
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle, inputs

CLOCKED = TableSpec(deals=1, decision_seconds=30)


async def begun() -> tuple[House, MemoryJournal, TableHandle]:
    """Begin a match with a clock, beside a table that still waits."""
    journal = MemoryJournal()
    at = House(journal, seed=4)
    await at.tables.start()
    await at.tables.create(person(0), TableSpec(title="other"), "other")
    return at, journal, await at.match(CLOCKED)


async def is_frozen(at: House, name: str) -> bool:
    """Restart, and hold that a table is frozen, followers get its snapshot, and others play on."""
    await at.restart()
    await settle()
    handle = await at.tables.open(name)
    await handle.view(person(0))
    with pytest.raises(Refused, match="TABLE_FROZEN"):
        await handle.vote_dissolution(person(0), True, "vote")
    other = next(info.name for info in at.tables.list()[0] if info.title == "other")
    await (await at.tables.open(other)).join(person(1), None, "j")
    return (await handle.info()).state == table_module.FROZEN


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("deal", "time", 10**30),  # no deadline that a digest could hold
        ("deal", "time", 1e400),
        ("deal", "time", "noon"),
        ("deal", "secret", "no hexadecimal"),
        ("deal", "secret", None),
        ("ready", "account", "accounts/nobody"),
        ("ready", "time", []),
        ("join", "seat", 77),
        ("join", "seat", None),
        ("join", "name", 5),
        ("join", "account", ["a", "list"]),
    ],
)
async def test_an_entry_that_says_nonsense_freezes_its_table(kind: str, field: str, value: object) -> None:
    """Whatever an entry's fields hold, and wherever that fails: in reading, folding, digesting or encoding."""
    at, journal, handle = await begun()
    await at.tables.close()
    log = journal.tables[handle.name]
    where = next(number for number, entry in enumerate(log) if entry.kind == kind)
    entry = log[where]
    body = json.dumps(json.loads(entry.body) | {field: value}).encode()
    journal.tables[handle.name] = [*log[:where], Entry(entry.seq, kind, body, entry.digest), *log[where + 1 :]]
    assert await is_frozen(at, handle.name)


async def test_nested_nonsense_freezes_its_table() -> None:
    """A body nested too deeply to be read is a spoiled body."""
    at, journal, handle = await begun()
    await at.tables.close()
    log = journal.tables[handle.name]
    journal.tables[handle.name] = [*log[:-1], log[-1]._replace(body=b"[" * 200_000)]
    assert await is_frozen(at, handle.name)


@pytest.mark.parametrize("error", [StopIteration, AssertionError, RecursionError, OverflowError, ZeroDivisionError])
@pytest.mark.parametrize("at_method", ["apply", "encode"])
async def test_whatever_the_fold_raises_freezes_the_table(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], at_method: str
) -> None:
    """The rules engine may fail on a spoiled entry in ways that nobody planned: the story ends at the entry before."""
    at, journal, handle = await begun()
    await at.tables.close()
    log = journal.tables[handle.name]
    spoiled = len(log) - 1
    apply, encode = TableState.apply, Story._encode

    def failing_apply(state: TableState, entry: inputs.Input) -> Effect:
        effect = apply(state, entry)
        if type(entry).__name__ == "DealStarting":
            raise error
        return effect

    def failing_encode(story: Story, effect: Effect, *, running: bool) -> object:
        if story.seq == spoiled + 1 and story.state.deal is not None:
            raise error
        return encode(story, effect, running=running)

    if at_method == "apply":
        monkeypatch.setattr(TableState, "apply", failing_apply)
    else:
        monkeypatch.setattr(Story, "_encode", failing_encode)
    assert log[spoiled].kind == "deal"
    story, diverged = await recover(handle.name, log, Limits())
    assert diverged is not None
    assert (diverged.seq, diverged.kind) == (spoiled + 1, "deal")
    assert isinstance(diverged.__cause__, error)
    assert story.state.state == table_module.FROZEN
    assert await is_frozen(at, handle.name)

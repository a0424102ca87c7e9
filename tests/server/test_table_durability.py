"""Nothing is told before it is durable, and what is durable is told, whatever the journal does."""

from __future__ import annotations

import asyncio
import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji.table.v1 import events_pb2, table_pb2
from gouji_server.journal import Entry
from gouji_server.tables import Limits, Refused, TableSpec, deciding, messages
from gouji_server.tables import table as table_module
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, at_home, choose, live_deal, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from gouji_server.tables.table import TableState

UNKNOWN_PLACE = 3


class Counts:
    """Counts faults and frozen tables."""

    def __init__(self) -> None:
        self.faults = 0
        self.tables_frozen = 0

    def command(self, method: str, status: str) -> None:
        """Not of interest here."""

    def resync(self, reason: str) -> None:
        """Not of interest here."""

    def fault(self) -> None:
        self.faults += 1

    def frozen(self) -> None:
        self.tables_frozen += 1


async def playing(seed: int = 0, *, limits: Limits | None = None) -> tuple[House, MemoryJournal, TableHandle, Counts]:
    """Begin a match and play some moves, up to a question to one seat."""
    journal, counts = MemoryJournal(), Counts()
    at = House(journal, seed=seed, metrics=counts, limits=limits)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    await play_on(at, handle, random.Random(seed), moves=20)
    while live_deal(at, handle).public.kind == gr.Kind.WINDOW:
        await play_on(at, handle, random.Random(seed), moves=1)
    return at, journal, handle, counts


def next_move(at: House, handle: TableHandle, request_id: str = "next") -> tuple[int, table_pb2.SubmitActionRequest]:
    """Return a seat that is asked and a legal answer of it."""
    story = at.tables._actors[handle.name]._story
    assert story is not None
    deal = live_deal(at, handle)
    seat = next(seat for seat in range(6) if deal.is_asked(seat))
    verb, cards, suit = choose(deal.view(seat), random.Random(5))
    return seat, request(handle.name, story.state.decision, verb, cards, request_id=request_id, suit=suit)


async def followers(at: House, handle: TableHandle) -> list[Reader]:
    """Have all six seats and a spectator follow."""
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
    for reader in readers:
        await reader.follow()
        await reader.read()
    return readers


async def same_as_fresh(readers: list[Reader]) -> None:
    """Hold that what each reader kept is what a snapshot says now."""
    for reader in readers:
        await reader.read()
        fresh = await reader.fresh()
        assert reader.place == table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)
        assert (reader.state, reader.plays) == (fresh.state, list(fresh.snapshot.plays))


async def test_nothing_is_told_before_the_commit() -> None:
    """While the append is held back no reader gets anything, no answer comes, and a view has to wait; afterwards all
    come."""
    at, journal, handle, _ = await playing()
    readers = await followers(at, handle)
    journal.hold = True
    seat, asked = next_move(at, handle)
    acting = asyncio.ensure_future(handle.act(person(seat), asked))
    await settle()
    viewing = asyncio.ensure_future(handle.view(person(0)))
    stale = asyncio.ensure_future(handle.act(person(seat), asked))
    await settle()
    assert not acting.done()
    assert not viewing.done()
    assert not stale.done()
    assert [await reader.read() for reader in readers] == [0] * 7
    journal.release()
    version = await acting
    assert await stale == version
    assert table_pb2.TableUpdate.FromString(await viewing).n == version
    assert [await reader.read() for reader in readers] == [1] * 7
    await same_as_fresh(readers)


async def test_commands_that_wait_together_commit_together() -> None:
    """What came while a commit was under way is one append afterwards."""
    at, journal, handle, _ = await playing()
    while live_deal(at, handle).public.kind != gr.Kind.WINDOW:
        await play_on(at, handle, random.Random(3), moves=1)
    journal.hold = True
    await settle()
    deal = live_deal(at, handle)
    story = at.tables._actors[handle.name]._story
    assert story is not None
    decline = [
        asyncio.ensure_future(
            handle.act(person(seat), request(handle.name, story.state.decision, gr.Verb.DECLINE, request_id=f"d{seat}"))
        )
        for seat in range(6)
        if deal.is_asked(seat)
    ]
    await settle()
    before = journal.appends
    journal.release()
    await asyncio.gather(*decline)
    assert journal.appends == before + 1


async def test_a_failed_append_changes_and_tells_nothing() -> None:
    """The command is refused with UNAVAILABLE, no reader gets anything, and the same command then goes through."""
    at, journal, handle, _ = await playing()
    readers = await followers(at, handle)
    views = [await reader.fresh() for reader in readers]
    journal.fail_next = 1
    seat, asked = next_move(at, handle)
    with pytest.raises(Refused) as raised:
        await handle.act(person(seat), asked)
    assert (raised.value.code, raised.value.reason) == (14, "NOT_DURABLE")
    assert raised.value.retry_seconds
    assert [await reader.read() for reader in readers] == [0] * 7
    assert [await reader.fresh() for reader in readers] == views
    await handle.act(person(seat), asked)
    assert [await reader.read() for reader in readers] == [1] * 7
    await same_as_fresh(readers)


async def test_an_append_of_unknown_outcome_is_found_when_the_journal_is_read_again() -> None:
    """Written, but the answer lost: the command is refused, yet readers get the step, and asking again with the same
    id gets the answer without a second action."""
    at, journal, handle, _ = await playing()
    readers = await followers(at, handle)
    journal.lose_next = 1
    seat, asked = next_move(at, handle)
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await handle.act(person(seat), asked)
    assert [await reader.read() for reader in readers] == [1] * 7
    entries = len(journal.tables[handle.name])
    place = readers[0].place
    assert place is not None
    assert await handle.act(person(seat), asked) == place.n
    assert len(journal.tables[handle.name]) == entries
    await same_as_fresh(readers)


async def test_a_fenced_table_follows_the_other_writer() -> None:
    """Somebody else wrote to the table's log: the append is refused, and readers get what the other wrote."""
    at, journal, handle, _ = await playing()
    readers = await followers(at, handle)
    other = House(journal, clock=at.clock, seed=99)
    await other.tables.start()
    theirs = await other.tables.open(handle.name)
    await theirs.view(person(0))
    await play_on(other, theirs, random.Random(8), moves=3)
    seat, asked = next_move(at, handle)
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await handle.act(person(seat), asked)
    assert min([await reader.read() for reader in readers]) > 0
    await same_as_fresh(readers)
    await play_on(at, handle, random.Random(8), moves=3)
    await same_as_fresh(readers)


async def test_an_unreadable_journal_makes_a_table_unavailable_and_no_worse() -> None:
    """While the journal cannot be read commands are refused at once and followers stay; when it can, all goes on."""
    at, journal, handle, _ = await playing()
    readers = await followers(at, handle)
    journal.fail_next = 1
    journal.fail_reads = 2
    seat, asked = next_move(at, handle)
    for _ in range(3):
        with pytest.raises(Refused, match="NOT_DURABLE"):
            await handle.act(person(seat), asked)
        await settle()
    await at.clock.run(3)
    await handle.act(person(seat), asked)
    assert [await reader.read() for reader in readers] == [1] * 7
    await same_as_fresh(readers)


async def test_a_table_cannot_be_made_without_the_journal() -> None:
    """If the first entry is not durable there is no table; asking again with the same id makes it."""
    journal = MemoryJournal()
    at = House(journal)
    await at.tables.start()
    journal.fail_next = 1
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await at.tables.create(person(0), TableSpec(), "new")
    assert at.tables.list() == ([], "")
    made = await at.tables.create(person(0), TableSpec(), "new")
    journal.lose_next = 1
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await at.tables.create(person(0), TableSpec(title="lost"), "lost")
    lost = await at.tables.create(person(0), TableSpec(title="lost"), "lost")
    assert lost.title == "lost"
    assert lost.name != made.name


# ── recovery ──


async def test_a_restart_leaves_everything_as_it_was() -> None:
    """Every sixty moves of a match a restart shows every seat and a spectator the same bytes as before."""
    at, _, handle, _ = await playing(4)
    dice = random.Random(4)
    while await play_on(at, handle, dice, moves=60) == 60:
        before = [await handle.view(person(number)) for number in (*range(6), 9)]
        await at.restart()
        handle = await at.tables.open(handle.name)
        assert [await handle.view(person(number)) for number in (*range(6), 9)] == before


@pytest.mark.parametrize("at_entry", [3, 20, 30])
@pytest.mark.parametrize("how", ["digest", "body", "kind"])
async def test_a_journal_that_leads_elsewhere_freezes_the_table(at_entry: int, how: str) -> None:
    """R29's conservation aside, an entry that does not lead where it led stops the table: FROZEN, a new epoch, the
    state before that entry, and no other table notices."""
    at, journal, handle, counts = await playing(5)
    other = await at.tables.create(person(0), TableSpec(title="other"), "other")
    reader = Reader(at, handle, person(0))
    await reader.follow()
    await reader.read()
    assert reader.place is not None
    await at.tables.close()
    log = journal.tables[handle.name]
    seq, kind, body, digest = log[at_entry]
    spoiled = {
        "digest": Entry(seq, kind, body, b"x" * len(digest)),
        "body": Entry(seq, kind, body[:-1] + bytes([body[-1] ^ 1]), digest),
        "kind": Entry(seq, "odd", body, digest),
    }[how]
    journal.tables[handle.name] = [*log[:at_entry], spoiled, *log[at_entry + 1 :]]
    await at.restart()
    back = Reader(at, handle, person(0))
    back.place = reader.place
    await back.follow(resume=True)
    await back.read()
    assert back.snapshots == [UNKNOWN_PLACE]
    assert back.info is not None
    assert back.info.state == table_module.FROZEN
    assert back.place is not None
    assert back.place.epoch != reader.place.epoch
    assert counts.tables_frozen == 1
    handle = back.handle
    with pytest.raises(Refused) as raised:
        await handle.act(person(0), request(handle.name, back.place.n, gr.Verb.PASS, request_id="a"))
    assert (raised.value.code, raised.value.reason) == (9, "TABLE_FROZEN")
    assert (await handle.info()).state == table_module.FROZEN
    untouched = await at.tables.open(other.name)
    await untouched.join(person(1), None, "j")


@pytest.mark.parametrize("spoiled", [b"\xff\x12\xff", b"", b"\x0a\x02xx"])
async def test_a_spoiled_summary_costs_nothing(spoiled: bytes) -> None:
    """A table whose summary in the journal cannot be read is read from its entries: the server starts, the table is in
    the lists and plays on, and no other table notices."""
    at, journal, handle, _ = await playing(9)
    other = await at.tables.create(person(0), TableSpec(title="other"), "other")
    before = await handle.view(person(0))
    journal.last_summaries[handle.name] = spoiled
    await at.restart()
    await settle()
    assert {info.name for info in at.tables.list()[0]} == {handle.name, other.name}
    handle = await at.tables.open(handle.name)
    assert await handle.view(person(0)) == before
    seat, asked = next_move(at, handle)
    await handle.act(person(seat), asked)


async def test_a_table_without_a_beginning_is_told_once() -> None:
    """Where even the first entry is spoiled there is no table to show: it is UNAVAILABLE, counted as frozen once and
    not once a second, and other tables play."""
    at, journal, handle, counts = await playing(10)
    other = await at.tables.create(person(0), TableSpec(title="other"), "other")
    first = journal.tables[handle.name][0]
    spoiled = Entry(first.seq, first.kind, first.body[:-1], first.digest)
    journal.tables[handle.name] = [spoiled, *journal.tables[handle.name][1:]]
    await at.restart()
    handle = await at.tables.open(handle.name)
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await handle.view(person(0))
    await at.clock.run(10)
    with pytest.raises(Refused, match="NOT_DURABLE"):
        await handle.view(person(0))
    assert counts.tables_frozen == 1
    await (await at.tables.open(other.name)).join(person(1), None, "j")


async def test_a_fault_of_the_engine_freezes_its_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken invariant stops the table for good: the command is answered INTERNAL, followers get TableClosed with
    FROZEN, the journal says so, and a restart does not bring it back to life."""
    at, journal, handle, counts = await playing(6)
    readers = await followers(at, handle)
    seat, asked = next_move(at, handle)

    def broken(*_: object) -> None:
        raise AssertionError("broken invariant")

    with monkeypatch.context() as patched:
        patched.setattr(gr.Deal, "apply", broken)
        with pytest.raises(Refused) as raised:
            await handle.act(person(seat), asked)
    assert (raised.value.code, raised.value.reason) == (13, "FAULT")
    await settle()
    for reader in readers:
        await reader.read()
        assert reader.closed
        assert reader.updates[-1].events[-1].table_closed.reason == events_pb2.CLOSE_REASON_FROZEN
    assert counts.faults == 1
    assert counts.tables_frozen == 1
    assert journal.tables[handle.name][-1].kind == "freeze"
    await at.restart()
    handle = await at.tables.open(handle.name)
    with pytest.raises(Refused, match="TABLE_FROZEN"):
        await handle.act(person(seat), asked)


async def test_a_fault_in_judging_fails_one_command_and_not_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that cannot even be judged has changed nothing: it is answered INTERNAL, those beside it are carried
    out, and the table plays on. Nobody may freeze a table by what they send."""
    at, _, handle, counts = await playing(8)
    seat, asked = next_move(at, handle)
    judge = deciding.decide_move

    def broken(state: TableState, account: str, *rest: Any) -> Any:
        if account == person(seat).account:
            return judge(state, account, *rest)
        raise struct.error

    with monkeypatch.context() as patched:
        patched.setattr(messages, "decide_move", broken)
        faulty = asyncio.ensure_future(handle.act(person((seat + 1) % 6), asked))
        fine = asyncio.ensure_future(handle.act(person(seat), asked))
        with pytest.raises(Refused, match="FAULT"):
            await faulty
        assert await fine > asked.decision
    assert (counts.faults, counts.tables_frozen) == (1, 0)
    seat, asked = next_move(at, handle, "after")
    await handle.act(person(seat), asked)


async def test_a_fault_while_looking_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in a view is answered INTERNAL and leaves the table playing."""
    at, _, handle, counts = await playing(7)

    def broken(*_: object) -> None:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(gr.Deal, "legal_actions", broken)
        with pytest.raises(Refused, match="FAULT"):
            await handle.legal_plays(person(live_deal(at, handle).public.turn), 0, "")
    assert counts.faults == 1
    seat, asked = next_move(at, handle)
    await handle.act(person(seat), asked)


# ── stopping, waking, sleeping ──


async def test_stopping_finishes_the_turn_and_refuses_the_rest() -> None:
    """A command under way when the server stops is answered; later ones are refused with UNAVAILABLE; followers'
    streams end so that they come back."""
    at, journal, handle, _ = await playing(8)
    readers = await followers(at, handle)
    journal.hold = True
    seat, asked = next_move(at, handle)
    acting = asyncio.ensure_future(handle.act(person(seat), asked))
    await settle()
    waiting = asyncio.ensure_future(handle.view(person(1)))
    closing = asyncio.ensure_future(at.tables.close())
    await settle()
    assert not closing.done()
    journal.release()
    await closing
    version = await acting
    with pytest.raises(Refused, match="STOPPING"):
        await waiting
    with pytest.raises(Refused, match="STOPPING"):
        await handle.act(person(seat), asked)
    for reader in readers:
        await reader.read()
        assert reader.place is not None
        assert reader.place.n == version
        assert reader.outbox.ended
        assert reader.outbox.end is not None
        assert reader.outbox.end.code == 14


async def test_a_busy_table_refuses_what_its_mailbox_has_no_room_for() -> None:
    """Beyond the bound commands are refused with RESOURCE_EXHAUSTED at once; those within are answered."""
    at, journal, handle, _ = await playing(9, limits=at_home(mailbox=4))
    journal.hold = True
    seat, asked = next_move(at, handle)
    first = asyncio.ensure_future(handle.act(person(seat), asked))
    await settle()
    views = [asyncio.ensure_future(handle.view(person(0))) for _ in range(6)]
    await settle()
    refused = [view for view in views if view.done()]
    assert len(refused) == 2
    for view in refused:
        with pytest.raises(Refused) as raised:
            await view
        assert (raised.value.code, raised.value.reason) == (8, "TABLE_BUSY")
    journal.release()
    await first
    assert len([await view for view in views if view not in refused]) == 4


async def test_an_idle_table_sleeps_and_wakes() -> None:
    """A table that nobody follows or waits for leaves memory, and comes back unchanged with the next touch."""
    at, journal, handle, _ = await playing(10)
    reader = Reader(at, handle, person(0))
    await reader.follow()
    await at.clock.run(300)
    assert at.tables.awake() == 1
    before = await handle.view(person(3))
    reader.outbox.close()
    await at.clock.run(300)
    assert at.tables.awake() == 0
    assert await handle.view(person(3)) == before
    assert at.tables.awake() == 1
    seat, asked = next_move(at, handle)
    await handle.act(person(seat), asked)
    assert len(journal.tables[handle.name]) > 20


async def test_a_command_that_comes_as_a_table_falls_asleep_wakes_it() -> None:
    """There is no moment at which a command finds nobody."""
    at, _, handle, _ = await playing(11)
    await settle()
    at.clock.advance(300)
    view = asyncio.ensure_future(handle.view(person(0)))
    await settle()
    assert view.done()
    assert at.tables.awake() == 1


async def test_a_table_that_waits_too_long_for_players_is_closed() -> None:
    """A waiting table at which nobody does anything is closed after the time for it, and not before; a match is not."""
    at, _, handle, _ = await playing(12, limits=at_home(waiting_seconds=1000))
    made = await at.tables.create(person(1), TableSpec(), "waits")
    waits = await at.tables.open(made.name)
    await at.clock.run(900)
    await waits.join(person(2), None, "j")
    await at.clock.run(900)
    assert (await waits.info()).state == table_module.WAITING
    await at.clock.run(200)
    assert (await waits.info()).state == table_module.FINISHED
    assert (await handle.info()).state == table_module.PLAYING

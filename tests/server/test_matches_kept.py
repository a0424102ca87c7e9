"""Finished matches come into the records, each once, whatever ends or fails in between."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select, text

from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import events_pb2
from gouji_rules.records import check_record, read_record
from gouji_server.journal import Entry
from gouji_server.records.match_rows import KeptTableRow, MatchPartRow, MatchRow
from gouji_server.records.matches import MatchFilter
from gouji_server.replays.keeper import RETRY_SECONDS
from gouji_server.tables import TableSpec
from tests.server.matches_kept import Archive, archive, play_out
from tests.server.players import House, person
from tests.server.table_time import settle

if TYPE_CHECKING:
    from pathlib import Path


async def matches_of(kept: Archive, number: int = 0) -> list[replay_pb2.Match]:
    matches, following = await kept.replays.page(person(number).account, MatchFilter(), 50)
    assert not following
    return matches


async def rows(kept: Archive) -> tuple[int, ...]:
    async with kept.database.transaction() as connection:
        tables = (MatchRow, MatchPartRow, KeptTableRow)
        return tuple([await connection.scalar(select(func.count()).select_from(table)) or 0 for table in tables])


async def test_a_finished_match_is_kept_whole(tmp_path: Path) -> None:
    """What is kept tells who played, by what rules, how it went and when, and its record holds against the rules."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.play(TableSpec(rule_set="shandong", title="周末", deals=2), people=4)
        await kept.keeper.settled()
        (listed,) = await matches_of(kept)
        match = await kept.replays.get(person(0).account, listed.name)
        info = await handle.info()
        assert (match.table, match.title, match.rule_set, match.deals) == (handle.name, "周末", "ruleSets/shandong", 2)
        assert list(match.players) == list(info.players)
        assert match.end_reason in (events_pb2.MATCH_END_REASON_DEALS, events_pb2.MATCH_END_REASON_SWEEP)
        assert match.start_time.ToMilliseconds() <= match.end_time.ToMilliseconds()
        assert match.deals_begun == len(match.deal_results) > 0
        played = [deal for deal in match.deal_results if not deal.void]
        assert all(sorted(deal.places) == list(range(6)) and not deal.cut_off for deal in played)
        totals = [sum(scores) for scores in zip(*(deal.scores for deal in played), strict=True)]
        assert list(match.scores) == totals
        record = await kept.replays.record(person(0).account, match.name)
        assert check_record(record) == []
        assert list(read_record(record).scores or ()) == totals
        assert len(read_record(record).deals) == match.deals_begun


@pytest.mark.parametrize("lots", [True, False])
async def test_r64_a_kept_match_tells_whom_a_lot_gave_it_to(tmp_path: Path, *, lots: bool) -> None:
    """R64: of a tied match settled by lot the winner is told, as its record has it; where none is drawn no lot is."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        await kept.play(TableSpec(deals=1, options=(("points", (0,) * 6), ("tie_by_lot", lots))), people=1)
        await kept.keeper.settled()
        (match,) = await matches_of(kept)
        record = read_record(await kept.replays.record(person(0).account, match.name))
        assert list(match.scores) == [0, 0]
        assert match.HasField("lot") == lots
        assert record.lot == (match.lot if lots else None)


async def test_a_match_that_ended_as_the_process_did_is_kept_at_the_next_start(tmp_path: Path) -> None:
    """Between the journal's word and the records' the process may die: the next start finds every such match, once."""
    async with archive(tmp_path) as kept:
        names = {(await kept.play(people=1, dice=2)).name}  # the keeper never ran
        assert await rows(kept) == (0, 0, 0)
        for _ in range(2):
            await kept.restart()
            await kept.keeper.settled()
            assert {match.table for match in await matches_of(kept)} == names
            assert (await rows(kept))[0] == 1
        before = await matches_of(kept)
        await kept.restart()
        assert kept.keeper.waiting == 0, "what is kept is not looked at again"
        assert await matches_of(kept) == before


async def test_records_that_cannot_be_written_lose_no_match(tmp_path: Path) -> None:
    """While the disk is full the match waits; when there is room it is kept, nothing of the failed try left over."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        async with kept.database.transaction() as connection:
            pages = await connection.scalar(text("PRAGMA page_count"))
            await connection.execute(text(f"PRAGMA max_page_count = {pages}"))
        await kept.play(people=1)
        while kept.house.clock.next_due is None:
            await settle(1)
        assert kept.keeper.waiting == 1
        async with kept.database.transaction() as connection:
            await connection.execute(text(f"PRAGMA max_page_count = {2**30}"))
        assert await rows(kept) == (0, 0, 0)
        while kept.keeper.waiting:
            await kept.house.clock.run(RETRY_SECONDS)
        assert (await rows(kept))[0] == 1


async def test_a_journal_that_cannot_be_read_is_read_later(tmp_path: Path) -> None:
    """A read that fails is tried again, and the match is kept then."""
    house = House()
    async with archive(tmp_path, house) as kept:
        await kept.play(people=1)
        house.journal.fail_reads = 2  # type: ignore[attr-defined]
        await kept.keeper.start()
        while kept.keeper.waiting:
            await house.clock.run(RETRY_SECONDS)
            await settle(1)
        assert len(await matches_of(kept)) == 1


async def test_a_spoiled_journal_stands_in_nobodys_way(tmp_path: Path) -> None:
    """A match whose entries were altered is left out and logged as a fault; the others are kept."""
    house = House()
    async with archive(tmp_path, house) as kept:
        spoiled = await kept.play(people=1)
        good = await house.tables.create(person(1), TableSpec(deals=1, seat=None), "other")
        for number in range(6):
            await (await house.tables.open(good.name)).add_bot(person(1), "random", None, f"bot-{number}")
        await play_out(house, await house.tables.open(good.name), random.Random(2))
        entries = house.journal.tables[spoiled.name]  # type: ignore[attr-defined]
        entries[-3] = Entry(entries[-3].seq, entries[-3].kind, entries[-3].body, b"other")
        await kept.keeper.start()
        await kept.keeper.settled()
        assert [match.table for match in await matches_of(kept)] == [good.name]


async def test_a_table_without_a_match_is_noted_and_no_more(tmp_path: Path) -> None:
    """Where everyone left before the match nothing is kept, and the table is not read again at the next start."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.house.new_table(people=1)
        await handle.leave(person(0), "leave")
        await settle()
        await kept.keeper.settled()
        assert await rows(kept) == (0, 0, 1)
        await kept.restart()
        assert kept.keeper.waiting == 0


async def test_nothing_of_a_running_match_is_kept(tmp_path: Path) -> None:
    """Deals that are over do not come into the records before their match is."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.house.match(TableSpec(deals=3), people=6)
        await play_out(kept.house, handle, random.Random(3), moves=700)
        await settle()
        await kept.keeper.settled() if kept.keeper.waiting else None
        assert await rows(kept) == (0, 0, 0)
        assert await matches_of(kept) == []


@pytest.mark.parametrize("moves", [40, 0])
async def test_a_dissolved_match_is_kept_with_the_deal_that_was_cut_off(tmp_path: Path, moves: int) -> None:
    """A match that its players ended tells so, and of the running deal that it was cut off (R17)."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.house.match(TableSpec(deals=3), people=2)
        await play_out(kept.house, handle, random.Random(4), moves=moves)
        for number in range(2):
            await handle.vote_dissolution(person(number), True, f"vote-{number}")
        await settle()
        await kept.keeper.settled()
        (listed,) = await matches_of(kept)
        match = await kept.replays.get(person(0).account, listed.name)
        assert match.end_reason == events_pb2.MATCH_END_REASON_DISSOLVED
        assert [deal.cut_off for deal in match.deal_results] == [True]
        assert check_record(await kept.replays.record(person(0).account, match.name)) == []

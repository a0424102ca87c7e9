"""What one account, or many, can add to a table's journal has an end."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables import Refused, TableSpec
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, at_home, live_deal, person, play_on

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle

CHOOSE = TableSpec(deals=2, options=(("seating", "choose_opposite"),))
MOST = 7
MOST_IN_ALL = 25


async def waiting(**limits: int) -> tuple[House, MemoryJournal, TableHandle]:
    """Make a table at which four sit."""
    journal = MemoryJournal()
    at = House(journal, limits=at_home(**limits))
    await at.tables.start()
    return at, journal, await at.new_table(CHOOSE, people=4)


async def do(handle: TableHandle, number: int, what: str, turn: int) -> None:
    """Have somebody do something at a waiting table: with effect each time, or without any."""
    who, request_id = person(number), f"again-{turn}"
    if what == "ready or not":
        await handle.set_ready(who, turn % 2 == 0, request_id)
    elif what == "not ready again":
        await handle.set_ready(who, False, request_id)
    elif what == "join again":
        await handle.join(who, None, request_id)
    elif what == "choose another":
        seats = [player.seat for player in (await handle.info()).players if player.account]
        mine = next(p.seat for p in (await handle.info()).players if p.account == who.account)
        await handle.choose_opposite(who, [seat for seat in seats if seat != mine][turn % 2], request_id)
    elif what == "choose the same":
        await handle.choose_opposite(who, 0, request_id)
    else:
        await handle.leave(who, f"leave-{request_id}")
        await handle.join(who, None, request_id)


async def until_refused(handle: TableHandle, number: int, what: str) -> str:
    """Do it until it is refused; return the reason."""
    for turn in range(10 * MOST_IN_ALL):
        try:
            await do(handle, number, what, turn)
        except Refused as refused:
            assert refused.status == "RESOURCE_EXHAUSTED"  # noqa: PT017
            return refused.reason
    raise AssertionError("never refused")


@pytest.mark.parametrize(
    "what",
    ["ready or not", "not ready again", "join again", "choose another", "choose the same", "come and go"],
)
async def test_an_account_cannot_fill_a_waiting_tables_journal(what: str) -> None:
    """Whatever an account repeats before a match, changing something or not, is refused in the end, after a restart
    too. What it was answered stands, it may leave, and others may do as they like."""
    at, journal, handle = await waiting(changes_waiting=MOST)
    entries = len(journal.tables[handle.name])
    assert await until_refused(handle, 3, what) == "TOO_MANY_CHANGES"
    assert len(journal.tables[handle.name]) <= entries + 2 * MOST
    await at.restart()
    handle = await at.tables.open(handle.name)
    entries = len(journal.tables[handle.name])
    seated = any(player.account == person(3).account for player in (await handle.info()).players)
    assert seated == (what != "come and go")
    again = handle.set_ready(person(3), True, "more") if seated else handle.join(person(3), None, "more")
    with pytest.raises(Refused, match="TOO_MANY_CHANGES"):
        await again
    assert len(journal.tables[handle.name]) == entries
    assert (await handle.join(person(3), None, "join-3"))[1] == 3
    if seated:
        await handle.leave(person(3), "bye")
    await handle.set_ready(person(2), True, "b")
    await handle.join(person(5), None, "c")


async def test_many_accounts_cannot_fill_a_waiting_tables_journal() -> None:
    """Past the bound for all nobody new is seated; who sits may be ready, and the match begins."""
    at, journal, handle = await waiting(changes_waiting_in_all=MOST_IN_ALL)
    for number in range(10, 10 + 2 * MOST_IN_ALL):
        try:
            await handle.join(person(number), None, "in")
        except Refused as refused:
            assert refused.reason == "TOO_MANY_CAME"  # noqa: PT017
        else:
            await handle.leave(person(number), "out")
    assert len(journal.tables[handle.name]) <= 2 * MOST_IN_ALL + 2
    await at.restart()
    handle = await at.tables.open(handle.name)
    with pytest.raises(Refused, match="TOO_MANY_CAME"):
        await handle.join(person(99), None, "in")
    for seat in (4, 5):
        await handle.add_bot(person(0), "simple", seat, f"bot-{seat}")
    for number in range(4):
        await handle.set_ready(person(number), True, "ready")
    assert (await handle.info()).state == lobby_pb2.TABLE_STATE_PLAYING


async def test_joining_again_in_a_match_has_an_end_too() -> None:
    """A seat that joins again and again, or votes as it voted, is refused until the next deal; the others are not."""
    journal = MemoryJournal()
    at = House(journal, seed=8, limits=at_home(said_a_deal=3))
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    before = await handle.info()
    assert await handle.join(person(1), None, "a0") == (before, 1)
    for turn in (1, 2):
        await handle.vote_dissolution(person(1), False, f"a{turn}")
    entries = len(journal.tables[handle.name])
    for refused in (handle.join(person(1), None, "a3"), handle.vote_dissolution(person(1), False, "a4")):
        with pytest.raises(Refused, match="TOO_MUCH_SAID"):
            await refused
    assert await handle.join(person(1), None, "a0") == (before, 1)
    assert len(journal.tables[handle.name]) == entries
    assert (await handle.join(person(2), None, "b"))[1] == 2
    while live_deal(at, handle).public.number == 1:
        await play_on(at, handle, random.Random(8), moves=1)
    assert (await handle.join(person(1), None, "a5"))[1] == 1


async def test_nobody_joins_a_closed_table_again() -> None:
    """What is closed takes nothing more into its journal; what was answered before is still answered."""
    at, journal, handle = await waiting()
    for number in range(4):
        await handle.leave(person(number), "out")
    entries = len(journal.tables[handle.name])
    with pytest.raises(Refused, match="TABLE_CLOSED"):
        await handle.join(person(1), None, "again")
    assert (await handle.join(person(1), None, "join-1"))[1] == 1
    assert len(journal.tables[handle.name]) == entries
    await at.tables.close()

"""Rated tables: what they have not, which seats come from one address, and that no address is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_server.records.matches import MatchFilter
from gouji_server.tables import Caller, Refused, TableSpec
from tests.server.matches_kept import archive
from tests.server.players import House, person
from tests.server.raw_client import new_id, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.running import Running

RATED = TableSpec(deals=1, rated=True)


def groups(table: pb.Table) -> list[list[int]]:
    return [list(group.seats) for group in table.same_address]


async def test_seats_of_one_address_are_told_as_long_as_they_sit_there() -> None:
    """Each group of two or more, also after a restart; who leaves is in none, and where nobody shares there is none."""
    house = House()
    callers = [Caller(person(n).account, person(n).display_name, origin=o) for n, o in enumerate("aabbcd")]
    made = await house.tables.create(callers[0], RATED, "new")
    handle = await house.tables.open(made.name)
    for caller in callers[1:]:
        await handle.join(caller, None, "j")
    assert groups(await handle.info()) == [[0, 1], [2, 3]]
    await handle.leave(callers[2], "l")
    assert groups(await handle.info()) == [[0, 1]]
    await house.restart()
    handle = await house.tables.open(made.name)
    assert groups(await handle.shown(callers[4])) == [[0, 1]]


async def test_other_tables_do_not_ask_where_people_come_from() -> None:
    """Without `rated` nothing is told, and the journal holds no origin."""
    house = House()
    callers = [Caller(person(n).account, person(n).display_name, origin="here") for n in range(2)]
    made = await house.tables.create(callers[0], TableSpec(), "new")
    handle = await house.tables.open(made.name)
    await handle.join(callers[1], None, "j")
    assert groups(await handle.info()) == []
    assert not any(b"here" in entry.body for entry in await house.journal.read(made.name))


async def test_a_rated_table_has_neither_hints_nor_team_chat() -> None:
    """Neither when it is made nor later; a rematch is rated too."""
    house = House()
    with pytest.raises(Refused, match="team_chat"):
        await house.tables.create(person(0), TableSpec(rated=True, team_chat=True), "a")
    handle = await house.new_table(RATED)
    assert not (await handle.info()).hints
    for changes in ({"hints": True}, {"team_chat": True}):
        with pytest.raises(Refused, match="not at a rated table"):
            await handle.update(person(0), changes, "u")


async def test_a_rated_match_is_kept_as_one(tmp_path: Path) -> None:
    """The match that was rated says so, another does not; its rematch is rated as well."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.play(RATED)
        await kept.keeper.settled()
        (match,), _ = await kept.replays.page(person(0).account, MatchFilter(), 10)
        assert match.rated
        again, _ = await kept.house.tables.rematch(person(1), handle.name, "again")
        assert again.rated


async def test_over_connections_one_address_is_told_and_never_written(running_server: Running) -> None:
    """People of this test all come from loopback: they are one group; no file of the server holds the address."""
    people = [await running_server.player(f"p{n}") for n in range(3)]
    made = await people[0].call(pb.CreateTableRequest(request_id=new_id(), rated=True))
    for client in people[1:]:
        await client.call(pb.JoinTableRequest(request_id=new_id(), name=made.table.name))
    told = (await people[0].call(pb.GetTableRequest(name=made.table.name))).table
    assert (told.rated, groups(told)) == (True, [[0, 1, 2]])
    failed = await refusal(people[0].call(pb.CreateTableRequest(request_id=new_id(), rated=True, team_chat=True)))
    assert failed.fields == ("team_chat",)
    await running_server.server.stop()
    for path in running_server.server.directory.path.iterdir():
        if path.is_file():
            assert b"127.0.0.1" not in path.read_bytes(), path
    await running_server.start()

"""What a replay leaves out: names of accounts that were deleted, and what a player had set for itself alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert

from gouji.replay.v1 import replay_pb2
from gouji_server.records.matches import MatchFilter
from gouji_server.records.models import AccountRow
from gouji_server.replays import Wanted
from gouji_server.tables import TableSpec
from tests.server.matches_kept import Archive, archive
from tests.server.players import person
from tests.server.table_time import settle

if TYPE_CHECKING:
    from pathlib import Path


async def steps(kept: Archive) -> list[replay_pb2.ReplayStep]:
    """Watch the one match that was kept, all hands open."""
    (match,), _ = await kept.replays.page(person(0).account, MatchFilter(), 10)
    wanted = Wanted(replay_pb2.PERSPECTIVE_OPEN)
    return [step async for step in kept.replays.steps(person(0).account, match.name, wanted)]


async def test_who_was_kicked_and_deleted_is_not_named(tmp_path: Path) -> None:
    """The name of who was sent away goes with the account, as those of players do; without deletion it is told."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        handle = await kept.house.new_table(TableSpec(deals=1), people=2)
        await handle.kick(person(0), 1, person(1).account, False, "kick")
        for number in range(5):
            await handle.add_bot(person(0), "simple", None, f"bot-{number}")
        await handle.set_ready(person(0), True, "ready")
        await handle.vote_dissolution(person(0), True, "vote")
        await settle()
        await kept.keeper.settled()
        assert b"Player 1" in b"".join(step.SerializeToString() for step in await steps(kept))
        async with kept.database.transaction() as connection:
            await connection.execute(insert(AccountRow).values(id="p1", display_name="x", created=0.0, deleted=1.0))
        told = await steps(kept)
        assert b"Player 1" not in b"".join(step.SerializeToString() for step in told)
        kicked = [e.player_kicked for step in told for e in step.update.events if e.HasField("player_kicked")]
        assert [event.account for event in kicked] == [person(1).account]


def test_names_are_where_they_are_looked_for() -> None:
    """No other field of a step than these has an account's name: one that is added is to be left out as well."""
    named, due, seen = set(), [replay_pb2.ReplayStep.DESCRIPTOR], set()
    while due:
        message = due.pop()
        seen.add(message.full_name)
        for field in message.fields:
            inner = field.message_type
            if inner is not None and "display_name" in inner.fields_by_name:
                named.add(field.full_name.removeprefix("gouji."))
            if inner is not None and inner.full_name not in seen:
                due.append(inner)
    assert named == {
        "lobby.v1.Table.players",
        "table.v1.SeatChanged.player",
        "table.v1.SeatsMoved.players",
        "table.v1.TableEvent.player_kicked",
    }


async def test_a_players_settings_are_not_told(tmp_path: Path) -> None:
    """Who let the server decline in burn windows is not seen in an open replay, nor that it was set or taken back."""
    folders = tmp_path / "with", tmp_path / "without"
    for folder in folders:
        folder.mkdir()
    async with archive(folders[0]) as kept, archive(folders[1]) as plain:
        for one in (kept, plain):
            await one.keeper.start()
            handle = await one.house.match(TableSpec(deals=1))
            if one is kept:
                await handle.set_auto_decline(person(0), True, True, "on")
                await handle.set_auto_decline(person(2), True, False, "on")
                await handle.set_auto_decline(person(2), False, False, "off")
            for number in range(6):
                await handle.vote_dissolution(person(number), True, f"vote-{number}")
            await settle()
            await one.keeper.settled()
        told = await steps(kept)
        assert not any(part.auto_decline or part.auto_decline_always for step in told for part in step.seats)
        assert [(step.step, step.seats) for step in told] == [(step.step, step.seats) for step in await steps(plain)]

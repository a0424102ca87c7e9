"""Finished matches for tests: played at tables in virtual time, and kept as a server keeps them."""

from __future__ import annotations

import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji_server.records import Database, MatchRecords
from gouji_server.replays import MatchKeeper, Replays
from gouji_server.tables import Limits, NullMetrics, TableSpec
from tests.server.players import House, play_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from gouji_server.tables import TableHandle


class Archive:
    """A house whose finished matches are kept in a file."""

    def __init__(self, house: House, database: Database) -> None:
        self.house = house
        self.database = database
        self.records = MatchRecords(database, house.clock)
        self.replays = Replays(self.records)
        self.keeper = self._keeper()

    def _keeper(self) -> MatchKeeper:
        house = self.house
        return MatchKeeper(house.journal, self.records, house.clock, house.entropy, Limits(), NullMetrics())

    async def restart(self) -> None:
        """Come back after the process ended: what was noted is forgotten, the files are as they were."""
        await self.keeper.close()
        self.keeper = self._keeper()
        self.house.finished = self.keeper.note
        await self.house.restart()
        await self.keeper.start()

    async def play(self, spec: TableSpec | None = None, *, people: int = 6, dice: int = 1) -> TableHandle:
        """Play a match to its end."""
        handle = await self.house.match(spec or TableSpec(deals=1), people=people)
        await play_out(self.house, handle, random.Random(dice))
        return handle


async def play_out(house: House, handle: TableHandle, dice: random.Random, *, moves: int = 1_000_000) -> int:
    """Have people and bots play until the match is over, or the people have made so many moves; return how many."""
    made = 0
    while made < moves:
        made += await play_on(house, handle, dice, moves=moves - made)
        await house.clock.run(0)
        if (await handle.info()).state == lobby_pb2.TABLE_STATE_FINISHED:
            break
    return made


@asynccontextmanager
async def archive(folder: Path, house: House | None = None) -> AsyncIterator[Archive]:
    """Open an archive, its keeper not started yet."""
    database = await Database.open(folder / "records.sqlite3")
    kept = Archive(house or House(), database)
    kept.house.finished = kept.keeper.note
    kept.house.tables = kept.house._make()
    try:
        yield kept
    finally:
        await kept.keeper.close()
        await kept.house.tables.close()
        await database.close()

"""Lists of finished matches: exactly what the caller may see, found by index and not by passing over the rest."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest
from alembic import command
from sqlalchemy import create_engine, text

from gouji_server.records import Database, MatchRecords
from gouji_server.records.database import alembic_config
from gouji_server.records.matches import FinishedMatch, MatchFilter
from tests.server.table_time import TableTime

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PEOPLE = ("a", "b", "c", "d")
RULES = ("ruleSets/qingdao", "ruleSets/shandong")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """Records of nothing yet."""
    made = await Database.open(tmp_path / "records.sqlite3")
    yield made
    await made.close()


def matches(clock: TableTime, count: int) -> list[FinishedMatch]:
    """Return matches by chance: some alike in time, some not open, some not told of yet."""
    draw = random.Random(7)
    now = int(clock.now() * 1000)
    return [
        FinishedMatch(
            id=f"m{number:03d}",
            table=f"tables/{number}",
            rule_set=draw.choice(RULES),
            ended=(ended := now - draw.randrange(40)),
            open_to_all=draw.random() < 0.5,
            open_from=ended + draw.choice((0, 100)),
            facts=f"facts {number}".encode(),
            record=b"",
            accounts=tuple(draw.sample(PEOPLE, draw.randrange(3))),
            parts=(),
        )
        for number in range(count)
    ]


async def test_a_list_holds_what_the_caller_may_see_and_nothing_else(database: Database) -> None:
    """For each caller and filter the pages together are the matches it may see, in order, each once, none too many."""
    clock = TableTime()
    records = MatchRecords(database, clock)
    kept = matches(clock, 80)
    for match in kept:
        await records.keep(match)
    now = int(clock.now() * 1000)
    for caller, player, rules, since in product((*PEOPLE, "z"), ("", "a", "d", "z"), ("", RULES[0]), (None, now - 20)):
        wanted = [
            match
            for match in kept
            if (caller in match.accounts or (match.open_to_all and match.open_from <= now))
            and (not player or player in match.accounts)
            and (not rules or match.rule_set == rules)
            and (since is None or match.ended >= since)
        ]
        wanted.sort(key=lambda match: (match.ended, match.id), reverse=True)
        found: list[tuple[str, bytes]] = []
        after = None
        while page := await records.page(
            caller, MatchFilter(player=player, rule_set=rules, ended_from=since, after=after), 7
        ):
            found += [(place.id, facts) for place, facts in page]
            after = page[-1][0]
        assert found == [(match.id, match.facts) for match in wanted], (caller, player, rules, since)


@pytest.mark.parametrize(
    ("wanted", "indexes"),
    [
        (MatchFilter(), ("ix_match_players_account_id", "ix_matches_open")),
        (MatchFilter(rule_set=RULES[0]), ("ix_match_players_account_id", "ix_matches_open_rules")),
        (MatchFilter(player="a"), ("ix_match_players_account_id", "ix_match_players_open")),
        (MatchFilter(player="z"), ("ix_match_players_account_id",)),
    ],
)
async def test_no_list_passes_over_matches_that_are_hidden(
    database: Database, wanted: MatchFilter, indexes: tuple[str, ...]
) -> None:
    """Each question is one search by an index that has what may be seen in order: nothing is scanned, nor sorted."""
    queries = MatchRecords(database, TableTime())._lists("z", wanted)
    assert len(queries) == len(indexes)
    async with database.transaction() as connection:
        for query, index in zip(queries, indexes, strict=True):
            dialect = connection.dialect
            asked = query.limit(5).compile(dialect=dialect, compile_kwargs={"literal_binds": True})
            plan = [row[3] for row in await connection.execute(text(f"EXPLAIN QUERY PLAN {asked}"))]
            assert f" {index} " in plan[0], plan
            assert all(step.startswith("SEARCH") for step in plan), plan


async def test_matches_kept_before_are_found_as_well(tmp_path: Path) -> None:
    """Records of the version before get the index: a player's open matches are listed for others, the rest are not."""
    engine = create_engine(f"sqlite:///{tmp_path / 'records.sqlite3'}")
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), "0008")
        for match in ({"id": "m1", "open": 1}, {"id": "m2", "open": 0}):
            connection.execute(text("INSERT INTO matches VALUES (:id, :id, 'r', 5, :open, '', '', 5)"), match)
            connection.execute(text("INSERT INTO match_players VALUES (:id, 'a', 5)"), match)
    engine.dispose()
    database = await Database.open(tmp_path / "records.sqlite3")
    records = MatchRecords(database, TableTime())
    for caller, found in (("z", ["m1"]), ("a", ["m2", "m1"])):
        assert [place.id for place, _ in await records.page(caller, MatchFilter(player="a"), 9)] == found
    await database.close()

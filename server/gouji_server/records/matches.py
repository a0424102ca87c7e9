"""Reading and writing finished matches. Each method is one transaction.

Whoever asks is named with the question, and what it may not see is not found: one query finds nothing for a match that
is not there and for one that is not the caller's to see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, exists, insert, or_, select, tuple_
from sqlalchemy.orm import aliased

from gouji_server.records.match_rows import KeptTableRow, MatchPartRow, MatchPlayerRow, MatchRow
from gouji_server.records.models import AccountRow

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import InstrumentedAttribute

    from gouji_server.records.database import Database
    from gouji_server.tables import Clock


@dataclass(frozen=True, slots=True)
class MatchPart:
    """A stretch of a match's replay, as in :class:`~gouji_server.records.match_rows.MatchPartRow`."""

    last_step: int
    opening: bytes
    said: str
    deal: bytes
    steps: bytes


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match to be kept, as in :class:`~gouji_server.records.match_rows.MatchRow`.

    ``accounts`` are those of the people who played it, by bare id.
    """

    id: str
    table: str
    rule_set: str
    ended: int
    open_to_all: bool
    open_from: int
    accounts: tuple[str, ...]
    facts: bytes
    record: bytes
    parts: tuple[MatchPart, ...]


class MatchPlace(NamedTuple):
    """Where a list of matches goes on: the last match told."""

    ended: int
    id: str


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are wanted; empty texts and None leave a thing open. Times in milliseconds, the end exclusive."""

    player: str = ""
    rule_set: str = ""
    table: str = ""
    ended_from: int | None = None
    ended_before: int | None = None
    after: MatchPlace | None = field(default=None)


class MatchRecords:
    """The matches in the records."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def kept_tables(self) -> set[str]:
        """Return the names of all tables that are over and need no more looking at."""
        async with self._database.transaction() as connection:
            return set(await connection.scalars(select(KeptTableRow.table_name)))

    async def is_kept(self, table: str) -> bool:
        """Whether a table needs no more looking at."""
        async with self._database.transaction() as connection:
            found = await connection.scalar(select(KeptTableRow.table_name).where(KeptTableRow.table_name == table))
            return found is not None

    async def keep(self, match: FinishedMatch) -> None:
        """Keep a match, all of it or nothing."""
        async with self._database.transaction() as connection:
            await connection.execute(
                insert(MatchRow).values(
                    id=match.id,
                    table_name=match.table,
                    rule_set=match.rule_set,
                    ended=match.ended,
                    open_to_all=match.open_to_all,
                    open_from=match.open_from,
                    facts=match.facts,
                    record=match.record,
                )
            )
            for account in match.accounts:
                await connection.execute(
                    insert(MatchPlayerRow).values(
                        match_id=match.id, account_id=account, ended=match.ended, open_to_all=match.open_to_all
                    )
                )
            for number, part in enumerate(match.parts):
                await connection.execute(
                    insert(MatchPartRow).values(
                        match_id=match.id,
                        number=number,
                        last_step=part.last_step,
                        opening=part.opening,
                        said=part.said,
                        deal=part.deal,
                        steps=part.steps,
                    )
                )
            await connection.execute(insert(KeptTableRow).values(table_name=match.table, match_id=match.id))

    async def keep_nothing(self, table: str) -> None:
        """Note that no match was played at a table that is over."""
        async with self._database.transaction() as connection:
            await connection.execute(insert(KeptTableRow).values(table_name=table, match_id=None))

    async def page(self, caller: str, wanted: MatchFilter, most: int) -> list[tuple[MatchPlace, bytes]]:
        """Return at most so many matches that the caller may see, the last finished first: places and facts.

        The caller's own and those open to all are looked up apart, each by its index: matches that the caller may not
        see are not even passed over, however many there are.
        """
        found: dict[MatchPlace, bytes] = {}
        async with self._database.transaction() as connection:
            for query in self._lists(caller, wanted):
                rows = await connection.execute(query.limit(most))
                found |= {MatchPlace(ended, match): facts for ended, match, facts in rows}
        return sorted(found.items(), reverse=True)[:most]

    def _lists(self, caller: str, wanted: MatchFilter) -> list[Select[int, str, bytes]]:
        """Return what asks for the caller's own matches and for those open to all, each the last finished first."""
        columns = select(MatchRow.ended, MatchRow.id, MatchRow.facts)
        mine = aliased(MatchPlayerRow)
        own = columns.join(mine, mine.match_id == MatchRow.id).where(mine.account_id == caller)
        if wanted.player not in ("", caller):
            theirs = aliased(MatchPlayerRow)
            own = own.join(theirs, and_(theirs.match_id == mine.match_id, theirs.account_id == wanted.player))
        lists = [_narrowed(own, wanted, mine.ended, mine.match_id)]
        told = columns.where(MatchRow.open_from <= int(self._clock.now() * 1000))
        if not wanted.player:
            told = told.where(MatchRow.open_to_all.is_(True))
            lists.append(_narrowed(told, wanted, MatchRow.ended, MatchRow.id))
        elif wanted.player != caller:
            players = aliased(MatchPlayerRow)
            told = told.join(players, players.match_id == MatchRow.id)
            told = told.where(players.account_id == wanted.player, players.open_to_all.is_(True))
            lists.append(_narrowed(told, wanted, players.ended, players.match_id))
        return lists

    async def get(self, caller: str, match: str) -> tuple[bytes, list[bytes]] | None:
        """Return a match's facts and those of its deals in order; None for one that the caller may not see."""
        async with self._database.transaction() as connection:
            facts = await connection.scalar(select(MatchRow.facts).where(MatchRow.id == match, self._seen_by(caller)))
            if facts is None:
                return None
            deals = select(MatchPartRow.deal).where(MatchPartRow.match_id == match, MatchPartRow.number > 0)
            return facts, list(await connection.scalars(deals.order_by(MatchPartRow.number)))

    async def record(self, caller: str, match: str) -> bytes | None:
        """Return a match's record, compressed; None for one that the caller may not see."""
        async with self._database.transaction() as connection:
            found: bytes | None = await connection.scalar(
                select(MatchRow.record).where(MatchRow.id == match, self._seen_by(caller))
            )
            return found

    async def part_at(self, caller: str, match: str, step: int) -> MatchPart | None:
        """Return the part that holds a step, the last one beyond the end; None for a match that is not the caller's."""
        columns = (
            *(MatchPartRow.last_step, MatchPartRow.opening, MatchPartRow.said),
            *(MatchPartRow.deal, MatchPartRow.steps),
        )
        of_match = (
            select(*columns)
            .join(MatchRow, MatchRow.id == MatchPartRow.match_id)
            .where(MatchPartRow.match_id == match, self._seen_by(caller))
        )
        holds = of_match.where(MatchPartRow.last_step >= step).order_by(MatchPartRow.number)
        last = of_match.order_by(MatchPartRow.number.desc())
        async with self._database.transaction() as connection:
            for query in (holds, last):
                row = (await connection.execute(query.limit(1))).first()
                if row is not None:
                    return MatchPart(*row)
            return None

    async def played(self, account: str, match: str) -> bool:
        """Whether an account, by bare id, played a match."""
        query = select(MatchPlayerRow.match_id).where(
            MatchPlayerRow.match_id == match, MatchPlayerRow.account_id == account
        )
        async with self._database.transaction() as connection:
            return await connection.scalar(query) is not None

    async def is_told(self, match: str) -> bool:
        """Whether people without a seat have been told of a match's end."""
        query = select(MatchRow.id).where(MatchRow.id == match, MatchRow.open_from <= int(self._clock.now() * 1000))
        async with self._database.transaction() as connection:
            return await connection.scalar(query) is not None

    async def deleted_among(self, accounts: Collection[str]) -> set[str]:
        """Return those of some accounts, by bare id, that were deleted."""
        async with self._database.transaction() as connection:
            gone = select(AccountRow.id).where(AccountRow.id.in_(accounts), AccountRow.deleted.is_not(None))
            return set(await connection.scalars(gone))

    def _seen_by(self, caller: str) -> ColumnElement[bool]:
        """Whether an account, by bare id, may see a match: who played it may, and everybody else where the table was
        open, once people without a seat have been told of its end."""
        played = exists().where(MatchPlayerRow.match_id == MatchRow.id, MatchPlayerRow.account_id == caller)
        told = MatchRow.open_from <= int(self._clock.now() * 1000)
        return or_(and_(MatchRow.open_to_all.is_(True), told), played.correlate(MatchRow))


def _narrowed(
    query: Select[int, str, bytes],
    wanted: MatchFilter,
    ended: InstrumentedAttribute[int],
    order: InstrumentedAttribute[str],
) -> Select[int, str, bytes]:
    """Return a list's question narrowed to what is wanted, the last finished first; by the columns of one index."""
    if wanted.rule_set:
        query = query.where(MatchRow.rule_set == wanted.rule_set)
    if wanted.table:
        query = query.where(MatchRow.table_name == wanted.table)
    if wanted.ended_from is not None:
        query = query.where(ended >= wanted.ended_from)
    if wanted.ended_before is not None:
        query = query.where(ended < wanted.ended_before)
    if wanted.after is not None:
        query = query.where(tuple_(ended, order) < (wanted.after.ended, wanted.after.id))
    return query.order_by(ended.desc(), order.desc())

"""Reading and writing what people reported. Each method is one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, delete, func, insert, or_, select, update

from gouji_server.records.models import ReportRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.database import Database

MAX_REPORTS = 10_000
"""Reports kept. Beyond: the oldest go."""


@dataclass(frozen=True, slots=True)
class Report:
    """Something said, as it was reported. Accounts by bare id, times in Unix seconds.

    ``said`` and ``around`` are lines as :func:`line_of` makes them: the message, and those before and after it.
    """

    id: str
    created: float
    reporter: str
    sender: str
    table: str
    scope: str
    reason: str
    said: dict[str, str]
    around: tuple[dict[str, str], ...]


class ReportPlace(NamedTuple):
    """Where a list of reports goes on: the last one told."""

    created: float
    id: str


class ReportRecords:
    """The reports in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, report: Report) -> None:
        """Keep a report; the oldest beyond the bound go."""
        async with self._database.transaction() as connection:
            await connection.execute(
                insert(ReportRow).values(
                    id=report.id,
                    created=report.created,
                    reporter_id=report.reporter,
                    sender_id=report.sender,
                    table_name=report.table,
                    scope=report.scope,
                    reason=report.reason,
                    said=_write(report.said),
                    around=_write(report.around),
                )
            )
            kept = await connection.scalar(select(func.count()).select_from(ReportRow)) or 0
            if kept > MAX_REPORTS:
                oldest = select(ReportRow.id).order_by(ReportRow.created, ReportRow.id).limit(kept - MAX_REPORTS)
                await connection.execute(delete(ReportRow).where(ReportRow.id.in_(oldest)))

    async def page(self, after: ReportPlace | None, most: int) -> list[Report]:
        """Return at most so many reports, the newest first."""
        query = select(ReportRow.__table__).order_by(ReportRow.created.desc(), ReportRow.id.desc()).limit(most)
        if after is not None:
            same = and_(ReportRow.created == after.created, ReportRow.id < after.id)
            query = query.where(or_(ReportRow.created < after.created, same))
        async with self._database.transaction() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [
            Report(
                id=row["id"],
                created=row["created"],
                reporter=row["reporter_id"],
                sender=row["sender_id"],
                table=row["table_name"],
                scope=row["scope"],
                reason=row["reason"],
                said=json.loads(row["said"]),
                around=tuple(json.loads(row["around"])),
            )
            for row in rows
        ]

    async def forget_before(self, time: float) -> int:
        """Delete what was reported before a time; return how many."""
        async with self._database.transaction() as connection:
            gone = await connection.execute(delete(ReportRow).where(ReportRow.created < time))
            return gone.rowcount


async def forget_said(connection: AsyncConnection, account_id: str) -> None:
    """Take out of all reports what an account said, and its name; what it reported stays, under its bare id."""
    named = ReportRow.said.contains(account_id) | ReportRow.around.contains(account_id)
    for row in (await connection.execute(select(ReportRow.id, ReportRow.said, ReportRow.around).where(named))).all():
        said = _without(json.loads(row.said), account_id)
        around = [_without(line, account_id) for line in json.loads(row.around)]
        await connection.execute(
            update(ReportRow).where(ReportRow.id == row.id).values(said=_write(said), around=_write(around))
        )


def _without(line: dict[str, str], account_id: str) -> dict[str, str]:
    return {**line, "name": "", "content": ""} if line["sender"] == account_id else line


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

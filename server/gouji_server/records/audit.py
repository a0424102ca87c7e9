"""Reading and writing the audit log. Each method is one transaction. Nothing is ever taken out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from gouji_server.records.models import AuditRow

if TYPE_CHECKING:
    from gouji_server.records.database import Database


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what, to what, and why. ``time`` is Unix seconds; ``id`` 0: not written yet."""

    time: float
    operator: str
    action: str
    target: str
    reason: str
    detail: str
    id: int = 0


class AuditRecords:
    """The audit log in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entry: AuditEntry) -> None:
        """Write an entry; it is durable when this returns."""
        async with self._database.transaction() as connection:
            await connection.execute(
                insert(AuditRow).values(
                    time=entry.time,
                    operator=entry.operator,
                    action=entry.action,
                    target=entry.target,
                    reason=entry.reason,
                    detail=entry.detail,
                )
            )

    async def page(self, before: int | None, most: int, target: str) -> list[AuditEntry]:
        """Return at most so many entries, of one target if given, the newest first, from before a number on."""
        query = select(AuditRow.__table__).order_by(AuditRow.id.desc()).limit(most)
        if before is not None:
            query = query.where(AuditRow.id < before)
        if target:
            query = query.where(AuditRow.target == target)
        async with self._database.transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            AuditEntry(row.time, row.operator, row.action, row.target, row.reason, row.detail, row.id) for row in rows
        ]

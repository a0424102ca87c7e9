"""Reading and writing who has blocked whom. Each method is one transaction."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from gouji_server.records.account_record import COLUMNS, AccountRecord, account_of
from gouji_server.records.models import AccountRow, BlockRow, MuteRow

if TYPE_CHECKING:
    from collections.abc import Collection

    from gouji_server.records.database import Database

MAX_BLOCKED = 500
"""Accounts that one account has blocked."""


class NotBlocked(enum.Enum):
    """Why an account was not blocked."""

    NO_SUCH_ACCOUNT = enum.auto()
    TOO_MANY = enum.auto()


class BlockRecords:
    """The blocks in the records, or with `row` the mutes."""

    def __init__(self, database: Database, row: type[BlockRow | MuteRow] = BlockRow) -> None:
        self._database = database
        self._row = row

    async def add(self, account_id: str, blocked_id: str, now: float) -> NotBlocked | None:
        """Block an account; blocking it twice is no error."""
        row = self._row
        own = row.account_id == account_id
        async with self._database.transaction() as connection:
            other = await account_of(connection, blocked_id)
            if other is None or other.deleted is not None:
                return NotBlocked.NO_SUCH_ACCOUNT
            if await connection.scalar(select(row.created).where(own, row.blocked_id == blocked_id)):
                return None
            if (await connection.scalar(select(func.count()).select_from(row).where(own)) or 0) >= MAX_BLOCKED:
                return NotBlocked.TOO_MANY
            await connection.execute(insert(row).values(account_id=account_id, blocked_id=blocked_id, created=now))
            return None

    async def has(self, account_id: str, other_id: str) -> bool:
        """Tell whether an account has blocked another."""
        row = self._row
        found = select(row.created).where(row.account_id == account_id, row.blocked_id == other_id)
        async with self._database.transaction() as connection:
            return await connection.scalar(found) is not None

    async def remove(self, account_id: str, blocked_id: str) -> None:
        """Block an account no more; not having blocked it is no error."""
        row = self._row
        async with self._database.transaction() as connection:
            await connection.execute(delete(row).where(row.account_id == account_id, row.blocked_id == blocked_id))

    async def of(self, account_id: str) -> list[tuple[AccountRecord, float]]:
        """Return the accounts that an account has blocked, and since when (Unix seconds), the last one first."""
        row = self._row
        query = (
            select(*COLUMNS, row.created.label("since"))
            .join(row, row.blocked_id == AccountRow.id)
            .where(row.account_id == account_id)
            .order_by(row.created.desc(), AccountRow.id)
        )
        async with self._database.transaction() as connection:
            return [(AccountRecord(*row[:-1]), row[-1]) for row in await connection.execute(query)]

    async def between(self, account_id: str, others: Collection[str]) -> set[str]:
        """Return those of `others` who have blocked the account, or whom it has blocked."""
        row = self._row
        by_it = select(row.blocked_id).where(row.account_id == account_id, row.blocked_id.in_(others))
        of_it = select(row.account_id).where(row.blocked_id == account_id, row.account_id.in_(others))
        async with self._database.transaction() as connection:
            return {*await connection.scalars(by_it), *await connection.scalars(of_it)}

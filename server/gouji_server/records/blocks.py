"""Reading and writing who has blocked whom. Each method is one transaction."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from gouji_server.records.account_record import COLUMNS, AccountRecord, account_of
from gouji_server.records.models import AccountRow, BlockRow

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
    """The blocks in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, account_id: str, blocked_id: str, now: float) -> NotBlocked | None:
        """Block an account; blocking it twice is no error."""
        own = BlockRow.account_id == account_id
        async with self._database.transaction() as connection:
            other = await account_of(connection, blocked_id)
            if other is None or other.deleted is not None:
                return NotBlocked.NO_SUCH_ACCOUNT
            if await connection.scalar(select(BlockRow.created).where(own, BlockRow.blocked_id == blocked_id)):
                return None
            if (await connection.scalar(select(func.count()).select_from(BlockRow).where(own)) or 0) >= MAX_BLOCKED:
                return NotBlocked.TOO_MANY
            await connection.execute(insert(BlockRow).values(account_id=account_id, blocked_id=blocked_id, created=now))
            return None

    async def has(self, account_id: str, other_id: str) -> bool:
        """Tell whether an account has blocked another."""
        row = select(BlockRow.created).where(BlockRow.account_id == account_id, BlockRow.blocked_id == other_id)
        async with self._database.transaction() as connection:
            return await connection.scalar(row) is not None

    async def remove(self, account_id: str, blocked_id: str) -> None:
        """Block an account no more; not having blocked it is no error."""
        async with self._database.transaction() as connection:
            await connection.execute(
                delete(BlockRow).where(BlockRow.account_id == account_id, BlockRow.blocked_id == blocked_id)
            )

    async def of(self, account_id: str) -> list[tuple[AccountRecord, float]]:
        """Return the accounts that an account has blocked, and since when (Unix seconds), the last one first."""
        query = (
            select(*COLUMNS, BlockRow.created.label("since"))
            .join(BlockRow, BlockRow.blocked_id == AccountRow.id)
            .where(BlockRow.account_id == account_id)
            .order_by(BlockRow.created.desc(), AccountRow.id)
        )
        async with self._database.transaction() as connection:
            return [(AccountRecord(*row[:-1]), row[-1]) for row in await connection.execute(query)]

    async def between(self, account_id: str, others: Collection[str]) -> set[str]:
        """Return those of `others` who have blocked the account, or whom it has blocked."""
        by_it = select(BlockRow.blocked_id).where(BlockRow.account_id == account_id, BlockRow.blocked_id.in_(others))
        of_it = select(BlockRow.account_id).where(BlockRow.blocked_id == account_id, BlockRow.account_id.in_(others))
        async with self._database.transaction() as connection:
            return {*await connection.scalars(by_it), *await connection.scalars(of_it)}

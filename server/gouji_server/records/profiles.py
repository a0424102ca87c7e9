"""Changing and deleting accounts. Each method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from gouji_server.records.account_record import account_of, accounts_where
from gouji_server.records.deletion import erase
from gouji_server.records.models import AccountRow

if TYPE_CHECKING:
    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.database import Database


class ProfileRecords:
    """The profiles in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def change(
        self, caller_id: str, account_id: str, display_name: str | None, locale: str | None, now: float
    ) -> AccountRecord | None:
        """Change what is given of the caller's account or of a bot of its; None if it is neither."""
        changes: dict[str, object] = {}
        if display_name is not None:
            changes |= {"display_name": display_name, "renamed": now}
        if locale is not None:
            changes["locale"] = locale
        async with self._database.transaction() as connection:
            account = await account_of(connection, account_id)
            if account is None or account.deleted is not None or caller_id not in (account.id, account.owner_id):
                return None
            if changes:
                await connection.execute(update(AccountRow).where(AccountRow.id == account_id).values(**changes))
            return await account_of(connection, account_id)

    async def renamed_since(self, since: float) -> list[AccountRecord]:
        """Return the accounts that were given another name after `since`."""
        async with self._database.transaction() as connection:
            return await accounts_where(connection, AccountRow.renamed > since)

    async def delete(self, account_id: str, now: float) -> list[str]:
        """Delete an account and its bots; return their sessions, which are ended."""
        bots = select(AccountRow.id).where(AccountRow.owner_id == account_id, AccountRow.deleted.is_(None))
        async with self._database.transaction() as connection:
            ended = []
            for bot in list(await connection.scalars(bots)):
                ended += await erase(connection, bot, now)
            return ended + await erase(connection, account_id, now)

"""Reading and writing names to sign in with and password hashes. Each method is one transaction."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from gouji_server.records.account_record import account_of, accounts_where
from gouji_server.records.models import AccountRow, FamilyRow
from gouji_server.records.sessions import add_secret, begin_session, drop_retries, drop_secrets, end_sessions

if TYPE_CHECKING:
    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.database import Database
    from gouji_server.records.sessions import NewSession


class NotSet(enum.Enum):
    """Why a password was not set."""

    NAME_TAKEN = enum.auto()
    CHANGED = enum.auto()
    """The password is another one than it was when the current one was checked."""


class PasswordRecords:
    """The passwords in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def by_login_name(self, name: str) -> tuple[AccountRecord, str | None] | None:
        """Return the account that signs in with a name, and what is stored of its password."""
        async with self._database.transaction() as connection:
            found = await accounts_where(connection, AccountRow.login_name == name)
            stored = await connection.scalar(select(AccountRow.password_hash).where(AccountRow.login_name == name))
            return (found[0], stored) if found else None

    async def of_account(self, account_id: str) -> tuple[str, str | None]:
        """Return the name that an account signs in with (empty for none), and what is stored of its password."""
        query = select(AccountRow.login_name, AccountRow.password_hash).where(AccountRow.id == account_id)
        async with self._database.transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
            return ("", None) if row is None else (row.login_name or "", row.password_hash)

    async def account(self, account_id: str) -> AccountRecord:
        """Return an account that is known to be there."""
        async with self._database.transaction() as connection:
            found = await account_of(connection, account_id)
            assert found is not None  # noqa: S101 - rows of accounts stay
            return found

    async def begin_session(self, account_id: str, session: NewSession, stored: str) -> list[str] | None:
        """Begin a session, with a device secret if it has one; return the sessions that were ended to make room.

        None, and no session, if the password is another one by now than the one that was checked.
        """
        async with self._database.transaction() as connection:
            now_stored = await connection.scalar(select(AccountRow.password_hash).where(AccountRow.id == account_id))
            if now_stored != stored:
                return None
            if session.device is not None:
                await add_secret(connection, account_id, session.device, session.now)
            return await begin_session(connection, account_id, session)

    async def renew(self, account_id: str, stored: str, newer: str) -> None:
        """Store the same password, hashed anew, unless it was changed meanwhile."""
        same = (AccountRow.id == account_id) & (AccountRow.password_hash == stored)
        async with self._database.transaction() as connection:
            await connection.execute(update(AccountRow).where(same).values(password_hash=newer))

    async def set(
        self, account_id: str, name: str, made: str, before: str | None, session: str, now: float
    ) -> list[str] | NotSet:
        """Set name and password; `before` is what was stored of the password when it was checked.

        If there was a password, all sessions but `session` end, and device secrets but the one that it was begun with
        are void. The request that made the account opens it no more. Returns the sessions that ended.
        """
        async with self._database.transaction() as connection:
            query = select(AccountRow.password_hash, AccountRow.deleted).where(AccountRow.id == account_id)
            row = (await connection.execute(query)).one_or_none()
            if row is None or row.deleted is not None or row.password_hash != before:
                return NotSet.CHANGED
            other = select(AccountRow.id).where(AccountRow.login_name == name, AccountRow.id != account_id)
            if await connection.scalar(other) is not None:
                return NotSet.NAME_TAKEN
            await connection.execute(
                update(AccountRow).where(AccountRow.id == account_id).values(login_name=name, password_hash=made)
            )
            await drop_retries(connection, account_id)
            if before is None:
                return []
            own = await connection.scalar(select(FamilyRow.device_hash).where(FamilyRow.id == session))
            await drop_secrets(connection, account_id, but=own)
            return await end_sessions(connection, account_id, now, but=session)

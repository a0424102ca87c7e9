"""Reading and writing accounts and device secrets. Each method is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, or_, select

from gouji_server.records.account_record import account_of
from gouji_server.records.models import (
    AccountRow,
    BotTokenRow,
    DeviceSecretRow,
    FamilyRow,
    RefreshTokenRow,
    SignInRetryRow,
)
from gouji_server.records.sessions import add_secret, begin_session

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.database import Database
    from gouji_server.records.sessions import NewSession

KEEP_TOKENS_SECONDS = 30 * 86400
"""Bot tokens that are good no more are kept so long: their request ids are still known."""


@dataclass(frozen=True, slots=True)
class Retry:
    """What makes a sign-in's retry recognisable, and until when (Unix seconds)."""

    key: bytes
    until: float


class AccountRecords:
    """The accounts in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_guest(
        self, account: AccountRecord, secret_hash: bytes, session: NewSession, retry: Retry | None
    ) -> tuple[AccountRecord, list[str]]:
        """Add an account with a device secret and begin a session; return the account and sessions ended to make room.

        If `retry` came before and has not lapsed, the account made then is given the secret and the session instead.
        """
        async with self._database.transaction() as connection:
            made = None if retry is None else await _made_before(connection, retry, session.now)
            if made is None:
                made = account
                await connection.execute(
                    insert(AccountRow).values(id=account.id, display_name=account.display_name, created=account.created)
                )
                if retry is not None:
                    await connection.execute(
                        insert(SignInRetryRow).values(key=retry.key, account_id=account.id, expires=retry.until)
                    )
            await add_secret(connection, made.id, secret_hash, session.now)
            return made, await begin_session(connection, made.id, session)

    async def get(self, account_id: str) -> AccountRecord | None:
        """Return an account, or None."""
        async with self._database.transaction() as connection:
            return await account_of(connection, account_id)

    async def with_secrets(self, account_id: str) -> tuple[AccountRecord | None, list[bytes]]:
        """Return an account and the hashes of its device secrets; None and no hashes if there is no such account."""
        async with self._database.transaction() as connection:
            account = await account_of(connection, account_id)
            hashes = await connection.scalars(
                select(DeviceSecretRow.hash).where(DeviceSecretRow.account_id == account_id)
            )
            return account, list(hashes)

    async def drop_lapsed(self, now: float) -> None:
        """Remove refresh tokens and retries that have lapsed, sessions without any token left, bot tokens long void."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(SignInRetryRow).where(SignInRetryRow.expires <= now))
            await connection.execute(delete(RefreshTokenRow).where(RefreshTokenRow.expires <= now))
            old = now - KEEP_TOKENS_SECONDS
            await connection.execute(
                delete(BotTokenRow).where(or_(BotTokenRow.revoked <= old, BotTokenRow.expires <= old))
            )
            alive = select(RefreshTokenRow.family_id).where(RefreshTokenRow.family_id == FamilyRow.id).exists()
            await connection.execute(delete(FamilyRow).where(~alive))


async def _made_before(connection: AsyncConnection, retry: Retry, now: float) -> AccountRecord | None:
    await connection.execute(
        delete(SignInRetryRow).where(SignInRetryRow.key == retry.key, SignInRetryRow.expires <= now)
    )
    account_id = await connection.scalar(select(SignInRetryRow.account_id).where(SignInRetryRow.key == retry.key))
    return None if account_id is None else await account_of(connection, account_id)

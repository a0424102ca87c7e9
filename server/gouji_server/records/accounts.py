"""Reading and writing accounts, device secrets and refresh tokens. Each method is one transaction."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from gouji_server.records.models import AccountRow, DeviceSecretRow, FamilyRow, RefreshTokenRow, SignInRetryRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.database import Database

MAX_DEVICE_SECRETS = 8
"""Secrets of one account. A retried sign-in adds one; past the limit the oldest goes."""


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """An account. `id` is what comes after `accounts/`; `created` is Unix seconds."""

    id: str
    display_name: str
    created: float


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to begin: its id, its first refresh token's hash, now and when that token lapses (Unix seconds)."""

    id: str
    token_hash: bytes
    now: float
    expires: float


@dataclass(frozen=True, slots=True)
class Retry:
    """What makes a sign-in's retry recognisable, and until when (Unix seconds)."""

    key: bytes
    until: float


class Refused(enum.Enum):
    """Why a refresh token was not taken."""

    UNKNOWN = enum.auto()
    """Never given out, lapsed, or of a session that has ended."""
    REUSED = enum.auto()
    """Used before: its session has been ended."""


class AccountRecords:
    """The accounts in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_guest(
        self, account: AccountRecord, secret_hash: bytes, session: NewSession, retry: Retry | None
    ) -> AccountRecord:
        """Add an account with a device secret, begin a session, and return the account.

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
            else:
                await _make_room_for_secret(connection, made.id)
            await connection.execute(
                insert(DeviceSecretRow).values(hash=secret_hash, account_id=made.id, created=session.now)
            )
            await _begin_session(connection, made.id, session)
        return made

    async def get(self, account_id: str) -> AccountRecord | None:
        """Return an account, or None."""
        async with self._database.transaction() as connection:
            return await _account(connection, account_id)

    async def with_secrets(self, account_id: str) -> tuple[AccountRecord | None, list[bytes]]:
        """Return an account and the hashes of its device secrets; None and no hashes if there is no such account."""
        async with self._database.transaction() as connection:
            account = await _account(connection, account_id)
            hashes = await connection.scalars(
                select(DeviceSecretRow.hash).where(DeviceSecretRow.account_id == account_id)
            )
            return account, list(hashes)

    async def begin_session(self, account_id: str, session: NewSession) -> None:
        """Begin a session of an account."""
        async with self._database.transaction() as connection:
            await _begin_session(connection, account_id, session)

    async def rotate(
        self, token_hash: bytes, new_hash: bytes, now: float, expires: float
    ) -> tuple[AccountRecord, str] | Refused:
        """Use a refresh token up and put the new one in its place: account and session id, or why not.

        A token that was used before ends its session: one of its two holders is not its owner.
        """
        async with self._database.transaction() as connection:
            token = (
                await connection.execute(
                    select(RefreshTokenRow.used, RefreshTokenRow.expires, FamilyRow.id, FamilyRow.account_id)
                    .join(FamilyRow, FamilyRow.id == RefreshTokenRow.family_id)
                    .where(RefreshTokenRow.hash == token_hash, FamilyRow.revoked.is_(None))
                )
            ).one_or_none()
            if token is None or token.expires <= now:
                return Refused.UNKNOWN
            if token.used is not None:
                await connection.execute(update(FamilyRow).where(FamilyRow.id == token.id).values(revoked=now))
                return Refused.REUSED
            await connection.execute(update(RefreshTokenRow).where(RefreshTokenRow.hash == token_hash).values(used=now))
            await connection.execute(
                insert(RefreshTokenRow).values(hash=new_hash, family_id=token.id, expires=expires, used=None)
            )
            account = await _account(connection, token.account_id)
            if account is None:  # the foreign key forbids it
                return Refused.UNKNOWN
            return account, token.id

    async def end_session(self, token_hash: bytes, now: float) -> None:
        """End the session that a refresh token, used or not, belongs to. An unknown token is no error."""
        family = select(RefreshTokenRow.family_id).where(RefreshTokenRow.hash == token_hash).scalar_subquery()
        async with self._database.transaction() as connection:
            await connection.execute(
                update(FamilyRow).where(FamilyRow.id == family, FamilyRow.revoked.is_(None)).values(revoked=now)
            )

    async def drop_lapsed(self, now: float) -> None:
        """Remove refresh tokens and sign-in retries that have lapsed, and sessions without any token left."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(SignInRetryRow).where(SignInRetryRow.expires <= now))
            await connection.execute(delete(RefreshTokenRow).where(RefreshTokenRow.expires <= now))
            alive = select(RefreshTokenRow.family_id).where(RefreshTokenRow.family_id == FamilyRow.id).exists()
            await connection.execute(delete(FamilyRow).where(~alive))


async def _made_before(connection: AsyncConnection, retry: Retry, now: float) -> AccountRecord | None:
    await connection.execute(
        delete(SignInRetryRow).where(SignInRetryRow.key == retry.key, SignInRetryRow.expires <= now)
    )
    account_id = await connection.scalar(select(SignInRetryRow.account_id).where(SignInRetryRow.key == retry.key))
    return None if account_id is None else await _account(connection, account_id)


async def _account(connection: AsyncConnection, account_id: str) -> AccountRecord | None:
    columns = select(AccountRow.id, AccountRow.display_name, AccountRow.created)
    row = (await connection.execute(columns.where(AccountRow.id == account_id))).one_or_none()
    return None if row is None else AccountRecord(row.id, row.display_name, row.created)


async def _make_room_for_secret(connection: AsyncConnection, account_id: str) -> None:
    secrets = select(DeviceSecretRow.hash).where(DeviceSecretRow.account_id == account_id)
    newest_first = secrets.order_by(DeviceSecretRow.created.desc(), DeviceSecretRow.hash)
    await connection.execute(
        delete(DeviceSecretRow).where(DeviceSecretRow.hash.in_(newest_first.offset(MAX_DEVICE_SECRETS - 1).limit(-1)))
    )


async def _begin_session(connection: AsyncConnection, account_id: str, session: NewSession) -> None:
    await connection.execute(
        insert(FamilyRow).values(id=session.id, account_id=account_id, created=session.now, revoked=None)
    )
    await connection.execute(
        insert(RefreshTokenRow).values(
            hash=session.token_hash, family_id=session.id, expires=session.expires, used=None
        )
    )

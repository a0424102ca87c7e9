"""Reading and writing sessions and their refresh tokens. Each method is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select, update

from gouji_server.records.account_record import account_of
from gouji_server.records.models import BotTokenRow, DeviceSecretRow, FamilyRow, RefreshTokenRow, SignInRetryRow
from gouji_server.records.shut_out import check_not_banned

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.database import Database

MAX_SESSIONS = 100
"""Open sessions of one account. One more ends the one that was used longest ago."""


MAX_DEVICE_SECRETS = 8
"""Secrets of one account. A retried sign-in adds one, and so does a password; past the limit the oldest goes."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to begin: its id, its first refresh token's hash, now and when that token lapses (Unix seconds).

    `client` is what the client calls itself; `device` the hash of the device secret, `bot_token` the id of the bot
    token that it is begun with.
    """

    id: str
    token_hash: bytes
    now: float
    expires: float
    client: str = ""
    device: bytes | None = None
    bot_token: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session that is open: when it was begun, last used, and lapses (Unix seconds)."""

    id: str
    created: float
    used: float
    expires: float
    client: str
    bot_token: str | None


@dataclass(frozen=True, slots=True)
class Rotated:
    """A refresh token was taken: whose it is, of which session, and when the new one lapses (Unix seconds).

    `scopes` are those of the bot token that the session was begun with; None for a person's session.
    """

    account: AccountRecord
    session_id: str
    expires: float
    scopes: str | None
    bot_expires: float | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A refresh token was never given out, has lapsed, or is of a session that has ended."""


@dataclass(frozen=True, slots=True)
class Reused:
    """A refresh token was used before: its session has been ended."""

    session_id: str


class SessionRecords:
    """The sessions in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, account_id: str, session: NewSession) -> list[str] | None:
        """Begin a session of an account; return the sessions that were ended to make room.

        None, and no session, if the device secret or the bot token that it is begun with has gone meanwhile.
        """
        async with self._database.transaction() as connection:
            if session.device is not None:
                secret = select(DeviceSecretRow.account_id).where(DeviceSecretRow.hash == session.device)
                if await connection.scalar(secret) != account_id:
                    return None
            if session.bot_token is not None:
                good = select(BotTokenRow.id).where(BotTokenRow.id == session.bot_token, BotTokenRow.revoked.is_(None))
                if await connection.scalar(good) is None:
                    return None
            return await begin_session(connection, account_id, session)

    async def rotate(
        self, token_hash: bytes, new_hash: bytes, now: float, expires: float
    ) -> Rotated | Unknown | Reused:
        """Use a refresh token up and put the new one in its place. A bot's session lives no longer than its token.

        A token that was used before ends its session: one of its two holders is not its owner.
        """
        async with self._database.transaction() as connection:
            token = (
                await connection.execute(
                    select(
                        RefreshTokenRow.used,
                        RefreshTokenRow.expires,
                        FamilyRow.id,
                        FamilyRow.account_id,
                        BotTokenRow.expires.label("bot_expires"),
                        BotTokenRow.scopes,
                    )
                    .join(FamilyRow, FamilyRow.id == RefreshTokenRow.family_id)
                    .outerjoin(BotTokenRow, BotTokenRow.id == FamilyRow.bot_token_id)
                    .where(RefreshTokenRow.hash == token_hash, FamilyRow.revoked.is_(None))
                )
            ).one_or_none()
            if token is None or token.expires <= now:
                return Unknown()
            if token.used is not None:
                await _end(connection, FamilyRow.id == token.id, now)
                return Reused(token.id)
            if token.bot_expires is not None:
                expires = min(expires, token.bot_expires)
            await connection.execute(update(RefreshTokenRow).where(RefreshTokenRow.hash == token_hash).values(used=now))
            await connection.execute(
                insert(RefreshTokenRow).values(hash=new_hash, family_id=token.id, expires=expires, used=None)
            )
            await connection.execute(update(FamilyRow).where(FamilyRow.id == token.id).values(used=now))
            account = await account_of(connection, token.account_id)
            if account is None:  # the foreign key forbids it
                return Unknown()
            return Rotated(account, token.id, expires, token.scopes, token.bot_expires)

    async def end_by_token(self, token_hash: bytes, now: float) -> list[str]:
        """End the session that a refresh token, used or not, belongs to; return it, or nothing if there is none."""
        family = select(RefreshTokenRow.family_id).where(RefreshTokenRow.hash == token_hash).scalar_subquery()
        async with self._database.transaction() as connection:
            return await _end(connection, FamilyRow.id == family, now)

    async def of_account(self, account_id: str, now: float) -> list[SessionRecord]:
        """Return the open sessions of an account, the one that was used last first."""
        lapses = func.max(RefreshTokenRow.expires)
        query = (
            select(FamilyRow, lapses.label("expires"))
            .join(RefreshTokenRow, RefreshTokenRow.family_id == FamilyRow.id)
            .where(FamilyRow.account_id == account_id, FamilyRow.revoked.is_(None))
            .group_by(FamilyRow.id)
            .having(lapses > now)
            .order_by(FamilyRow.used.desc(), FamilyRow.created.desc(), FamilyRow.id)
        )
        async with self._database.transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            SessionRecord(row.id, row.created, row.used or row.created, row.expires, row.client, row.bot_token_id)
            for row in rows
        ]

    async def end_one(self, account_id: str, session_id: str, current: str, now: float) -> list[str] | None:
        """End a session of an account; return it if it was open, None if the account never had it.

        The device secret that it was begun with goes too, unless the session `current` was begun with the same, and
        the request that made the account opens it no more.
        """
        async with self._database.transaction() as connection:
            device = select(FamilyRow.device_hash).where(FamilyRow.account_id == account_id)
            found = (await connection.execute(device.where(FamilyRow.id == session_id))).one_or_none()
            if found is None:
                return None
            own = await connection.scalar(device.where(FamilyRow.id == current))
            if found.device_hash is not None and found.device_hash != own:
                await connection.execute(
                    delete(DeviceSecretRow).where(
                        DeviceSecretRow.hash == found.device_hash, DeviceSecretRow.account_id == account_id
                    )
                )
            await drop_retries(connection, account_id)
            return await _end(connection, FamilyRow.id == session_id, now)

    async def end_all(self, account_id: str, now: float, *, but: str = "", secret: bytes | None = None) -> list[str]:
        """End all sessions of an account, except one if wanted; return them.

        With `secret`, a hash, that becomes the account's only device secret, and the one of the session that goes on.
        The request that made the account opens it no more.
        """
        async with self._database.transaction() as connection:
            await drop_retries(connection, account_id)
            if secret is not None:
                await connection.execute(delete(DeviceSecretRow).where(DeviceSecretRow.account_id == account_id))
                await connection.execute(
                    insert(DeviceSecretRow).values(hash=secret, account_id=account_id, created=now)
                )
                await connection.execute(update(FamilyRow).where(FamilyRow.id == but).values(device_hash=secret))
            return await end_sessions(connection, account_id, now, but=but)

    async def ended_since(self, since: float) -> list[tuple[str, float]]:
        """Return the sessions that were ended after `since`, and when (Unix seconds)."""
        query = select(FamilyRow.id, FamilyRow.revoked).where(FamilyRow.revoked > since).order_by(FamilyRow.revoked)
        async with self._database.transaction() as connection:
            return [(row.id, row.revoked or 0.0) for row in await connection.execute(query)]


async def begin_session(connection: AsyncConnection, account_id: str, session: NewSession) -> list[str]:
    """Begin a session of an account; return the sessions that were ended to make room. Raises Banned."""
    await check_not_banned(connection, account_id, session.now)
    open_ones = select(FamilyRow.id).where(FamilyRow.account_id == account_id, FamilyRow.revoked.is_(None))
    newest_first = open_ones.order_by(FamilyRow.used.desc(), FamilyRow.created.desc(), FamilyRow.id)
    ended = await _end(connection, FamilyRow.id.in_(newest_first.offset(MAX_SESSIONS - 1).limit(-1)), session.now)
    await connection.execute(
        insert(FamilyRow).values(
            id=session.id,
            account_id=account_id,
            created=session.now,
            used=session.now,
            revoked=None,
            client=session.client,
            device_hash=session.device,
            bot_token_id=session.bot_token,
        )
    )
    await connection.execute(
        insert(RefreshTokenRow).values(
            hash=session.token_hash, family_id=session.id, expires=session.expires, used=None
        )
    )
    return ended


async def add_secret(connection: AsyncConnection, account_id: str, secret_hash: bytes, now: float) -> None:
    """Give an account one more device secret; past the limit the oldest goes."""
    secrets = select(DeviceSecretRow.hash).where(DeviceSecretRow.account_id == account_id)
    newest_first = secrets.order_by(DeviceSecretRow.created.desc(), DeviceSecretRow.hash)
    await connection.execute(
        delete(DeviceSecretRow).where(DeviceSecretRow.hash.in_(newest_first.offset(MAX_DEVICE_SECRETS - 1).limit(-1)))
    )
    await connection.execute(insert(DeviceSecretRow).values(hash=secret_hash, account_id=account_id, created=now))


async def drop_secrets(connection: AsyncConnection, account_id: str, *, but: bytes | None) -> None:
    """Make an account's device secrets void, except one if wanted."""
    await connection.execute(
        delete(DeviceSecretRow).where(DeviceSecretRow.account_id == account_id, DeviceSecretRow.hash != (but or b""))
    )


async def drop_retries(connection: AsyncConnection, account_id: str) -> None:
    """Forget by which request an account was made: who repeats that is given another one."""
    await connection.execute(delete(SignInRetryRow).where(SignInRetryRow.account_id == account_id))


async def end_sessions(connection: AsyncConnection, account_id: str, now: float, *, but: str = "") -> list[str]:
    """End all open sessions of an account, except one if wanted; return them."""
    return await _end(connection, (FamilyRow.account_id == account_id) & (FamilyRow.id != but), now)


async def end_sessions_of_token(connection: AsyncConnection, bot_token_id: str, now: float) -> list[str]:
    """End all open sessions that were begun with a bot's token; return them."""
    return await _end(connection, FamilyRow.bot_token_id == bot_token_id, now)


async def _end(connection: AsyncConnection, which: ColumnElement[bool], now: float) -> list[str]:
    ended = await connection.execute(
        update(FamilyRow).where(which, FamilyRow.revoked.is_(None)).values(revoked=now).returning(FamilyRow.id)
    )
    return [row.id for row in ended]

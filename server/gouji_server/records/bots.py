"""Reading and writing bots' accounts and their tokens. Each method is one transaction."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, or_, select, update

from gouji_server.records.account_record import AccountRecord, account_of, accounts_where
from gouji_server.records.deletion import erase
from gouji_server.records.models import AccountRow, BotTokenRow
from gouji_server.records.sessions import end_sessions_of_token

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.database import Database

MAX_BOTS = 20
"""Bots' accounts of one owner."""
MAX_TOKENS = 20
"""Tokens of one bot that are good."""


@dataclass(frozen=True, slots=True)
class BotTokenRecord:
    """A token of a bot's account. Times are Unix seconds; `scopes` are words with spaces between."""

    id: str
    account_id: str
    hash: bytes
    scopes: str
    description: str
    created: float
    expires: float | None = None
    revoked: float | None = None
    used: float | None = None


class NotAdded(enum.Enum):
    """Why there is no new bot or token."""

    TOO_MANY = enum.auto()
    NO_SUCH_BOT = enum.auto()


class BotRecords:
    """The bots in the records. Whoever names a bot that is not its own, or is deleted, is told that there is none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, bot: AccountRecord) -> AccountRecord | NotAdded:
        """Add a bot's account; one with that id that is there already is returned instead."""
        async with self._database.transaction() as connection:
            owner = await account_of(connection, bot.owner_id or "")
            if owner is None or owner.deleted is not None:
                return NotAdded.NO_SUCH_BOT
            known = await account_of(connection, bot.id)
            if known is not None:
                return known
            own = select(func.count()).where(AccountRow.owner_id == bot.owner_id, AccountRow.deleted.is_(None))
            if (await connection.scalar(own) or 0) >= MAX_BOTS:
                return NotAdded.TOO_MANY
            await connection.execute(
                insert(AccountRow).values(
                    id=bot.id, display_name=bot.display_name, created=bot.created, owner_id=bot.owner_id
                )
            )
            return bot

    async def of_owner(self, owner_id: str) -> list[AccountRecord]:
        """Return the bots of an account, the newest first."""
        async with self._database.transaction() as connection:
            return await accounts_where(connection, (AccountRow.owner_id == owner_id) & AccountRow.deleted.is_(None))

    async def delete(self, owner_id: str, bot_id: str, now: float) -> list[str] | None:
        """Delete a bot's account; return its sessions, which are ended, or None if there is no such bot."""
        async with self._database.transaction() as connection:
            if not await _is_own(connection, owner_id, bot_id):
                return None
            return await erase(connection, bot_id, now)

    async def add_token(self, owner_id: str, token: BotTokenRecord) -> BotTokenRecord | NotAdded:
        """Add a token to a bot; one with that id that is there already is returned instead."""
        async with self._database.transaction() as connection:
            if not await _is_own(connection, owner_id, token.account_id):
                return NotAdded.NO_SUCH_BOT
            known = await _tokens(connection, select(BotTokenRow).where(BotTokenRow.id == token.id))
            if known:
                return known[0]
            if len(await _good_tokens(connection, token.account_id, token.created)) >= MAX_TOKENS:
                return NotAdded.TOO_MANY
            await connection.execute(
                insert(BotTokenRow).values(
                    id=token.id,
                    account_id=token.account_id,
                    hash=token.hash,
                    scopes=token.scopes,
                    description=token.description,
                    created=token.created,
                    expires=token.expires,
                )
            )
            return token

    async def tokens(self, owner_id: str, bot_id: str, now: float) -> list[BotTokenRecord] | None:
        """Return the tokens of a bot that are good, the newest first; None if there is no such bot."""
        async with self._database.transaction() as connection:
            if not await _is_own(connection, owner_id, bot_id):
                return None
            return await _good_tokens(connection, bot_id, now)

    async def revoke_token(self, owner_id: str, bot_id: str, token_id: str, now: float) -> list[str] | None:
        """Make a token void; return the sessions that this ends, or None if the bot never had such a token."""
        async with self._database.transaction() as connection:
            of_bot = (BotTokenRow.id == token_id) & (BotTokenRow.account_id == bot_id)
            if not await _is_own(connection, owner_id, bot_id):
                return None
            if await connection.scalar(select(BotTokenRow.id).where(of_bot)) is None:
                return None
            await connection.execute(
                update(BotTokenRow).where(of_bot, BotTokenRow.revoked.is_(None)).values(revoked=now)
            )
            return await end_sessions_of_token(connection, token_id, now)

    async def by_token(self, token_hash: bytes, now: float) -> tuple[AccountRecord, BotTokenRecord] | None:
        """Return whose token it is, if it is good, and note that it was used."""
        async with self._database.transaction() as connection:
            query = select(BotTokenRow).where(BotTokenRow.hash == token_hash, BotTokenRow.revoked.is_(None))
            found = await _tokens(connection, query)
            if not found or (found[0].expires is not None and found[0].expires <= now):
                return None
            (token,) = found
            account = await account_of(connection, token.account_id)
            if account is None or account.deleted is not None:
                return None
            await connection.execute(update(BotTokenRow).where(BotTokenRow.id == token.id).values(used=now))
            return account, token


async def _is_own(connection: AsyncConnection, owner_id: str, bot_id: str) -> bool:
    bot = await account_of(connection, bot_id)
    return bot is not None and bot.owner_id == owner_id and bot.deleted is None


async def _good_tokens(connection: AsyncConnection, bot_id: str, now: float) -> list[BotTokenRecord]:
    query = (
        select(BotTokenRow)
        .where(
            BotTokenRow.account_id == bot_id,
            BotTokenRow.revoked.is_(None),
            or_(BotTokenRow.expires.is_(None), BotTokenRow.expires > now),
        )
        .order_by(BotTokenRow.created.desc(), BotTokenRow.id)
    )
    return await _tokens(connection, query)


async def _tokens(connection: AsyncConnection, query: Select[Any]) -> list[BotTokenRecord]:
    return [
        BotTokenRecord(
            row.id,
            row.account_id,
            row.hash,
            row.scopes,
            row.description,
            row.created,
            row.expires,
            row.revoked,
            row.used,
        )
        for row in await connection.execute(query)
    ]

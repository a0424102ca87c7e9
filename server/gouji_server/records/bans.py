"""Reading and writing who is shut out. Each method is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.dialects.sqlite import insert

from gouji_server.records.account_record import COLUMNS, AccountRecord, account_of
from gouji_server.records.models import AccountRow, BanRow
from gouji_server.records.sessions import drop_retries, end_sessions

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from gouji_server.records.database import Database


@dataclass(frozen=True, slots=True)
class BanRecord:
    """An account that is shut out. Times are Unix seconds; ``expires`` None: for good."""

    account_id: str
    created: float
    expires: float | None
    reason: str
    operator: str


class Place(NamedTuple):
    """Where a list goes on, newest first: the last one told."""

    created: float
    id: str


class BanRecords:
    """The bans in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, ban: BanRecord) -> list[str] | None:
        """Shut an account out, with its bots; return the sessions that were ended. None: there is no such account.

        Its secrets stay good for when it is let in again; the request that made it opens it no more.
        """
        async with self._database.transaction() as connection:
            if await account_of(connection, ban.account_id) is None:
                return None
            values = {
                "account_id": ban.account_id,
                "created": ban.created,
                "expires": ban.expires,
                "reason": ban.reason,
                "operator": ban.operator,
            }
            await connection.execute(
                insert(BanRow).values(values).on_conflict_do_update(index_elements=["account_id"], set_=values)
            )
            bots = await connection.scalars(select(AccountRow.id).where(AccountRow.owner_id == ban.account_id))
            ended = []
            for account in (ban.account_id, *bots):
                await drop_retries(connection, account)
                ended += await end_sessions(connection, account, ban.created)
            return ended

    async def remove(self, account_id: str) -> bool:
        """Let an account in again; False: there is no such account."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(BanRow).where(BanRow.account_id == account_id))
            return await account_of(connection, account_id) is not None

    async def page(self, after: Place | None, most: int, now: float) -> list[tuple[BanRecord, str]]:
        """Return at most so many bans in force with display names, the newest first."""
        query = (
            select(BanRow.__table__, AccountRow.display_name)
            .join(AccountRow, AccountRow.id == BanRow.account_id)
            .where(_in_force(now))
            .order_by(BanRow.created.desc(), BanRow.account_id.desc())
            .limit(most)
        )
        if after is not None:
            same = and_(BanRow.created == after.created, BanRow.account_id < after.id)
            query = query.where(or_(BanRow.created < after.created, same))
        async with self._database.transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            (BanRecord(row.account_id, row.created, row.expires, row.reason, row.operator), row.display_name)
            for row in rows
        ]

    async def accounts(
        self, text: str, after: Place | None, most: int, now: float
    ) -> list[tuple[AccountRecord, BanRecord | None]]:
        """Return at most so many accounts that have a text in a name, the newest first, and the bans of them in force.

        A bot's ban is its owner's, unless it has one of its own.
        """
        query = select(*COLUMNS).order_by(AccountRow.created.desc(), AccountRow.id.desc()).limit(most)
        if text:
            bare = text.removeprefix("accounts/")
            named = (AccountRow.display_name, AccountRow.login_name)
            query = query.where(
                or_(AccountRow.id == bare, *(column.icontains(text, autoescape=True) for column in named))
            )
        if after is not None:
            same = and_(AccountRow.created == after.created, AccountRow.id < after.id)
            query = query.where(or_(AccountRow.created < after.created, same))
        async with self._database.transaction() as connection:
            found = [AccountRecord(*row) for row in await connection.execute(query)]
            ids = {account.id for account in found} | {account.owner_id for account in found if account.owner_id}
            rows = await connection.execute(
                select(BanRow.__table__).where(_in_force(now), BanRow.account_id.in_(sorted(ids)))
            )
            bans = {row.account_id: BanRecord(*row) for row in rows}
        return [(account, bans.get(account.id) or bans.get(account.owner_id or "")) for account in found]


def _in_force(now: float) -> ColumnElement[bool]:
    return or_(BanRow.expires.is_(None), BanRow.expires > now)

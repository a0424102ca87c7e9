"""Whether an account may begin a session at all: asked in the very transaction that would begin it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from gouji_server.records.models import AccountRow, BanRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


class Banned(Exception):
    """The account, or the one whose bot it is, is shut out; `until` in Unix seconds, None for good."""

    def __init__(self, until: float | None) -> None:
        super().__init__(until)
        self.until = until


async def check_not_banned(connection: AsyncConnection, account_id: str, now: float) -> None:
    """Raise Banned for who is shut out."""
    owner = select(AccountRow.owner_id).where(AccountRow.id == account_id).scalar_subquery()
    bans = select(BanRow.expires).where(
        or_(BanRow.account_id == account_id, BanRow.account_id == owner),
        or_(BanRow.expires.is_(None), BanRow.expires > now),
    )
    expiries = list(await connection.scalars(bans))
    if expiries:
        raise Banned(None if None in expiries else max(expiry for expiry in expiries if expiry is not None))

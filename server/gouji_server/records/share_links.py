"""Reading and writing share links. Each method is one transaction. A link's token is kept as its hash alone."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Float, ForeignKey, LargeBinary, String, delete, func, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from gouji_server.records.models import Base

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection

    from gouji_server.records.database import Database

MOST_OF_ACCOUNT = 100
"""Good links that one account has made."""
MOST_OF_TARGET = 20
"""Good links to one table or match."""


class ShareLinkRow(Base):
    """A share link."""

    __tablename__ = "share_links"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    target: Mapped[str] = mapped_column(String(80), index=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    request_id: Mapped[str] = mapped_column(String(64))
    created: Mapped[float] = mapped_column(Float)
    expires: Mapped[float] = mapped_column(Float, index=True)


@dataclass(frozen=True, slots=True)
class ShareLinkRecord:
    """A link. ``target`` is the name of a table or match, ``account_id`` who made it; times in seconds."""

    id: str
    hash: bytes
    target: str
    account_id: str
    request_id: str
    created: float
    expires: float


class NotLinked(enum.Enum):
    """Why a link was not made."""

    OTHER_REQUEST = enum.auto()
    TOO_MANY_OF_ACCOUNT = enum.auto()
    TOO_MANY_OF_TARGET = enum.auto()


class ShareLinkRecords:
    """The share links in the records. Links that have lapsed are taken out as new ones come."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, link: ShareLinkRecord, lasts: float | None) -> ShareLinkRecord | NotLinked:
        """Add a link; one made under its request id is returned instead. `lasts`: the time it was asked to have, in
        seconds from the epoch, None for the server's own."""
        row = ShareLinkRow
        async with self._database.transaction() as connection:
            await connection.execute(delete(row).where(row.expires <= link.created))
            known = await self._first(
                connection, (row.account_id == link.account_id) & (row.request_id == link.request_id)
            )
            if known is not None:
                same = known.target == link.target and (lasts is None or lasts == known.expires)
                return known if same else NotLinked.OTHER_REQUEST
            count = select(func.count()).select_from(row)
            if (await connection.scalar(count.where(row.account_id == link.account_id)) or 0) >= MOST_OF_ACCOUNT:
                return NotLinked.TOO_MANY_OF_ACCOUNT
            if (await connection.scalar(count.where(row.target == link.target)) or 0) >= MOST_OF_TARGET:
                return NotLinked.TOO_MANY_OF_TARGET
            await connection.execute(
                insert(row).values(
                    id=link.id,
                    hash=link.hash,
                    target=link.target,
                    account_id=link.account_id,
                    request_id=link.request_id,
                    created=link.created,
                    expires=link.expires,
                )
            )
            return link

    async def by_token(self, token_hash: bytes, now: float) -> ShareLinkRecord | None:
        """Return the good link that a token opens."""
        row = ShareLinkRow
        async with self._database.transaction() as connection:
            return await self._first(connection, (row.hash == token_hash) & (row.expires > now))

    async def of(self, target: str, now: float) -> list[ShareLinkRecord]:
        """Return the good links to a table or match, the newest first."""
        row = ShareLinkRow
        query = (
            select(row.__table__).where(row.target == target, row.expires > now).order_by(row.created.desc(), row.id)
        )
        async with self._database.transaction() as connection:
            return [ShareLinkRecord(*found) for found in await connection.execute(query)]

    async def remove(self, target: str, link_id: str) -> bool:
        """Take a link out; say whether there was one."""
        row = ShareLinkRow
        async with self._database.transaction() as connection:
            gone = await connection.execute(delete(row).where(row.id == link_id, row.target == target))
            return gone.rowcount > 0

    async def _first(self, connection: AsyncConnection, where: ColumnElement[bool]) -> ShareLinkRecord | None:
        found = (await connection.execute(select(ShareLinkRow.__table__).where(where))).first()
        return None if found is None else ShareLinkRecord(*found)

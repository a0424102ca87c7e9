"""Reading and writing tickets. Each method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import LargeBinary, String, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from gouji_server.records.models import Base

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gouji_server.records.database import Database


class TicketRow(Base):
    """A ticket as the matchmaker writes it; one that is over stays for a while, to be asked for."""

    __tablename__ = "tickets"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)


class TicketRecords:
    """The tickets in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, tickets: Mapping[str, bytes], forgotten: Collection[str]) -> None:
        """Write tickets by id, at least one, and remove others. All or none."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(TicketRow).where(TicketRow.id.in_([*tickets, *forgotten])))
            await connection.execute(insert(TicketRow), [{"id": name, "body": body} for name, body in tickets.items()])

    async def load(self) -> list[bytes]:
        """Return all tickets."""
        async with self._database.transaction() as connection:
            return list((await connection.execute(select(TicketRow.body))).scalars())

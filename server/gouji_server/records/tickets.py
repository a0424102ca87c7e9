"""Reading and writing tickets that are not over. Each method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import LargeBinary, String, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from gouji_server.records.models import Base

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji_server.records.database import Database


class TicketRow(Base):
    """A ticket that waits or is called, as the matchmaker writes it."""

    __tablename__ = "tickets"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)


class TicketRecords:
    """The tickets in the records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, tickets: Mapping[str, bytes | None]) -> None:
        """Write tickets by id; None for one that is over, which is removed. All or none."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(TicketRow).where(TicketRow.id.in_(tickets)))
            rows = [{"id": name, "body": body} for name, body in tickets.items() if body is not None]
            if rows:
                await connection.execute(insert(TicketRow), rows)

    async def load(self) -> list[bytes]:
        """Return all tickets."""
        async with self._database.transaction() as connection:
            return list((await connection.execute(select(TicketRow.body))).scalars())

"""An account, as the records have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from gouji_server.records.models import AccountRow

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """An account. `id` is what comes after `accounts/`; `created`, `deleted` and `renamed` (last) are Unix seconds.

    `owner_id` is the account whose bot it is; None for a person's.
    """

    id: str
    display_name: str
    created: float
    locale: str = ""
    login_name: str | None = None
    owner_id: str | None = None
    deleted: float | None = None
    renamed: float | None = None


COLUMNS = (
    AccountRow.id,
    AccountRow.display_name,
    AccountRow.created,
    AccountRow.locale,
    AccountRow.login_name,
    AccountRow.owner_id,
    AccountRow.deleted,
    AccountRow.renamed,
)


async def accounts_where(connection: AsyncConnection, which: ColumnElement[bool]) -> list[AccountRecord]:
    """Return the accounts that a condition is true of, the newest first."""
    query = select(*COLUMNS).where(which).order_by(AccountRow.created.desc(), AccountRow.id)
    return [AccountRecord(*row) for row in await connection.execute(query)]


async def account_of(connection: AsyncConnection, account_id: str) -> AccountRecord | None:
    """Return an account, or None. One that was deleted is still there, by its bare id."""
    found = await accounts_where(connection, AccountRow.id == account_id)
    return found[0] if found else None

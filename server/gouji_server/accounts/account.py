"""An account, as the service speaks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.records import AccountRecord

PREFIX = "accounts/"


@dataclass(frozen=True, slots=True)
class Account:
    """An account: resource name, display name, when it was made (Unix seconds).

    `owner` is the resource name of the account that a bot's account belongs to; empty for a person's.
    `login_name` is what it signs in with beside a password, `locale` its language as a BCP 47 tag; empty for none.
    """

    name: str
    display_name: str
    created: float
    owner: str = ""
    login_name: str = ""
    locale: str = ""
    deleted: bool = False


def account_from(record: AccountRecord) -> Account:
    """Return an account of the records."""
    return Account(
        name=PREFIX + record.id,
        display_name=record.display_name,
        created=record.created,
        owner="" if record.owner_id is None else PREFIX + record.owner_id,
        login_name=record.login_name or "",
        locale=record.locale,
        deleted=record.deleted is not None,
    )


def bare(name: str) -> str:
    """Return the id of an account `accounts/…`."""
    return name.removeprefix(PREFIX)

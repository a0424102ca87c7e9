"""An account, as the service speaks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.records import AccountRecord

PREFIX = "accounts/"


@dataclass(frozen=True, slots=True)
class Account:
    """An account: resource name, display name, when it was made (Unix seconds)."""

    name: str
    display_name: str
    created: float


def account_from(record: AccountRecord) -> Account:
    """Return an account of the records."""
    return Account(PREFIX + record.id, record.display_name, record.created)

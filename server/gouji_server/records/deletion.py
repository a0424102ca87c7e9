"""Taking out of an account everything but its bare id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, or_, update

from gouji_server.records.models import (
    AccountRow,
    BlockRow,
    BotTokenRow,
    DeviceSecretRow,
    FamilyRow,
    MuteRow,
    SignInRetryRow,
)
from gouji_server.records.reports import forget_said
from gouji_server.records.sessions import end_sessions
from gouji_server.records.share_links import ShareLinkRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

DELETED_NAME = "deleted"
"""The display name of an account that was deleted."""


async def erase(connection: AsyncConnection, account_id: str, now: float) -> list[str]:
    """Take an account's name, secrets, tokens and relations away, and end its sessions; return these.

    The row stays, so that the id is never given out again and matches can go on naming it. So do, until they lapse, the
    ids of its sessions: their access tokens have to be known for what they are.
    """
    ended = await end_sessions(connection, account_id, now)
    for row, of in (
        (DeviceSecretRow, DeviceSecretRow.account_id == account_id),
        (SignInRetryRow, SignInRetryRow.account_id == account_id),
        (BlockRow, or_(BlockRow.account_id == account_id, BlockRow.blocked_id == account_id)),
        (ShareLinkRow, ShareLinkRow.account_id == account_id),
        (MuteRow, or_(MuteRow.account_id == account_id, MuteRow.blocked_id == account_id)),
    ):
        await connection.execute(delete(row).where(of))
    await forget_said(connection, account_id)
    await connection.execute(
        update(FamilyRow)
        .where(FamilyRow.account_id == account_id)
        .values(client="", device_hash=None, created=now, used=now)
    )
    await connection.execute(
        update(BotTokenRow)
        .where(BotTokenRow.account_id == account_id)
        .values(revoked=now, description="", created=now, used=None)
    )
    await connection.execute(
        update(AccountRow)
        .where(AccountRow.id == account_id)
        .values(display_name=DELETED_NAME, locale="", login_name=None, password_hash=None, renamed=now, deleted=now)
    )
    return ended

"""Accounts that operators shut out: at once, and until they let them in again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import bare
from gouji_server.records.bans import BanRecord

if TYPE_CHECKING:
    from gouji_server.accounts.sessions import Sessions
    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.bans import BanRecords, Place
    from gouji_server.tables import Clock

log = structlog.get_logger("gouji.accounts")


class NoSuchAccount(Exception):
    """There is no such account."""


class Bans:
    """The bans of all accounts. Whether one may begin a session is looked up where sessions are begun."""

    def __init__(self, records: BanRecords, sessions: Sessions, clock: Clock) -> None:
        self._records = records
        self._sessions = sessions
        self._clock = clock

    async def add(self, account: str, seconds: float | None, reason: str, operator: str) -> BanRecord:
        """Shut an account out, with its bots, for so long (None: for good): sessions and streams end now.

        Raises NoSuchAccount.
        """
        now = self._clock.now()
        ban = BanRecord(bare(account), now, None if seconds is None else now + seconds, reason, operator)
        await self._sessions.finishing.run(self._add(ban))
        log.warning("account banned", account=account)
        return ban

    async def _add(self, ban: BanRecord) -> None:
        ended = await self._records.add(ban)
        if ended is None:
            raise NoSuchAccount
        self._sessions.note_ended(ended)

    async def remove(self, account: str) -> None:
        """Let an account in again. Raises NoSuchAccount."""
        if not await self._records.remove(bare(account)):
            raise NoSuchAccount
        log.warning("account unbanned", account=account)

    async def page(self, after: Place | None, most: int) -> list[tuple[BanRecord, str]]:
        """Return at most so many bans in force with display names, the newest first."""
        return await self._records.page(after, most, self._clock.now())

    async def search(self, text: str, after: Place | None, most: int) -> list[tuple[AccountRecord, BanRecord | None]]:
        """Return at most so many accounts that have a text in a name, the newest first, with their bans in force."""
        return await self._records.accounts(text, after, most, self._clock.now())

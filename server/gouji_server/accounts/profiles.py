"""Profiles: what others see of an account, changed by its owner; and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import account_from, bare
from gouji_server.accounts.passwords import WrongPassword

if TYPE_CHECKING:
    from gouji_server.accounts.account import Account
    from gouji_server.accounts.passwords import Passwords
    from gouji_server.accounts.sessions import Sessions
    from gouji_server.records import ProfileRecords
    from gouji_server.tables import Clock

log = structlog.get_logger("gouji.accounts")


class NotYours(Exception):
    """The account is neither the caller's nor a bot of its."""


class Profiles:
    """The profiles of all accounts."""

    def __init__(self, records: ProfileRecords, sessions: Sessions, passwords: Passwords, clock: Clock) -> None:
        self._records = records
        self._sessions = sessions
        self._passwords = passwords
        self._clock = clock

    async def start(self, lifetime: float) -> None:
        """Read who was renamed lately: access tokens with the old name, `lifetime` seconds long, may still be about."""
        for account in sorted(
            await self._records.renamed_since(self._clock.now() - lifetime), key=lambda found: found.renamed or 0.0
        ):
            self._note(account_from(account), account.renamed or 0.0)

    async def change(self, caller: str, name: str, *, display_name: str | None, locale: str | None) -> Account:
        """Change what is given of the caller's account, or of a bot of its. Raises NotYours."""
        return await self._sessions.finishing.run(self._change(caller, name, display_name, locale))

    async def _change(self, caller: str, name: str, display_name: str | None, locale: str | None) -> Account:
        now = self._clock.now()
        changed = await self._records.change(bare(caller), bare(name), display_name, locale, now)
        if changed is None:
            raise NotYours
        account = account_from(changed)
        if display_name is not None:
            self._note(account, now)
        return account

    async def delete(self, account: str, current_password: str) -> None:
        """Delete an account with its bots, secrets and relations. Raises WrongPassword, TooManyTries, HashingBusy."""
        if not await self._passwords.is_current(bare(account), current_password):
            raise WrongPassword
        await self._sessions.finishing.run(self._delete(account))

    async def _delete(self, account: str) -> None:
        self._sessions.note_ended(await self._records.delete(bare(account), self._clock.now()))
        log.info("account deleted", account=account)

    def _note(self, account: Account, at: float) -> None:
        self._sessions.names.remember(account.name, account.display_name, at)

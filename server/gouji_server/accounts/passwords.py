"""Passwords: signing in with a name and a password, and setting them."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import PREFIX, account_from, bare
from gouji_server.accounts.login_names import canonical
from gouji_server.accounts.password_hashing import HashingBusy
from gouji_server.accounts.secrets import hash_of, new_secret
from gouji_server.accounts.sessions import CredentialError
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records import NotSet, RecordsFailed

if TYPE_CHECKING:
    from gouji_server.accounts.account import Account
    from gouji_server.accounts.password_hashing import PasswordHashing
    from gouji_server.accounts.sessions import Origin, Session, Sessions
    from gouji_server.accounts.tokens import Identity
    from gouji_server.config import Config
    from gouji_server.records import PasswordRecords
    from gouji_server.tables import Clock, Entropy

log = structlog.get_logger("gouji.accounts")


class TooManyTries(Exception):
    """Too many passwords were tried for one name or account; `wait`: seconds until one may be."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


class WrongPassword(Exception):
    """The current password is not the one given."""


class NameTaken(Exception):
    """Another account signs in with that name."""


class NameMissing(Exception):
    """The account has no name to sign in with yet, and none was given."""


class Passwords:
    """The passwords of all accounts."""

    def __init__(
        self,
        records: PasswordRecords,
        sessions: Sessions,
        hashing: PasswordHashing,
        clock: Clock,
        entropy: Entropy,
        config: Config,
    ) -> None:
        self._records = records
        self._sessions = sessions
        self._hashing = hashing
        self._clock = clock
        self._entropy = entropy
        self._tries = TokenBuckets(clock, config.password_tries_burst, config.password_tries_per_minute / 60)

    async def sign_in(self, login_name: str, password: str, remember: bool, origin: Origin) -> tuple[Session, str]:
        """Begin a session by name and password; return it, and with `remember` a device secret to come back with.

        Raises CredentialError, alike and after as long whether the name is anybody's or not; TooManyTries, HashingBusy.
        """
        name = canonical(login_name)
        self._take(f"name {name}")
        found = await self._records.by_login_name(name)
        stored = None if found is None else found[1]
        if not await self._hashing.fits(stored, _normal(password)) or found is None or stored is None:
            raise CredentialError
        secret = new_secret(self._entropy) if remember else ""
        token, session = self._sessions.make(origin, device=hash_of(secret) if remember else None)
        ended = await self._records.begin_session(found[0].id, session, stored)
        if ended is None:
            raise CredentialError
        self._sessions.note_ended(ended)
        if self._hashing.is_outdated(stored):
            await self._hash_anew(found[0].id, stored, password)
        return self._sessions.tokens_of(found[0], session.id, token, session.expires), secret

    async def _hash_anew(self, account_id: str, stored: str, password: str) -> None:
        """Store a password hashed as is usual now. Where that cannot be done it waits for the next sign-in."""
        try:
            await self._records.renew(account_id, stored, await self._hashing.hash(_normal(password)))
        except (HashingBusy, RecordsFailed) as error:
            log.warning("password not hashed anew", account=PREFIX + account_id, error=type(error).__name__)

    async def set(self, identity: Identity, login_name: str, password: str, current: str) -> Account:
        """Set name and password of the caller's account, or change them. Safe to repeat.

        A change wants the current password; all other sessions end, and device secrets other than the caller's are
        void. An empty `login_name` leaves the name as it is. Raises TooManyTries, HashingBusy, WrongPassword, NameTaken
        or NameMissing.
        """
        account_id = bare(identity.caller.account)
        self._take(f"account {account_id}")
        had_name, stored = await self._records.of_account(account_id)
        name = canonical(login_name) if login_name else had_name
        if not name:
            raise NameMissing
        if stored is not None and not await self._hashing.fits(stored, _normal(current)):
            # A repeated request whose answer was lost: then the new password is the current one.
            if name == had_name and await self._hashing.fits(stored, _normal(password)):
                return account_from(await self._records.account(account_id))
            raise WrongPassword
        made = await self._hashing.hash(_normal(password))
        return await self._sessions.finishing.run(self._store(identity, name, made, stored))

    async def _store(self, identity: Identity, name: str, made: str, before: str | None) -> Account:
        account_id = bare(identity.caller.account)
        ended = await self._records.set(account_id, name, made, before, identity.session, self._clock.now())
        if ended is NotSet.NAME_TAKEN:
            raise NameTaken
        if isinstance(ended, NotSet):
            raise WrongPassword
        self._sessions.note_ended(ended)
        log.info("password set", account=identity.caller.account)
        return account_from(await self._records.account(account_id))

    async def is_current(self, account_id: str, password: str) -> bool:
        """Tell whether an account has no password, or this one. Raises TooManyTries, HashingBusy."""
        _, stored = await self._records.of_account(account_id)
        if stored is None:
            return True
        self._take(f"account {account_id}")
        return await self._hashing.fits(stored, _normal(password))

    def _take(self, key: str) -> None:
        wait = self._tries.take(key)
        if wait:
            raise TooManyTries(wait)


def _normal(password: str) -> str:
    """Return a password as it is hashed: the same however the keyboard composes its signs."""
    return unicodedata.normalize("NFC", password)

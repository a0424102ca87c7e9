"""Signing in, refreshing, signing out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.secrets import hash_of, is_one_of, new_secret
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records import AccountRecord, NewSession, Refused, Retry
from gouji_server.tables import Caller

if TYPE_CHECKING:
    from gouji_server.accounts.tokens import AccessTokens, Identity
    from gouji_server.config import Config
    from gouji_server.records import AccountRecords
    from gouji_server.tables import Clock, Entropy

RETRY_SECONDS = 600
"""How long a sign-in's request id is remembered."""

HOUSEKEEPING_SECONDS = 3600
"""Lapsed tokens are removed that often, by whoever signs in or refreshes then."""

REFRESHES = 10
"""An address may refresh so many times as often as it may sign in: many players behind one address stay signed in."""

PREFIX = "accounts/"

log = structlog.get_logger("gouji.accounts")


class CredentialError(Exception):
    """The secret or token presented opens nothing. Whether the account exists is not told."""


class SignInLimited(Exception):
    """Too many sign-ins or refreshes from one address; `wait`: seconds until one may be tried."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Account:
    """An account: resource name, display name, when it was made (Unix seconds)."""

    name: str
    display_name: str
    created: float


@dataclass(frozen=True, slots=True)
class Session:
    """The tokens of a session and when they lapse (Unix seconds)."""

    account: Account
    access_token: str
    access_expires: float
    refresh_token: str
    refresh_expires: float


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session, and the device secret if the account is new."""

    session: Session
    device_secret: str = ""


class Accounts:
    """All accounts of the server."""

    def __init__(
        self, records: AccountRecords, tokens: AccessTokens, clock: Clock, entropy: Entropy, config: Config
    ) -> None:
        self._records = records
        self._tokens = tokens
        self._clock = clock
        self._entropy = entropy
        self._refresh_lifetime = config.refresh_token_seconds
        self._sign_ins = TokenBuckets(clock, config.sign_in_burst, config.sign_ins_per_minute / 60)
        self._refreshes = TokenBuckets(
            clock, config.sign_in_burst * REFRESHES, config.sign_ins_per_minute / 60 * REFRESHES
        )
        self._cleaned = clock.now()

    async def sign_in_guest(self, display_name: str, request_id: str, address: str) -> SignedIn:
        """Make a guest account and begin a session of it.

        The same request id (if not empty) and name from the same address within ten minutes is a retry: it comes to the
        same account, with a device secret and a session of its own. Raises SignInLimited.
        """
        _take_token(self._sign_ins, address)
        now = self._clock.now()
        await self._clean(now)
        account = AccountRecord(self._new_id(), display_name, now)
        secret = new_secret(self._entropy)
        refresh, session = self._new_session(now)
        retry = Retry(_retry_key(address, request_id, display_name), now + RETRY_SECONDS) if request_id else None
        made = await self._records.add_guest(account, hash_of(secret), session, retry)
        log.info("signed in", account=PREFIX + made.id, way="guest", retry=made.id != account.id)
        return SignedIn(self._session(made, session, refresh), secret)

    async def sign_in_device(self, account: str, secret: str, address: str) -> SignedIn:
        """Begin a session of the account `accounts/…` that `secret` belongs to.

        Raises CredentialError, the same whether the account exists or not, or SignInLimited.
        """
        _take_token(self._sign_ins, address)
        now = self._clock.now()
        await self._clean(now)
        known, hashes = await self._records.with_secrets(account.removeprefix(PREFIX))
        fits = is_one_of(hash_of(secret), hashes)
        if known is None or not fits:
            log.info("sign-in refused", way="device")
            raise CredentialError
        refresh, session = self._new_session(now)
        await self._records.begin_session(known.id, session)
        log.info("signed in", account=PREFIX + known.id, way="device")
        return SignedIn(self._session(known, session, refresh))

    async def refresh(self, refresh_token: str, address: str) -> Session:
        """Trade a refresh token for new tokens. Raises CredentialError or SignInLimited.

        A token that comes again ends its session.
        """
        _take_token(self._refreshes, address)
        now = self._clock.now()
        await self._clean(now)
        token = new_secret(self._entropy)
        expires = now + self._refresh_lifetime
        used = await self._records.rotate(hash_of(refresh_token), hash_of(token), now, expires)
        if isinstance(used, Refused):
            if used is Refused.REUSED:
                log.warning("a used refresh token came again: its session is ended")
            raise CredentialError
        account, session_id = used
        return self._session(account, NewSession(session_id, b"", now, expires), token)

    async def sign_out(self, refresh_token: str) -> None:
        """End the session of a refresh token. An unknown token, or one of an ended session, is no error."""
        await self._records.end_session(hash_of(refresh_token), self._clock.now())

    async def get(self, name: str) -> Account | None:
        """Return the account `accounts/…`, or None."""
        record = await self._records.get(name.removeprefix(PREFIX))
        return None if record is None else _account(record)

    def authenticate(self, access_token: str) -> Identity:
        """Return who holds an access token. Raises TokenError."""
        return self._tokens.check(access_token)

    async def _clean(self, now: float) -> None:
        if now >= self._cleaned + HOUSEKEEPING_SECONDS:
            self._cleaned = now
            await self._records.drop_lapsed(now)

    def _new_id(self) -> str:
        return self._entropy.token_bytes(8).hex()

    def _new_session(self, now: float) -> tuple[str, NewSession]:
        token = new_secret(self._entropy)
        return token, NewSession(self._new_id(), hash_of(token), now, now + self._refresh_lifetime)

    def _session(self, record: AccountRecord, session: NewSession, refresh_token: str) -> Session:
        account = _account(record)
        token, expires = self._tokens.issue(Caller(account.name, account.display_name), session.id)
        return Session(account, token, expires, refresh_token, session.expires)


def _take_token(buckets: TokenBuckets, address: str) -> None:
    wait = buckets.take(address)
    if wait:
        raise SignInLimited(wait)


def _account(record: AccountRecord) -> Account:
    return Account(PREFIX + record.id, record.display_name, record.created)


def _retry_key(address: str, request_id: str, display_name: str) -> bytes:
    parts = (part.encode() for part in (address, request_id, display_name))
    return hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()

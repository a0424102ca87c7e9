"""Signing in, refreshing, signing out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import PREFIX, account_from
from gouji_server.accounts.bans import Bans
from gouji_server.accounts.blocks import Blocks
from gouji_server.accounts.bots import Bots
from gouji_server.accounts.password_hashing import PasswordHashing
from gouji_server.accounts.passwords import Passwords
from gouji_server.accounts.profiles import Profiles
from gouji_server.accounts.secrets import hash_of, is_one_of, new_secret
from gouji_server.accounts.sessions import CredentialError, Sessions
from gouji_server.accounts.tokens import AccessTokens
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records import (
    AccountRecord,
    AccountRecords,
    BlockRecords,
    BotRecords,
    PasswordRecords,
    ProfileRecords,
    Retry,
    SessionRecords,
)
from gouji_server.records.bans import BanRecords
from gouji_server.records.models import MuteRow

if TYPE_CHECKING:
    from gouji_server.accounts.account import Account
    from gouji_server.accounts.sessions import Origin, Session
    from gouji_server.accounts.tokens import Identity
    from gouji_server.config import Config
    from gouji_server.records import Database
    from gouji_server.tables import Clock, Entropy

RETRY_SECONDS = 600
"""How long a sign-in's request id is remembered."""

HOUSEKEEPING_SECONDS = 3600
"""Lapsed tokens are removed that often, by whoever signs in or refreshes then."""

REFRESHES = 10
"""An address may refresh so many times as often as it may sign in: many players behind one address stay signed in."""

log = structlog.get_logger("gouji.accounts")


class SignInLimited(Exception):
    """Too many sign-ins or refreshes from one address; `wait`: seconds until one may be tried."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session, and a device secret if the account is new, or one was asked for."""

    session: Session
    device_secret: str = ""


class Accounts:
    """All accounts of the server."""

    def __init__(self, database: Database, key: bytes, clock: Clock, entropy: Entropy, config: Config) -> None:
        tokens = AccessTokens(key, clock, config.access_token_seconds)
        self._records = AccountRecords(database)
        self._clock = clock
        self._entropy = entropy
        self.sessions = Sessions(SessionRecords(database), tokens, clock, entropy, config)
        self._hashing = PasswordHashing(config.password_memory_kib, config.passwords_at_once, entropy)
        self.passwords = Passwords(PasswordRecords(database), self.sessions, self._hashing, clock, entropy, config)
        self.profiles = Profiles(ProfileRecords(database), self.sessions, self.passwords, clock)
        self.blocks = Blocks(BlockRecords(database), clock)
        self.mutes = Blocks(BlockRecords(database, MuteRow), clock)
        self.bans = Bans(BanRecords(database), self.sessions, clock)
        self._access_lifetime = config.access_token_seconds
        self.bots = Bots(BotRecords(database), self.sessions, clock, key)
        self._sign_ins = TokenBuckets(clock, config.sign_in_burst, config.sign_ins_per_minute / 60)
        self._refreshes = TokenBuckets(
            clock, config.sign_in_burst * REFRESHES, config.sign_ins_per_minute / 60 * REFRESHES
        )
        self._cleaned = clock.now()

    async def start(self) -> None:
        """Read what has to be known before the first call."""
        await self.sessions.start()
        await self.profiles.start(self._access_lifetime)

    async def close(self) -> None:
        """Wait for what is being written."""
        for finishing in (self.sessions.finishing, self.blocks.finishing, self.mutes.finishing):
            await finishing.close()
        await self._hashing.close()

    async def sign_in_guest(self, display_name: str, request_id: str, origin: Origin) -> SignedIn:
        """Make a guest account and begin a session of it.

        The same request id (if not empty) and name from the same address within ten minutes is a retry: it comes to the
        same account, with a device secret and a session of its own. Raises SignInLimited.
        """
        _take_token(self._sign_ins, origin.address)
        now = self._clock.now()
        await self._clean(now)
        account = AccountRecord(self._entropy.token_bytes(8).hex(), display_name, now)
        secret = new_secret(self._entropy)
        token, session = self.sessions.make(origin, device=hash_of(secret))
        retry = Retry(_retry_key(origin.address, request_id, display_name), now + RETRY_SECONDS) if request_id else None
        made, ended = await self._records.add_guest(account, hash_of(secret), session, retry)
        self.sessions.note_ended(ended)
        log.info("signed in", account=PREFIX + made.id, way="guest", retry=made.id != account.id)
        return SignedIn(self.sessions.tokens_of(made, session.id, token, session.expires), secret)

    async def sign_in_device(self, account: str, secret: str, origin: Origin) -> SignedIn:
        """Begin a session of the account `accounts/…` that `secret` belongs to.

        Raises CredentialError, the same whether the account exists or not, or SignInLimited.
        """
        _take_token(self._sign_ins, origin.address)
        await self._clean(self._clock.now())
        known, hashes = await self._records.with_secrets(account.removeprefix(PREFIX))
        fits = is_one_of(hash_of(secret), hashes)
        if known is None or not fits:
            log.info("sign-in refused", way="device")
            raise CredentialError
        token, session = self.sessions.make(origin, device=hash_of(secret))
        begun = await self.sessions.begin(known, token, session)
        log.info("signed in", account=PREFIX + known.id, way="device")
        return SignedIn(begun)

    async def sign_in_password(self, login_name: str, password: str, remember: bool, origin: Origin) -> SignedIn:
        """Begin a session by name and password. Raises CredentialError, SignInLimited, TooManyTries, HashingBusy."""
        _take_token(self._sign_ins, origin.address)
        await self._clean(self._clock.now())
        try:
            session, secret = await self.passwords.sign_in(login_name, password, remember, origin)
        except CredentialError:
            log.info("sign-in refused", way="password")
            raise
        log.info("signed in", account=session.account.name, way="password")
        return SignedIn(session, secret)

    async def sign_in_bot(self, token: str, origin: Origin) -> SignedIn:
        """Begin a session of the bot whose token it is. Raises CredentialError or SignInLimited."""
        _take_token(self._sign_ins, origin.address)
        await self._clean(self._clock.now())
        try:
            session = await self.bots.sign_in(token, origin)
        except CredentialError:
            log.info("sign-in refused", way="bot")
            raise
        log.info("signed in", account=session.account.name, way="bot")
        return SignedIn(session)

    async def refresh(self, refresh_token: str, origin: Origin) -> Session:
        """Trade a refresh token for new tokens. Raises CredentialError or SignInLimited."""
        _take_token(self._refreshes, origin.address)
        await self._clean(self._clock.now())
        return await self.sessions.refresh(refresh_token)

    async def get(self, name: str) -> Account | None:
        """Return the account `accounts/…`, or None."""
        record = await self._records.get(name.removeprefix(PREFIX))
        return None if record is None else account_from(record)

    def authenticate(self, access_token: str) -> Identity:
        """Return who holds an access token. Raises TokenError, also for one of a session that has ended."""
        return self.sessions.authenticate(access_token)

    async def _clean(self, now: float) -> None:
        if now >= self._cleaned + HOUSEKEEPING_SECONDS:
            self._cleaned = now
            await self._records.drop_lapsed(now)


def _take_token(buckets: TokenBuckets, address: str) -> None:
    wait = buckets.take(address)
    if wait:
        raise SignInLimited(wait)


def _retry_key(address: str, request_id: str, display_name: str) -> bytes:
    parts = (part.encode() for part in (address, request_id, display_name))
    return hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()

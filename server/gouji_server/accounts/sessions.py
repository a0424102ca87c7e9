"""Sessions: begun, listed, ended. An ended one is refused at once, on calls and streams alike."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import account_from, bare
from gouji_server.accounts.finishing import Finishing
from gouji_server.accounts.recent_names import RecentNames
from gouji_server.accounts.revocations import Revocations
from gouji_server.accounts.secrets import hash_of, new_secret
from gouji_server.accounts.tokens import TokenError
from gouji_server.records import NewSession, Reused, Rotated, SessionRecord
from gouji_server.tables import Caller

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_server.accounts.account import Account
    from gouji_server.accounts.tokens import AccessTokens, Identity
    from gouji_server.config import Config
    from gouji_server.records import AccountRecord, SessionRecords
    from gouji_server.tables import Clock, Entropy

SESSIONS = "sessions/"

log = structlog.get_logger("gouji.accounts")


class CredentialError(Exception):
    """The secret or token presented opens nothing. Whether the account exists is not told."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a call comes from: the address as limits count it, and what the client calls itself."""

    address: str
    client: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """The tokens of a session and when they lapse (Unix seconds)."""

    account: Account
    access_token: str
    access_expires: float
    refresh_token: str
    refresh_expires: float


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as its owner sees it: `sessions/…`, and whether it is the one that asks. Times are Unix seconds."""

    name: str
    created: float
    used: float
    expires: float
    client: str
    current: bool


class Sessions:
    """The sessions of all accounts."""

    def __init__(
        self, records: SessionRecords, tokens: AccessTokens, clock: Clock, entropy: Entropy, config: Config
    ) -> None:
        self._records = records
        self._tokens = tokens
        self._clock = clock
        self._entropy = entropy
        self._access_lifetime = config.access_token_seconds
        self._refresh_lifetime = config.refresh_token_seconds
        self.ended = Revocations(clock, config.access_token_seconds)
        self.finishing = Finishing()
        self.names = RecentNames(clock, config.access_token_seconds)

    async def start(self) -> None:
        """Read which sessions were ended lately: their access tokens may not have lapsed yet."""
        for session, at in await self._records.ended_since(self._clock.now() - self._access_lifetime):
            self.ended.remember(session, at)

    def authenticate(self, access_token: str) -> Identity:
        """Return who holds an access token. Raises TokenError."""
        identity = self._tokens.check(access_token)
        if identity.session in self.ended:
            raise TokenError
        name = self.names.of(identity.caller.account, identity.caller.display_name)
        if name != identity.caller.display_name:
            return replace(identity, caller=replace(identity.caller, display_name=name))
        return identity

    def make(
        self, origin: Origin, *, device: bytes | None = None, bot_token: str | None = None, until: float = math.inf
    ) -> tuple[str, NewSession]:
        """Make a session that is yet to be begun: its refresh token, and itself. It lapses at `until` at the latest."""
        token = new_secret(self._entropy)
        now = self._clock.now()
        expires = min(now + self._refresh_lifetime, until)
        session = NewSession(
            self._entropy.token_bytes(8).hex(), hash_of(token), now, expires, origin.client, device, bot_token
        )
        return token, session

    async def begin(
        self,
        record: AccountRecord,
        token: str,
        session: NewSession,
        *,
        scopes: str | None = None,
        until: float = math.inf,
    ) -> Session:
        """Begin a session that was made. Raises CredentialError if what it is begun with has gone meanwhile."""
        ended = await self._records.begin(record.id, session)
        if ended is None:
            raise CredentialError
        self.note_ended(ended)
        return self.tokens_of(record, session.id, token, session.expires, scopes=scopes, until=until)

    async def refresh(self, refresh_token: str) -> Session:
        """Trade a refresh token for new tokens. Raises CredentialError. A token that comes again ends its session."""
        return await self.finishing.run(self._refresh(refresh_token))

    async def _refresh(self, refresh_token: str) -> Session:
        now = self._clock.now()
        token = new_secret(self._entropy)
        used = await self._records.rotate(hash_of(refresh_token), hash_of(token), now, now + self._refresh_lifetime)
        if isinstance(used, Rotated):
            until = math.inf if used.bot_expires is None else used.bot_expires
            return self.tokens_of(used.account, used.session_id, token, used.expires, scopes=used.scopes, until=until)
        if isinstance(used, Reused):
            log.warning("a used refresh token came again: its session is ended")
            self.ended.end(used.session_id)
        raise CredentialError

    async def sign_out(self, refresh_token: str) -> None:
        """End the session of a refresh token. An unknown token, or one of an ended session, is no error."""
        await self.finishing.run(self._sign_out(hash_of(refresh_token)))

    async def _sign_out(self, token_hash: bytes) -> None:
        self.note_ended(await self._records.end_by_token(token_hash, self._clock.now()))

    async def of(self, identity: Identity) -> list[OpenSession]:
        """Return the open sessions of the caller's account, the one that was used last first."""
        records = await self._records.of_account(bare(identity.caller.account), self._clock.now())
        return [_open_session(record, identity) for record in records]

    async def end_one(self, identity: Identity, name: str) -> bool:
        """End a session of the caller's account; False if there never was such a one.

        The device secret that it was begun with goes too, unless the caller's own session was begun with the same.
        """
        return await self.finishing.run(self._end_one(identity, name.removeprefix(SESSIONS)))

    async def _end_one(self, identity: Identity, session: str) -> bool:
        ended = await self._records.end_one(bare(identity.caller.account), session, identity.session, self._clock.now())
        self.note_ended(ended or ())
        return ended is not None

    async def end_all(self, identity: Identity, *, keep_this: bool, replace_secrets: bool) -> tuple[int, str]:
        """End all sessions of the caller's account, this one too or not; return how many, and the new device secret.

        With `replace_secrets` every device secret of the account is void from now on, and a new one is given.
        """
        secret = new_secret(self._entropy) if replace_secrets else ""
        keep = identity.session if keep_this else ""
        ended = await self.finishing.run(self._end_all(bare(identity.caller.account), keep, secret))
        return ended, secret

    async def _end_all(self, account: str, keep: str, secret: str) -> int:
        secret_hash = hash_of(secret) if secret else None
        ended = await self._records.end_all(account, self._clock.now(), but=keep, secret=secret_hash)
        self.note_ended(ended)
        return len(ended)

    def note_ended(self, sessions: Iterable[str]) -> None:
        """Refuse the access tokens of sessions whose end is durable, and end their streams."""
        for session in sessions:
            self.ended.end(session)

    def tokens_of(
        self,
        record: AccountRecord,
        session: str,
        refresh_token: str,
        refresh_expires: float,
        *,
        scopes: str | None = None,
        until: float = math.inf,
    ) -> Session:
        """Return the tokens of a session, a new access token among them. `scopes` and `until` are those of a bot's.

        A bot is who belongs to somebody: without a token's scopes it may do nothing that wants one.
        """
        account = account_from(record)
        caller = Caller(account.name, account.display_name, bot=bool(account.owner))
        if caller.bot and scopes is None:
            scopes = ""
        token, expires = self._tokens.issue(caller, session, scopes=scopes, until=until)
        return Session(account, token, expires, refresh_token, refresh_expires)


def _open_session(record: SessionRecord, identity: Identity) -> OpenSession:
    return OpenSession(
        name=SESSIONS + record.id,
        created=record.created,
        used=record.used,
        expires=record.expires,
        client=record.client,
        current=record.id == identity.session,
    )

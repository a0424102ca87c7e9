"""Bots: accounts of their own that belong to somebody's, and the tokens by which programs sign in as them."""

from __future__ import annotations

import hashlib
import hmac
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from gouji_server.accounts.account import PREFIX, account_from, bare
from gouji_server.accounts.secrets import as_text, hash_of
from gouji_server.accounts.sessions import CredentialError
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records import AccountRecord, BotTokenRecord, NotAdded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_server.accounts.account import Account
    from gouji_server.accounts.sessions import Origin, Session, Sessions
    from gouji_server.records import BotRecords
    from gouji_server.tables import Clock

SCOPES = ("play", "lobby", "watch", "chat")
"""What a bot's token may be good for."""
DEFAULT_SCOPES = ("play", "lobby", "watch")

TOKEN_PREFIX = "gouji-bot-"  # noqa: S105 - what makes a token in a wrong place easy to find
NEW_BURST = 40
NEW_PER_MINUTE = 2.0
"""Bots and tokens that an account may make at once, and a minute in the long run."""

log = structlog.get_logger("gouji.accounts")


class NoSuchBot(Exception):
    """The caller has no such bot, or the bot no such token."""


class TooManyBots(Exception):
    """The account has as many bots as it may have."""


class TooManyTokens(Exception):
    """The bot has as many tokens as it may have."""


class IdUsed(Exception):
    """The request id was used for something else."""


class MadeTooFast(Exception):
    """Too many bots and tokens were made lately; `wait`: seconds until one may be."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class BotToken:
    """A bot's token, without what opens anything. Times are Unix seconds; None: never."""

    name: str
    description: str
    scopes: tuple[str, ...]
    created: float
    expires: float | None
    used: float | None


class Bots:
    """The bots of all accounts. `key` makes tokens that a repeated request finds again."""

    def __init__(self, records: BotRecords, sessions: Sessions, clock: Clock, key: bytes) -> None:
        self._records = records
        self._sessions = sessions
        self._clock = clock
        self._key = key
        self._made = TokenBuckets(clock, NEW_BURST, NEW_PER_MINUTE / 60)

    async def create(self, owner: str, display_name: str, request_id: str) -> Account:
        """Make a bot's account; the same request gives the same. Raises TooManyBots, MadeTooFast or IdUsed."""
        self._take(owner)
        bot = AccountRecord(_id(owner, request_id), display_name, self._clock.now(), owner_id=bare(owner))
        made = await self._records.add(bot)
        if isinstance(made, NotAdded):
            raise TooManyBots
        # One that was given another name since may have begun with any.
        same_name = made.display_name == display_name or made.renamed is not None
        if made.owner_id != bare(owner) or made.deleted is not None or not same_name:
            raise IdUsed
        log.info("bot made", account=owner)
        return account_from(made)

    async def owned_by(self, owner: str) -> list[Account]:
        """Return the bots of an account, the newest first."""
        return [account_from(bot) for bot in await self._records.of_owner(bare(owner))]

    async def delete(self, owner: str, bot: str) -> None:
        """Delete a bot's account, its tokens and sessions. Raises NoSuchBot."""
        await self._sessions.finishing.run(self._delete(owner, bot))

    async def _delete(self, owner: str, bot: str) -> None:
        ended = await self._records.delete(bare(owner), bare(bot), self._clock.now())
        if ended is None:
            raise NoSuchBot
        self._sessions.note_ended(ended)
        log.info("bot deleted", account=owner)

    async def create_token(
        self,
        owner: str,
        bot: str,
        *,
        scopes: Sequence[str],
        description: str,
        expires: float | None,
        request_id: str,
    ) -> tuple[BotToken, str]:
        """Make a token of a bot; return it and what to sign in with. The same request gives the same.

        Raises NoSuchBot, TooManyTokens, MadeTooFast or IdUsed.
        """
        self._take(owner)
        now = self._clock.now()
        wanted = BotTokenRecord(
            id=_id(bot, request_id),
            account_id=bare(bot),
            hash=hash_of(self._secret(bot, request_id, now)),
            scopes=" ".join(scope for scope in SCOPES if scope in scopes),
            description=description,
            created=now,
            expires=expires,
        )
        made = await self._records.add_token(bare(owner), wanted)
        if made is NotAdded.NO_SUCH_BOT:
            raise NoSuchBot
        if isinstance(made, NotAdded):
            raise TooManyTokens
        secret = self._secret(bot, request_id, made.created)
        if _said(made) != _said(wanted) or made.hash != hash_of(secret):
            raise IdUsed
        log.info("bot token made", account=owner)
        return _token(made), secret

    async def tokens(self, owner: str, bot: str) -> list[BotToken]:
        """Return the tokens of a bot that are good, the newest first. Raises NoSuchBot."""
        found = await self._records.tokens(bare(owner), bare(bot), self._clock.now())
        if found is None:
            raise NoSuchBot
        return [_token(token) for token in found]

    async def revoke_token(self, owner: str, name: str) -> None:
        """Make a token `accounts/…/tokens/…` void, and end the sessions begun with it. Raises NoSuchBot."""
        await self._sessions.finishing.run(self._revoke_token(owner, name))

    async def _revoke_token(self, owner: str, name: str) -> None:
        bot, _, token = name.removeprefix(PREFIX).partition("/tokens/")
        ended = await self._records.revoke_token(bare(owner), bot, token, self._clock.now())
        if ended is None:
            raise NoSuchBot
        self._sessions.note_ended(ended)
        log.info("bot token revoked", account=owner)

    async def sign_in(self, secret: str, origin: Origin) -> Session:
        """Begin a session of the bot whose token it is; it lives no longer than the token. Raises CredentialError."""
        found = await self._records.by_token(hash_of(secret), self._clock.now())
        if found is None:
            raise CredentialError
        bot, token = found
        until = math.inf if token.expires is None else token.expires
        refresh, session = self._sessions.make(origin, bot_token=token.id, until=until)
        return await self._sessions.begin(bot, refresh, session, scopes=token.scopes, until=until)

    def _take(self, owner: str) -> None:
        wait = self._made.take(owner)
        if wait:
            raise MadeTooFast(wait)

    def _secret(self, bot: str, request_id: str, created: float) -> str:
        """Return the token of a request: nobody without the key can tell it from random bytes.

        It depends on when it was made: once a void token's request is forgotten, the same one makes another token.
        """
        message = b"bot token\0" + _joined(bot, request_id, created.hex())
        return TOKEN_PREFIX + as_text(hmac.digest(self._key, message, "sha256"))


def _joined(*parts: str) -> bytes:
    encoded = [part.encode() for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def _id(of: str, request_id: str) -> str:
    return hashlib.sha256(_joined(of, request_id)).hexdigest()[:16]


def _said(token: BotTokenRecord) -> tuple[object, ...]:
    """Return what the maker of a token said."""
    return token.scopes, token.description, token.expires


def _token(record: BotTokenRecord) -> BotToken:
    return BotToken(
        name=f"{PREFIX}{record.account_id}/tokens/{record.id}",
        description=record.description,
        scopes=tuple(record.scopes.split()),
        created=record.created,
        expires=record.expires,
        used=record.used,
    )

"""Share links: made, found by their tokens, revoked, and what was opened by them ended.

A token is 24 bytes drawn from the server's key and the link's id, so that a repeated request can be told the same one
though only its hash is kept.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING
from weakref import WeakSet

from gouji_server.records.share_links import NotLinked, ShareLinkRecord
from gouji_server.tables.grants import Grant
from gouji_server.tables.refusals import NOT_FOUND, RESOURCE_EXHAUSTED, Refused, used_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.records.share_links import ShareLinkRecords
    from gouji_server.tables import Clock, Entropy
    from gouji_server.tables.clock import Timer

TOKEN_BYTES = 24
DAYS = 7
"""How long a link is good where nobody says."""
MOST_DAYS = 90
DAY_SECONDS = 86400.0


class ShareLinks:
    """See the module. ``cut`` is called when grants have ended; whoever holds one looks whether it is `live`."""

    def __init__(
        self, records: ShareLinkRecords, key: bytes, clock: Clock, entropy: Entropy, cut: Callable[[], None]
    ) -> None:
        self._records = records
        self._key = hmac.digest(key, b"gouji share links", "sha256")
        self._clock = clock
        self._entropy = entropy
        self._cut = cut
        self._granted: dict[str, WeakSet[Grant]] = {}
        self._timers: dict[str, Timer] = {}
        self._ended = 0

    def close(self) -> None:
        """Let the timers go."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    async def create(
        self, account: str, target: str, expires: float | None, request_id: str
    ) -> tuple[ShareLinkRecord, str]:
        """Make a link to a table or match; return it and its token. Raises Refused."""
        now = self._clock.now()
        link_id = self._entropy.token_bytes(16).hex()
        made = ShareLinkRecord(
            link_id,
            _hash(self._token(link_id)),
            target,
            account.removeprefix("accounts/"),
            request_id,
            now,
            now + DAYS * DAY_SECONDS if expires is None else expires,
        )
        kept = await self._records.add(made, expires)
        if isinstance(kept, NotLinked):
            raise _not_linked(kept)
        return kept, self._token(kept.id)

    async def of(self, target: str, account: str | None) -> list[ShareLinkRecord]:
        """Return the good links to a table or match, the newest first: those of an account, or all (None)."""
        links = await self._records.of(target, self._clock.now())
        return [link for link in links if account is None or link.account_id == account.removeprefix("accounts/")]

    async def revoke(self, target: str, link_id: str, account: str | None) -> None:
        """Make a link void, one of an account's or any (None), and end what it opened. Raises Refused."""
        own = {link.id for link in await self.of(target, account)}
        if link_id not in own or not await self._records.remove(target, link_id):
            raise no_such_link()
        self._end(link_id)

    async def grant(self, target: str, token: str) -> Grant | None:
        """Return what a token opens of a table or match; None if it opens nothing of it."""
        if not 1 <= len(token) <= 128:
            return None
        wanted = _hash(token)
        ended = self._ended
        link = await self._records.by_token(wanted, self._clock.now())
        while ended != self._ended:  # one was revoked meanwhile
            ended = self._ended
            link = await self._records.by_token(wanted, self._clock.now())
        if link is None or link.target != target or not hmac.compare_digest(link.hash, wanted):
            return None
        grant = Grant(f"accounts/{link.account_id}")
        holders = self._granted.get(link.id)
        if holders is None:
            self._tidy()
            holders = self._granted[link.id] = WeakSet()
            self._timers[link.id] = self._clock.call_at(link.expires, lambda: self._end(link.id))
        holders.add(grant)
        return grant

    def _tidy(self) -> None:
        """Forget the links that nobody holds a grant of."""
        for link_id in [link_id for link_id, holders in self._granted.items() if not holders]:
            del self._granted[link_id]
            self._timers.pop(link_id).cancel()

    def _end(self, link_id: str) -> None:
        self._ended += 1
        holders = self._granted.pop(link_id, None)
        timer = self._timers.pop(link_id, None)
        if timer is not None:
            timer.cancel()
        if holders:
            for grant in holders:
                grant.live = False
            self._cut()

    def _token(self, link_id: str) -> str:
        drawn = hmac.digest(self._key, link_id.encode(), "sha256")[:TOKEN_BYTES]
        return urlsafe_b64encode(drawn).decode()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def no_such_link() -> Refused:
    """Refuse a link that is not there, or not the caller's: which of them is not told."""
    return Refused(NOT_FOUND, "SHARE_LINK_NOT_FOUND", "there is no such share link", "没有这个分享链接")


def _not_linked(why: NotLinked) -> Refused:
    if why is NotLinked.OTHER_REQUEST:
        return used_id()
    text_en, text_zh = ("of this account", "此账号的")
    if why is NotLinked.TOO_MANY_OF_TARGET:
        text_en, text_zh = ("to this table or match", "此牌桌或对局的")
    return Refused(
        RESOURCE_EXHAUSTED,
        "TOO_MANY_SHARE_LINKS",
        f"there are too many share links {text_en}: revoke some",
        f"{text_zh}分享链接太多：请先撤销一些",
    )

"""Block lists: whom an account wants nothing to do with; and in the same way, whom it has muted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.accounts.account import PREFIX, account_from, bare
from gouji_server.accounts.finishing import Finishing
from gouji_server.records import NotBlocked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from gouji_server.accounts.account import Account
    from gouji_server.records import BlockRecords
    from gouji_server.tables import Clock


class NoSuchAccount(Exception):
    """There is no such account, or none any more."""


class TooManyBlocked(Exception):
    """The account has blocked as many as it may."""


class Blocks:
    """The block lists of all accounts. Accounts are named `accounts/…`. Nobody is told that it is blocked."""

    def __init__(self, records: BlockRecords, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self.finishing = Finishing()
        self._listeners: list[Callable[[str], Awaitable[None]]] = []

    def listen(self, listener: Callable[[str], Awaitable[None]]) -> None:
        """Have a listener told the account whose list has changed."""
        self._listeners.append(listener)

    async def _tell(self, account: str) -> None:
        for listener in self._listeners:
            await listener(account)

    async def add(self, account: str, blocked: str) -> None:
        """Block an account. Raises NoSuchAccount, TooManyBlocked."""
        await self.finishing.run(self._add(account, blocked))

    async def _add(self, account: str, blocked: str) -> None:
        failed = await self._records.add(bare(account), bare(blocked), self._clock.now())
        if failed is NotBlocked.NO_SUCH_ACCOUNT:
            raise NoSuchAccount
        if failed is not None:
            raise TooManyBlocked
        await self._tell(account)

    async def remove(self, account: str, blocked: str) -> None:
        """Block an account no more."""
        await self.finishing.run(self._remove(account, blocked))

    async def _remove(self, account: str, blocked: str) -> None:
        await self._records.remove(bare(account), bare(blocked))
        await self._tell(account)

    async def listed(self, account: str) -> list[tuple[Account, float]]:
        """Return whom an account has blocked, and since when (Unix seconds), the last one first."""
        return [(account_from(record), since) for record, since in await self._records.of(bare(account))]

    async def has_blocked(self, account: str, other: str) -> bool:
        """Tell whether an account has blocked another."""
        return await self._records.has(bare(account), bare(other))

    async def of(self, account: str) -> frozenset[str]:
        """Return whom an account has blocked."""
        return frozenset(blocked.name for blocked, _ in await self.listed(account))

    async def between(self, account: str, others: Collection[str]) -> frozenset[str]:
        """Return those of `others` who have blocked the account, or whom it has blocked."""
        found = await self._records.between(bare(account), [bare(other) for other in others])
        return frozenset(PREFIX + other for other in found)

"""Whom somebody does not want to hear: those it has muted, and those it has blocked."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.accounts.blocks import Blocks

MAX_KEPT = 10_000
"""Accounts whose lists are kept in memory. Beyond: those used longest ago are read anew when they are wanted."""


class Silences:
    """The senders that each account does not hear. ``changed`` is told an account and its senders when they change."""

    def __init__(self, blocks: Blocks, mutes: Blocks, changed: Callable[[str, frozenset[str]], None]) -> None:
        self._blocks = blocks
        self._mutes = mutes
        self._changed = changed
        self._kept: OrderedDict[str, frozenset[str]] = OrderedDict()
        blocks.listen(self.read_again)
        mutes.listen(self.read_again)

    async def of(self, account: str) -> frozenset[str]:
        """Return whom an account does not hear."""
        kept = self._kept.get(account)
        if kept is None:
            kept = await self._blocks.of(account) | await self._mutes.of(account)
            self._kept[account] = kept
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(account)
        return kept

    async def read_again(self, account: str) -> None:
        """An account's lists have changed: what it hears on open streams changes too."""
        self._kept.pop(account, None)
        self._changed(account, await self.of(account))

"""Accounts that were given another name while access tokens with the old one may still be about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.tables import Clock


class RecentNames:
    """The newest names, each remembered for an access token's `lifetime` (seconds)."""

    def __init__(self, clock: Clock, lifetime: float) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._names: dict[str, tuple[str, float]] = {}

    def remember(self, account: str, display_name: str, at: float) -> None:
        """Note the name that an account (`accounts/…`) was given at a time (Unix seconds)."""
        self._forget()
        self._names.pop(account, None)
        self._names[account] = (display_name, at + self._lifetime)

    def of(self, account: str, told: str) -> str:
        """Return the display name of an account, of which an access token tells the name `told`."""
        return self._names.get(account, (told, 0.0))[0]

    def __len__(self) -> int:
        """Return how many are remembered."""
        return len(self._names)

    def _forget(self) -> None:
        now = self._clock.now()
        while self._names:
            oldest = next(iter(self._names))
            if self._names[oldest][1] > now:
                return
            del self._names[oldest]

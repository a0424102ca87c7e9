"""Sessions that were ended while access tokens of theirs may still be about.

Access tokens are checked without asking the records; those of a session that was ended must be refused all the same,
from the moment on at which its end is durable. A session is remembered here until its last access token has lapsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables import Clock


class Revocations:
    """The sessions ended within an access token's `lifetime` (seconds). Not more than are ended in that time."""

    def __init__(self, clock: Clock, lifetime: float) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._until: dict[str, float] = {}
        self._listeners: list[Callable[[str], None]] = []

    def listen(self, ended: Callable[[str], None]) -> None:
        """Have `ended` called with the id of every session that ends from now on."""
        self._listeners.append(ended)

    def remember(self, session: str, at: float) -> None:
        """Note a session that was ended at a time (Unix seconds), which nobody need be told of."""
        self._forget()
        self._until[session] = at + self._lifetime

    def end(self, session: str) -> None:
        """Note that a session has ended now, and tell the listeners."""
        self.remember(session, self._clock.now())
        for ended in self._listeners:
            ended(session)

    def __contains__(self, session: str) -> bool:
        """Tell whether a session has been ended."""
        return session in self._until

    def __len__(self) -> int:
        """Return how many are remembered."""
        return len(self._until)

    def _forget(self) -> None:
        """Drop what has lapsed, from the oldest on."""
        now = self._clock.now()
        while self._until:
            oldest = next(iter(self._until))
            if self._until[oldest] > now:
                return
            del self._until[oldest]

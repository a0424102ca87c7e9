"""How long to wait before trying again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_client.arguments import is_number
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    import random

    from gouji_client.clock import Clock


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from `first` seconds up to `ceiling`, and how long to go on without any success.

    Each wait is drawn between half of its length and the whole, so that a thousand clients cut off together do not all
    come back together. `patience` is in seconds; None never gives up. `first=0` tries again at once, for tests.
    """

    first: float = 0.1
    ceiling: float = 10.0
    patience: float | None = 60.0

    def __post_init__(self) -> None:
        numbers = (self.first, self.ceiling, 0.0 if self.patience is None else self.patience)
        if (
            not all(map(is_number, numbers))
            or self.first < 0
            or self.ceiling < self.first
            or (self.patience is not None and self.patience < 0)
        ):
            raise BadInput(f"a backoff waits 0 ≤ first ≤ ceiling seconds and its patience is not negative: {self}")


class Waits:
    """One run of tries: the waits between them, and whether patience is at its end."""

    def __init__(self, backoff: Backoff, clock: Clock, rng: random.Random) -> None:
        self._backoff = backoff
        self._clock = clock
        self._rng = rng
        self._tries = 0
        self._since: float | None = None

    def succeeded(self) -> None:
        """Start afresh: the last try worked."""
        self._tries = 0
        self._since = None

    def next_delay(self, at_least: float = 0.0) -> float | None:
        """Return the seconds to wait before the next try, or None when patience is at its end.

        `at_least` is what the server asked for (RetryInfo).
        """
        now = self._clock.monotonic()
        if self._since is None:
            self._since = now
        length = min(self._backoff.first * 2.0 ** min(self._tries, 62), self._backoff.ceiling)
        self._tries += 1
        delay = max(length * (0.5 + 0.5 * self._rng.random()), at_least)
        patience = self._backoff.patience
        if patience is not None and now + delay - self._since > patience:
            return None
        return delay

    async def pause(self, at_least: float = 0.0) -> bool:
        """Wait before the next try; return False at once when patience is at its end."""
        delay = self.next_delay(at_least)
        if delay is None:
            return False
        if delay > 0:
            await self._clock.sleep(delay)
        return True

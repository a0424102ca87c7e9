"""Token buckets: how often a key (an address, an account) may do something."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.tables import Clock

MAX_KEYS = 100_000
"""Keys remembered at once. Past it the one that was used longest ago is forgotten once its bucket is full again anyway;
until then keys that are not known share one bucket, so that nobody gets a full one by bringing many keys."""

_OTHERS = ""
"""The bucket that they share."""

_ROUNDING = 1e-3
"""Seconds: times since 1970 are exact to a quarter of a microsecond, and every token taken adds to the error."""


class TokenBuckets:
    """A bucket a key: `burst` tokens when full, refilled by `per_second`.

    Kept as one number a key: the time at which its bucket will be full again.
    """

    def __init__(self, clock: Clock, burst: int, per_second: float, max_keys: int = MAX_KEYS) -> None:
        self._clock = clock
        self._interval = 1 / per_second
        self._depth = burst * self._interval
        self._max_keys = max_keys
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str) -> float:
        """Take a token of `key`: 0 if there was one, else the seconds until there is one (and nothing is taken)."""
        now = self._clock.now()
        key = self._known(key, now)
        full_at = max(self._full_at.get(key, now), now)
        if full_at > now + self._depth:
            full_at = now + self._depth  # the clock was set back
        wait = full_at + self._interval - now - self._depth
        # A rounding error must not refuse a token that is there.
        if wait > _ROUNDING:
            return wait
        self._full_at[key] = full_at + self._interval
        self._full_at.move_to_end(key)
        return 0.0

    def _known(self, key: str, now: float) -> str:
        """Return the key whose bucket is meant: its own, if it has one or there is room."""
        if key in self._full_at or len(self._full_at) < self._max_keys:
            return key
        oldest = next(iter(self._full_at))
        if oldest == _OTHERS:  # it stays
            self._full_at.move_to_end(_OTHERS)
            oldest = next(iter(self._full_at))
        # One whose bucket seems fuller than full was counted by a clock that was set back since.
        if not now < self._full_at[oldest] <= now + self._depth:
            del self._full_at[oldest]
            return key
        return _OTHERS

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._full_at)

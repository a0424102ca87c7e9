"""A clock that a test moves."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class VirtualTimer:
    """A call that is due; see `VirtualClock`."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.function: Callable[[], None] | None = function

    def cancel(self) -> None:
        """Have it not happen."""
        self.function = None


class VirtualClock:
    """Stands still until `advance`; then timers fire in order, each at its own time."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self._now = start
        self._order = itertools.count()
        self._timers: list[tuple[float, int, VirtualTimer]] = []

    def now(self) -> float:
        """Tell the time."""
        return self._now

    def call_at(self, due: float, function: Callable[[], None]) -> VirtualTimer:
        """Call `function` when the time has come to `due`."""
        timer = VirtualTimer(function)
        heapq.heappush(self._timers, (due, next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move on, firing what falls due."""
        until = self._now + seconds
        while self._timers and self._timers[0][0] <= until:
            due, _, timer = heapq.heappop(self._timers)
            self._now = max(self._now, due)
            if timer.function is not None:
                timer.function()
        self._now = until

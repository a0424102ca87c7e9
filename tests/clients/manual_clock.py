"""A clock that only a test moves on."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class ManualClock:
    """Time stands still until `advance`; sleepers wake when their time has come."""

    def __init__(self, start: float = 1_000_000.0) -> None:
        self._now = start
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self.slept: list[float] = []
        """The length of every sleep asked for."""

    def monotonic(self) -> float:
        """Seconds since some fixed point."""
        return self._now

    def time(self) -> float:
        """Seconds since 1970, as this clock has it."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Return when the clock has been moved on by `seconds`."""
        self.slept.append(seconds)
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), wake))
        await wake

    def advance(self, seconds: float) -> None:
        """Move on and wake whoever's time has come."""
        self._now += seconds
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, wake = heapq.heappop(self._sleepers)
            if not wake.done():
                wake.set_result(None)


class EagerClock(ManualClock):
    """A clock that jumps over every sleep shorter than `limit`; longer ones wait for `advance`."""

    def __init__(self, limit: float = 1_000_000.0) -> None:
        super().__init__()
        self._limit = limit

    async def sleep(self, seconds: float) -> None:
        """Return at once, later."""
        if seconds >= self._limit:
            await super().sleep(seconds)
            return
        self.slept.append(seconds)
        self._now += seconds
        await asyncio.sleep(0)

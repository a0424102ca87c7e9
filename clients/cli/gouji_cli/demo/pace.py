"""How fast the demo's bots play, so that a person can follow and the match still ends in time."""

from __future__ import annotations

import asyncio
from typing import Protocol

PACK = 216
"""Cards of a deal of four packs (R1), against which its progress is measured. Most end before the last is played."""

BETWEEN_DEALS = 1.5
"""Seconds that a deal's result stays before the next deal begins."""

RESERVE = 0.3
"""Share of a deal's time kept for moments worth a closer look."""


class Clock(Protocol):
    """Tells the time and waits."""

    def monotonic(self) -> float:
        """Seconds since some fixed point."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""


class SystemClock:
    """The machine's own clock."""

    def monotonic(self) -> float:
        """Seconds since some fixed point."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await asyncio.sleep(seconds)


class Pace:
    """Gives each deal its share of the `seconds` from now on, spread over the cards put down.

    A bot waits at `turn` until the deal's clock has come to the cards that lie on the table already, so a deal takes
    its share however many plays it has, and a slow machine is not slowed further. A deal that took longer leaves less
    to those after it. `linger` halts everybody for a moment out of the deal's reserve; when that is used up it halts
    nobody. `seconds=0` never waits. `cards` are in the pack.
    """

    def __init__(self, seconds: float, deals: int, clock: Clock | None = None, *, cards: int = PACK) -> None:
        self._clock = clock or SystemClock()
        self._deals = deals
        self._pack = cards
        self._end = self._clock.monotonic() + seconds
        self._begin: float | None = None
        self._share = 0.0
        self._cards = 0
        self._held = 0.0

    def deal_started(self, number: int) -> None:
        """Start the clock of deal `number`, from 1: the first at once, later ones (void ones again) after a pause."""
        now = self._clock.monotonic()
        self._begin = now if self._begin is None else min(now + BETWEEN_DEALS, max(self._end, now))
        left = max(self._deals - number + 1, 1)
        pauses = BETWEEN_DEALS * (left - 1)
        self._share = max(self._end - self._begin - pauses, 0.0) / left
        self._cards = 0
        self._held = 0.0

    def played(self, cards: int) -> None:
        """Note that so many cards were put down."""
        self._cards += cards

    def linger(self, seconds: float) -> None:
        """Hold the play for a moment, as far as the deal's reserve allows."""
        self._held = min(self._held + seconds, self._share * RESERVE)

    def wait(self) -> float:
        """Return the seconds that a bot should wait now before it acts."""
        if self._begin is None:
            return 0.0
        due = self._begin + self._held + self._share * (1 - RESERVE) * min(self._cards / self._pack, 1.0)
        return max(due - self._clock.monotonic(), 0.0)

    async def turn(self) -> None:
        """Return when a bot may act."""
        while (seconds := self.wait()) > 0:
            await self._clock.sleep(seconds)

"""How fast the demo's bots play, so that a person can follow and the match still ends in time."""

from __future__ import annotations

import asyncio
from typing import Protocol

PACK = 216
"""Cards of a deal (R1): what a deal's progress is measured against. Most deals end before the last is played."""

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
    """Gives each deal its share of `seconds`, spread over the cards put down.

    A bot waits at `turn` until the deal's clock has come to the cards that lie on the table already, so a deal takes
    its share however many plays it has, and a slow machine is not slowed further. `linger` halts everybody for a moment
    out of the deal's reserve; when that is used up it halts nobody. `seconds=0` never waits.
    """

    def __init__(self, seconds: float, deals: int, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        pauses = BETWEEN_DEALS * (deals - 1)
        self._share = max(seconds - pauses, 0.0) / deals
        self._between = BETWEEN_DEALS if self._share else 0.0
        self._begin = 0.0
        self._cards = 0
        self._held = 0.0
        self._deals = 0

    def deal_started(self) -> None:
        """Start the clock of a deal: the first at once, later ones after the pause between deals."""
        self._deals += 1
        self._begin = self._clock.monotonic() + (self._between if self._deals > 1 else 0.0)
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
        due = self._begin + self._held + self._share * (1 - RESERVE) * min(self._cards / PACK, 1.0)
        return max(due - self._clock.monotonic(), 0.0)

    async def turn(self) -> None:
        """Return when a bot may act."""
        while (seconds := self.wait()) > 0:
            await self._clock.sleep(seconds)

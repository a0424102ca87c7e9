"""The time that the client lives by, so that tests can bring their own."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits."""

    def monotonic(self) -> float:
        """Seconds since some fixed point; never goes back."""

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""


class SystemClock:
    """The machine's own clock."""

    def monotonic(self) -> float:
        """Seconds since some fixed point."""
        return time.monotonic()

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await asyncio.sleep(seconds)

"""Time and randomness for tables in tests: a clock that lets tasks settle as it moves, and dice that repeat."""

from __future__ import annotations

import asyncio
import random

from tests.server.virtual_time import VirtualClock


class TableTime(VirtualClock):
    """A virtual clock whose :meth:`run` lets every task settle after each timer."""

    @property
    def next_due(self) -> float | None:
        """When the next timer is due."""
        due = [due for due, _, timer in self._timers if timer.function is not None]
        return min(due, default=None)

    async def run(self, seconds: float) -> None:
        """Move on by so many seconds."""
        until = self.now() + seconds
        while (due := self.next_due) is not None and due <= until:
            self.advance(max(0.0, due - self.now()))
            await settle()
        self.advance(until - self.now())
        await settle()


class SeededEntropy:
    """The same bytes for the same seed; ``secrets`` are given first where 32 bytes are drawn, as for a deal."""

    def __init__(self, seed: int = 0) -> None:
        self._dice = random.Random(seed)
        self.secrets: list[bytes] = []

    def token_bytes(self, count: int) -> bytes:
        if count == 32 and self.secrets:
            return self.secrets.pop(0)
        return self._dice.randbytes(count)


async def settle(turns: int = 25) -> None:
    """Let every task run until it waits for something from outside."""
    for _ in range(turns):
        await asyncio.sleep(0)

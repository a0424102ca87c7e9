"""Time and randomness as tables see them: injected, so that tests run in virtual time and deals can be repeated."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer(Protocol):
    """A call that is due."""

    def cancel(self) -> None:
        """Have it not happen; no error if it happened."""


class Clock(Protocol):
    """Wall-clock time and timers."""

    def now(self) -> float:
        """Tell the time in seconds since 1970-01-01 UTC."""

    def call_at(self, due: float, function: Callable[[], None]) -> Timer:
        """Call `function` in the event loop at `due`, or soon if that is past."""


_LATE = 0.001
"""Seconds. Event loops may fire a timer by a clock tick too early; who looked then would look again and again."""


class SystemClock:
    """The machine's clock. Timers run by the event loop's monotonic clock, so that a set clock does not fire them."""

    def now(self) -> float:
        """See :class:`Clock`."""
        return time.time()

    def call_at(self, due: float, function: Callable[[], None]) -> asyncio.TimerHandle:
        """See :class:`Clock`."""
        return asyncio.get_running_loop().call_later(max(0.0, due - time.time()) + _LATE, function)


class Entropy(Protocol):
    """A source of secrets: of deals, of table numbers, and of the dice of built-in bots."""

    def token_bytes(self, count: int) -> bytes:
        """Draw `count` bytes that nobody can foresee."""


class SystemEntropy:
    """The operating system's randomness."""

    def token_bytes(self, count: int) -> bytes:
        """See :class:`Entropy`."""
        return secrets.token_bytes(count)

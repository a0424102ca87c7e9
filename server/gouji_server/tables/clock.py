"""Time and randomness as tables see them: injected, so that tests run in virtual time and deals can be repeated."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Protocol

import structlog

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


_log = structlog.get_logger(__name__)

_LATE = 0.001
"""Seconds. Event loops may fire a timer by a clock tick too early; who looked then would look again and again."""


SLEW = 0.01
"""How much faster or slower time goes here, at most, until it is that of the machine's clock again."""
JUMP_SECONDS = 5.0
"""A difference that is worth a warning."""


class SystemClock:
    """The machine's wall clock at the start, and from then on steady: where somebody sets the machine's clock, time
    here goes a little faster or slower until both agree, so that no deadline lapses and no token dies of it.

    ``wall`` and ``steady`` tell the machine's wall-clock time and a time that is never set, both in seconds.
    """

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._read_at = steady()
        self._offset = wall() - self._read_at
        self._warned = False

    def now(self) -> float:
        """See :class:`Clock`. Never goes back."""
        steady = self._steady()
        wrong = self._wall() - steady - self._offset
        most = (steady - self._read_at) * SLEW
        self._read_at = steady
        self._offset += min(max(wrong, -most), most)
        jumped = abs(wrong) > JUMP_SECONDS
        if jumped and not self._warned:
            _log.warning("clock_jumped", seconds=round(wrong, 1))
        self._warned = jumped
        return steady + self._offset

    def call_at(self, due: float, function: Callable[[], None]) -> asyncio.TimerHandle:
        """See :class:`Clock`."""
        return asyncio.get_running_loop().call_later(max(0.0, due - self.now()) + _LATE, function)


class Entropy(Protocol):
    """A source of secrets: of deals, of table numbers, and of the dice of built-in bots."""

    def token_bytes(self, count: int) -> bytes:
        """Draw `count` bytes that nobody can foresee."""


class SystemEntropy:
    """The operating system's randomness."""

    def token_bytes(self, count: int) -> bytes:
        """See :class:`Entropy`."""
        return secrets.token_bytes(count)

"""Single keys from a terminal, without waiting for Enter."""

from __future__ import annotations

import os
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPE_SECONDS = 0.05
"""The rest of a key's sequence comes within this time after its escape, or there is none."""
_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "[H": "home",
    "[F": "end",
    "OH": "home",
    "OF": "end",
    "[1~": "home",
    "[4~": "end",
    "[5~": "pageup",
    "[6~": "pagedown",
}
_SIGNS = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x04": "q"}


def can_read_keys() -> bool:
    """Whether somebody sits at a keyboard."""
    try:
        import termios  # noqa: F401 - not on every system
    except ImportError:
        return False
    return sys.stdin.isatty()


class Keyboard:
    """Reads keys from a file descriptor. `None` stands for no key within the time given, `q` for the end of input."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, seconds: float | None) -> str | None:
        """Return the next key: a sign, or a word such as `left`."""
        if not self._is_ready(seconds):
            return None
        sign = self._take()
        if sign == "\x1b":
            return self._sequence()
        return _SIGNS.get(sign, sign or "q")

    def _sequence(self) -> str:
        said = ""
        while len(said) < 4 and self._is_ready(ESCAPE_SECONDS):
            said += self._take()
            if said in _SEQUENCES:
                return _SEQUENCES[said]
        return "escape" if not said else "unknown"

    def _is_ready(self, seconds: float | None) -> bool:
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def _take(self) -> str:
        return os.read(self._descriptor, 1).decode("latin-1")


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Take the terminal's keys one by one while the block runs; it is given back whatever happens."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield Keyboard(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

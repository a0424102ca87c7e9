"""Time controls: how long a decision may take, and the bank that each seat has besides, for the whole match.

A bank runs only where one seat is asked alone. Where several are asked together and answer in secret, nobody's does and
all have the same time: what is left of a bank is public, so its use would tell who answered, and when.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Milliseconds for one decision (0: no clock) and in each seat's bank for the match."""

    decision_ms: int = 0
    bank_ms: int = 0

    @property
    def preset(self) -> lobby_pb2.TimePreset.ValueType:
        """Its name, TIME_PRESET_UNSPECIFIED for none."""
        return _NAMES.get(self, lobby_pb2.TIME_PRESET_UNSPECIFIED)

    def fill(self, message: lobby_pb2.TimeControl) -> None:
        """Write it as everybody may see it."""
        message.preset = self.preset
        if self.decision_ms:
            message.decision_time.FromMilliseconds(self.decision_ms)
        if self.bank_ms:
            message.bank.FromMilliseconds(self.bank_ms)


PRESETS: Mapping[lobby_pb2.TimePreset.ValueType, TimeControl] = {
    lobby_pb2.TIME_PRESET_BLITZ: TimeControl(8_000, 60_000),
    lobby_pb2.TIME_PRESET_NORMAL: TimeControl(20_000, 180_000),
    lobby_pb2.TIME_PRESET_SLOW: TimeControl(60_000, 600_000),
    lobby_pb2.TIME_PRESET_NONE: TimeControl(),
}
_NAMES = {times: name for name, times in PRESETS.items()}

NOBODY = -1


class Times:
    """The clocks of a match: what is left of each bank, and whose runs.

    All is counted from the times that the journal holds, so that every fold of it comes to the same.
    """

    __slots__ = ("_asked_at", "_seat", "control", "left")

    def __init__(self) -> None:
        self.control = TimeControl()
        self.left: tuple[int, ...] = (0,) * SEATS
        """Milliseconds in each seat's bank."""
        self._seat = NOBODY
        self._asked_at = 0

    @property
    def banks(self) -> tuple[int, ...]:
        """What is left in each seat's bank, nothing at a table without banks."""
        return self.left if self.control.bank_ms else ()

    def start(self) -> None:
        """A match begins: every bank is full."""
        self.left = (self.control.bank_ms,) * SEATS

    def ask(self, asked: int, time: int, *, together: bool) -> int:
        """A question was put to the seats of a mask; return its deadline, 0 for none.

        ``together``: their answers are hidden until all are in.
        """
        if not self.control.decision_ms:
            return 0
        self._asked_at = time
        alone = not together and asked & (asked - 1) == 0
        self._seat = asked.bit_length() - 1 if alone else NOBODY
        return time + self.control.decision_ms + (self.left[self._seat] if alone else 0)

    def shift(self, by_ms: int) -> None:
        """The open question's deadline was moved: whose bank runs has its time moved too."""
        self._asked_at += by_ms

    def settle(self, time: int) -> None:
        """The open question was answered, or lapsed: take what it cost from the bank that ran."""
        seat, self._seat = self._seat, NOBODY
        if seat == NOBODY:
            return
        used = time - self._asked_at - self.control.decision_ms
        if used > 0 and self.left[seat]:
            left = list(self.left)
            left[seat] = max(0, left[seat] - used)
            self.left = tuple(left)

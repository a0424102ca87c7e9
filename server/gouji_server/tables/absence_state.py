"""The part of a table's state about who is there: who follows the table, and whose seat a built-in bot plays.

Nothing of it depends on cards, or on an answer that is hidden: decisions that lapse are counted only where a seat is
asked alone, and presence is a matter of connections.
"""

# ruff: noqa: SLF001 - the table of folds below the class is the class's own; mypyc wants it outside

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gouji_server.tables import happenings, inputs
from gouji_server.tables.lobby_state import PLAYING, LobbyState
from gouji_server.tables.requests import Answer, body_hash
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.lobby_state import Effect
    from gouji_server.tables.requests import Key
    from gouji_server.tables.steps import DealFacts

SET_AUTOPILOT = "SetAutopilot"
SET_AUTO_DECLINE = "SetAutoDecline"
NO_REASON = 0


class AbsenceState(LobbyState):
    """See the module.

    ``absent`` is the mask of the seats whose player is told not to follow the table, ``autopilot`` of those that a bot
    plays for their player, since ``autopilot_reasons``; ``expired`` counts each seat's lapsed decisions in a row;
    ``said`` what each seat said in this deal besides its answers, ``gone_told`` how often it was told to be gone in it.
    ``auto_decline`` is the mask of the seats that want
    to be declined for, ``auto_always`` of those that want it in the next deals too, ``declining`` of those that the
    server declines for in the open window: what a seat says during a window is good for the next one.
    """

    __slots__ = (
        "absent",
        "auto_always",
        "auto_decline",
        "autopilot",
        "autopilot_reasons",
        "declining",
        "expired",
        "facts",
        "gone_told",
        "said",
        "suspended",
    )

    def __init__(self, name: str, limits: Limits) -> None:
        super().__init__(name, limits)
        self.said = [0] * SEATS
        self.gone_told = [0] * SEATS
        self.absent = 0
        self.autopilot = 0
        self.autopilot_reasons = [NO_REASON] * SEATS
        self.expired = [0] * SEATS
        self.auto_decline = 0
        self.auto_always = 0
        self.declining = 0
        self.suspended = 0
        """Since when the match stands still (milliseconds); 0 while it goes on."""
        self.facts: DealFacts | None = None

    @property
    def house(self) -> int:
        """Mask of the seats that the server plays: built-in bots, and those on autopilot."""
        return self.seats.bots | self.autopilot

    def _make_info(self) -> lobby_pb2.Table:
        info = super()._make_info()
        if self.suspended:
            info.suspend_time.FromMilliseconds(self.suspended)
        return info

    def _keep_said(self, seat: int, key: Key, body: bytes, told: int | None = None) -> None:
        self.said[seat] += 1
        self.requests.keep_move(key, Answer(body, self.n, told=told))

    def _presence_noted(self, entry: inputs.PresenceNoted, effect: Effect) -> None:
        self._check_person(entry.seat)
        if entry.connected:
            self.absent &= ~(1 << entry.seat)
        else:
            self.absent |= 1 << entry.seat
            self.gone_told[entry.seat] += 1
        self._tell(effect, happenings.PresenceChanged(entry.seat, entry.connected))
        self._show(effect)

    def _autopilot_set(self, entry: inputs.AutopilotSet, effect: Effect) -> None:
        seat = entry.seat
        self._check_person(seat)
        if entry.on:
            self.autopilot |= 1 << seat
        else:
            self.autopilot &= ~(1 << seat)
        self.autopilot_reasons[seat] = entry.reason
        self.expired[seat] = 0
        self._tell(effect, happenings.AutopilotChanged(seat, entry.on, entry.reason))
        self._show(effect)
        if entry.request_id:
            self._keep_said(seat, (entry.account, SET_AUTOPILOT, entry.request_id), body_hash(entry.on))

    def _auto_decline_set(self, entry: inputs.AutoDeclineSet, effect: Effect) -> None:
        seat, bit = entry.seat, 1 << entry.seat
        self._check_person(seat)
        self.auto_decline = self.auto_decline | bit if entry.on else self.auto_decline & ~bit
        self.auto_always = self.auto_always | bit if entry.on and entry.always else self.auto_always & ~bit
        effect.touched |= bit
        key = (entry.account, SET_AUTO_DECLINE, entry.request_id)
        self._keep_said(seat, key, body_hash(entry.on, entry.always))

    def _check_person(self, seat: int) -> None:
        if self.state != PLAYING or not 0 <= seat < SEATS or not self.seats.players[seat].account:
            raise inputs.BadEntry("about a person where none plays")

    def _show(self, effect: Effect) -> None:
        """Have the deal's state, in which this stands, come with the event."""
        effect.of_deal = True
        if self.facts is not None:
            self.facts.absent, self.facts.autopilot = self.absent, self.autopilot


ABSENCE_FOLDS: dict[type[Any], Callable[[Any, Any, Effect], None]] = {
    inputs.PresenceNoted: AbsenceState._presence_noted,
    inputs.AutopilotSet: AbsenceState._autopilot_set,
    inputs.AutoDeclineSet: AbsenceState._auto_decline_set,
}
"""How each of its inputs is folded."""

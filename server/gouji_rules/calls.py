"""Calls (预点, 明点, R42): "you will not open", said before the cards are drawn or before the lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.actions import NO, Action
from gouji_rules.events import Called
from gouji_rules.question import BLIND_CALL_VERBS, OPEN_CALL_VERBS, Kind
from gouji_rules.state import Phase

if TYPE_CHECKING:
    from gouji_rules.position import Position

OPEN: Final = 1
BLIND: Final = 2
"""What :attr:`~gouji_rules.PublicState.calls` holds for a seat that has called; 0 is no call."""


def ask_blind(pos: Position) -> None:
    """Ask every seat, together, whether it calls before it has seen a card."""
    _ask(pos, 63, BLIND_CALL_VERBS)


def ask_open(pos: Position) -> None:
    """Ask every seat that has not called blind (one of the two at most); nobody if all have."""
    _ask(pos, sum(1 << seat for seat, call in enumerate(pos.public.calls) if not call), OPEN_CALL_VERBS)


def _ask(pos: Position, seats: int, verbs: int) -> None:
    if not seats:
        return
    p = pos.public
    p.phase = Phase.CALLS
    p.kind = Kind.CALL
    p.asked = pos.waiting = seats
    p.verbs = verbs
    p.turn = -1


def announce(pos: Position, seat: int, answer: Action) -> None:
    """A call is told at once; that a seat does not call is not."""
    if answer == NO:
        return
    p = pos.public
    blind = p.verbs == BLIND_CALL_VERBS
    p.calls = (*p.calls[:seat], BLIND if blind else OPEN, *p.calls[seat + 1 :])
    if pos.events is not None:
        pos.events.append(Called(seat, blind))

"""Burning (R30-R37): who is in the window, whose burn stands, how a burn ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.actions import DECLINE
from gouji_rules.enumeration import jokers_in, kinds_in
from gouji_rules.events import BurnEnd, BurnEnded, Manner
from gouji_rules.position import OPPOSITE
from gouji_rules.question import WINDOW_VERBS, Kind

if TYPE_CHECKING:
    from gouji_rules.position import Position

BURN_ORDER = tuple(tuple((seat + step) % 6 for step in (2, 4, 1, 3, 5)) for seat in range(6))
"""By owner of the top play: its allies, then the others, each in turn order (R32)."""


_WINDOW = Kind.WINDOW


def open_window(pos: Position, mask: int) -> None:
    """Ask every seat of the mask, together, whether it burns the top play (R30)."""
    p = pos.public
    p.kind = _WINDOW
    p.asked = mask
    p.verbs = WINDOW_VERBS
    p.turn = -1
    pos.waiting = mask


def burner_of_window(pos: Position) -> int:
    """Whose burn stands now that all have answered (R32); -1 if nobody burned."""
    answers = pos.answers
    for seat in BURN_ORDER[pos.public.top_owner]:
        answer = answers[seat]
        if answer is not None and answer != DECLINE:
            return seat
    return -1


def cover_burner(pos: Position, seat: int, manner: Manner) -> None:
    """Somebody beat the running burner's play: the burn is over (R33). Must not be called without a burn."""
    p = pos.public
    burner = p.burner
    if pos.events is not None:
        if manner == Manner.BURN:
            reason = BurnEnd.COUNTER_BURNED
        elif seat == OPPOSITE[burner]:
            reason = BurnEnd.DEFUSED
        else:
            reason = BurnEnd.ANSWERED
        pos.events.append(BurnEnded(burner, reason))
    p.burner = -1
    p.burned = -1


def end_by_melee(pos: Position) -> None:
    """R37: a burn ends when the melee begins."""
    p = pos.public
    if p.burner >= 0:
        if pos.events is not None:
            pos.events.append(BurnEnded(p.burner, BurnEnd.MELEE))
        p.burner = -1
        p.burned = -1


def has_failed(pos: Position, burner: int) -> bool:
    """R34: no lead is left that holds a joker or empties the hand."""
    return not jokers_in(pos.wild[burner]) and kinds_in(pos.naturals[burner]) >= 2

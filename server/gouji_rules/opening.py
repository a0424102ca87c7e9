"""Opening (开点, R40-R44): a gouji play that was live and gave its owner the lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules import buying
from gouji_rules.cards import TWO
from gouji_rules.events import Opened
from gouji_rules.plays import BIG_MASK, JOKER_MASK, LOW_MASK, SIZE_SHIFT
from gouji_rules.position import OPPOSITE

if TYPE_CHECKING:
    from gouji_rules.plays import Play
    from gouji_rules.position import Position

DEAD_GOUJIS: Final = 3
"""How many live dead goujis open the opposite of a revolutionary under `revolution_opens = three` (R44)."""


def opens(pos: Position) -> bool:
    """Whether the top play, standing unbeaten, opens its owner if that gets the lead (R40, R41, R44)."""
    p = pos.public
    owner = p.top_owner
    if p.melee or p.opened >> owner & 1 or not p.top_gouji or p.top_last or _too_late(pos, owner):
        return False
    rules = pos.rules
    if p.revolted >= 0 and owner == OPPOSITE[p.revolted] and rules.revolution_opens == "three":
        p.live_dead += p.top_dead and len(p.finished) < 2
        return p.live_dead >= DEAD_GOUJIS
    return not _excluded(rules.open_excludes, p.top)


def _too_late(pos: Position, owner: int) -> bool:
    """R41: under `strict` the first finisher and its opposite open before it finishes, the others before the second."""
    finished = pos.public.finished
    if not finished or pos.rules.open_deadline != "strict":
        return False
    return len(finished) >= 2 or owner == OPPOSITE[finished[0]]


def _excluded(excludes: str, play: Play) -> bool:
    """`open_excludes`."""
    if excludes == "big_joker":
        return bool(play & BIG_MASK)
    if play & JOKER_MASK:
        return True
    if excludes == "jokers_and_singles":
        return play >> SIZE_SHIFT == 1
    return excludes == "jokers_and_twos" and play & LOW_MASK == TWO


def open_seat(pos: Position, seat: int) -> None:
    """A seat has opened: all hear it."""
    pos.public.opened |= 1 << seat
    if pos.events is not None:
        pos.events.append(Opened(seat))


def owe_four(pos: Position, seat: int) -> None:
    """R43: the lead of a seat that has just opened holds a 4, which it buys if it has none.

    Not of a seat with nothing but 3s; where nobody sells, its hand frees it.
    """
    if not pos.held(seat, buying.FOUR) and pos.left[seat] != pos.held(seat, buying.THREE):
        buying.buy_four(pos, seat)
    pos.public.must_hold_four = True


def open_by_revolution(pos: Position, revolted: int) -> None:
    """R44, R53: what a revolution opens at once."""
    rules = pos.rules
    if rules.revolution_opens == "at_once":
        open_seat(pos, OPPOSITE[revolted])
    if rules.revolution == "hold_three_only" and rules.buy_from == "S0":
        open_seat(pos, revolted)

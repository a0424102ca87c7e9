"""Burning (R30-R37): who is in the window, whose burn stands, how a burn ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.actions import DECLINE
from gouji_rules.enumeration import jokers_in, kinds_in
from gouji_rules.events import BurnEnd, BurnEnded, Manner
from gouji_rules.position import OPPOSITE, OPPOSITE_BIT
from gouji_rules.question import BURN_BIT, KILL_BIT, WINDOW_VERBS, Kind

if TYPE_CHECKING:
    from gouji_rules.position import Position

_WINDOW: Final = Kind.WINDOW


def find_window(pos: Position, others: int, passed: int) -> tuple[int, int]:
    """Who is in the window of the top play where it is not qingdao's: who may burn (R30), who may kill (R15).

    ``others`` are the active seats without its owner; ``passed`` those that passed. Public facts alone decide.
    """
    p = pos.public
    conduct = pos.conduct
    opposite = OPPOSITE_BIT[p.top_owner]
    burners = killers = 0
    if conduct.burns and (p.top_dead or not p.top_headless):
        burners = others & ~(opposite | p.headless)
        if p.closed or not conduct.burn_after_pass:
            burners &= ~passed
    if conduct.kill_anyone and conduct.counts_big(p.top):
        # The opposite kills as its answer; shut out from answering, it is in the window like the others (R21).
        killers = others & ~(opposite & p.pending)
    return burners, killers


def open_mixed_window(pos: Position, burners: int, killers: int) -> None:
    """Ask who may burn and who may kill, all together."""
    open_window(pos, burners | killers)
    p = pos.public
    p.only_kill = killers & ~burners
    if killers:
        p.verbs = WINDOW_VERBS | KILL_BIT if burners else WINDOW_VERBS & ~BURN_BIT | KILL_BIT


def open_window(pos: Position, mask: int) -> None:
    """Ask every seat of the mask, together, whether it burns the top play (R30)."""
    p = pos.public
    p.kind = _WINDOW
    p.asked = mask
    p.verbs = WINDOW_VERBS
    p.turn = -1
    pos.waiting = mask


def burner_of_window(pos: Position) -> int:
    """Whose burn or kill stands now that all have answered (R32); -1 if everyone declined."""
    answers = pos.answers
    for seat in pos.conduct.burn_order[pos.public.top_owner]:
        answer = answers[seat]
        if answer is not None and answer != DECLINE:
            return seat
    return -1


def cover_burner(pos: Position, seat: int, manner: Manner) -> None:
    """Somebody beat the running burner's play: the burn is over (R33). Must not be called without a burn."""
    p = pos.public
    tell_end(pos, p.burner, seat, manner)
    p.burner = -1
    p.burned = -1


def tell_end(pos: Position, burner: int, seat: int, manner: Manner) -> None:
    """Tell how a burn ended: what the seat that beat it did."""
    if pos.events is None:
        return
    if manner == Manner.BURN:
        reason = BurnEnd.COUNTER_BURNED
    elif seat == OPPOSITE[burner] and manner != Manner.KILL:
        reason = BurnEnd.DEFUSED
    else:
        reason = BurnEnd.ANSWERED
    pos.events.append(BurnEnded(burner, reason))


def end_by_melee(pos: Position) -> None:
    """R37: a burn ends when the melee begins."""
    p = pos.public
    if p.burner >= 0:
        if pos.events is not None:
            pos.events.append(BurnEnded(p.burner, BurnEnd.MELEE))
        p.burner = -1
        p.burned = -1


def start(pos: Position, seat: int) -> None:
    """A seat is about to burn the top play; a counter-burn if that is a burner's (R33, R35)."""
    p = pos.public
    owner = p.top_owner
    p.counter_burn = _is_burners(pos, owner)
    if p.burner >= 0:
        tell_end(pos, p.burner, seat, Manner.BURN)
    p.burner = seat
    p.burned = owner


def _is_burners(pos: Position, owner: int) -> bool:
    """Whether the top play belongs to a burn: a running one, or one that has just succeeded with it."""
    p = pos.public
    return p.burner == owner or (p.top_last and bool(p.burns) and p.burns[-1][1] == owner)


def has_failed(pos: Position, burner: int) -> bool:
    """R34: no lead is left that holds a joker or empties the hand."""
    if pos.conduct.hold_three and pos.held(burner, 0):
        return not jokers_in(pos.wild[burner]) and pos.left[burner] != pos.held(burner, 0)
    return not jokers_in(pos.wild[burner]) and kinds_in(pos.naturals[burner]) >= 2

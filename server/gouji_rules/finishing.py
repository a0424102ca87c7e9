"""Places and the end of a deal (R8, R34, R51), and what a seat that goes out does to its opposite (R25, R26)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules import scoring
from gouji_rules.events import BurnSucceeded, Busted, DealEnded, Finished, ObligationsRecorded
from gouji_rules.position import FIRST_AFTER, OPPOSITE, TEAM_MASK
from gouji_rules.question import Kind
from gouji_rules.state import Phase, Standing

if TYPE_CHECKING:
    from gouji_rules.position import Position
    from gouji_rules.state import PublicState

FOURTH = 4


def finish(pos: Position, seat: int) -> bool:
    """A seat has put down its last play: it gets the first free place. True if that ends the deal (R8).

    The play must be the top play already. A first or second finisher's opposite keeps its one chance of a dead gouji
    while that play is on top (R26); any other opposite is headless at once (R25).
    """
    p = pos.public
    p.standing[seat] = Standing.FINISHED
    place = _first_free(p)
    p.place[seat] = place
    p.finished.append(seat)
    p.active &= ~(1 << seat)
    if not p.melee:
        opposite = OPPOSITE[seat]
        early = len(p.finished) <= 2
        if early:
            p.closed = True
        if p.active >> opposite & 1:
            if early:
                p.chance = opposite
            else:
                p.headless |= 1 << opposite
    events = pos.events
    if p.burner == seat:
        if events is not None:
            events.append(BurnSucceeded(seat, p.burned))
        p.burner = -1
        p.burned = -1
    if events is not None:
        events.append(Finished(seat, place))
    return _end_if_decided(pos, seat)


def bust(pos: Position, seat: int) -> bool:
    """A burn has failed: its burner is out and takes the last free place (R34). True if that ends the deal (R8)."""
    p = pos.public
    p.standing[seat] = Standing.BUSTED
    place = _last_free(p)
    p.place[seat] = place
    p.active &= ~(1 << seat)
    p.burner = -1
    p.burned = -1
    opposite = OPPOSITE[seat]
    if p.active >> opposite & 1:
        p.headless |= 1 << opposite
    if pos.events is not None:
        pos.events.append(Busted(seat, place))
    return _end_if_decided(pos, seat)


def _is_free(p: PublicState, place: int) -> bool:
    """Whether a place is open; fourth is kept for a revolutionary (R51)."""
    return place not in p.place and not (place == FOURTH and p.revolted >= 0)


def _first_free(p: PublicState) -> int:
    return next(place for place in range(1, 7) if _is_free(p, place))


def _last_free(p: PublicState) -> int:
    return next(place for place in range(6, 0, -1) if _is_free(p, place))


def _end_if_decided(pos: Position, leaver: int) -> bool:
    """R8: the deal ends at once when all seats in play are of one team."""
    p = pos.public
    if p.active & TEAM_MASK[0] and p.active & TEAM_MASK[1]:
        return False
    _fix_remaining_places(p, leaver)
    p.phase = Phase.OVER
    p.kind = Kind.NONE
    p.asked = p.verbs = p.pending = 0
    p.turn = -1
    p.yielder = p.chance = -1
    p.must_hold_joker = False
    if pos.events is not None:
        result = scoring.result_of(p)
        pos.events.append(DealEnded(result.places, result.scores, result.sweep))
        if p.rules.tribute:
            pos.events.append(ObligationsRecorded(result.obligations))
    return True


def _fix_remaining_places(p: PublicState, leaver: int) -> None:
    """R51's place for a revolutionary, then R8's: those still in play, in turn order after the leaver."""
    revolted = p.revolted
    if revolted >= 0:
        allies = {(revolted + 2) % 6, (revolted + 4) % 6}
        place = 3 if {seat for seat in range(6) if p.place[seat] in (1, 2)} == allies else FOURTH
        p.place[revolted] = place
    waiting = p.active
    while waiting:
        seat = FIRST_AFTER[leaver][waiting]
        waiting &= ~(1 << seat)
        p.place[seat] = next(place for place in range(1, 7) if place not in p.place)

"""Places and the end of a deal (R8, R34, R51), and what a seat that goes out does to its opposite (R25, R26)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules import scoring
from gouji_rules.events import (
    BurnSucceeded,
    Busted,
    DealEnded,
    Finished,
    ObligationsRecorded,
    SlamMade,
    Stifled,
)
from gouji_rules.position import FIRST_AFTER, OPPOSITE, TEAM_MASK
from gouji_rules.question import Kind
from gouji_rules.state import SEAT_SHIFT, Phase, Standing, with_seat

if TYPE_CHECKING:
    from gouji_rules.position import Position
    from gouji_rules.state import PublicState

FIRST, SECOND, THIRD, FOURTH = 1, 2, 3, 4


def finish(pos: Position, seat: int) -> bool:
    """A seat has put down its last play: it gets the first free place. True if that ends the deal (R8).

    The play must be the top play already. A first or second finisher's opposite keeps its one chance of a dead gouji
    while that play is on top (R26); any other opposite is headless at once (R25).
    """
    p = pos.public
    p.standing = with_seat(p.standing, seat, Standing.FINISHED)
    place = _first_free(p)
    p.place = with_seat(p.place, seat, place)
    p.finished += (seat,)
    p.active &= ~(1 << seat)
    p.headless &= ~(1 << seat)
    if not p.melee:
        opposite = OPPOSITE[seat]
        early = len(p.finished) <= 2
        if early and pos.conduct.closes_after_last:
            p.closed = True
        if p.active >> opposite & 1:
            if early and _gives_chance(pos):
                p.chance = opposite
            else:
                p.headless |= 1 << opposite
    events = pos.events
    if p.burner == seat:
        p.burns = (*p.burns, (p.burned, seat, p.counter_burn and p.rules.counter_burn_doubles))
        if events is not None:
            events.append(BurnSucceeded(seat, p.burned))
        p.burner = -1
        p.burned = -1
    if events is not None:
        events.append(Finished(seat, place))
    tell_stifled(pos, 1 << seat)
    if pos.conduct.slam and _made_slam(pos, seat):
        p.slam = seat
        if events is not None:
            events.append(SlamMade(seat))
        _end(pos, seat)
        return True
    return end_if_decided(pos, seat)


def _gives_chance(pos: Position) -> bool:
    """R26: whether the last play just put down leaves the finisher's opposite a chance of a dead gouji."""
    dead_gouji = pos.conduct.dead_gouji
    return dead_gouji == "any_last" or (dead_gouji == "gouji_last" and pos.public.top_gouji)


def _made_slam(pos: Position, seat: int) -> bool:
    """R66: whether nobody else played a card from a seat's first play to its last."""
    owners = [entry >> SEAT_SHIFT & 7 for entry in pos.public.history]
    first = owners.index(seat)
    return all(owner == seat for owner in owners[first:])


def tell_stifled(pos: Position, out: int) -> None:
    """R46: what was hidden about the seats of a mask, now out, is public."""
    if not pos.stifles or pos.conduct.stifle_busts:
        return
    p = pos.public
    told = {seat for seat, _ in p.stifled}
    fresh = [(seat, by) for seat, by in pos.stifles if out >> seat & 1 and seat not in told]
    if not fresh:
        return
    p.stifled = tuple(pair for pair in pos.stifles if pair in fresh or pair[0] in told)
    if pos.events is not None:
        pos.events.extend(Stifled(seat, by, busted=False) for seat, by in fresh)


def bust(pos: Position, seat: int) -> bool:
    """A burn has failed: its burner is out and takes the last free place (R34). True if that ends the deal (R8)."""
    put_out(pos, seat)
    return end_if_decided(pos, seat)


def put_out(pos: Position, seat: int) -> None:
    """A seat is out of play, busted, and takes the last free place; whether that ends the deal is asked apart."""
    p = pos.public
    p.standing = with_seat(p.standing, seat, Standing.BUSTED)
    place = _last_free(p)
    p.place = with_seat(p.place, seat, place)
    p.active &= ~(1 << seat)
    p.headless &= ~(1 << seat)
    if p.burner == seat:
        p.burner = -1
        p.burned = -1
    opposite = OPPOSITE[seat]
    if p.active >> opposite & 1 and not p.melee:
        p.headless |= 1 << opposite
    if pos.events is not None:
        pos.events.append(Busted(seat, place))
    tell_stifled(pos, 1 << seat)


def _is_free(p: PublicState, place: int) -> bool:
    """Whether a place is open; fourth is kept for a revolutionary (R51)."""
    return place not in p.place and not (place == FOURTH and p.revolted >= 0)


def _first_free(p: PublicState) -> int:
    return next(place for place in range(1, 7) if _is_free(p, place))


def _last_free(p: PublicState) -> int:
    return next(place for place in range(6, 0, -1) if _is_free(p, place))


def end_if_decided(pos: Position, leaver: int) -> bool:
    """R8: the deal ends at once when all seats in play are of one team, in individual play when one is left."""
    p = pos.public
    if pos.conduct.federation:
        if p.active & TEAM_MASK[0] and p.active & TEAM_MASK[1]:
            return False
    elif p.active.bit_count() > 1:
        return False
    _end(pos, leaver)
    return True


def _end(pos: Position, leaver: int) -> None:
    p = pos.public
    _fix_remaining_places(p, leaver, sweeps=pos.conduct.federation)
    tell_stifled(pos, 63)
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


def _fix_remaining_places(p: PublicState, leaver: int, *, sweeps: bool) -> None:
    """R51's place for a revolutionary and R8's for those still in play, in turn order after the leaver.

    ``sweeps``: a revolutionary whose allies are first and second is third; whoever had that place is fourth.
    """
    revolted = p.revolted
    if revolted >= 0:
        p.place = with_seat(p.place, revolted, FOURTH)
    waiting = p.active
    while waiting:
        seat = FIRST_AFTER[leaver][waiting]
        waiting &= ~(1 << seat)
        p.place = with_seat(p.place, seat, next(place for place in range(1, 7) if place not in p.place))
    if revolted >= 0 and sweeps and p.place[(revolted + 2) % 6] + p.place[(revolted + 4) % 6] == FIRST + SECOND:
        p.place = with_seat(p.place, p.place.index(THIRD), FOURTH)
        p.place = with_seat(p.place, revolted, THIRD)

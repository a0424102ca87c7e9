"""Revolution (革命, R50-R52): everyone is asked before the first lead; a revolutionary's opposite chooses its head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules import opening, trick
from gouji_rules.actions import KEEP_HEAD, REVOLT
from gouji_rules.cards import SEATS
from gouji_rules.events import DealVoided, HeadChosen, LeadFixed, LeadReason, RevolutionSettled
from gouji_rules.position import FIRST_AFTER, OPPOSITE
from gouji_rules.question import HEAD_VERBS, REVOLT_VERBS, Kind
from gouji_rules.state import Phase, Standing, with_seat

if TYPE_CHECKING:
    from gouji_rules.actions import Action
    from gouji_rules.position import Position

DEAD_GOUJIS: Final = 3
"""How many gouji plays are dead for one that keeps its head (R52)."""


def ask_all(pos: Position) -> None:
    """Ask every seat, together and by right, whether it revolts (R50)."""
    p = pos.public
    p.phase = Phase.REVOLUTION
    p.kind = Kind.REVOLT
    p.asked = pos.waiting = 63
    p.verbs = REVOLT_VERBS
    p.turn = -1


def settle(pos: Position) -> None:
    """All have answered: nobody revolts, one does, or the deal is void (R50, R51)."""
    p = pos.public
    revolted = [seat for seat in range(SEATS) if pos.answers[seat] == REVOLT]
    pos.forget_answers()
    if pos.events is not None:
        pos.events.append(RevolutionSettled(tuple(revolted)))
    for seat in revolted:
        p.standing = with_seat(p.standing, seat, Standing.REVOLTED)
        p.active &= ~(1 << seat)
        p.count_shown = with_seat(p.count_shown, seat, -1)
    if len(revolted) > 1:
        _void(pos, tuple(revolted))
    elif revolted:
        _one_revolts(pos, revolted[0])
    else:
        trick.begin_play(pos)


def _void(pos: Position, seats: tuple[int, ...]) -> None:
    p = pos.public
    p.phase = Phase.OVER
    p.kind = Kind.NONE
    p.asked = p.verbs = 0
    if pos.events is not None:
        pos.events.append(DealVoided(seats))


def _one_revolts(pos: Position, seat: int) -> None:
    p = pos.public
    p.revolted = seat
    if pos.conduct.opening:
        opening.open_by_revolution(pos, seat)
    if p.first_leader == seat:
        p.first_leader = FIRST_AFTER[seat][p.active]
        if pos.events is not None:
            pos.events.append(LeadFixed(p.first_leader, LeadReason.REVOLUTION))
    p.phase = Phase.HEAD_CHOICE
    p.kind = Kind.HEAD
    p.turn = OPPOSITE[seat]
    p.asked = 1 << OPPOSITE[seat]
    p.verbs = HEAD_VERBS


def choose_head(pos: Position, seat: int, action: Action) -> None:
    """R52: three dead goujis, or headless at once."""
    p = pos.public
    keep = action == KEEP_HEAD
    if keep:
        p.dead_left = with_seat(p.dead_left, seat, DEAD_GOUJIS)
    else:
        p.headless |= 1 << seat
    if pos.events is not None:
        pos.events.append(HeadChosen(seat, keep))
    trick.begin_play(pos)

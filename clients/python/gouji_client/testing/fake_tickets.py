"""Tickets of the fake server's matchmaker, and who of them may play together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.matchmaking.v1 import matchmaking_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

TEAM = 3
OVER = (pb.TICKET_STATE_MATCHED, pb.TICKET_STATE_CANCELLED, pb.TICKET_STATE_EXPIRED)
_MOST_CANDIDATES = 12
_STEP_SECONDS = 10.0


@dataclass(slots=True)
class Ticket:
    """People who wait; `told` is it without what changes with time. `first`: it was called in vain, and goes before."""

    told: pb.Ticket
    body: bytes
    window: tuple[float, float, float]
    created: float
    expires: float
    ready_until: float = 0.0
    first: bool = False

    @property
    def over(self) -> bool:
        """Whether it stays as it is."""
        return self.told.state in OVER

    @property
    def queued(self) -> bool:
        """Whether it waits for others."""
        return self.told.state == pb.TICKET_STATE_QUEUED

    def takes_bots(self, now: float) -> bool:
        """Whether built-in bots may fill seats by now."""
        after = self.told.fill_with_bots_after.ToNanoseconds() / 1e9
        return self.told.HasField("fill_with_bots_after") and now >= self.created + after

    def message(self, now: float) -> pb.Ticket:
        """Return it as its people are told."""
        start, step, most = self.window
        message = pb.Ticket()
        message.CopyFrom(self.told)
        message.rating_window = min(most, start + step * (max(0.0, now - self.created) // _STEP_SECONDS))
        for seconds, field in ((self.created, message.create_time), (self.expires, message.expire_time)):
            field.FromNanoseconds(round(seconds * 1e9))
        if self.told.state == pb.TICKET_STATE_CALLED:
            message.ready_until.FromNanoseconds(round(self.ready_until * 1e9))
        return message


Sides = tuple[list[Ticket], list[Ticket]]


def fit(tickets: Collection[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]) -> tuple[str, Sides] | None:
    """Return a rule set and two sides of people who may play by it; None if there are none."""
    queue = sorted(
        (ticket for ticket in tickets if ticket.queued), key=lambda ticket: (not ticket.first, ticket.created)
    )
    for ticket in queue:
        for rule_set in ticket.told.rule_sets:
            others = [
                other
                for other in queue
                if other is not ticket and rule_set in other.told.rule_sets and _meet(ticket, other, apart)
            ]
            sides = _full(([ticket], []), others[:_MOST_CANDIDATES], apart) or _with_bots(ticket, others, now, apart)
            if sides is not None:
                return rule_set, sides
    return None


def seats_of(sides: Sides) -> dict[int, str]:
    """Return who is to sit where: allies at every other seat."""
    return {
        side + 2 * at: account
        for side, tickets in enumerate(sides)
        for at, account in enumerate(account for ticket in tickets for account in ticket.told.accounts)
    }


def _full(sides: Sides, others: Sequence[Ticket], apart: Callable[[Ticket, Ticket], bool]) -> Sides | None:
    if _people(sides[0]) == _people(sides[1]) == TEAM:
        return sides
    for at, other in enumerate(others):
        if not all(_meet(one, other, apart) for one in sides[0] + sides[1]):
            continue
        for side in (0, 1):
            if _people(sides[side]) + len(other.told.accounts) <= TEAM:
                grown = ([*sides[0], other], sides[1]) if side == 0 else (sides[0], [*sides[1], other])
                found = _full(grown, others[at + 1 :], apart)
                if found is not None:
                    return found
    return None


def _with_bots(
    ticket: Ticket, others: Sequence[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]
) -> Sides | None:
    if not ticket.takes_bots(now):
        return None
    sides: Sides = ([ticket], [])
    for other in others:
        if other.takes_bots(now) and all(_meet(one, other, apart) for one in sides[0] + sides[1]):
            side = min(sides, key=_people)
            if _people(side) + len(other.told.accounts) <= TEAM:
                side.append(other)
    return sides


def _meet(one: Ticket, other: Ticket, apart: Callable[[Ticket, Ticket], bool]) -> bool:
    regions = {one.told.region, other.told.region} - {""}
    return len(regions) < 2 and not apart(one, other)


def _people(side: Sequence[Ticket]) -> int:
    return sum(len(ticket.told.accounts) for ticket in side)

"""Tickets, and the search for six people among them. Nothing here waits or reads a clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from itertools import combinations, count, islice
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

SEATS = 6
TEAM = 3
STEP_SECONDS = 10.0
"""A rating window widens that often."""
MOST_CANDIDATES = 24
MOST_TRIES = 300
"""How often one more ticket is looked at for six people around one: a fit is found within some dozens."""
"""Tickets among which a ticket looks for others at once: those that have waited longest."""


class State(enum.Enum):
    """How far a ticket is."""

    QUEUED = "queued"
    CALLED = "called"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"

    @property
    def over(self) -> bool:
        """Whether the ticket stays so."""
        return self not in (State.QUEUED, State.CALLED)


class Rating(Protocol):
    """Where ratings come from."""

    async def rating(self, account: str) -> float:
        """Return an account's rating."""


class EvenRatings:
    """Everybody is as good as everybody else."""

    async def rating(self, account: str) -> float:
        """See :class:`Rating`."""
        return 25.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a ticket asks for. Seconds; ``fill_after`` None: no bots."""

    rule_sets: tuple[str, ...]
    region: str = ""
    window_start: float = 2.0
    window_step: float = 2.0
    window_most: float = 50.0
    fill_after: float | None = None


@dataclass(slots=True)
class Ticket:
    """One to three allies who wait. ``first``: it was called in vain and goes before all others."""

    id: str
    accounts: tuple[str, ...]
    wishes: Wishes
    rating: float
    created: float
    expires: float
    body: str = ""
    state: State = State.QUEUED
    match: str = ""
    table: str = ""
    ready_until: float = 0.0
    first: bool = False

    def window(self, now: float) -> float:
        """Return by how much ratings may differ."""
        steps = max(0.0, now - self.created) // STEP_SECONDS
        return min(self.wishes.window_most, self.wishes.window_start + self.wishes.window_step * steps)

    def takes_bots(self, now: float) -> bool:
        """Whether built-in bots may fill seats by now."""
        return self.wishes.fill_after is not None and now >= self.created + self.wishes.fill_after


@dataclass(frozen=True, slots=True)
class Found:
    """Six seats: tickets on two sides, and how many bots on each."""

    rule_set: str
    sides: tuple[tuple[Ticket, ...], tuple[Ticket, ...]]

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """All of them."""
        return self.sides[0] + self.sides[1]

    def seats(self) -> dict[int, str]:
        """Return who is to sit where: allies at every other seat."""
        return {
            side + 2 * at: account
            for side, tickets in enumerate(self.sides)
            for at, account in enumerate(account for ticket in tickets for account in ticket.accounts)
        }


def in_order(tickets: Iterable[Ticket]) -> list[Ticket]:
    """Return those that wait, in the order in which they are looked at: who has waited longest first."""
    return sorted(
        (ticket for ticket in tickets if ticket.state is State.QUEUED),
        key=lambda ticket: (not ticket.first, ticket.created, ticket.id),
    )


def find(tickets: Iterable[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]) -> Found | None:
    """Return six people who fit together, None if there are none; who has waited longest is looked at first.

    ``apart`` says of two tickets that their people must not meet.
    """
    queued = in_order(tickets)
    return next((found for ticket in queued if (found := find_for(ticket, queued, now, apart)) is not None), None)


def find_for(
    ticket: Ticket, queued: Sequence[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]
) -> Found | None:
    """Return six people who fit together, one ticket's among them, or None; see :func:`find`.

    It is given up after `MOST_TRIES`: people who have blocked each other in groups would else keep the server trying.
    """
    for rule_set in ticket.wishes.rule_sets:
        fitting = (
            other
            for other in queued
            if other is not ticket
            and other.state is State.QUEUED
            and rule_set in other.wishes.rule_sets
            and _fit(ticket, other, now)
            and not apart(ticket, other)
        )
        chosen = _choose(ticket, list(islice(fitting, MOST_CANDIDATES)), now, apart)
        if chosen is not None:
            return Found(rule_set, chosen)
    return None


def _fit(one: Ticket, other: Ticket, now: float) -> bool:
    if one.wishes.region and other.wishes.region and one.wishes.region != other.wishes.region:
        return False
    return abs(one.rating - other.rating) <= min(one.window(now), other.window(now))


def _choose(
    ticket: Ticket, others: Sequence[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]
) -> tuple[tuple[Ticket, ...], tuple[Ticket, ...]] | None:
    """Fill two sides around a ticket: with people, or with as many as there are where all take bots."""
    best: list[tuple[list[Ticket], list[Ticket]]] = []
    _fill([ticket], [], list(others), now, apart, best, count(1))
    if best:
        return tuple(best[0][0]), tuple(best[0][1])
    if not ticket.takes_bots(now):
        return None
    sides: tuple[list[Ticket], list[Ticket]] = ([ticket], [])
    for other in others:
        if not other.takes_bots(now) or not _all_fit(other, sides[0] + sides[1], now, apart):
            continue
        side = min((side for side in sides if _people(side) + len(other.accounts) <= TEAM), key=_people, default=None)
        if side is not None:
            side.append(other)
    return tuple(sides[0]), tuple(sides[1])


def _fill(
    one: list[Ticket],
    two: list[Ticket],
    others: list[Ticket],
    now: float,
    apart: Callable[[Ticket, Ticket], bool],
    best: list[tuple[list[Ticket], list[Ticket]]],
    tries: Iterator[int],
) -> None:
    """Try others in order until both sides are full: the first way that is found is noted in ``best``."""
    if _people(one) == TEAM and _people(two) == TEAM:
        best.append((one, two))
        return
    missing = 2 * TEAM - _people(one) - _people(two)
    if sum(len(other.accounts) for other in others) < missing:
        return
    for at, other in enumerate(others):
        size = len(other.accounts)
        if next(tries) > MOST_TRIES:
            return
        if not _all_fit(other, one + two, now, apart):
            continue
        # The first that fits somewhere is tried on either side; whoever was passed over is not tried again below it.
        for side in (0, 1):
            if _people((one, two)[side]) + size <= TEAM:
                grown = ([*one, other], two) if side == 0 else (one, [*two, other])
                _fill(*grown, others[at + 1 :], now, apart, best, tries)
                if best:
                    return


def _all_fit(other: Ticket, chosen: Sequence[Ticket], now: float, apart: Callable[[Ticket, Ticket], bool]) -> bool:
    return all(_fit(one, other, now) and not apart(one, other) for one in chosen)


def _people(side: Sequence[Ticket]) -> int:
    return sum(len(ticket.accounts) for ticket in side)


@dataclass(slots=True)
class Apart:
    """Pairs of accounts that must not meet, as they were known when a match was looked at."""

    pairs: set[frozenset[str]] = field(default_factory=set)

    def __call__(self, one: Ticket, other: Ticket) -> bool:
        """Whether anybody of one must not meet anybody of the other."""
        return any(frozenset((a, b)) in self.pairs for a in one.accounts for b in other.accounts)

    def note(self, pairs: Iterable[frozenset[str]]) -> None:
        """Keep pairs apart from now on."""
        self.pairs.update(pairs)


def pairs_of(accounts: Iterable[str]) -> list[frozenset[str]]:
    """Return all pairs of accounts."""
    return [frozenset(pair) for pair in combinations(sorted(set(accounts)), 2)]

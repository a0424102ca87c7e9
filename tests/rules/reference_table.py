"""The second machine's state: who sits where, what lies on the table, what is asked; and how a deal ends (R8, R51).

The machine is written from docs/rules.md alone and shares nothing with the engine but the names of the options and
the values that a rule set gives them. It is slow and plain on purpose. Cards are characters of R-notation, hands and
plays strings of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gouji_rules import RuleSet

SEATS = range(6)


class Debt(NamedTuple):
    """What `payer` owes `receiver` before a deal."""

    payer: int
    receiver: int
    kind: str
    owed: int


@dataclass
class Top:
    """The play on top. `last`: it emptied its owner's hand, as 1st, 2nd, … finisher (0: it did not)."""

    cards: str
    owner: int
    gouji: bool
    dead: bool = False
    headless: bool = False
    last: int = 0
    leaves_threes: bool = False
    burners_last: bool = False


@dataclass
class Returning:
    """One debt's cards on their way back (R73): how many, and the ranks refused for the next of them."""

    debt: Debt
    count: int
    refused: set[str] = field(default_factory=set)
    pick: str = ""


@dataclass
class Table:
    """The whole state; `asked`, `kind` and `answers` are the open question."""

    rules: RuleSet
    hands: list[str]
    lead: int
    debts: list[Debt] = field(default_factory=list)
    dealt: list[str] = field(default_factory=list)
    kind: str = ""
    asked: list[int] = field(default_factory=list)
    answers: dict[int, str] = field(default_factory=dict)
    # before play
    drawn: list[tuple[int, str, int]] = field(default_factory=list)  # (seat, rank, suit) in the order of drawing
    lot_lead: int = -1
    calls: dict[int, str] = field(default_factory=dict)
    moved: list[tuple[int, int, str, str]] = field(default_factory=list)  # giver, taker, why, cards
    queue: list[Debt] = field(default_factory=list)
    waiver_asked: bool = False
    taking_asked: bool = False
    received: list[Counter[str]] = field(default_factory=list)
    paid: list[tuple[Debt, int]] = field(default_factory=list)
    returning: list[Returning] = field(default_factory=list)
    # who is who
    revolted: int = -1
    finished: list[int] = field(default_factory=list)
    busted: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    keeper: int = -1
    heads_left: int = 0
    # the trick
    melee: bool = False
    trick: int = 0
    leader: int = -1
    first_leader: int = -1
    four_due: bool = False
    top: Top | None = None
    passed: set[int] = field(default_factory=set)
    yielded: set[int] = field(default_factory=set)
    yielding: int = -1
    winded: set[int] = field(default_factory=set)
    answered: set[int] = field(default_factory=set)
    closed: bool = False
    chance: int = -1
    window_done: bool = False
    # burning
    burner: int = -1
    burned: int = -1
    counter_burn: bool = False
    burns: list[tuple[int, int, bool]] = field(default_factory=list)
    # opening, stifling, slams
    opened: set[int] = field(default_factory=set)
    live_dead: int = 0
    stifles: list[tuple[int, int]] = field(default_factory=list)
    stifles_told: set[int] = field(default_factory=set)
    players: list[int] = field(default_factory=list)  # whose plays, in order
    slam: int = -1
    felt: Counter[int] = field(default_factory=Counter)
    told: list[tuple[object, ...]] = field(default_factory=list)  # what all have heard since it was last read

    # ── who is who ────────────────────────────────────────────────────────────────────────────────────────────────

    def active(self, seat: int) -> bool:
        return seat not in self.finished and seat not in self.busted and seat != self.revolted

    def allies(self, seat: int) -> list[int]:
        """R7: none in individual play."""
        return [] if self.rules.teams == "individual" else [(seat + 2) % 6, (seat + 4) % 6]

    def headless(self, seat: int) -> bool:
        """R25, with the exceptions of R26 and R52; the word means nothing in the melee."""
        if self.melee or not self.active(seat) or self.active(opposite(seat)):
            return False
        if seat == self.chance:
            return False
        return not (seat == self.keeper and self.heads_left > 0)

    def next_active(self, seat: int) -> int:
        return next(other for other in after(seat) if self.active(other))

    def tell_stifled(self, out: list[int]) -> None:
        """R46 `tribute`: what was hidden about these seats is told, with their places."""
        for number, (seat, by) in enumerate(self.stifles):
            if seat in out and number not in self.stifles_told and self.rules.stifle != "last_place":
                self.stifles_told.add(number)
                self.told.append(("stifled", seat, by, False))

    # ── places and the end ────────────────────────────────────────────────────────────────────────────────────────

    def free_places(self) -> list[int]:
        """Places not taken, best first; fourth is kept for a revolutionary (R51)."""
        taken = set(self.places.values()) | ({4} if self.revolted >= 0 else set())
        return [place for place in range(1, 7) if place not in taken]

    def bust(self, seat: int) -> None:
        """R34, R46: out of play, in the lowest free place."""
        self.busted.append(seat)
        self.places[seat] = self.free_places()[-1]
        self.told.append(("busted", seat, self.places[seat]))
        if self.burner == seat:
            self.burner = -1

    def over_after(self, leaver: int) -> bool:
        """R8: whether the deal ends because this seat has left; if so the others take their places."""
        left = [seat for seat in after(leaver) if self.active(seat)]
        if self.slam < 0:
            enemies_left = len({seat % 2 for seat in left}) > 1
            if len(left) > 1 if self.rules.teams == "individual" else enemies_left:
                return False
        for seat in left:
            self.places[seat] = self.free_places()[0]
        self.tell_stifled(list(SEATS))
        if self.revolted >= 0:
            self.place_the_revolutionary()
        self.kind, self.asked = "over", []
        return True

    def place_the_revolutionary(self) -> None:
        """R51: fourth, but third behind its two allies; whoever had third is then fourth."""
        self.places[self.revolted] = 4
        if {self.places[ally] for ally in self.allies(self.revolted)} == {1, 2}:
            third = next(seat for seat in SEATS if self.places[seat] == 3)
            self.places[self.revolted], self.places[third] = 3, 4

    def finishing_order(self) -> list[int]:
        return sorted(self.places, key=self.places.__getitem__)


def opposite(seat: int) -> int:
    return (seat + 3) % 6


def after(seat: int) -> list[int]:
    """The other five seats in turn order."""
    return [(seat + step) % 6 for step in range(1, 6)]

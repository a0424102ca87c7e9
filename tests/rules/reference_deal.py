"""A deal of preset qingdao on a second, slow machine written from docs/rules.md alone (R8, R20 to R37, R50 to R52).

Nothing is shared with the engine but the text. Hands and plays are strings of R-notation; every question is found by
walking round the table and asking the rules of each seat in turn. Illegal actions are not its business: ask `verbs` and
`cards_for` first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.rules.reference_plays import (
    answers_in,
    burn_leads_in,
    burns_in,
    canonical,
    is_gouji,
    plays_in,
    without,
)

SEATS = range(6)


def opposite(seat: int) -> int:
    return (seat + 3) % 6


def after(seat: int) -> list[int]:
    """The other five seats in turn order."""
    return [(seat + step) % 6 for step in range(1, 6)]


@dataclass
class Top:
    """The play on top. `last`: it emptied its owner's hand, as 1st, 2nd, … finisher (0: it did not)."""

    cards: str
    owner: int
    gouji: bool
    dead: bool
    headless: bool
    last: int


@dataclass
class ReferenceDeal:
    """The whole state; `asked` and `kind` are the open question."""

    hands: list[str]
    lead: int
    kind: str = "revolt"
    asked: list[int] = field(default_factory=lambda: list(SEATS))
    answers: dict[int, str] = field(default_factory=dict)
    revolted: int = -1
    finished: list[int] = field(default_factory=list)
    busted: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    keeper: int = -1
    heads_left: int = 0
    melee: bool = False
    burner: int = -1
    leader: int = -1
    top: Top | None = None
    passed: set[int] = field(default_factory=set)
    yielded: set[int] = field(default_factory=set)
    yielding: int = -1
    winded: set[int] = field(default_factory=set)
    answered: set[int] = field(default_factory=set)
    closed: bool = False
    chance: int = -1
    window_done: bool = False

    # ── who is who ────────────────────────────────────────────────────────────────────────────────────────────────

    def active(self, seat: int) -> bool:
        return seat not in self.finished and seat not in self.busted and seat != self.revolted

    def headless(self, seat: int) -> bool:
        """R25, with the exceptions of R26 and R52."""
        if not self.active(seat) or self.active(opposite(seat)):
            return False
        if seat == self.chance:
            return False
        return not (seat == self.keeper and self.heads_left > 0)

    # ── the question ──────────────────────────────────────────────────────────────────────────────────────────────

    def as_opposite(self, seat: int) -> bool:
        """Whether the seat may answer the top play as its owner's opposite though it has passed (R21)."""
        top = self.top
        assert top is not None
        if seat != opposite(top.owner):
            return False
        return not self.closed or top.last in (1, 2)

    def may_answer(self, seat: int) -> bool:
        """Whether the seat is entitled to answer the top play and has not been asked about it yet (R20 to R28)."""
        top = self.top
        assert top is not None
        if seat == top.owner or not self.active(seat) or seat in self.answered or "b" in top.cards:
            return False
        if self.melee:
            return True
        if not top.gouji:
            return seat not in self.passed or self.as_opposite(seat)
        if top.dead:
            return False
        if top.headless:
            return seat not in self.passed
        if seat == opposite(top.owner):
            return seat not in self.passed or self.as_opposite(seat)
        return self.headless(seat) and seat not in self.passed

    def window(self) -> list[int]:
        """R30: who is asked to burn the top play."""
        top = self.top
        assert top is not None
        if self.melee or not top.gouji or "b" in top.cards or (top.headless and not top.dead):
            return []
        return [
            seat
            for seat in after(top.owner)
            if self.active(seat) and seat != opposite(top.owner) and not self.headless(seat) and seat not in self.passed
        ]

    def verbs(self, seat: int) -> set[str]:
        """The verbs open to the seat, by its hand: empty if it is not asked."""
        if seat not in self.asked or seat in self.answers:
            return set()
        hand = self.hands[seat]
        if self.kind == "revolt":
            if not hand:
                return {"revolt"}
            return {"no"} if set(hand) & set("2sb") else {"no", "revolt"}
        if self.kind == "head":
            return {"keep", "drop"}
        if self.kind == "lead":
            return {"play"}
        if self.kind == "window":
            return {"decline", "burn"} if self.cards_for(seat) else {"decline"}
        found = {"pass"}
        if self.cards_for(seat):
            found.add("play")
        if self.may_yield(seat):
            found.add("yield")
        if self.may_wind(seat):
            found.add("wind")
        return found

    def may_yield(self, seat: int) -> bool:
        """R24."""
        top = self.top
        assert top is not None
        if self.melee or top.gouji or seat != opposite(top.owner) or seat in self.passed or seat in self.yielded:
            return False
        return any(self.may_answer(other) for other in after(seat)[:2])

    def may_wind(self, seat: int) -> bool:
        """R27."""
        top = self.top
        assert top is not None
        if self.melee or not top.last or seat in self.passed or seat in self.winded:
            return False
        nearest = next(other for other in after(top.owner) if self.active(other))
        return seat == nearest and any(self.may_answer(other) for other in SEATS if other != seat)

    def cards_for(self, seat: int) -> set[str]:
        """The plays (leads, follows, burns) open to the seat that is asked."""
        hand = self.hands[seat]
        if self.kind == "lead":
            return burn_leads_in(hand) if seat == self.burner else plays_in(hand)
        assert self.top is not None
        if self.kind == "window":
            return burns_in(hand, self.top.cards)
        return answers_in(hand, self.top.cards)

    # ── the answers ───────────────────────────────────────────────────────────────────────────────────────────────

    def act(self, seat: int, verb: str, cards: str = "") -> None:
        """One legal action."""
        if self.kind in ("revolt", "window"):
            self.answers[seat] = cards if verb == "burn" else verb
            if all(other in self.answers for other in self.asked):
                self.settle_revolution() if self.kind == "revolt" else self.settle_window()
        elif self.kind == "head":
            self.keeper, self.heads_left = (seat, 3) if verb == "keep" else (-1, 0)
            self.first_trick()
        elif verb == "play":
            self.put_down(seat, cards)
        else:
            if verb == "yield":
                self.yielded.add(seat)
                self.yielding = seat
            else:
                self.answered.add(seat)
                if verb == "wind":
                    self.winded.add(seat)
                else:
                    self.passed.add(seat)
                    if seat == self.yielding:
                        self.yielding = -1
            self.ask_next()

    def settle_revolution(self) -> None:
        """R50, R52."""
        up = [seat for seat in SEATS if self.answers[seat] == "revolt"]
        self.answers = {}
        if len(up) >= 2:
            self.kind, self.asked = "void", []
        elif up:
            self.revolted = up[0]
            self.kind, self.asked = "head", [opposite(up[0])]
        else:
            self.first_trick()

    def first_trick(self) -> None:
        """R51."""
        lead = self.lead
        if not self.active(lead):
            lead = next(seat for seat in after(lead) if self.active(seat))
        self.start_trick(lead)

    def settle_window(self) -> None:
        """R32: the owner's allies first, each group in turn order; the first who burned stands."""
        assert self.top is not None
        owner = self.top.owner
        order = [seat for seat in after(owner) if (seat - owner) % 2 == 0]
        order += [seat for seat in after(owner) if (seat - owner) % 2 == 1]
        answers, self.answers = self.answers, {}
        for seat in order:
            if answers.get(seat, "decline") != "decline":
                self.burner = seat
                self.put_down(seat, answers[seat], burn=True)
                return
        self.window_done = True
        self.ask_next()

    def put_down(self, seat: int, cards: str, *, burn: bool = False) -> None:
        """A lead, follow or burn reaches the table."""
        if not burn and self.kind == "follow":
            self.burner = -1
        gouji = is_gouji(cards)
        dead = False
        headless = self.headless(seat)
        if gouji and not self.melee:
            if seat == self.chance:
                dead = True
            if seat == self.keeper and self.heads_left > 0:
                dead = True
                self.heads_left -= 1
        self.chance = -1
        if self.yielding >= 0:
            if self.yielding != seat:
                self.passed.add(self.yielding)
            self.yielding = -1
        self.hands[seat] = without(self.hands[seat], cards)
        self.answered = set()
        self.window_done = False
        self.top = Top(canonical(cards), seat, gouji, dead, headless, 0)
        if not self.hands[seat]:
            self.finished.append(seat)
            self.places[seat] = self.free_places()[0]
            if self.burner == seat:
                self.burner = -1
            if not self.melee:
                self.top.last = len(self.finished)
                if len(self.finished) <= 2:
                    self.closed = True
                    if self.active(opposite(seat)):
                        self.chance = opposite(seat)
            else:
                self.top.last = len(self.finished)
            if self.over_after(seat):
                return
        self.ask_next()

    def ask_next(self) -> None:
        """What is asked now about the top play, or the end of the trick."""
        top = self.top
        assert top is not None
        if not self.window_done:
            seats = self.window()
            if seats:
                self.kind, self.asked = "window", seats
                return
            self.window_done = True
        ahead = [seat for seat in after(top.owner) if self.may_answer(seat)]
        if self.yielding in ahead:
            ahead.remove(self.yielding)
            ahead.append(self.yielding)
        if ahead:
            self.kind, self.asked = "follow", ahead[:1]
            return
        leader = top.owner
        if not self.active(leader):
            leader = next(seat for seat in after(leader) if self.active(seat))
        self.start_trick(leader)

    def start_trick(self, leader: int) -> None:
        """R28, R34, R37."""
        self.top = None
        self.passed, self.yielded, self.winded, self.answered = set(), set(), set(), set()
        self.yielding, self.chance, self.closed = -1, -1, False
        self.melee = len(self.finished) >= 2
        if self.melee:
            self.burner = -1
        if self.burner == leader and not burn_leads_in(self.hands[leader]):
            self.busted.append(leader)
            self.places[leader] = self.free_places()[-1]
            self.burner = -1
            if self.over_after(leader):
                return
            leader = next(seat for seat in after(leader) if self.active(seat))
        self.leader = leader
        self.kind, self.asked = "lead", [leader]

    # ── the end ───────────────────────────────────────────────────────────────────────────────────────────────────

    def free_places(self) -> list[int]:
        """Places not taken, best first; fourth is kept for a revolutionary (R51)."""
        taken = set(self.places.values()) | ({4} if self.revolted >= 0 else set())
        return [place for place in range(1, 7) if place not in taken]

    def over_after(self, leaver: int) -> bool:
        """R8, R51."""
        left = [seat for seat in after(leaver) if self.active(seat)]
        if len({seat % 2 for seat in left}) > 1:
            return False
        taken = set(self.places.values())
        if self.revolted >= 0:
            allies = {(self.revolted + 2) % 6, (self.revolted + 4) % 6}
            third = {self.places.get(ally) for ally in allies} == {1, 2}
            self.places[self.revolted] = 3 if third else 4
            taken.add(self.places[self.revolted])
        for seat in left:
            place = min(set(range(1, 7)) - taken)
            self.places[seat] = place
            taken.add(place)
        self.kind, self.asked = "over", []
        return True

    def finishing_order(self) -> list[int]:
        return sorted(self.places, key=self.places.__getitem__)

    def scores(self) -> list[int]:
        """R60 to R63 of preset qingdao."""
        worth = [4, 2, 0, 0, -2, -4]
        order = self.finishing_order()
        sums = [sum(worth[place] for place, seat in enumerate(order) if seat % 2 == team) for team in (0, 1)]
        if len({seat % 2 for seat in order[:3]}) == 1:
            sums = [2 * points for points in sums]
        return [max(points, 0) for points in sums]

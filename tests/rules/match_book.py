"""The books of a deal, kept from its events alone: hands, places, who opened, burned and was stifled, points, debts.

A second reading of R8, R34, R35, R40-R46, R51, R60-R66, R70-R76, from docs/rules.md; point tribute is looked up in the
worked cases (R74). It never looks into the engine.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import gouji_rules as gr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEATS = range(6)
CALL_WORDS = ("none", "open", "blind")
CASES_OF = {"S0": "hokkaido+opening", "S1": "chinagames", "S2": "shandong"}


def point_cases() -> dict[tuple[str, str, str, bool, bool], int]:
    """What the opposite pays me, by table, my call, its call, whether I and it have opened."""
    read: dict[tuple[str, str, str, bool, bool], int] = {}
    with (Path(__file__).parents[1] / "cases" / "point_tribute.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            opened = (row["i_opened"] == "yes", row["opposite_opened"] == "yes")
            read[(row["preset"], row["my_call"], row["opposite_call"], *opened)] = int(row["opposite_pays_me"])
    return read


POINT_CASES = point_cases()


@dataclass(slots=True)
class Book:
    """A deal as its events tell it. ``hands`` are real cards; ``place`` by seat, 0 while open."""

    rules: gr.RuleSet
    hands: list[Counter[int]]
    first_leader: int
    place: list[int] = field(default_factory=lambda: [0] * 6)
    out: set[int] = field(default_factory=set)
    finished: list[int] = field(default_factory=list)
    left_last: int = -1
    plays: list[gr.Played] = field(default_factory=list)
    top: gr.Played | None = None
    melee: bool = False
    calls: list[int] = field(default_factory=lambda: [0] * 6)
    burner: int = -1
    beaten_burner: int = -1
    counter: bool = False
    burns: list[tuple[int, int, bool]] = field(default_factory=list)
    stifled: list[tuple[int, int]] = field(default_factory=list)
    stifled_told: list[tuple[int, int]] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)
    opened_told: set[int] = field(default_factory=set)
    revolted: int = -1
    dead_live: int = 0
    slam: int = -1
    slam_told: int = -1
    recorded: tuple[gr.Obligation, ...] = ()

    def take(self, events: Iterable[gr.Event]) -> None:
        """Enter events."""
        for event in events:
            self._take(event)

    def _take(self, event: gr.Event) -> None:
        if isinstance(event, gr.Played):
            self._played(event)
        elif isinstance(event, gr.Finished | gr.Busted):
            self._left(event)
        elif isinstance(event, gr.TrickEnded):
            self._trick_ended(event)
        elif isinstance(event, gr.RevolutionSettled):
            self._revolution(event)
        elif isinstance(event, gr.CardBought | gr.TributePaid | gr.CardReturned):
            self._moved(event)
        elif isinstance(event, gr.LeadFixed):
            self.first_leader = event.seat
        elif isinstance(event, gr.Called):
            self.calls[event.seat] = 2 if event.blind else 1
        elif isinstance(event, gr.BurnSucceeded):
            assert event.burner == self.burner
            self.burns.append((event.burned, event.burner, self.counter and self.rules.counter_burn_doubles))
            self.beaten_burner, self.burner = self.burner, -1
        elif isinstance(event, gr.BurnEnded):
            assert event.burner == self.burner
            self.beaten_burner, self.burner = self.burner, -1
        elif isinstance(event, gr.Stifled):
            self.stifled_told.append((event.seat, event.by))
            assert event.busted is (self.rules.stifle == "last_place")
        elif isinstance(event, gr.Opened):
            self.opened_told.add(event.seat)
        elif isinstance(event, gr.MeleeBegan):
            self.melee = True
        elif isinstance(event, gr.SlamMade):
            self.slam_told = event.seat
        elif isinstance(event, gr.ObligationsRecorded):
            self.recorded = event.obligations

    # ── cards ──

    def _move(self, giver: int, taker: int, card: int) -> None:
        assert self.hands[giver][card] > 0, "a card that the giver does not hold"
        self.hands[giver][card] -= 1
        self.hands[taker][card] += 1

    def _moved(self, event: gr.CardBought | gr.TributePaid | gr.CardReturned) -> None:
        if isinstance(event, gr.CardBought):
            self._move(event.seller, event.buyer, event.card)
            if event.paid is not None:
                self._move(event.buyer, event.seller, event.paid)
        elif isinstance(event, gr.TributePaid):
            ranks = [gr.rank_of(card) for card in event.cards]
            assert ranks == sorted(ranks, reverse=True), "the largest first (R70)"
            assert all(rank >= 12 for rank in ranks)
            assert len(event.cards) <= event.owed
            for card in event.cards:
                self._move(event.payer, event.receiver, card)
        else:
            self._move(event.receiver, event.payer, event.card)

    def _rest(self, seat: int) -> list[int]:
        return [int(gr.rank_of(gr.Card(card))) for card in self.hands[seat].elements()]

    # ── play ──

    def _played(self, event: gr.Played) -> None:
        top = self.top
        if top is not None and self.rules.hold_three and self.rules.stifle != "off":
            rest = self._rest(top.seat)
            if rest and not any(rest) and (top.seat, event.seat) not in self.stifled:
                self.stifled.append((top.seat, event.seat))  # R46
        if event.manner == gr.Manner.BURN:
            assert top is not None
            self.counter = self.beaten_burner == top.seat or self.burner == top.seat
            self.burner = event.seat
        self.beaten_burner = -1
        for card in event.cards:
            assert self.hands[event.seat][card] > 0, "a card that is not held"
            self.hands[event.seat][card] -= 1
        assert event.last is (not self._rest(event.seat))
        self.plays.append(event)
        self.top = event

    def _trick_ended(self, event: gr.TrickEnded) -> None:
        top, self.top = self.top, None
        self.beaten_burner = -1
        assert top is not None
        if event.next_leader == event.owner and self._opens(top):
            self.opened.add(top.seat)

    def _opens(self, top: gr.Played) -> bool:
        """R40, R41, R44."""
        rules, seat = self.rules, top.seat
        if not rules.opening or self.melee or seat in self.opened or not top.gouji:
            return False
        finished = self.finished
        if rules.open_deadline == "strict" and (len(finished) > 1 or (finished and seat == (finished[0] + 3) % 6)):
            return False
        if rules.revolution_opens == "three" and self.revolted == (seat + 3) % 6:
            self.dead_live += top.dead
            return self.dead_live >= 3
        ranks = [gr.rank_of(card) for card in top.cards]
        jokers = any(rank > 12 for rank in ranks)
        return not {
            "big_joker": 14 in ranks,
            "jokers": jokers,
            "jokers_and_singles": jokers or len(ranks) == 1,
            "jokers_and_twos": jokers or set(ranks) == {12},
        }[rules.open_excludes]

    def _revolution(self, event: gr.RevolutionSettled) -> None:
        self.out.update(event.seats)
        for seat in event.seats:
            assert not set(self._rest(seat)) & {13, 14} or self.rules.revolution_by == "dealt"
        if len(event.seats) != 1:
            return
        (self.revolted,) = event.seats
        if self.rules.opening:
            if self.rules.revolution_opens == "at_once":
                self.opened.add((self.revolted + 3) % 6)
            if self.rules.revolution == "hold_three_only" and self.rules.buy_from == "S0":
                self.opened.add(self.revolted)  # R53

    # ── places ──

    def _free(self) -> list[int]:
        return [p for p in range(1, 7) if p not in self.place and not (p == 4 and self.revolted >= 0)]

    def _left(self, event: gr.Finished | gr.Busted) -> None:
        seat, free = event.seat, self._free()
        self.place[seat] = free[0] if isinstance(event, gr.Finished) else free[-1]
        assert event.place == self.place[seat], "R34, R51"
        self.out.add(seat)
        self.left_last = seat
        if isinstance(event, gr.Busted):
            self.burner = -1 if self.burner == seat else self.burner
            return
        self.finished.append(seat)
        first = next(at for at, play in enumerate(self.plays) if play.seat == seat)
        if self.rules.slam and all(play.seat == seat for play in self.plays[first:]):
            self.slam = seat

    def may_be_over(self) -> bool:
        """R8, R66: whether the deal must be over now."""
        left = [seat for seat in SEATS if seat not in self.out]
        if self.slam >= 0:
            return True
        return len(left) < 2 if self.rules.teams == "individual" else len({seat % 2 for seat in left}) < 2

    def places(self) -> tuple[int, ...]:
        """The seats by place, those still in play and the revolutionary included (R8, R51)."""
        place = self.place[:]
        if self.revolted >= 0:
            place[self.revolted] = 4
        for step in range(1, 7):
            seat = (self.left_last + step) % 6
            if not place[seat]:
                place[seat] = min(p for p in range(1, 7) if p not in place)
        allies = {place[(self.revolted + 2) % 6], place[(self.revolted + 4) % 6]}
        if self.revolted >= 0 and self.rules.teams == "federation" and allies == {1, 2}:
            place[place.index(3)] = 4
            place[self.revolted] = 3
        return tuple(place.index(p) for p in range(1, 7))

    # ── points ──

    def scores(self) -> tuple[tuple[int, ...], bool]:
        """The scores of the deal, and whether it was a sweep (R60-R66)."""
        rules, places = self.rules, self.places()
        earned = Counter[int]()
        if self.slam >= 0:
            led_first = self.first_leader == self.slam
            for seat in SEATS:
                loses = -2 if led_first or seat == self.first_leader else -1
                earned[seat] = (10 if led_first else 6) if seat == self.slam else loses
        else:
            for seat, points in zip(places, rules.points, strict=True):
                earned[seat] += points
            for burned, burner, _ in self.burns:
                earned[burner] += rules.burn_points[0]
                earned[burned] += rules.burn_points[1]
            for seat in SEATS:
                earned[seat] += rules.fault_points * (rules.opening and seat not in self.opened)
            for seat, _ in self.stifled:
                earned[seat] += rules.fault_points
        if rules.teams == "individual":
            twice = 2 if self.doubled() else 1
            return tuple(twice * earned[seat] for seat in SEATS), False
        sweep = len({seat % 2 for seat in places[:3]}) == 1
        sums = [earned[side] + earned[side + 2] + earned[side + 4] for side in (0, 1)]
        if sweep and rules.sweep_doubles and self.slam < 0:
            sums = [2 * value for value in sums]
        return tuple(max(value, 0) if rules.record == "positive_only" else value for value in sums), sweep

    def doubled(self) -> bool:
        """R65."""
        places = self.places()
        if not self.rules.gap_doubles or self.slam >= 0:
            return False
        return abs(places[5] - places[0]) in (2, 4) or abs(places[4] - places[1]) in (2, 4)

    # ── debts ──

    def debts(self) -> Counter[tuple[int, int, str]]:
        """What is owed after the deal, by payer, receiver and kind (R70-R76)."""
        rules, kinds = self.rules, self.rules.tribute
        owed = Counter[tuple[int, int, str]]()
        _, sweep = self.scores()
        if sweep and rules.sweep_tribute in ("match_ends", "redeal"):
            return owed
        for seat, by in self.stifled if "stifle" in kinds else ():
            owed[seat, by, "stifle"] += 1
        for burned, burner, twice in self.burns if "burn" in kinds else ():
            owed[burned, burner, "burn"] += 1 + twice
        if "point" in kinds:
            for seat in SEATS:
                owed[(seat + 3) % 6, seat, "point"] += self._pays(seat)
        if "loser" in kinds and self.slam < 0:
            places = self.places()
            if sweep and rules.sweep_tribute == "opposites":
                for seat in places[3:]:
                    owed[seat, (seat + 3) % 6, "loser"] += 1
            else:
                owed[places[5], places[0], "loser"] += 2
                owed[places[4], places[1], "loser"] += 1
        return Counter({debt: count * (2 if self.doubled() else 1) for debt, count in owed.items() if count})

    def _pays(self, seat: int) -> int:
        """The point tribute that a seat gets from its opposite (R74)."""
        rules, other = self.rules, (seat + 3) % 6
        opened = (seat in self.opened, other in self.opened)
        if rules.point_table == "S3":
            return int(not opened[1])
        calls = [self.calls[seat], self.calls[other]]
        if rules.point_table == "S2":
            calls = [min(call, 1) for call in calls]
        words = (CALL_WORDS[calls[0]], CALL_WORDS[calls[1]])
        due = POINT_CASES[(CASES_OF[rules.point_table], *words, *opened)]
        if rules.point_table == "S0" and rules.double_backfire and opened[0]:
            due += (0, 2, 4)[calls[1]]
        return due


def book_of(deal: gr.Deal) -> Book:
    """The book of a deal that has just begun, what its start told entered."""
    hands = [Counter(map(int, held)) for held in deal.dealt]
    book = Book(deal.rules, hands, deal.lead)
    book.take(deal.start_events)
    return book


def owed_in(obligations: Sequence[gr.Obligation]) -> Counter[tuple[int, int, str]]:
    """Obligations by payer, receiver and kind."""
    owed = Counter[tuple[int, int, str]]()
    for debt in obligations:
        owed[debt.payer, debt.receiver, debt.kind] += debt.count
    return owed

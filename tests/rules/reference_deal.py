"""A whole deal on a second, slow machine written from docs/rules.md alone: the steps of R4, and every answer.

Illegal actions are not its business: ask `verbs` and `cards_for` first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.rules import reference_buying as buying
from tests.rules import reference_tribute as tribute
from tests.rules import reference_trick as trick
from tests.rules.reference_opening import open_by_revolution
from tests.rules.reference_plays import canonical
from tests.rules.reference_table import SEATS, Debt, Table, opposite

if TYPE_CHECKING:
    from gouji_rules import RuleSet

BEFORE_THE_CARDS = ["swap", "call blind", "draw"]
AFTER_TRIBUTE = ["call open", "revolution", "head", "play"]
FROM_THE_LEAD = ["buy", "tribute", *AFTER_TRIBUTE]

ANSWERED_TOGETHER = ("swap", "call blind", "call open", "show", "waive", "revolt", "window")
IN_A_TRICK = ("lead", "follow", "window")


class ReferenceDeal(Table):
    """One deal. `over_or_void` tells that nothing is asked any more."""

    def __init__(
        self, rules: RuleSet, dealt: list[str], lead: int, debts: Sequence[Debt] = (), *, as_dealt: bool = False
    ) -> None:
        """A deal of given hands with a given first lead, before buying and tribute if `as_dealt`."""
        super().__init__(rules, [""] * 6, lead, list(debts), list(dealt))
        self.steps = BEFORE_THE_CARDS + (FROM_THE_LEAD if as_dealt else AFTER_TRIBUTE)
        self.go_on()

    @classmethod
    def drawn_from(
        cls, rules: RuleSet, drawn: list[tuple[int, str, int]], lot_lead: int, debts: Sequence[Debt] = ()
    ) -> ReferenceDeal:
        """A deal from cards drawn one by one: (seat, rank, suit)."""
        made = cls.__new__(cls)
        dealt = [canonical("".join(rank for who, rank, _ in drawn if who == seat)) for seat in SEATS]
        Table.__init__(made, rules, [""] * 6, -1, list(debts), dealt, drawn=drawn, lot_lead=lot_lead)
        made.steps = [*BEFORE_THE_CARDS, "lead", *FROM_THE_LEAD]
        made.go_on()
        return made

    @property
    def over_or_void(self) -> bool:
        return self.kind in ("over", "void")

    # ── the steps of R4 ───────────────────────────────────────────────────────────────────────────────────────────

    def go_on(self) -> None:
        """Take steps until something is asked."""
        while not self.kind and self.steps:
            self.take(self.steps.pop(0))

    def take(self, step: str) -> None:
        rules = self.rules
        if step == "swap" and tribute.swappers(self):
            self.ask("swap", tribute.swappers(self))
        elif step == "call blind" and rules.calls == "both":
            self.ask("call blind", list(SEATS))
        elif step == "draw":
            self.hands = list(self.dealt)
        elif step == "lead":
            self.fix_lead()
        elif step == "buy" and rules.hold_three and rules.buy_from != "off":
            buying.buy_threes(self)
        elif step == "tribute":
            tribute.begin(self)
        elif step == "call open" and rules.calls != "none":
            self.ask("call open", [seat for seat in SEATS if seat not in self.calls])
        elif step == "revolution" and rules.revolution != "off":
            self.ask("revolt", list(SEATS))
        elif step == "head" and self.revolted >= 0:
            open_by_revolution(self)
            self.ask("head", [opposite(self.revolted)])
        elif step == "play":
            lead = self.lead if self.active(self.lead) else self.next_active(self.lead)
            trick.start_trick(self, lead)

    def ask(self, kind: str, seats: list[int]) -> None:
        if seats:
            self.kind, self.asked = kind, seats

    # ── the first lead (R5) ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def rank_shown(self) -> str:
        return "4" if self.rules.hold_three else "3"

    def fix_lead(self) -> None:
        if self.rules.show == "ask":
            self.ask("show", list(SEATS))
        else:
            self.lead = self.first_lead({(seat, suit) for seat in SEATS for suit in range(4)})

    def first_lead(self, showing: set[tuple[int, int]]) -> int:
        """The first to hold two of one suit that it shows, until another holds more; by lot if nobody shows."""
        best, leader = 1, self.lot_lead
        held: Counter[tuple[int, int]] = Counter()
        for seat, rank, suit in self.drawn:
            if rank == self.rank_shown and (seat, suit) in showing:
                held[seat, suit] += 1
                if held[seat, suit] > best:
                    best, leader = held[seat, suit], seat
        return leader

    def suits_to_show(self, seat: int) -> list[int]:
        """The suits of which a seat holds two."""
        held = Counter(suit for who, rank, suit in self.drawn if who == seat and rank == self.rank_shown)
        return [suit for suit in range(4) if held[suit] >= 2]

    # ── the question ──────────────────────────────────────────────────────────────────────────────────────────────

    def rights(self, seat: int) -> set[str]:
        """The verbs a seat has by right, whatever it holds."""
        plain = {
            "swap": {"swap", "no"},
            "call blind": {"call blind", "no"},
            "call open": {"call open", "no"},
            "show": {"show", "no"},
            "waive": {"waive", "no"},
            "take": {"accept", "refuse"},
            "return": {"give"},
            "refuse": {"accept", "refuse"},
            "revolt": {"revolt", "no"},
            "head": {"head keep", "head drop"},
        }
        return trick.rights(self, seat) if self.kind in IN_A_TRICK else plain[self.kind]

    def verbs(self, seat: int) -> set[str]:
        """The verbs open to the seat, by what it holds: empty if it is not asked."""
        if seat not in self.asked or seat in self.answers:
            return set()
        found = set(self.rights(seat))
        if self.kind == "revolt":
            if buying.must_revolt(self, seat) or not self.hands[seat]:
                found.discard("no")
            if not buying.may_revolt(self, seat):
                found.discard("revolt")
        if self.kind == "show" and not self.suits_to_show(seat):
            found.discard("show")
        if self.kind == "refuse" and not tribute.may_refuse_pick(self):
            found.discard("refuse")
        return {verb for verb in found if verb not in ("play", "burn", "kill") or self.cards_for(seat, verb)}

    def cards_for(self, seat: int, verb: str) -> set[str]:
        """The cards with which a verb that takes some is open."""
        if verb == "give":
            return tribute.pickable(self)
        return trick.cards_for(self, seat, verb) if verb in ("play", "burn", "kill") else set()

    # ── the answers ───────────────────────────────────────────────────────────────────────────────────────────────

    def act(self, seat: int, verb: str, cards: str = "") -> None:
        """One legal answer; `cards` of a SHOW is its suit."""
        if self.kind in ANSWERED_TOGETHER:
            self.answers[seat] = f"{verb} {cards}".strip()
            if verb in ("call blind", "call open"):
                self.calls[seat] = verb.removeprefix("call ")
                self.told.append(("called", seat, verb == "call blind"))
            if all(other in self.answers for other in self.asked):
                self.settle()
        elif self.kind == "head":
            self.keeper, self.heads_left = (seat, 3) if verb == "head keep" else (-1, 0)
            self.told.append(("head", seat, verb == "head keep"))
            self.kind = ""
        elif self.kind == "take":
            tribute.take_or_not(self, verb)
        elif self.kind == "return":
            tribute.pick(self, cards)
        elif self.kind == "refuse":
            tribute.answer_pick(self, verb)
        elif verb == "play":
            trick.put_down(self, seat, cards, "lead" if self.kind == "lead" else "follow")
        else:
            trick.stand_by(self, seat, verb)
        self.go_on()

    def settle(self) -> None:
        """All have answered a question that was asked together."""
        if self.kind == "window":
            trick.settle_window(self)
        elif self.kind == "waive":
            tribute.settle_waiver(self)
        elif self.kind == "revolt":
            buying.settle_revolution(self)
        else:
            answers, self.answers = self.answers, {}
            if self.kind == "swap" and all(answer == "swap" for answer in answers.values()):
                tribute.swap(self)
            if self.kind == "show":
                shown = [(seat, int(answer.split()[1])) for seat, answer in answers.items() if answer != "no"]
                self.lead = self.first_lead(set(shown))
            self.kind, self.asked = "", []

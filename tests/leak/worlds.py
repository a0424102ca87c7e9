"""Worlds that one observer cannot tell apart: the same public story with other hands and unseen answers.

A world is a world if its cards allow what everybody saw. What may forbid one, and nothing else does:

- R5: who showed how many 3s (4s) of a suit, in the order of drawing;
- R31 (`strict`): a burn leaves a sound rest; R34: a burner leads on, or is busted and shows that it could not;
- R49, R43: who bought, from whom, for what: one had no 3, others one or several; who revolted for want of one;
- R50: a revolutionary has no 2 and no joker, by hold-three no 3; R46 (`last_place`): who was left with 3s;
- R43: a seat that has opened and leads no 4 has none;
- R70: what was paid was the largest its payer had; R73: who refused a card has none of its rank, whose card was taken
  or refused by `must_match`, who returned a 3 had another, and the largest card that a waiver shows.

Answers that do not show are made anew: those of a window behind the one that stood (R32), of an open common question,
which of two did not agree, and in which order they came. Any other refusal, event or question that differs is a leak.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules import fairness, shuffle
from tests.leak.stories import (
    SEATS,
    SEED,
    SPECIAL,
    Act,
    Lapse,
    Script,
    Step,
    act,
    cards_needed,
    carry_out,
    drawn_as,
    look,
    seat_of,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    import pytest

    from tests.leak.stories import Group

REFUSED_BY_CARDS = {
    "BURN_NOT_SOUND": "R31",
    "MAY_NOT_REVOLT": "R50",
    "MUST_REVOLT": "R49",
    "LEAD_WITHOUT_FOUR": "R43",
    "REFUSE_HELD": "R73",
    "RETURN_LAST_THREE": "R73",
}
"""The refusals with which a world's cards may forbid what everybody saw; never to the observer."""


class Leak(AssertionError):
    """Something that an observer receives depends on what it may not know."""


@dataclass(slots=True)
class World:
    """Another order of drawing, and the steps of the story with the unseen answers of this world."""

    order: bytes
    steps: list[Step]
    moved: int


class _NoWorld(Exception):
    """The cards do not allow what everybody saw."""


def other_worlds(
    dice: random.Random, script: Script, wanted: int, *, same_number: bool = False, tries: int = 40
) -> Iterator[World]:
    """Worlds with the same story, each already compared in the engine, step by step. Raises Leak.

    ``same_number``: as many answers as in the script, for what counts them.
    """
    found = 0
    for tried in range(tries * wanted):
        order = _resampled(dice, script, keep=(0.4, 0.8, 0.95, 1.0)[4 * tried // (tries * wanted)])
        moved = cards_moved(script, order)
        if not moved:
            continue
        try:
            steps = replay(dice, script, order, same_number=same_number)
        except _NoWorld:
            continue
        yield World(order, steps, moved)
        found += 1
        if found == wanted:
            return


def cards_moved(script: Script, order: bytes) -> int:
    """How many cards are in another hand than in the script: what there is to hide."""

    def hand(of: bytes, seat: int) -> Counter[int]:
        return Counter(of[i] for i in range(len(of)) if seat_of(i) == seat)

    return sum((hand(order, seat) - hand(script.order, seat)).total() for seat in SEATS)


def own_world(script: Script) -> World:
    """The world that the script was written in."""
    return World(script.order, script.steps, 0)


def live_in(patch: pytest.MonkeyPatch, script: Script, world: World) -> None:
    """Have every deal made from now on be the world's, and owe what is owed in the script; commitments and secrets stay
    the server's own."""

    def start_deal(self: gr.Match, seed: bytes) -> gr.Deal:
        return gr.Deal.start(self.rules, seed, number=self.deal_number, obligations=script.obligations)

    patch.setattr(fairness, "deal_seed", lambda secret, entropies=(): SEED)
    patch.setattr(shuffle, "draw_order", lambda rules, seed: world.order)
    patch.setattr(gr.Match, "start_deal", start_deal)


# ── playing a world ──


def replay(dice: random.Random, script: Script, order: bytes, *, same_number: bool = False) -> list[Step]:
    """Play the story with other cards and compare all that the observer sees. Raises Leak, or that it is no world."""
    with drawn_as(order):
        return _replayed(dice, script, same_number=same_number)


def _replayed(dice: random.Random, script: Script, *, same_number: bool) -> list[Step]:
    deal = gr.Deal.start(script.rules, SEED, obligations=script.obligations)
    _compare_told(script, deal, 0, list(deal.start_events))
    _compare_seen(script, deal, 0)
    played: list[Step] = []
    answers = _Answers(dice, script, same_number=same_number)
    for at, written in enumerate(script.steps):
        events: list[gr.Event] = []
        for step in answers.instead_of(at, written, deal):
            played.append(step)
            events += _carry_out(script, deal, at, step)
        _compare_told(script, deal, at + 1, events, lapsed=isinstance(written, Lapse))
        _compare_seen(script, deal, at + 1)
    return played


def _carry_out(script: Script, deal: gr.Deal, at: int, step: Step) -> list[gr.Event]:
    try:
        return carry_out(deal, step)
    except gr.RuleViolation as refused:
        own = isinstance(step, Act) and step.seat == script.observer
        if not own and REFUSED_BY_CARDS.get(refused.code) == refused.rule:
            raise _NoWorld from refused
        raise Leak(f"differs at step {at}: {step} is refused in another world: {refused}") from refused


def _compare_told(script: Script, deal: gr.Deal, at: int, events: list[gr.Event], *, lapsed: bool = False) -> None:
    for here, there in _side_by_side(script.told[at], events):
        if here == there:
            continue
        if _told_by_cards(script.rules, here, there, lapsed=lapsed):
            raise _NoWorld
        raise Leak(f"differs at step {at - 1}: told {here} here, {there} in another world")


def _side_by_side(here: list[gr.Event], there: list[gr.Event]) -> Iterator[tuple[gr.Event | None, gr.Event | None]]:
    for i in range(max(len(here), len(there))):
        yield (here[i] if i < len(here) else None), (there[i] if i < len(there) else None)


def _told_by_cards(rules: gr.RuleSet, here: gr.Event | None, there: gr.Event | None, *, lapsed: bool) -> bool:
    """Whether the rules have the cards themselves decide, for all to see, what was told here or there."""
    both = (here, there)
    if any(isinstance(event, gr.CardsShown | gr.LeadFixed) for event in both):
        return rules.show == "auto"
    if any(isinstance(event, gr.CardBought) for event in both):
        return rules.buy_from != "off" or rules.open_leads_four
    if any(isinstance(event, gr.TributePaid) for event in both):
        return all(isinstance(event, gr.TributePaid) for event in both)
    if any(isinstance(event, gr.TributeWaived) for event in both):
        return rules.waiver_shows and all(isinstance(event, gr.TributeWaived) for event in both)
    if any(isinstance(event, gr.ReturnRefused) for event in both):
        return rules.return_ != "free"
    if any(isinstance(event, gr.Stifled) and event.busted for event in both):
        return rules.stifle == "last_place"
    if any(isinstance(event, gr.Busted) for event in both):
        return rules.burn != "off"
    return lapsed and all(isinstance(event, gr.RevolutionSettled) for event in both)


def _compare_seen(script: Script, deal: gr.Deal, at: int) -> None:
    here, there = script.seen[at], look(deal, script.observer, at)
    if here == there:
        return
    for one, other in zip(here, there, strict=True):
        if one != other:
            raise Leak(f"differs at step {at - 1}: seen {_difference(one, other)}")


def _difference(one: object, other: object) -> str:
    public = (getattr(one, "public", one), getattr(other, "public", other))
    if isinstance(public[0], gr.PublicState):
        for name in gr.PublicState.__slots__:
            values = [getattr(state, name) for state in public]
            if values[0] != values[1]:
                return f"{name} {values[0]} here, {values[1]} in another world"
    return f"{one} here, {other} in another world"


# ── answers that do not show ──


class _Answers:
    """The answers of a world: those that everybody saw as they are, the others made anew."""

    def __init__(self, dice: random.Random, script: Script, *, same_number: bool) -> None:
        self.dice = dice
        self.script = script
        self.same_number = same_number
        self.instead: dict[int, list[int]] = {}
        self.group_of: dict[int, Group] = {}
        self.yes: dict[tuple[int, int], bool] = {}
        for group in script.groups:
            self._plan(group)

    def _plan(self, group: Group) -> None:
        """In which step which seat answers: the observer in its own, the others in any order."""
        steps = self.script.steps
        slots = [i for i in group.steps if isinstance(steps[i], Act) and self._seat(i) != self.script.observer]
        seats = [self._seat(i) for i in slots]
        for i in group.steps:
            self.group_of[i] = group
        if group.kind != gr.Kind.CALL:
            self.dice.shuffle(seats)
        self.instead.update({slot: [seat] for slot, seat in zip(slots, seats, strict=True)})
        if group.either:
            first, second = sorted(group.hidden)
            yes = self.dice.choice(((False, False), (True, False), (False, True)))
            self.yes |= {(group.steps[0], first): yes[0], (group.steps[0], second): yes[1]}
        if not self.same_number and slots:
            self._leave_out(group, slots)

    def _seat(self, at: int) -> int:
        step = self.script.steps[at]
        assert isinstance(step, Act)
        return step.seat

    def _leave_out(self, group: Group, slots: list[int]) -> None:
        """Who has answered an open question is not told, nor who left it to the clock; nor is the number."""
        steps = self.script.steps
        by_clock = isinstance(steps[group.steps[-1]], Lapse)
        said = {self._seat(i): steps[i] for i in slots}
        for slot in slots:
            seat = self.instead[slot][0]
            step = said[seat]
            assert isinstance(step, Act)
            nothing = step.verb in (gr.Verb.NO, gr.Verb.DECLINE) and not self._may_say_yes(group, seat)
            free = not group.closed and not (group.kind == gr.Kind.CALL and step.verb != gr.Verb.NO)
            if (free or (by_clock and nothing)) and self.dice.random() < 0.5:
                self.instead[slot] = []
        if not group.closed and group.kind != gr.Kind.CALL:
            self._add(group, slots)

    def _may_say_yes(self, group: Group, seat: int) -> bool:
        return self.yes.get((group.steps[0], seat), False)

    def _add(self, group: Group, slots: list[int]) -> None:
        """Others may have answered an open question, as long as somebody's answer is missing."""
        answered = {seat for slot in slots for seat in self.instead[slot]}
        own = {self.script.observer} & {self._seat(i) for i in group.steps if isinstance(self.script.steps[i], Act)}
        fresh = [s for s in group.hidden if s not in answered]
        self.dice.shuffle(fresh)
        missing = group.asked.bit_count() - len(answered) - len(own)
        for seat in fresh[: max(0, missing - 1)]:
            if self.dice.random() < 0.5:
                self.instead[self.dice.choice(slots)].append(seat)

    def instead_of(self, at: int, written: Step, deal: gr.Deal) -> Iterator[Step]:
        """The steps of this world in the place of one of the script."""
        seats = self.instead.get(at)
        if seats is None:
            yield written
            return
        group = self.group_of[at]
        for seat in seats:
            yield self._answer(group, seat, deal)

    def _answer(self, group: Group, seat: int, deal: gr.Deal) -> Act:
        if seat not in group.hidden or (group.kind == gr.Kind.CALL):
            said = (self.script.steps[i] for i in group.steps)
            return next(step for step in said if isinstance(step, Act) and step.seat == seat)
        if not deal.is_asked(seat):
            raise Leak(f"differs: seat {seat} is not asked about {group.kind.name} in another world")
        legal = deal.legal_actions(seat)
        if group.either:
            wanted = self.yes[group.steps[0], seat]
            return act(deal, seat, next(a for a in legal if (a != gr.NO) is wanted), self.dice)
        plain = self.dice.random() < 0.4
        return act(deal, seat, legal[0] if plain else legal[self.dice.randrange(len(legal))], self.dice)


# ── dealing anew ──


class _Facts:
    """What everybody saw of the cards, as far as it is cheaper to keep than to try out."""

    def __init__(self, dice: random.Random, script: Script, keep: float) -> None:
        rules = script.rules
        self.rules = rules
        self.shown_rank = int(rules.hold_three)
        self.shows_stay = rules.show == "auto" and dice.random() < 0.85  # few exchanges show the same
        self.revolted: set[int] = set()
        self.showed: set[int] = set()
        self.lacks: list[set[int]] = [set() for _ in SEATS]
        self.fixed: set[int] = {script.observer} if script.observer >= 0 else set()
        self.tight: set[int] = set()
        self.fours_fixed = rules.open_leads_four and not rules.hold_three and dice.random() < keep
        self.threes_by_class = rules.hold_three and (rules.buy_from != "off")
        burners: set[int] = set()
        paid: set[int] = set()
        for event in script.events():
            if isinstance(event, gr.RevolutionSettled):
                self.revolted.update(event.seats)
            elif isinstance(event, gr.CardsShown):
                self.showed.add(event.seat)
            elif isinstance(event, gr.Busted):
                self.fixed.add(event.seat)
            elif isinstance(event, gr.Played) and event.manner == gr.Manner.BURN:
                burners.add(event.seat)
            elif isinstance(event, gr.CardBought):
                paid.add(event.buyer)
            elif isinstance(event, gr.TributePaid | gr.TributeWaived):
                paid.add(event.payer)
            elif isinstance(event, gr.ReturnRefused):
                self.lacks[event.payer].add(gr.rank_of(event.card))
        self.fixed |= {seat for seat in burners if dice.random() < keep}
        self.tight |= {seat for seat in paid if dice.random() < keep}

    def stays(self, seat: int, rank: int) -> bool:
        """Whether no card of the rank leaves or enters a hand."""
        if seat in self.fixed or (rank == 1 and self.fours_fixed):
            return True
        if rank == self.shown_rank and (self.shows_stay or seat in self.showed):
            return True
        return rank in SPECIAL and seat in self.tight

    def may_get(self, seat: int, rank: int) -> bool:
        """Whether a seat may hold one card more of a rank."""
        if seat in self.revolted and (rank in SPECIAL or (rank == 0 and self.rules.hold_three)):
            return False
        return rank not in self.lacks[seat] and not self.stays(seat, rank)


def _resampled(dice: random.Random, script: Script, *, keep: float) -> bytes:
    """Deal anew what the observer cannot know, by exchanging unplayed cards of other seats: few of them, or all."""
    facts = _Facts(dice, script, keep)
    order = list(script.order)
    needed = cards_needed(script)
    free: list[int] = []
    for i in dice.sample(range(len(order)), len(order)):
        seat, card = seat_of(i), order[i]
        if needed[seat][card]:
            needed[seat][card] -= 1
        elif not facts.stays(seat, gr.rank_of(gr.Card(card))):
            free.append(i)
    if len(free) < 2:
        return bytes(order)
    threes = [sum(gr.rank_of(gr.Card(order[i])) == 0 for i in range(seat, len(order), 6)) for seat in SEATS]
    threes = [threes[(seat - seat_of(0)) % 6] for seat in SEATS]
    for _ in range(dice.choice((1, 6, 40, 3 * len(free)))):
        i, j = dice.choice(free), dice.choice(free)
        ranks = gr.rank_of(gr.Card(order[i])), gr.rank_of(gr.Card(order[j]))
        a, b = seat_of(i), seat_of(j)
        if a == b or ranks[0] == ranks[1] or not (facts.may_get(a, ranks[1]) and facts.may_get(b, ranks[0])):
            continue
        if 0 in ranks:
            giver, taker = (a, b) if ranks[0] == 0 else (b, a)
            if facts.threes_by_class and (threes[giver] < 3 or threes[taker] < 2):
                continue
            threes[giver] -= 1
            threes[taker] += 1
        order[i], order[j] = order[j], order[i]
    return bytes(order)

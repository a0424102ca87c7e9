"""Worlds that one seat cannot tell apart: the same public story with other hands behind it.

A *script* is the story of one deal up to a point: who answered what, and what the observer asked besides. It is written
once, by playing the engine with one order of drawing; the same script is then played on servers that draw in another
order, in which the observer holds the same cards and every answer of the script is still allowed. All that is compared
is what the observer and a spectator receive, byte for byte.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_bots import choose_cards, policies
from gouji_rules import shuffle
from gouji_rules.actions import VERB_WORDS
from gouji_rules.cards import BIG, SMALL, TWO

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    import pytest

SEATS = range(6)
SEED = bytes(range(32))
"""The seed of every scripted deal: it fixes who draws first and the lot; the order of drawing is the world's own."""

FIRST = shuffle.first_drawer(SEED)
SPECIAL = frozenset((TWO, SMALL, BIG))


_WORD_OF = {verb: word for word, verb in VERB_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Act:
    """A seat answers the open question."""

    seat: int
    verb: int
    cards: bytes = b""
    suit: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """The observer or the spectator asks for something, or tries what it may not. ``seat`` -1: the spectator."""

    seat: int
    kind: str
    verb: int = 0
    cards: bytes = b""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Lapse:
    """The clock answers for all who have not."""


Step = Act | Probe | Lapse


@dataclass(slots=True)
class Script:
    """The story of a deal, as one observer takes part in it. ``order`` is the order of drawing it was written with."""

    observer: int
    order: bytes
    steps: list[Step] = field(default_factory=list)
    played: list[Counter[int]] = field(default_factory=lambda: [Counter() for _ in SEATS])
    revolted: set[int] = field(default_factory=set)
    busted: set[int] = field(default_factory=set)
    burners: set[int] = field(default_factory=set)
    windows: int = 0


def seat_of(position: int) -> int:
    """The seat that draws the card at a position of the order."""
    return (FIRST + position) % 6


def draw_as(patch: pytest.MonkeyPatch, order: bytes) -> None:
    """Have every deal made from now on be drawn in this order; commitments and secrets stay the server's own."""
    patch.setattr(gr, "deal_seed", lambda secret, entropies=(): SEED)
    patch.setattr(shuffle, "draw_order", lambda decks, seed: order)


def random_order(dice: random.Random, *, poor: bool) -> bytes:
    """An order of drawing; `poor`: one seat draws no two and no joker, so that it may revolt (R50)."""
    cards = list(gr.pack(gr.preset("qingdao")))
    dice.shuffle(cards)
    if poor:
        seat = dice.randrange(6)
        own = [i for i in range(216) if seat_of(i) == seat and gr.rank_of(cards[i]) in SPECIAL]
        others = [i for i in range(216) if seat_of(i) != seat and 0 < gr.rank_of(cards[i]) < TWO]
        for i, j in zip(own, dice.sample(others, len(own)), strict=True):
            cards[i], cards[j] = cards[j], cards[i]
    return bytes(cards)


def write_script(dice: random.Random, patch: pytest.MonkeyPatch, *, poor: bool = False, length: int = 400) -> Script:
    """Play the engine and write down what was answered, until `length` answers are in or the deal is about to end."""
    order = random_order(dice, poor=poor)
    draw_as(patch, order)
    deal = gr.Deal.start(gr.preset("qingdao"), SEED)
    script = Script(observer=dice.randrange(6), order=order)
    names = [dice.choice(("random", "simple", "simple")) for _ in SEATS]
    for _ in range(length):
        script.steps.extend(_probes(dice, deal, script.observer))
        steps = _next_steps(dice, deal, names, poor=poor)
        trial = deal.copy()
        events = [event for step in steps for event in _carry_out(trial, step)]
        if trial.over:
            break
        deal = trial
        script.steps.extend(steps)
        _note(script, steps, events)
    return script


def _next_steps(dice: random.Random, deal: gr.Deal, names: list[str], *, poor: bool) -> list[Step]:
    """One answer; or, where several are asked together, some answers and now and then the clock for the rest."""
    asked = [seat for seat in SEATS if deal.is_asked(seat)]
    question = deal.question
    assert question is not None
    dice.shuffle(asked)
    if question.kind != gr.Kind.LEAD and dice.random() < 0.04:
        return [Lapse()]
    seat = asked[0]
    view = deal.view(seat)
    action = policies[names[seat]](view, dice)
    if poor and deal.can(seat, gr.REVOLT) and not any(a.action == gr.REVOLT for a in deal.answers):
        action = gr.REVOLT
    elif question.kind == gr.Kind.REVOLT:
        action = gr.NO
    elif question.kind == gr.Kind.WINDOW and dice.random() < 0.5:
        burns = deal.legal_actions(seat)
        action = burns[dice.randrange(len(burns))]
    return [Act(seat, gr.verb_of(action), bytes(choose_cards(view.cards, action, dice)), gr.suit_shown(action) + 1)]


def _carry_out(deal: gr.Deal, step: Step) -> list[object]:
    """Do one step in the engine. Raises RuleViolation where the world does not allow it."""
    if isinstance(step, Act):
        return list(deal.apply(step.seat, action_of(step), step.cards or None))
    if isinstance(step, Lapse):
        waiting = [seat for seat in SEATS if deal.is_asked(seat)]
        return [event for seat in waiting for event in deal.apply(seat, deal.default_action(seat))]
    return []


def action_of(step: Act) -> gr.Action:
    """The engine's action of an answer."""
    if step.cards:
        play = gr.play_of_cards(step.cards)
        return gr.burn_action(play) if step.verb == gr.Verb.BURN else gr.play_action(play)
    return gr.parse_action(_WORD_OF[gr.Verb(step.verb)])


def _note(script: Script, steps: list[Step], events: list[object]) -> None:
    for step in steps:
        if isinstance(step, Act) and step.verb == gr.Verb.REVOLT:
            script.revolted.add(step.seat)
    for event in events:
        if isinstance(event, gr.Played):
            script.played[event.seat].update(event.cards)
            if event.manner == gr.Manner.BURN:
                script.burners.add(event.seat)
        elif isinstance(event, gr.Busted):
            script.busted.add(event.seat)
        elif isinstance(event, gr.WindowClosed):
            script.windows += 1


# ── what the observer and the spectator ask besides ──


def _probes(dice: random.Random, deal: gr.Deal, observer: int) -> Iterator[Probe]:
    """Questions and misdeeds: chosen by dice and the observer's own cards alone, so that every world has the same."""
    cards = deal.cards(observer)
    for seat in (observer, -1):
        if dice.random() < 0.25:
            yield Probe(seat, "view")
        if dice.random() < 0.25:
            yield Probe(seat, "legal")
    if dice.random() < 0.3:
        yield Probe(observer, "check", *_some_action(dice, cards))
    if dice.random() < 0.3:
        verb, many = _some_action(dice, ())
        yield Probe(observer, "bad", verb, many, stale=not many or dice.random() < 0.5)
    if dice.random() < 0.1:
        yield Probe(-1, "bad", int(gr.Verb.PASS))


def _some_action(dice: random.Random, hand: Sequence[gr.Card]) -> tuple[int, bytes]:
    """An action that may be sensible (some cards of the hand) or not (cards of anyone)."""
    verb = dice.choice((gr.Verb.PLAY, gr.Verb.BURN, gr.Verb.PASS, gr.Verb.YIELD, gr.Verb.WIND, gr.Verb.DECLINE))
    if verb not in (gr.Verb.PLAY, gr.Verb.BURN):
        return int(verb), b""
    if hand:
        rank = gr.rank_of(dice.choice(hand))
        group = [int(card) for card in hand if gr.rank_of(card) == rank]
        return int(verb), bytes(dice.sample(group, dice.randint(1, len(group))))
    # More of one card than the four packs hold: nobody can have them, so the answer is a refusal in every world.
    return int(verb), bytes([dice.randint(1, 54)] * 5)


# ── other worlds ──


def other_worlds(dice: random.Random, patch: pytest.MonkeyPatch, script: Script, wanted: int) -> Iterator[bytes]:
    """Orders of drawing in which the same story may happen and the observer holds the same cards.

    Every 3 stays where it was drawn, so that the same seats show the same (R5). A world is left out for one reason
    alone: its hands do not allow a burn (R31) or a revolution (R50) that everybody saw. What was received never counts,
    and any other refusal is a leak: somebody is asked in one world and not in the other.
    """
    found = 0
    for tried in range(60 * wanted):
        order = _resampled(dice, script, keep_burners=(0.5, 0.9, 1.0)[3 * tried // (60 * wanted)])
        if hands_differ(script, order) and _allows(patch, script, order):
            yield order
            found += 1
            if found == wanted:
                return


def _allows(patch: pytest.MonkeyPatch, script: Script, order: bytes) -> bool:
    draw_as(patch, order)
    deal = gr.Deal.start(gr.preset("qingdao"), SEED)
    try:
        for step in script.steps:
            _carry_out(deal, step)
    except (gr.BurnNotSound, gr.MayNotRevolt):
        return False
    return True


def _resampled(dice: random.Random, script: Script, *, keep_burners: float) -> bytes:
    """Deal anew what the observer cannot know: all unplayed cards of the other seats but 3s.

    A revolutionary keeps to cards that are no two and no joker, and a busted burner keeps its cards: both facts are
    public. A seat that burned keeps its cards with a chance of `keep_burners`: few other hands allow its burn (R31).
    """
    burners = {seat for seat in script.burners if dice.random() < keep_burners}
    fixed = {script.observer} | script.busted | burners
    order = list(script.order)
    free = [i for i in range(216) if seat_of(i) not in fixed and gr.rank_of(gr.Card(order[i])) != 0]
    left = [Counter(cards) for cards in script.played]
    open_places: list[int] = []
    for i in dice.sample(free, len(free)):
        seat = seat_of(i)
        if left[seat][order[i]]:
            left[seat][order[i]] -= 1
        else:
            open_places.append(i)
    pool = [order[i] for i in open_places]
    dice.shuffle(pool)
    poor = [i for i in open_places if seat_of(i) in script.revolted]
    rest = [i for i in open_places if seat_of(i) not in script.revolted]
    plain = [card for card in pool if gr.rank_of(gr.Card(card)) not in SPECIAL]
    for i in poor:
        order[i] = plain.pop()
        pool.remove(order[i])
    for i, card in zip(rest, pool, strict=True):
        order[i] = card
    return bytes(order)


def hands_differ(script: Script, order: bytes) -> int:
    """How many seats hold other cards in a world than in the script's: what there is to hide."""

    def hand(of: bytes, seat: int) -> list[int]:
        return sorted(of[i] for i in range(216) if seat_of(i) == seat)

    return sum(hand(order, seat) != hand(script.order, seat) for seat in SEATS)

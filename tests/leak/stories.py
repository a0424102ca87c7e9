"""Stories: what was answered and asked in one deal up to a point, written by playing the engine with one order of
drawing, with everything that was told on the way."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from unittest.mock import patch as patched

import gouji_rules as gr
from gouji_bots import choose_cards, policies
from gouji_rules import shuffle
from gouji_rules.actions import VERB_SHIFT, VERB_WORDS, WITH_CARDS
from gouji_rules.cards import BIG, SMALL, TWO

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

SEATS = range(6)
SEED = bytes(range(32))
"""The seed of every scripted deal: it fixes who draws first and the lot; the order of drawing is the world's own."""

FIRST = shuffle.first_drawer(SEED)
SPECIAL = frozenset((TWO, SMALL, BIG))
TOGETHER = frozenset({gr.Kind.WINDOW, gr.Kind.REVOLT, gr.Kind.SHOW, gr.Kind.CALL, gr.Kind.WAIVE, gr.Kind.SWAP})

_WORD_OF = {verb: word for word, verb in VERB_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Act:
    """A seat answers the open question."""

    seat: int
    verb: int
    cards: bytes = b""
    suit: int = 0

    @property
    def action(self) -> gr.Action:
        """The engine's action."""
        if self.verb in WITH_CARDS:
            return gr.Action(self.verb << VERB_SHIFT | gr.play_of_cards(self.cards))
        return gr.show_action(self.suit - 1) if self.suit else gr.parse_action(_WORD_OF[gr.Verb(self.verb)])


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


@dataclass(frozen=True, slots=True)
class AskCount:
    """A seat asks another for its count (R80)."""

    asker: int
    of: int


@dataclass(frozen=True, slots=True)
class Feel:
    """A seat feels its opposite's hand (R82)."""

    asker: int


Step = Act | Probe | Lapse | AskCount | Feel


@dataclass(slots=True)
class Group:
    """A question asked of several: the seats, the steps that answered it, and whose answers stay hidden.

    ``either``: not all of the hidden ones may agree, for then all had heard it (a waiver, a swap).
    """

    kind: gr.Kind
    asked: int
    steps: list[int] = field(default_factory=list)
    closed: bool = False
    hidden: frozenset[int] = frozenset()
    either: bool = False


@dataclass(slots=True)
class Script:
    """The story of a deal, as one observer (-1: a spectator alone) takes part in it.

    ``told`` has the events of the start and of every step, ``seen`` what the observer saw then (see :func:`look`).
    """

    rules: gr.RuleSet
    observer: int
    order: bytes
    obligations: tuple[gr.Obligation, ...] = ()
    steps: list[Step] = field(default_factory=list)
    told: list[list[gr.Event]] = field(default_factory=list)
    seen: list[tuple[object, ...]] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def events(self) -> Iterator[gr.Event]:
        """Everything told, in order."""
        for events in self.told:
            yield from events


def seat_of(position: int) -> int:
    """The seat that draws the card at a position of the order."""
    return (FIRST + position) % 6


@contextmanager
def drawn_as(order: bytes) -> Iterator[None]:
    """Have every deal be drawn in this order, for as long as it is played: an engine may draw again from the seed."""
    with patched.object(shuffle, "draw_order", lambda rules, seed: order):
        yield


def random_order(dice: random.Random, rules: gr.RuleSet, mood: str) -> bytes:
    """An order of drawing. ``poor``: one seat draws no two and no joker, under hold-three no 3 either, so that it may
    revolt (R50); ``rich``: three seats draw most twos and jokers, so that burns, kills and tributes come up."""
    cards = list(map(int, gr.pack(rules)))
    dice.shuffle(cards)
    chosen = dice.sample(list(SEATS), 1 if mood == "poor" else 3)
    unwanted = SPECIAL | {0} if mood == "poor" and rules.hold_three else SPECIAL
    if mood == "plain":
        return bytes(cards)
    places = [i for i, card in enumerate(cards) if gr.rank_of(gr.Card(card)) in unwanted]
    from_seats = [i for i in places if (seat_of(i) in chosen) is (mood == "poor")]
    to_places = [i for i in range(len(cards)) if i not in places and (seat_of(i) in chosen) is (mood == "rich")]
    dice.shuffle(to_places)
    for i, j in zip(from_seats, to_places, strict=False):
        cards[i], cards[j] = cards[j], cards[i]
    return bytes(cards)


def random_obligations(dice: random.Random, rules: gr.RuleSet) -> tuple[gr.Obligation, ...]:
    """What a deal before may have left."""
    if not rules.tribute or dice.random() < 0.2:
        return ()
    places = dice.sample(list(SEATS), 6)
    owed: list[gr.Obligation] = []
    for kind in rules.tribute:
        if kind == "loser":
            owed += [gr.Obligation(places[5], places[0], kind, 2), gr.Obligation(places[4], places[1], kind, 1)]
        elif kind == "point":
            owed += [gr.Obligation(s, (s + 3) % 6, kind, dice.choice((1, 1, 2, 4))) for s in dice.sample(places, 2)]
        else:
            payer, receiver = dice.sample(places, 2)
            owed.append(gr.Obligation(payer, receiver, kind, 1))
    return tuple(owed)


def write_script(
    dice: random.Random, rules: gr.RuleSet, *, observer: int, mood: str = "plain", length: int = 400
) -> Script:
    """Play the engine and write down what was answered, until `length` answers are in or the deal is about to end."""
    order = random_order(dice, rules, mood)
    with drawn_as(order):
        return _written(dice, Script(rules, observer, order, random_obligations(dice, rules)), mood, length)


def _written(dice: random.Random, script: Script, mood: str, length: int) -> Script:
    observer = script.observer
    deal = gr.Deal.start(script.rules, SEED, obligations=script.obligations)
    script.told.append(list(deal.start_events))
    script.seen.append(look(deal, observer, 0))
    names = [dice.choice(("random", "simple", "simple")) for _ in SEATS]
    for _ in range(length):
        if deal.over:  # void before anything was played
            break
        probes = list(_probes(dice, deal, observer))
        step = _next_step(dice, deal, names, mood)
        trial = deal.copy()
        events = carry_out(trial, step)
        if trial.over:
            break
        for probe in probes:
            _write(script, probe, [], deal)
        _note_answer(script, step, deal, trial, events)
        deal = trial
        _write(script, step, events, deal)
    for group in script.groups:
        if not group.closed:
            group.hidden = frozenset(s for s in SEATS if group.asked >> s & 1 and s != observer)
    return script


def _write(script: Script, step: Step, events: list[gr.Event], deal: gr.Deal) -> None:
    script.steps.append(step)
    script.told.append(events)
    script.seen.append(look(deal, script.observer, len(script.steps)))


def look(deal: gr.Deal, observer: int, at: int) -> tuple[object, ...]:
    """All that the observer can see in the engine: the public state, its view, its question, what it may answer and
    why not otherwise; of a long list of plays the length, and all of it now and then."""
    public = deal.public_view()
    if observer < 0:
        return (public, public.question, public.plays if at % 16 == 0 else ())
    legal = deal.legal_actions(observer)
    listed = tuple(legal) if len(legal) < 40 or at % 16 == 0 else len(legal)
    refused = [_refusal(deal, observer, action) for action in (_TRIED[at % len(_TRIED)], _TRIED[-1 - at % 7])]
    return (deal.view(observer), deal.public.question_for(observer), listed, deal.open_verbs(observer), refused)


_TRIED = [
    *(gr.parse_action(word) for word in ("pass", "yield", "wind", "decline", "no", "revolt", "head keep", "refuse")),
    *(gr.parse_action(text) for text in ("play 3", "play s", "burn b9", "play 2", "kill bb", "give 3", "play 44")),
]


def _refusal(deal: gr.Deal, seat: int, action: gr.Action) -> tuple[str, ...]:
    try:
        deal.verify(seat, action)
    except gr.RuleViolation as refused:
        return (refused.rule, refused.code, refused.text_en, refused.text_zh)
    return ()


def carry_out(deal: gr.Deal, step: Step) -> list[gr.Event]:
    """Do one step in the engine. Raises RuleViolation where the world does not allow it."""
    if isinstance(step, Act):
        return list(deal.apply(step.seat, step.action, step.cards or None))
    if isinstance(step, Lapse):
        waiting = [seat for seat in SEATS if deal.is_asked(seat)]
        return [event for seat in waiting for event in deal.apply(seat, deal.default_action(seat))]
    if isinstance(step, AskCount):
        return [deal.ask_count(step.asker, step.of)]
    if isinstance(step, Feel):
        return [deal.feel(step.asker)[0]]
    return []


# ── what is answered ──


def _next_step(dice: random.Random, deal: gr.Deal, names: list[str], mood: str) -> Step:
    """One answer, now and then the clock for all who have not, or a question out of turn."""
    question = deal.question
    assert question is not None
    if question.kind not in (gr.Kind.LEAD, gr.Kind.RETURN) and dice.random() < 0.04:
        return Lapse()
    holders = [seat for seat in SEATS if deal.public.active >> seat & 1 and any(deal.hand(seat))]
    if deal.rules.report == "asked" and len(holders) > 1 and dice.random() < 0.05:
        return AskCount(*dice.sample(holders, 2))
    feeling = [s for s in holders if (s + 3) % 6 in holders and deal.public.felt[s] < deal.rules.feel_chances]
    if feeling and dice.random() < 0.05:
        return Feel(dice.choice(feeling))
    seat = dice.choice([seat for seat in SEATS if deal.is_asked(seat)])
    return act(deal, seat, _choose(dice, deal, seat, names[seat], mood), dice)


def act(deal: gr.Deal, seat: int, action: gr.Action, dice: random.Random) -> Act:
    """An answer with real cards at random."""
    cards = bytes(choose_cards(deal.cards(seat), action, dice))
    return Act(seat, int(gr.verb_of(action)), cards, gr.suit_shown(action) + 1)


def _choose(dice: random.Random, deal: gr.Deal, seat: int, name: str, mood: str) -> gr.Action:
    kind = deal.public.kind
    legal = deal.legal_actions(seat)
    if kind == gr.Kind.REVOLT:
        wanted = mood == "poor" and not any(a.action == gr.REVOLT for a in deal.answers)
        return gr.REVOLT if wanted and deal.can(seat, gr.REVOLT) else legal[0]
    if kind in (gr.Kind.LEAD, gr.Kind.FOLLOW) or (kind == gr.Kind.WINDOW and dice.random() < 0.5):
        return policies[name](deal.view(seat), dice)
    return legal[dice.randrange(len(legal))]


# ── what several were asked ──


def _note_answer(script: Script, step: Step, before: gr.Deal, after: gr.Deal, events: list[gr.Event]) -> None:
    """Keep the book of the common questions: who answered in which step, and whose answer nobody may know."""
    kind = before.public.kind
    if kind not in TOGETHER or not isinstance(step, Act | Lapse):
        return
    if not script.groups or script.groups[-1].closed:
        script.groups.append(Group(kind, before.public.asked))
    group = script.groups[-1]
    group.steps.append(len(script.steps))
    if isinstance(step, Act) and after.pending(step.seat) and after.public.kind == kind:
        return
    group.closed = True
    if kind == gr.Kind.WINDOW and events and isinstance(events[0], gr.Played | gr.Stifled | gr.BurnEnded):
        stood = next(event.seat for event in events if isinstance(event, gr.Played))
        order = window_order(script.rules, before.public.top_owner)
        later = order[order.index(stood) + 1 :]
        group.hidden = frozenset(s for s in later if group.asked >> s & 1 and s != script.observer)
    elif kind in (gr.Kind.WAIVE, gr.Kind.SWAP):
        agreed = any(isinstance(event, gr.TributeWaived | gr.PlacesSwapped) for event in events)
        _hide_disagreement(script, group, step, agreed=agreed)


def _hide_disagreement(script: Script, group: Group, last: Step, *, agreed: bool) -> None:
    """Two were asked and did not agree: that one did not is known to all, which one is not."""
    others = frozenset(s for s in SEATS if group.asked >> s & 1 and s != script.observer)
    if agreed:
        return
    if len(others) == 2:
        group.hidden, group.either = others, True
        return
    own = [*(script.steps[i] for i in group.steps[:-1]), last]
    said = [step.verb for step in own if isinstance(step, Act) and step.seat == script.observer]
    if not said or said[0] == gr.Verb.NO:
        group.hidden = others


def window_order(rules: gr.RuleSet, owner: int) -> list[int]:
    """In which order the answers of a window count: the owner's allies first, each group in turn order (R32, R7)."""
    steps = (2, 4, 1, 3, 5) if rules.teams == "federation" else (1, 2, 3, 4, 5)
    return [(owner + step) % 6 for step in steps]


# ── what the observer and the spectator ask besides ──


def _probes(dice: random.Random, deal: gr.Deal, observer: int) -> Iterator[Probe]:
    """Questions and misdeeds: chosen by dice and the observer's own cards alone, so that every world has the same."""
    cards = deal.cards(observer) if observer >= 0 else ()
    for seat in {observer, -1}:
        if dice.random() < 0.25:
            yield Probe(seat, "view")
        if dice.random() < 0.25:
            yield Probe(seat, "legal")
    if observer >= 0:
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
    # More of one card than the packs hold: nobody can have them, so the answer is a refusal in every world.
    return int(verb), bytes([dice.randint(1, 54)] * 7)


def cards_needed(script: Script) -> list[Counter[int]]:
    """The cards that each seat must have drawn, since all saw them leave its hand; not those that it got on the way."""
    needed: list[Counter[int]] = [Counter() for _ in SEATS]
    got: list[Counter[int]] = [Counter() for _ in SEATS]
    shown: list[Counter[int]] = [Counter() for _ in SEATS]

    def give(seat: int, card: int) -> None:
        if got[seat][card]:
            got[seat][card] -= 1
        else:
            needed[seat][card] += 1

    for step, events in zip((Lapse(), *script.steps), script.told, strict=True):
        if isinstance(step, Act) and step.verb == gr.Verb.GIVE:  # shown even where it is refused
            (card,) = step.cards
            shown[step.seat][card] = max(shown[step.seat][card], needed[step.seat][card] + (not got[step.seat][card]))
        for event in events:
            _pass_on(event, give, got)
    return [cards | more for cards, more in zip(needed, shown, strict=True)]


def _pass_on(event: gr.Event, give: Callable[[int, int], None], got: list[Counter[int]]) -> None:
    """Follow the cards of one event from hand to hand."""
    if isinstance(event, gr.Played):
        for card in event.cards:
            give(event.seat, card)
    elif isinstance(event, gr.CardBought):
        give(event.seller, event.card)
        got[event.buyer][event.card] += 1
        if event.paid is not None:
            give(event.buyer, event.paid)
            got[event.seller][event.paid] += 1
    elif isinstance(event, gr.TributePaid):
        for card in event.cards:
            give(event.payer, card)
            got[event.receiver][card] += 1
    elif isinstance(event, gr.CardReturned):
        give(event.receiver, event.card)
        got[event.payer][event.card] += 1

"""The first lead (上班, R5): who shows 3s of one suit, in the order of drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.actions import NO, suit_shown
from gouji_rules.cards import SEATS, Card
from gouji_rules.events import CardsShown, LeadFixed, LeadReason
from gouji_rules.question import SHOW_VERBS, Kind
from gouji_rules.state import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet

THREES: Final = tuple(13 * suit + 1 for suit in range(4))
"""The 3s as card values, by suit."""
FOURS: Final = tuple(13 * suit + 2 for suit in range(4))
"""The 4s, which are shown instead of 3s under hold-three."""

_IS_THREE: Final = bytes(1 if card in THREES else 0 for card in range(256))
_IS_FOUR: Final = bytes(1 if card in FOURS else 0 for card in range(256))


def cards_shown(rules: RuleSet) -> tuple[int, ...]:
    """The cards of which two of one suit are shown for the lead, by suit."""
    return FOURS if rules.hold_three else THREES


def threes_by_suit(rules: RuleSet, cards: bytes) -> tuple[int, int, int, int]:
    """A seat's 3s, under hold-three its 4s, by suit."""
    shown = cards_shown(rules)
    return cards.count(shown[0]), cards.count(shown[1]), cards.count(shown[2]), cards.count(shown[3])


def take_overs(
    rules: RuleSet, order: bytes, first_drawer: int, shows: Callable[[int, int], bool] | None = None
) -> list[tuple[int, int, int]]:
    """The shows of a deal as it is drawn: (seat, suit, how many 3s of it), each with more than the one before.

    ``shows(seat, suit)`` says who shows what; None: everyone who can, shows. The last one has the lead. Under
    hold-three 4s count instead of 3s.
    """
    held = [0] * (SEATS * 4)
    found: list[tuple[int, int, int]] = []
    most = 1
    marks = order.translate(_IS_FOUR if rules.hold_three else _IS_THREE)
    at = marks.find(1)
    while at >= 0:
        seat = (first_drawer + at) % SEATS
        suit = order[at] // 13
        count = held[seat * 4 + suit] + 1
        held[seat * 4 + suit] = count
        if count > most and (shows is None or shows(seat, suit)):
            most = count
            found.append((seat, suit, count))
        at = marks.find(1, at + 1)
    return found


def show_all(pos: Position, order: bytes, first_drawer: int, lot: int) -> int:
    """`show = auto`: everyone who can, shows. The seat with the first lead."""
    shown = take_overs(pos.rules, order, first_drawer)
    for seat, suit, count in shown:
        _show(pos, seat, suit, count)
    return _fix(pos, shown[-1][0] if shown else -1, lot)


def ask_all(pos: Position) -> None:
    """`show = ask`: every seat is asked together, by right."""
    p = pos.public
    p.phase = Phase.SHOW
    p.kind = Kind.SHOW
    p.asked = pos.waiting = 63
    p.verbs = SHOW_VERBS
    p.turn = -1


def settle(pos: Position, order: bytes, first_drawer: int, lot: int) -> int:
    """All have answered: those who show lay down all 3s of the suit; the order of drawing decides who leads."""
    answers = [suit_shown(answer or NO) for answer in pos.answers]
    pos.forget_answers()
    for step in range(SEATS):
        seat = (first_drawer + step) % SEATS
        if answers[seat] >= 0:
            hand = order[step::SEATS]
            _show(pos, seat, answers[seat], hand.count(cards_shown(pos.rules)[answers[seat]]))
    shown = take_overs(pos.rules, order, first_drawer, lambda seat, suit: answers[seat] == suit)
    return _fix(pos, shown[-1][0] if shown else -1, lot)


def _show(pos: Position, seat: int, suit: int, count: int) -> None:
    cards = (Card(cards_shown(pos.rules)[suit]),) * count
    pos.public.shown += ((seat, cards),)
    if pos.events is not None:
        pos.events.append(CardsShown(seat, cards))


def _fix(pos: Position, shown: int, lot: int) -> int:
    lead = shown if shown >= 0 else lot
    if pos.events is not None:
        pos.events.append(LeadFixed(lead, LeadReason.SHOWN if shown >= 0 else LeadReason.LOT))
    return lead

"""The whole position of a running deal: the public state with what is hidden.

The rule families (trick, burning, revolution, finishing, first lead) are functions over a Position. It is the engine's
inside; players see :class:`~gouji_rules.state.PublicState` and :class:`~gouji_rules.views.SeatView`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.cards import NATURAL_RANKS, RANK_OF_CARD, SEATS, counts_of
from gouji_rules.conduct import Conduct, conduct_under
from gouji_rules.enumeration import (
    NATURALS_MASK,
    UNITS,
    WILD_AT,
    WILD_SHIFTS,
    cards_in,
    count_in,
    naturals_of_hand,
)
from gouji_rules.errors import CardsNotHeld
from gouji_rules.plays import counts_of_play
from gouji_rules.state import PublicState, with_seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.actions import Action
    from gouji_rules.events import Event
    from gouji_rules.obligations import Obligation
    from gouji_rules.plays import Play
    from gouji_rules.rule_set import RuleSet

OPPOSITE: Final = (3, 4, 5, 0, 1, 2)
OPPOSITE_BIT: Final = (8, 16, 32, 1, 2, 4)
TEAM_MASK: Final = (0b010101, 0b101010)
"""Seats of the even and of the odd team (§1)."""


def _first_after(seat: int, mask: int) -> int:
    for step in range(1, SEATS + 1):
        if mask >> (seat + step) % SEATS & 1:
            return (seat + step) % SEATS
    return -1


FIRST_AFTER: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(_first_after(seat, mask) for mask in range(64)) for seat in range(6)
)
"""``FIRST_AFTER[seat][mask]``: the first seat of a mask in turn order from the next seat on, the seat itself last; -1
for an empty mask."""


_SEATS_IN: Final = tuple(tuple(seat for seat in range(SEATS) if mask >> seat & 1) for mask in range(64))


def seats_in(mask: int) -> tuple[int, ...]:
    """The seats of a mask, ascending."""
    return _SEATS_IN[mask]


NO_ANSWERS: Final[tuple[Action | None, ...]] = (None,) * SEATS
NOTHING_CHOSEN: Final[tuple[bytes | None, ...]] = (None,) * SEATS


class Position:
    """Public state, hands and hidden answers of a deal.

    A hand is kept packed: ``naturals`` the ranks 3..A of each seat spread out
    (:func:`~gouji_rules.enumeration.spread`), ``wild`` wild code per seat; ``left`` cards per seat. ``waiting`` mask of
    the seats whose answer is missing in a question asked of several; ``answers`` theirs so far; ``cards`` the real
    cards per seat, ascending (None: not tracked) and ``chosen`` the ones picked for a coming play; ``events`` the sink
    of what happens (None: not recorded). ``gouji_at`` and ``report_at`` are the rule set's thresholds and ``conduct``
    what else it means for play, picked once. ``step`` counts the steps of R4 that were taken; ``owed`` is the tribute
    still to be paid and ``back`` what is still to come back; ``stifles`` are all (seat, stifler) so far, as they
    happened, public or not (R46).
    """

    __slots__ = (
        "answers",
        "back",
        "cards",
        "chosen",
        "conduct",
        "events",
        "gouji_at",
        "left",
        "naturals",
        "owed",
        "public",
        "report_at",
        "rules",
        "step",
        "stifles",
        "waiting",
        "wild",
    )

    rules: RuleSet
    public: PublicState
    naturals: list[int]
    wild: list[int]
    left: list[int]
    waiting: int
    answers: tuple[Action | None, ...]
    cards: list[bytes] | None
    chosen: tuple[bytes | None, ...]
    events: list[Event] | None
    step: int
    owed: tuple[Obligation, ...]
    back: tuple[Obligation, ...]
    stifles: tuple[tuple[int, int], ...]
    conduct: Conduct
    gouji_at: tuple[int, ...]
    report_at: int

    def __init__(
        self,
        rules: RuleSet,
        packed: Sequence[int],
        cards: list[bytes] | None,
        number: int = 1,
        of: Position | None = None,
    ) -> None:
        """``packed`` is an int per seat (:func:`~gouji_rules.enumeration.pack_hand`); ``of``: become a copy of that."""
        if of is not None:
            self.rules = of.rules
            self.public = of.public.copy()
            self.left = of.left[:]
            self.naturals = of.naturals[:]
            self.wild = of.wild[:]
            self.waiting = of.waiting
            self.answers = of.answers
            self.cards = None if of.cards is None else of.cards[:]
            self.chosen = of.chosen
            self.events = None
            self.step = of.step
            self.owed = of.owed
            self.back = of.back
            self.stifles = of.stifles
            self.conduct = of.conduct
            self.gouji_at = of.gouji_at
            self.report_at = of.report_at
            return
        self.rules = rules
        self.public = PublicState(rules, number)
        self.naturals = [hand & NATURALS_MASK for hand in packed]
        self.wild = [hand >> WILD_AT for hand in packed]
        self.left = list(map(cards_in, packed))
        self.waiting = 0
        self.answers = NO_ANSWERS
        self.cards = cards
        self.chosen = NOTHING_CHOSEN
        self.events = None
        self.step = 0
        self.owed = ()
        self.back = ()
        self.stifles = ()
        self.conduct = conduct_under(rules)
        self.gouji_at = self.conduct.gouji_at
        self.report_at = 10 if rules.report == "shown" else -1
        if min(self.left) <= self.report_at:
            self.show_counts()

    def show_counts(self) -> None:
        """Tell how many cards those seats hold that hold few (R80)."""
        self.public.count_shown = tuple([left if left <= self.report_at else -1 for left in self.left])

    def hand(self, seat: int) -> bytes:
        """A hand as fifteen rank counts."""
        code = self.wild[seat]
        return naturals_of_hand(self.naturals[seat]) + bytes((code & 31, code >> 5 & 15, code >> 9))

    @property
    def hands(self) -> tuple[bytes, ...]:
        """All hands as fifteen rank counts each, anew: changing them is :meth:`take_up`'s and :meth:`change`'s."""
        return tuple([self.hand(seat) for seat in range(SEATS)])

    def held(self, seat: int, rank: int) -> int:
        """How many cards of a rank a seat holds."""
        return count_in(self.naturals[seat], self.wild[seat], rank)

    def change(self, seat: int, rank: int, by: int) -> None:
        """Put cards of a rank into a hand, or take them out."""
        if rank < NATURAL_RANKS:
            self.naturals[seat] += by * UNITS[rank]
        else:
            self.wild[seat] += by << WILD_SHIFTS[rank - NATURAL_RANKS]
        self.left[seat] += by

    def answer(self, seat: int, action: Action) -> None:
        """Keep the answer of one of several seats asked."""
        self.answers = with_seat(self.answers, seat, action)

    def choose(self, seat: int, cards: bytes | None) -> None:
        """Keep which real cards a seat picked, or forget it."""
        chosen = with_seat(self.chosen, seat, cards)
        self.chosen = NOTHING_CHOSEN if chosen == NOTHING_CHOSEN else chosen

    def forget_answers(self) -> None:
        """The answers to a common question have done their work."""
        self.answers = NO_ANSWERS
        self.chosen = NOTHING_CHOSEN

    def take_up(self, packed: Sequence[int], cards: list[bytes] | None) -> None:
        """The cards were drawn: fill the hands in place, whatever they hold; ``packed`` as when it was made."""
        self.cards = cards
        self.left[:] = list(map(cards_in, packed))
        self.naturals[:] = [hand & NATURALS_MASK for hand in packed]
        self.wild[:] = [hand >> WILD_AT for hand in packed]
        self.show_counts()

    def copy(self) -> Position:
        """An independent copy, without the event sink."""
        return Position(self.rules, (), None, of=self)


def pick_cards(held: bytes, play: Play) -> bytes:
    """The lowest real cards of a hand that make a play."""
    wanted = counts_of_play(play)
    picked = bytearray()
    for card in held:
        rank = RANK_OF_CARD[card]
        if wanted[rank]:
            wanted[rank] -= 1
            picked.append(card)
    return bytes(picked)


def check_cards(held: bytes, play: Play, cards: Sequence[int]) -> bytes:
    """Real cards chosen for a play, ascending; raises if they are not held or are not that play."""
    chosen = bytes(sorted(cards))
    if counts_of(chosen) != counts_of_play(play):
        raise CardsNotHeld("R10", "CARDS_DIFFER", "the cards given are not the play named", "所给的牌与所报的牌不符")
    if any(chosen.count(card) > held.count(card) for card in set(chosen)):
        raise CardsNotHeld("R16", "CARDS_NOT_HELD", "the hand does not hold these cards", "手中没有这些牌")
    return chosen


def take_cards(pos: Position, seat: int, play: Play) -> bytes:
    """Move the real cards of a play out of a hand: those chosen, else the lowest. Empty when not tracked."""
    if pos.cards is None:
        return b""
    held = pos.cards[seat]
    chosen = pos.chosen[seat]
    if chosen is None:
        chosen = pick_cards(held, play)
    else:
        pos.choose(seat, None)
    rest = bytearray(held)
    for card in chosen:
        rest.remove(card)
    pos.cards[seat] = bytes(rest)
    return chosen

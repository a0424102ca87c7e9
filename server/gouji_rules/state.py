"""The public state of a running deal: all that everyone may know, and nothing else.

The engine keeps it up to date in place and keeps what is hidden (hands, unrevealed answers, the seed) elsewhere. Seats
are 0..5, masks have bit s for seat s, -1 is nobody.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Final, TypeVar

from gouji_rules.cards import as_cards
from gouji_rules.events import Manner
from gouji_rules.plays import SIZE_SHIFT, Play, size_of_parts
from gouji_rules.question import BURN_BIT, Kind, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_rules.cards import Card
    from gouji_rules.obligations import Obligation
    from gouji_rules.rule_set import RuleSet

NONE_EACH: Final = (0,) * 6
NO_COUNTS: Final = (-1,) * 6


class Standing(IntEnum):
    """Whether a seat still plays; numbered as on the wire."""

    ACTIVE = 1
    FINISHED = 2
    REVOLTED = 3
    BUSTED = 4


class Phase(IntEnum):
    """Which part of a deal is running; numbered as on the wire."""

    SHOW = 1
    REVOLUTION = 2
    HEAD_CHOICE = 3
    PLAY = 4
    OVER = 5
    CALLS = 6
    TRIBUTE = 7
    SWAP = 8


@dataclass(frozen=True, slots=True)
class Moved:
    """Cards that went from hand to hand before or during play, seen by all (R49, R78).

    ``why`` is ``"buy"``, ``"pay"`` (for a card bought), ``"tribute"`` or ``"return"``; ``ranks`` one per card;
    ``cards`` the real ones, empty where they are not tracked.
    """

    giver: int
    taker: int
    why: str
    ranks: tuple[int, ...]
    cards: tuple[Card, ...] = ()

    def __reduce__(self) -> tuple[type[Moved], tuple[object, ...]]:
        """Be made anew by its fields: a compiled class has no other way to be pickled."""
        return Moved, (self.giver, self.taker, self.why, self.ranks, self.cards)


@dataclass(frozen=True, slots=True)
class PlayedCards:
    """A play of the deal's history: who, in which trick (from 1), how, what, and the real cards if they are tracked."""

    seat: int
    trick: int
    manner: Manner
    play: Play
    cards: tuple[Card, ...]
    dead: bool = False
    last: bool = False
    headless: bool = False

    def __reduce__(self) -> tuple[type[PlayedCards], tuple[object, ...]]:
        """See :class:`Moved`."""
        fields = (self.seat, self.trick, self.manner, self.play, self.cards, self.dead, self.last, self.headless)
        return PlayedCards, fields


_T = TypeVar("_T")

# A history entry packed into 32 bits: the play without its size, then seat, manner (two bits: KILL is 0), dead, last,
# headless. The trick is the number of leads so far.
SIZELESS: Final = (1 << SIZE_SHIFT) - 1
SEAT_SHIFT: Final = 22
MANNER_SHIFT: Final = 25
DEAD_BIT: Final = 1 << 27
LAST_BIT: Final = 1 << 28
HEADLESS_BIT: Final = 1 << 29
_FLAGS_SHIFT: Final = 22
_WIDE_SHIFT: Final = 28
_WIDE_TRICK_SHIFT: Final = 36


PUBLIC_FIELDS: Final = (
    "active",
    "asked",
    "barred",
    "burned",
    "burner",
    "burns",
    "calls",
    "chance",
    "closed",
    "count_shown",
    "counter_burn",
    "dead_left",
    "due",
    "felt",
    "finished",
    "first_leader",
    "headless",
    "history",
    "history_cards",
    "kind",
    "leader",
    "live_dead",
    "melee",
    "moves",
    "must_hold_four",
    "must_hold_joker",
    "number",
    "obligations",
    "only_kill",
    "opened",
    "passed",
    "pending",
    "phase",
    "place",
    "revolted",
    "rules",
    "shown",
    "slam",
    "standing",
    "stifled",
    "top",
    "top_dead",
    "top_gouji",
    "top_headless",
    "top_last",
    "top_owner",
    "trick",
    "turn",
    "verbs",
    "winded",
    "yielded",
    "yielder",
)
"""The attributes of a :class:`PublicState`."""


_ALL_ACTIVE: Final = (Standing.ACTIVE,) * 6


def with_seat(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    """Values by seat, with another one for a seat."""
    if values[seat] == value:
        return values
    return (*values[:seat], value, *values[seat + 1 :])


class PublicState:
    """Everything public of a running deal.

    Attributes, besides the question's own (see :class:`~gouji_rules.question.Question`):

    - ``number`` the deal's number in its match; ``phase``; ``turn`` the seat asked where one alone is, else -1;
    - per seat ``standing``, ``place`` (1..6, 0 while open), ``count_shown`` (cards in hand where R80 tells them, else
      -1), ``dead_left`` (dead goujis left, -1: not applicable, R52);
    - masks ``active``, ``passed``, ``yielded``, ``winded`` (asked for the wind), ``headless``; ``pending`` the seats
      that may still answer the top play, ``yielder`` the one that answers after them (R24);
    - ``closed``: a first or second finisher's last play is down in this trick (R21);
    - ``trick`` its number (0 before the first lead), ``leader``, ``first_leader``;
    - of the top play ``top_gouji``, ``top_dead``, ``top_last``, ``top_headless``; ``chance`` the seat that may answer
      it with a dead gouji (R26);
    - ``burner`` and ``burned`` while a burn goes on, ``counter_burn`` whether it overtook another (R33); ``only_kill``
      mask of the seats of an open window that may kill but not burn (R15); ``live_dead`` how many dead
      goujis of the revolutionary's opposite were live (R44); ``melee``; ``finished`` seats in the order they finished;
      ``revolted`` the revolutionary; ``shown`` what was shown for the first lead (R5);
    - before play: ``obligations`` of this deal, in the order of paying, ``moves`` of cards from hand to hand, per seat
      ``calls`` (0 none, 1 open, 2 blind, R42), ``due`` what a question about tribute is about (for a return ``count``
      is how many cards are still to come back), ``barred`` the ranks refused for this return (mask);
    - ``opened`` mask (R40); ``burns`` that succeeded: (owner of the play burned, burner, doubled) (R35); ``stifled``:
      (seat, stifler) once that is public (R46); ``slam`` the seat that made one (R66); per seat ``felt``, how often it
      has felt its opposite's hand (R82);
    - ``history`` the plays so far packed, ``history_cards`` their real cards one after the other, empty where they are
      not tracked (read :attr:`plays` and :attr:`last_played`).
    """

    __slots__ = PUBLIC_FIELDS

    rules: RuleSet
    number: int
    phase: Phase
    kind: Kind
    asked: int
    turn: int
    verbs: int
    must_hold_joker: bool
    must_hold_four: bool
    top: Play
    top_owner: int
    top_gouji: bool
    top_dead: bool
    top_last: bool
    top_headless: bool
    standing: tuple[Standing, ...]
    place: tuple[int, ...]
    active: int
    passed: int
    yielded: int
    winded: int
    headless: int
    closed: bool
    pending: int
    yielder: int
    chance: int
    dead_left: tuple[int, ...]
    count_shown: tuple[int, ...]
    trick: int
    leader: int
    first_leader: int
    burner: int
    burned: int
    counter_burn: bool
    only_kill: int
    live_dead: int
    melee: bool
    finished: tuple[int, ...]
    revolted: int
    obligations: tuple[Obligation, ...]
    moves: tuple[Moved, ...]
    calls: tuple[int, ...]
    due: Obligation | None
    barred: int
    opened: int
    burns: tuple[tuple[int, int, bool], ...]
    stifled: tuple[tuple[int, int], ...]
    slam: int
    felt: tuple[int, ...]
    shown: tuple[tuple[int, tuple[Card, ...]], ...]
    history: array[int]
    history_cards: bytes

    def __reduce__(self) -> tuple[Callable[..., PublicState], tuple[object, ...]]:
        """See :class:`Moved`."""
        return _restored, tuple(getattr(self, name) for name in PUBLIC_FIELDS)

    def __init__(self, rules: RuleSet, number: int = 1, of: PublicState | None = None) -> None:
        """``of``: become a copy of that one."""
        if of is not None:
            self.rules = of.rules
            self.number = of.number
            self.phase = of.phase
            self.kind = of.kind
            self.asked = of.asked
            self.turn = of.turn
            self.verbs = of.verbs
            self.must_hold_joker = of.must_hold_joker
            self.must_hold_four = of.must_hold_four
            self.top = of.top
            self.top_owner = of.top_owner
            self.top_gouji = of.top_gouji
            self.top_dead = of.top_dead
            self.top_last = of.top_last
            self.top_headless = of.top_headless
            self.standing = of.standing
            self.place = of.place
            self.active = of.active
            self.passed = of.passed
            self.yielded = of.yielded
            self.winded = of.winded
            self.headless = of.headless
            self.closed = of.closed
            self.pending = of.pending
            self.yielder = of.yielder
            self.chance = of.chance
            self.dead_left = of.dead_left
            self.count_shown = of.count_shown
            self.trick = of.trick
            self.leader = of.leader
            self.first_leader = of.first_leader
            self.burner = of.burner
            self.burned = of.burned
            self.counter_burn = of.counter_burn
            self.only_kill = of.only_kill
            self.live_dead = of.live_dead
            self.melee = of.melee
            self.finished = of.finished
            self.revolted = of.revolted
            self.obligations = of.obligations
            self.moves = of.moves
            self.calls = of.calls
            self.due = of.due
            self.barred = of.barred
            self.opened = of.opened
            self.burns = of.burns
            self.stifled = of.stifled
            self.slam = of.slam
            self.felt = of.felt
            self.shown = of.shown
            self.history = of.history[:]
            self.history_cards = of.history_cards
            return
        self.rules = rules
        self.number = number
        self.phase = Phase.PLAY
        self.kind = Kind.NONE
        self.asked = 0
        self.turn = -1
        self.verbs = 0
        self.must_hold_joker = False
        self.must_hold_four = False
        self.top = Play(0)
        self.top_owner = -1
        self.top_gouji = False
        self.top_dead = False
        self.top_last = False
        self.top_headless = False
        self.standing = _ALL_ACTIVE
        self.place = NONE_EACH
        self.active = 63
        self.passed = 0
        self.yielded = 0
        self.winded = 0
        self.headless = 0
        self.closed = False
        self.pending = 0
        self.yielder = -1
        self.chance = -1
        self.dead_left = NO_COUNTS
        self.count_shown = NO_COUNTS
        self.trick = 0
        self.leader = -1
        self.first_leader = -1
        self.burner = -1
        self.burned = -1
        self.counter_burn = False
        self.only_kill = 0
        self.live_dead = 0
        self.melee = False
        self.finished = ()
        self.revolted = -1
        self.obligations = ()
        self.moves = ()
        self.calls = NONE_EACH
        self.due = None
        self.barred = 0
        self.opened = 0
        self.burns = ()
        self.stifled = ()
        self.slam = -1
        self.felt = NONE_EACH
        self.shown = ()
        self.history = array("I")
        self.history_cards = b""

    @property
    def question(self) -> Question | None:
        """What is asked now; None when nothing is (before the start and after the end)."""
        if self.kind == Kind.NONE:
            return None
        four = self.must_hold_four and self.kind is Kind.LEAD
        return Question(
            self.kind, self.asked, self.verbs, self.top, self.top_owner, self.must_hold_joker, self.barred, four
        )

    def question_for(self, seat: int) -> Question | None:
        """What is asked now, with the verbs of one seat: in a window some seats may kill but not burn (R15)."""
        question = self.question
        if question is not None and question.kind is Kind.WINDOW and self.only_kill >> seat & 1:
            return replace(question, verbs=question.verbs & ~BURN_BIT)
        return question

    @property
    def shut_out(self) -> int:
        """Mask of the seats shut out of the running trick altogether (R21, `pass_after_last = closed`)."""
        return self.passed if self.closed else 0

    @property
    def plays(self) -> list[PlayedCards]:
        """Every play of the deal so far, in order."""
        cards = as_cards(self.history_cards)
        found: list[PlayedCards] = []
        at = trick = 0
        for entry in self.history:
            start = at
            at += size_of_parts(entry)
            trick += entry >> MANNER_SHIFT & 3 == Manner.LEAD
            found.append(unpack_played(entry, trick, cards[start:at]))
        return found

    def wide_history(self) -> list[int]:
        """The plays so far packed with their sizes and tricks: as they are digested and saved."""
        trick = 0
        found: list[int] = []
        for entry in self.history:
            trick += entry >> MANNER_SHIFT & 3 == Manner.LEAD
            play = entry & SIZELESS | size_of_parts(entry) << SIZE_SHIFT
            found.append(play | entry >> _FLAGS_SHIFT << _WIDE_SHIFT | trick << _WIDE_TRICK_SHIFT)
        return found

    @property
    def last_played(self) -> PlayedCards | None:
        """The last play so far; None before the first."""
        if not self.history:
            return None
        entry = self.history[-1]
        return unpack_played(entry, self.trick, as_cards(self.history_cards[-size_of_parts(entry) :]))

    def copy(self) -> PublicState:
        """An independent copy."""
        return PublicState(self.rules, of=self)

    def __eq__(self, other: object) -> bool:
        """Equal when every public fact is."""
        if not isinstance(other, PublicState):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in PUBLIC_FIELDS)

    __hash__ = None  # type: ignore[assignment]


def pack_played(played: PlayedCards) -> int:
    """A play of the history as the engine keeps it."""
    return (
        played.play & SIZELESS
        | played.seat << SEAT_SHIFT
        | (played.manner & 3) << MANNER_SHIFT
        | (DEAD_BIT if played.dead else 0)
        | (LAST_BIT if played.last else 0)
        | (HEADLESS_BIT if played.headless else 0)
    )


def narrow(wide: int) -> int:
    """An entry of :meth:`PublicState.wide_history` as the history keeps it."""
    return wide & SIZELESS | (wide >> _WIDE_SHIFT & 255) << _FLAGS_SHIFT


def unpack_played(entry: int, trick: int, cards: tuple[Card, ...] = ()) -> PlayedCards:
    """A history entry of a trick, unpacked."""
    return PlayedCards(
        seat=entry >> SEAT_SHIFT & 7,
        trick=trick,
        manner=Manner(entry >> MANNER_SHIFT & 3 or Manner.KILL),
        play=Play(entry & SIZELESS | size_of_parts(entry) << SIZE_SHIFT),
        cards=cards,
        dead=bool(entry & DEAD_BIT),
        last=bool(entry & LAST_BIT),
        headless=bool(entry & HEADLESS_BIT),
    )


def _restored(*fields: object) -> PublicState:
    """Make a public state of the values of its fields, in their order."""
    values = dict(zip(PUBLIC_FIELDS, fields, strict=True))
    made = PublicState(values["rules"])  # type: ignore[arg-type]
    for name, value in values.items():
        setattr(made, name, value)
    return made

"""What happened: frozen records, one class per public event of a deal. Seats are 0..5, -1 is nobody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from gouji_rules.cards import Card
from gouji_rules.plays import Play


class LeadReason(IntEnum):
    """How the first lead was fixed; numbered as on the wire."""

    SHOWN = 1
    LOT = 2
    REVOLUTION = 3


class Manner(IntEnum):
    """How a play was put down; numbered as on the wire."""

    LEAD = 1
    FOLLOW = 2
    BURN = 3


class BurnEnd(IntEnum):
    """Why a burn is over without success or bust; numbered as on the wire."""

    COUNTER_BURNED = 1
    DEFUSED = 2
    ANSWERED = 3
    MELEE = 4


@dataclass(frozen=True, slots=True)
class CardsShown:
    """A seat showed 3s of one suit for the first lead (R5)."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class LeadFixed:
    """Who has the first lead (R5, R51)."""

    seat: int
    reason: LeadReason


@dataclass(frozen=True, slots=True)
class RevolutionSettled:
    """All have answered about revolution (R50): who revolted, ascending; empty if nobody did."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeadChosen:
    """The opposite of a revolutionary chose (R52): ``keep`` a head, or be headless at once."""

    seat: int
    keep: bool


@dataclass(frozen=True, slots=True)
class DealVoided:
    """Two or more revolted: the deal is void (R50)."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """Cards were put down.

    ``cards`` are the real cards, ascending; empty when the deal does not track them. ``trick`` counts from 1. ``dead``:
    nobody may answer it, only burns (R26, R52). ``last``: it emptied the hand. ``headless``: its owner was (R25).
    """

    seat: int
    trick: int
    manner: Manner
    play: Play
    cards: tuple[Card, ...]
    gouji: bool
    dead: bool
    last: bool
    headless: bool


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed (R21)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Yielded:
    """A seat yielded (R24)."""

    seat: int


@dataclass(frozen=True, slots=True)
class WindAsked:
    """A seat asked for the wind (R27)."""

    seat: int


@dataclass(frozen=True, slots=True)
class WindowClosed:
    """A burn window closed and nobody burned (R32)."""


@dataclass(frozen=True, slots=True)
class BurnEnded:
    """A burn is over without success or bust (R33, R37)."""

    burner: int
    reason: BurnEnd


@dataclass(frozen=True, slots=True)
class BurnSucceeded:
    """A burner emptied its hand (R35); ``burned`` owned the play that it burned."""

    burner: int
    burned: int


@dataclass(frozen=True, slots=True)
class Busted:
    """A burn failed: its burner is out of play and takes ``place`` (R34)."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A seat put its last play down and takes ``place`` (R51 skips the revolutionary's)."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class MeleeBegan:
    """The four-player melee begins with the next trick (R28)."""


@dataclass(frozen=True, slots=True)
class TrickEnded:
    """A trick is over: whose play stands unbeaten and who leads next (-1 if the deal is over)."""

    owner: int
    next_leader: int


@dataclass(frozen=True, slots=True)
class DealEnded:
    """The deal is over (R8): seats in finishing order, scores of the deal (R62) and whether it was a sweep (R60)."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    sweep: bool


Event: TypeAlias = (
    CardsShown
    | LeadFixed
    | RevolutionSettled
    | HeadChosen
    | DealVoided
    | Played
    | Passed
    | Yielded
    | WindAsked
    | WindowClosed
    | BurnEnded
    | BurnSucceeded
    | Busted
    | Finished
    | MeleeBegan
    | TrickEnded
    | DealEnded
)

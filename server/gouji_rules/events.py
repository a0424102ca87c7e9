"""What happened: frozen records, one class per public event of a deal. Seats are 0..5, -1 is nobody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from gouji_rules.cards import Card
from gouji_rules.obligations import Obligation
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
    KILL = 4


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


@dataclass(frozen=True, slots=True)
class PlacesSwapped:
    """The seats of places 5 and 6, allies, agreed to swap before the deal (R73): the one that now owes as 6th first."""

    seats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Called:
    """A seat called that its opposite will not open (R42)."""

    seat: int
    blind: bool


@dataclass(frozen=True, slots=True)
class CardBought:
    """A 3 or 4 changed hands (R43, R49); ``paid`` is None where it was given without payment."""

    buyer: int
    seller: int
    card: Card
    paid: Card | None


@dataclass(frozen=True, slots=True)
class TributePaid:
    """Tribute was paid as far as the payer had it (R70): ``cards`` of the ``owed`` ones, in the order of paying."""

    payer: int
    receiver: int
    kind: str
    owed: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TributeRefused:
    """A receiver did not take the tribute owed to it (R73, `tribute_refusable`)."""

    receiver: int
    payer: int
    kind: str
    owed: int


@dataclass(frozen=True, slots=True)
class TributeWaived:
    """Allies agreed that loser tribute is not paid (R73); ``shown`` is the payer's largest card where it is shown."""

    payer: int
    receiver: int
    shown: Card | None


@dataclass(frozen=True, slots=True)
class CardReturned:
    """A receiver of tribute gave a card back to its payer (R73)."""

    receiver: int
    payer: int
    card: Card


@dataclass(frozen=True, slots=True)
class ReturnRefused:
    """A card picked for a return was refused: its payer has none of its rank, or has to have one (R73)."""

    payer: int
    receiver: int
    card: Card


@dataclass(frozen=True, slots=True)
class Opened:
    """A seat has opened (R40, R44)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Stifled:
    """The play before a seat's last 3s was beaten (R46); ``by`` the stifler, ``busted`` under `stifle = last_place`."""

    seat: int
    by: int
    busted: bool


@dataclass(frozen=True, slots=True)
class SlamMade:
    """Nobody else played a card from this seat's first play to its last (R66)."""

    seat: int


@dataclass(frozen=True, slots=True)
class ObligationsRecorded:
    """What the deal leaves to be paid before the next (R4), in the order of paying (R70)."""

    obligations: tuple[Obligation, ...]


@dataclass(frozen=True, slots=True)
class MatchDissolved:
    """All six agreed to end the match (R17)."""


@dataclass(frozen=True, slots=True)
class LotDrawn:
    """A tied match was settled by lot (R64): the team that won it, in individual play the seat."""

    team: int


@dataclass(frozen=True, slots=True)
class CountTold:
    """A seat was asked how many cards it holds and all heard it (R80): -1 for more than ten."""

    asker: int
    of: int
    count: int


@dataclass(frozen=True, slots=True)
class Felt:
    """A seat felt its opposite's hand (R82). How thick it was, the asker alone learns."""

    asker: int
    of: int


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
    | PlacesSwapped
    | Called
    | CardBought
    | TributePaid
    | TributeRefused
    | TributeWaived
    | CardReturned
    | ReturnRefused
    | Opened
    | Stifled
    | SlamMade
    | ObligationsRecorded
    | MatchDissolved
    | LotDrawn
    | CountTold
    | Felt
)

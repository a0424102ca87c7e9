"""Events of a table itself, beside those of a deal (:mod:`gouji_rules.events`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import gouji_rules as gr
    from gouji_rules.fairness import Proof
    from gouji_server.tables.seats import Player


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """A seat was taken, given up, filled with a bot, or its readiness changed."""

    player: Player


@dataclass(frozen=True, slots=True)
class SeatsMoved:
    """Players moved to other seats: drawn by lot, or since ``chooser`` (where it sits now) chose its opposite (R9)."""

    players: tuple[Player, ...]
    chooser: int = -1


@dataclass(frozen=True, slots=True)
class TableChanged:
    """The owner changed what the table is like: these fields of the lobby facts."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayerKicked:
    """The owner took a seat from who sat there."""

    player: Player
    banned: bool


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """Six ready seats."""

    deals: int


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A deal begins."""

    deal: int
    commitment: bytes
    entropies: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class DealPromised:
    """The next deal's secret is fixed; until ``begins`` (milliseconds) seats may give entropy for it."""

    deal: int
    commitment: bytes
    begins: int


@dataclass(frozen=True, slots=True)
class EntropyGiven:
    """A seat gave entropy for the deal that is promised."""

    seat: int
    entropy: bytes


@dataclass(frozen=True, slots=True)
class QuestionOpened:
    """Another question is asked, and nothing else happened."""


@dataclass(frozen=True, slots=True)
class DissolutionVoted:
    """A seat spoke for ending the match, or against it (R17)."""

    seat: int
    agrees: bool


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A seat's player follows the table again, or no longer does."""

    seat: int
    connected: bool


@dataclass(frozen=True, slots=True)
class AutopilotChanged:
    """A built-in bot plays a seat for its player, or no longer does. ``reason`` is numbered as on the wire."""

    seat: int
    on: bool
    reason: int


@dataclass(frozen=True, slots=True)
class ClockCompensated:
    """The open question's deadline was moved by so many milliseconds after an outage."""

    by_ms: int


@dataclass(frozen=True, slots=True)
class TableSuspended:
    """Nobody who plays is there: the match stands still."""


@dataclass(frozen=True, slots=True)
class TableResumed:
    """A player is there: the match goes on."""


@dataclass(frozen=True, slots=True)
class TableHeld:
    """The server's operators have the match stand still."""


@dataclass(frozen=True, slots=True)
class TableReleased:
    """The server's operators let the match go on."""


@dataclass(frozen=True, slots=True)
class DealRevealed:
    """Everything of a deal that is over (R84)."""

    number: int
    deal: gr.Deal
    proof: Proof


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over. ``reason`` is numbered as on the wire."""

    scores: tuple[int, ...]
    reason: int


@dataclass(frozen=True, slots=True)
class TableClosed:
    """No event follows. ``reason`` is numbered as on the wire."""

    reason: int


TableHappening: TypeAlias = (
    SeatChanged
    | SeatsMoved
    | TableChanged
    | PlayerKicked
    | MatchStarted
    | DealStarted
    | DealPromised
    | EntropyGiven
    | QuestionOpened
    | DissolutionVoted
    | PresenceChanged
    | AutopilotChanged
    | ClockCompensated
    | TableSuspended
    | TableResumed
    | TableHeld
    | TableReleased
    | DealRevealed
    | MatchEnded
    | TableClosed
)

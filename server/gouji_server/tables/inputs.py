"""What a table's journal holds: inputs, from which everything else follows (docs/tables.md lists them).

An input says what happened to the table and nothing of what came of it; :mod:`gouji_server.tables.table` folds inputs
into the table's state, live and in recovery alike. Moves, of which there are many, are packed; the rest is JSON.
Times are whole milliseconds since 1970-01-01 UTC.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

from gouji_server.tables import operator_inputs as operators

_MOVE = Struct(">BBBqqqB")
"""Seat, verb, suit, time, decision, expected version (-1: none), length of the request id; then id and cards."""


class BadEntry(ValueError):
    """A journal entry that no version of this server wrote."""


MOST_SPECTATORS = 50
"""How many people without a seat may follow a table unless its maker says it."""


@dataclass(frozen=True, slots=True)
class Created:
    """The table was made. ``seat`` is the owner's, -1 for none; ``options`` overrides of the preset by option name.

    ``owner_bot``: the owner is a bot's account; ``code``: the join code of a ``private`` table. Entries from before
    there were such accounts and tables do not say it. ``reserved`` are the accounts for whom seats are kept
    until ``reserved_until``, ``bots`` the policies of built-in bots, both by the seat's number as text; ``matched``:
    the matchmaker made the table, which is closed if it does not begin by then.
    ``bank_ms``: each seat's bank; ``spectator_delay_ms``: how much later people without a seat are told what happens,
    ``most_spectators``: how many may follow at once; ``team_chat``: allies may talk in the match; ``hints``:
    players get hints; ``rated``: the match counts for ratings, and ``origin`` is a digest of where the maker came from;
    older entries do not say it.
    """

    time: int
    epoch: int
    rules: str
    options: dict[str, Any]
    title: str
    deals: int
    decision_ms: int
    spectators: bool
    owner: str
    owner_name: str
    seat: int
    request_id: str
    owner_bot: bool = False
    private: bool = False
    code: str = ""
    bank_ms: int = 0
    reserved: dict[str, str] = field(default_factory=dict)
    reserved_until: int = 0
    bots: dict[str, str] = field(default_factory=dict)
    matched: bool = False
    spectator_delay_ms: int = 0
    most_spectators: int = MOST_SPECTATORS
    team_chat: bool = False
    hints: bool = True
    rated: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """An account took a seat. ``wanted`` is the seat asked for, -1 for any; ``bot``: it is a bot's account.

    ``code`` is the join code that it gave, ``origin`` at a rated table a digest of where it came from.
    """

    time: int
    account: str
    name: str
    seat: int
    wanted: int
    request_id: str
    bot: bool = False
    code: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A person gave the seat up. ``heir``: the account to which its table goes, empty for none.

    Entries from before an owner's table went to anybody do not say it.
    """

    time: int
    account: str
    request_id: str
    heir: str = ""


@dataclass(frozen=True, slots=True)
class ReadySet:
    """A person is ready, or not any more."""

    time: int
    account: str
    ready: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class BotAdded:
    """The owner put a built-in bot in a seat. ``wanted`` is the seat asked for, -1 for any."""

    time: int
    account: str
    policy: str
    seat: int
    wanted: int
    request_id: str


@dataclass(frozen=True, slots=True)
class OppositeChosen:
    """A person chose the one at seat ``wanted`` as its opposite (R9)."""

    time: int
    account: str
    wanted: int
    request_id: str


@dataclass(frozen=True, slots=True)
class CodeReset:
    """The owner had another join code drawn; the one before opens nothing any more."""

    time: int
    account: str
    code: str
    request_id: str


@dataclass(frozen=True, slots=True)
class TableUpdated:
    """The owner changed what the table is like.

    ``changes`` are the new values by name: ``title``, ``rules`` (a preset's name), ``options`` (all overrides by name),
    ``deals``, ``times`` (milliseconds for a decision and in a bank), ``spectators``, ``private``,
    ``spectator_delay_ms``, ``most_spectators``, ``team_chat``, ``hints``. ``body`` is the hash
    of what was said, in hexadecimal; ``code`` the join code of a table that became private.
    """

    time: int
    account: str
    changes: dict[str, Any]
    body: str
    code: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Kicked:
    """The owner took a seat from who sat there."""

    time: int
    account: str
    seat: int
    ban: bool
    body: str
    request_id: str


@dataclass(frozen=True, slots=True)
class ReservationsLapsed:
    """The time is over for which seats were kept."""

    time: int


@dataclass(frozen=True, slots=True)
class SeatLapsed:
    """A person at a waiting table was away for too long."""

    time: int
    account: str


@dataclass(frozen=True, slots=True)
class SeatsDrawn:
    """The server drew the seats (R9): who sat at seat i sits at seat ``order[i]``."""

    time: int
    order: list[int]


@dataclass(frozen=True, slots=True)
class DealPromised:
    """The server drew a secret for the next deal; until ``begins`` seats may give entropy for it."""

    time: int
    secret: str
    begins: int


@dataclass(frozen=True, slots=True)
class EntropyGiven:
    """A seat gave entropy, in hexadecimal, for the deal that is promised."""

    time: int
    account: str
    seat: int
    deal: int
    entropy: str
    request_id: str


@dataclass(frozen=True, slots=True)
class DealStarting:
    """The next deal begins: with a secret drawn now, or empty where it was promised."""

    time: int
    secret: str


class Moved(NamedTuple):
    """A seat answered a question. ``suit`` is 0..3 for SHOW, else 0; ``request_id`` is empty for a built-in bot.

    A tuple, since one is made for every move and a frozen dataclass takes five times as long to make.
    """

    seat: int
    verb: int
    suit: int
    time: int
    decision: int
    expected: int
    request_id: str
    cards: bytes

    @property
    def body(self) -> bytes:
        """The request's body: everything that the caller said besides the request id."""
        return _BODY.pack(self.verb, self.suit, self.decision, self.expected) + self.cards


_BODY = Struct(">BBqq")


@dataclass(frozen=True, slots=True)
class Lapsed:
    """The clock ran out: each seat that had not answered got its default, with these real cards where it leads."""

    time: int
    decision: int
    cards: str


@dataclass(frozen=True, slots=True)
class CountAsked:
    """A seat asked another one, ``of``, how many cards it holds (R80)."""

    time: int
    account: str
    seat: int
    of: int
    request_id: str


@dataclass(frozen=True, slots=True)
class HandFelt:
    """A seat felt its opposite's hand (R82)."""

    time: int
    account: str
    seat: int
    request_id: str


@dataclass(frozen=True, slots=True)
class DissolutionVoted:
    """A seat spoke for ending the match, or against it (R17)."""

    time: int
    account: str
    seat: int
    agrees: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class PresenceNoted:
    """A seat's player follows the table again, or has not for a while."""

    time: int
    seat: int
    connected: bool


@dataclass(frozen=True, slots=True)
class AutopilotSet:
    """A built-in bot plays a seat from now on, or no longer does.

    ``reason`` is numbered as on the wire; ``account`` and ``request_id`` are empty where the server did it.
    """

    time: int
    seat: int
    on: bool
    reason: int
    account: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class AutoDeclineSet:
    """A seat has the server decline for it in burn windows, in this deal or ``always``, or no longer."""

    time: int
    account: str
    seat: int
    on: bool
    always: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class PeekSet:
    """A seat lets an ally look at its hand as long as the rules allow it, in this deal, or no longer (R81)."""

    time: int
    account: str
    seat: int
    ally: int
    on: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class Compensated:
    """The open question's deadline was moved by so many milliseconds after an outage."""

    time: int
    decision: int
    by_ms: int


@dataclass(frozen=True, slots=True)
class Suspended:
    """Nobody who plays has been at the table for long: the match stands still."""

    time: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """A player follows a suspended table. The open question has at least ``least_ms`` milliseconds."""

    time: int
    least_ms: int


@dataclass(frozen=True, slots=True)
class Deserted:
    """Nobody came back to a suspended table: its match is over."""

    time: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A person's command changed nothing. It is here since its request id is to be known again, whatever comes.

    ``method`` is the command's name, ``body`` the hash of what it said, in hexadecimal.
    """

    time: int
    account: str
    method: str
    body: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Nobody did anything at a waiting table for too long."""

    time: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """The server found a fault of its own at this table."""

    time: int


Input: TypeAlias = (
    Created
    | Joined
    | Left
    | ReadySet
    | BotAdded
    | OppositeChosen
    | CodeReset
    | TableUpdated
    | Kicked
    | ReservationsLapsed
    | SeatLapsed
    | SeatsDrawn
    | DealPromised
    | EntropyGiven
    | DealStarting
    | Moved
    | Lapsed
    | CountAsked
    | HandFelt
    | DissolutionVoted
    | PresenceNoted
    | AutopilotSet
    | AutoDeclineSet
    | PeekSet
    | Compensated
    | Suspended
    | Resumed
    | Deserted
    | Unchanged
    | Abandoned
    | Frozen
    | operators.OperatorInput
)

MOVE = "move"
_KINDS: dict[str, type[Any]] = {
    "create": Created,
    "join": Joined,
    "leave": Left,
    "ready": ReadySet,
    "bot": BotAdded,
    "choose": OppositeChosen,
    "code": CodeReset,
    "update": TableUpdated,
    "kick": Kicked,
    "unreserve": ReservationsLapsed,
    "away": SeatLapsed,
    "seats": SeatsDrawn,
    "promise": DealPromised,
    "entropy": EntropyGiven,
    "deal": DealStarting,
    "lapse": Lapsed,
    "count": CountAsked,
    "feel": HandFelt,
    "dissolve": DissolutionVoted,
    "presence": PresenceNoted,
    "autopilot": AutopilotSet,
    "decline": AutoDeclineSet,
    "peek": PeekSet,
    "compensate": Compensated,
    "suspend": Suspended,
    "resume": Resumed,
    "desert": Deserted,
    "same": Unchanged,
    "abandon": Abandoned,
    "freeze": Frozen,
    **operators.KINDS,
}
_KIND_OF: dict[type[Any], str] = {made: kind for kind, made in _KINDS.items()}


def encode(entry: Input) -> tuple[str, bytes]:
    """Return an input's kind and body as the journal keeps them."""
    if isinstance(entry, Moved):
        request_id = entry.request_id.encode()
        head = _MOVE.pack(
            entry.seat, entry.verb, entry.suit, entry.time, entry.decision, entry.expected, len(request_id)
        )
        return MOVE, head + request_id + entry.cards
    facts = dataclasses.asdict(entry)
    return _KIND_OF[type(entry)], json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode()


def decode(kind: str, body: bytes) -> Input:
    """Read an input back. Raises :class:`BadEntry`."""
    try:
        if kind == MOVE:
            seat, verb, suit, time, decision, expected, length = _MOVE.unpack_from(body)
            start = _MOVE.size + length
            if len(body) < start:
                raise BadEntry("a move's request id is cut off")
            return Moved(seat, verb, suit, time, decision, expected, body[_MOVE.size : start].decode(), body[start:])
        made: Input = _KINDS[kind](**json.loads(body))
    except BadEntry:
        raise
    except Exception as error:
        raise BadEntry(f"an entry of kind {kind!r} cannot be read") from error
    return made

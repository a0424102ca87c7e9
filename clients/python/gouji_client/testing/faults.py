"""What can go wrong between a client and its server, to be ordered from a `FakeServer`.

A fault happens once to each client that it concerns, when the table's story comes to event number `at`: to the one at
`seat`, or to every client if `seat` is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gouji.table.v1 import table_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class _Fault:
    at: int
    """It happens before the first step that brings the table to event number `at` or beyond is sent."""
    seat: int | None = field(default=None, kw_only=True)
    """The seat of the client that it happens to; None: every client's."""


@dataclass(frozen=True, slots=True)
class DropStream(_Fault):
    """The connection breaks before the step is sent, or with `sent` right after."""

    sent: bool = False


@dataclass(frozen=True, slots=True)
class EndStream(_Fault):
    """The server ends the stream without an error, though the game goes on."""


@dataclass(frozen=True, slots=True)
class Drain(_Fault):
    """The server stops: the stream ends with UNAVAILABLE and a hint; the next `refusals` tries to open one do too."""

    refusals: int = 1
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class LapseToken(_Fault):
    """The access token lapses, and the stream with it. With `refresh_too` the refresh token is void as well."""

    refresh_too: bool = False


@dataclass(frozen=True, slots=True)
class Resync(_Fault):
    """`steps` steps are not sent; a snapshot of the table after them is."""

    steps: int = 1
    reason: table_pb2.SnapshotReason.ValueType = table_pb2.SNAPSHOT_REASON_SLOW_READER


@dataclass(frozen=True, slots=True)
class Duplicate(_Fault):
    """The step is sent twice."""


@dataclass(frozen=True, slots=True)
class Skip(_Fault):
    """The step is not sent, and the next one is: a gap, which a client must not pass over.

    It waits for a step that is followed by another at once, since a client cannot know what it was not told.
    """


@dataclass(frozen=True, slots=True)
class GoBack(_Fault):
    """A snapshot from `steps` steps ago is sent: the client must not go back."""

    steps: int = 3


@dataclass(frozen=True, slots=True)
class NewEpoch(_Fault):
    """The table is numbered anew (another `epoch`) and all streams break: old places mean nothing any more."""


@dataclass(frozen=True, slots=True)
class Delay(_Fault):
    """The step, and what follows it, is sent `seconds` later."""

    seconds: float = 0.05


@dataclass(frozen=True, slots=True)
class StaleDecision(_Fault):
    """The clock is faster: the client's next answer is refused as stale, and the default action is played for it."""


@dataclass(frozen=True, slots=True)
class LoseResult(_Fault):
    """The client's next answer is carried out, but the connection breaks before the result is sent."""


@dataclass(frozen=True, slots=True)
class Busy(_Fault):
    """The client's next answer is refused `times` times, before anything is done: with UNAVAILABLE, or where it is to
    wait `retry_after` seconds with RESOURCE_EXHAUSTED, `TOO_MANY_CALLS`, as the real server's limits do."""

    times: int = 2
    retry_after: float = 0.0


StreamFault: TypeAlias = (
    DropStream | EndStream | Drain | LapseToken | Resync | Duplicate | Skip | GoBack | NewEpoch | Delay
)
"""Those that happen to a stream."""
ENDING = (DropStream, EndStream, Drain, LapseToken, NewEpoch)
"""Those that end it."""
AnswerFault: TypeAlias = StaleDecision | LoseResult | Busy
"""Those that happen to an answer."""
Fault: TypeAlias = StreamFault | AnswerFault


class FaultScript:
    """The faults still to come, for each client's seat (None: a spectator)."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = tuple(faults)
        self._happened: set[tuple[int, int | None]] = set()

    def due(self, seat: int | None, n: int, *, more: bool) -> list[StreamFault]:
        """Return the faults that happen to `seat`'s stream now that event `n` is to be sent; each only once.

        Of those that end a stream only the first does: the others wait for the next stream. `more`: other steps wait
        to be sent after this one.
        """
        found: list[StreamFault] = []
        for number, fault in enumerate(self._faults):
            if isinstance(fault, AnswerFault) or (isinstance(fault, Skip) and not more):
                continue
            if self._happens(number, fault, seat, n):
                found.append(fault)
                if isinstance(fault, ENDING):
                    break
        return found

    def due_to_answer(self, seat: int, n: int) -> AnswerFault | None:
        """Return the fault that happens to an answer that `seat` gives at event `n`, if any; each only once."""
        for number, fault in enumerate(self._faults):
            if isinstance(fault, AnswerFault) and self._happens(number, fault, seat, n):
                return fault
        return None

    def _happens(self, number: int, fault: Fault, seat: int | None, n: int) -> bool:
        concerned = fault.seat is None or fault.seat == seat
        if n < fault.at or not concerned or (number, seat) in self._happened:
            return False
        self._happened.add((number, seat))
        return True

"""The promise of a deal: its secret, fixed before the server sees what seats give for its seed (docs/shuffle.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2
from gouji_rules.fairness import LEAST_ENTROPY, MOST_ENTROPY, Proof
from gouji_rules.shuffle import commitment
from gouji_server.tables import happenings, inputs, refusals
from gouji_server.tables.requests import Answer, body_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gouji.table.v1 import table_pb2
    from gouji_server.tables.table import TableState

CONTRIBUTE_ENTROPY = "ContributeEntropy"


@dataclass(slots=True)
class Promise:
    """A deal that is promised. ``begins`` (milliseconds): it is dealt then, whoever has given entropy."""

    deal: int
    secret: bytes
    begins: int
    given: dict[int, bytes] = field(default_factory=dict)

    @property
    def proof(self) -> Proof:
        """What the deal's seed will come of, as far as it is known."""
        return Proof(commitment(self.secret), self.secret, tuple(sorted(self.given.items())))

    def told(self) -> happenings.DealPromised:
        """What everybody may know of it."""
        return happenings.DealPromised(self.deal, commitment(self.secret), self.begins)

    def write(self, snapshot: table_pb2.Snapshot) -> None:
        """Write it, and what was given so far, into a snapshot."""
        write_promised(snapshot.deal_promised, self.told())
        write_entropies(snapshot.entropies.add, self.proof.entropies)


def write_begun(message: events_pb2.DealStarted, said: happenings.DealStarted) -> None:
    """Write how a deal began."""
    message.deal = said.deal
    message.commitment = said.commitment
    write_entropies(message.entropies.add, said.entropies)


def write_promised(message: events_pb2.DealPromised, said: happenings.DealPromised) -> None:
    """Write what everybody may know of a promise."""
    message.deal = said.deal
    message.commitment = said.commitment
    message.deadline.FromMilliseconds(said.begins)


def write_entropies(add: Callable[[], events_pb2.Entropy], given: Iterable[tuple[int, bytes]]) -> None:
    """Write what seats gave."""
    for seat, entropy in given:
        message = add()
        message.seat, message.entropy = seat, entropy


def decide_entropy(
    state: TableState, account: str, deal: int, entropy: bytes, request_id: str, now_ms: int
) -> inputs.EntropyGiven | Answer:
    """Judge a seat's giving entropy. The caller has looked at the shape of the request id."""
    seat = state.seats.seat_of(account)
    if seat < 0:
        raise state.stranger(account, refusals.not_seated())
    if not LEAST_ENTROPY <= len(entropy) <= MOST_ENTROPY:
        raise refusals.bad_field("entropy", "16 to 64 bytes", "16 至 64 字节", "BAD_ENTROPY")
    known = state.requests.find((account, CONTRIBUTE_ENTROPY, request_id), body_hash(deal, entropy))
    if known is not None:
        return known
    if state.held:
        raise refusals.held()
    promise = state.promise
    if promise is None or promise.deal != deal or state.closed:
        raise refusals.Refused(
            refusals.FAILED_PRECONDITION,
            "NO_PROMISE",
            "no such deal is promised: it has begun, or its time has not come",
            "没有承诺这一盘：已经开始，或未到时候",
            rule="R3",
        )
    if seat in promise.given:
        raise refusals.Refused(
            refusals.FAILED_PRECONDITION,
            "ENTROPY_GIVEN",
            "this seat has given entropy for the deal already",
            "该座位已为这一盘提供过随机数",
            rule="R3",
        )
    return inputs.EntropyGiven(now_ms, account, seat, deal, entropy.hex(), request_id)

"""Whether a deal was shuffled as the server promised before it (docs/shuffle.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_client import wire
from gouji_rules.errors import Wording
from gouji_rules.fairness import Proof, faults_of, hands_of

if TYPE_CHECKING:
    import gouji_rules as gr
    from gouji.table.v1 import events_pb2


def deal_faults(
    rules: gr.RuleSet,
    commitment: bytes,
    revealed: events_pb2.DealRevealed,
    entropies: tuple[tuple[int, bytes], ...] = (),
) -> list[str]:
    """Return in what a deal that is over is not as promised, in words; empty where it is.

    `commitment` is what the server published before the deal, `revealed` what it opened after it, `entropies` what
    seats were heard to give before its cards were dealt, in seat order. It deals again and compares: the commitment
    with the secret, the hands with those revealed.
    """
    return [fault.en for fault in worded_faults(rules, commitment, revealed, entropies)]


def worded_faults(
    rules: gr.RuleSet,
    commitment: bytes,
    revealed: events_pb2.DealRevealed,
    entropies: tuple[tuple[int, bytes], ...] = (),
) -> list[Wording]:
    """Return what `deal_faults` does, in English and in Chinese."""
    proof = Proof(commitment, revealed.secret, entropies)
    faults = faults_of(proof, None)
    if faults:
        return faults
    hands = hands_of(rules, proof.seed)
    return [
        Wording(
            f"the secret deals seat {seat} other cards than were revealed", f"{seat} 号由 secret 发得的牌与公开的不同"
        )
        for seat, hand in enumerate(hands)
        if seat >= len(revealed.hands) or tuple(sorted(wire.cards_from_wire(revealed.hands[seat].cards))) != hand
    ]

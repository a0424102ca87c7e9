"""What shows that a deal was shuffled as it was promised (R3, R84; docs/shuffle.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gouji_rules.cards import SEATS, as_cards
from gouji_rules.dealing import dealt_out
from gouji_rules.errors import Wording
from gouji_rules.shuffle import SEED_BYTES, commitment, deal_seed, draw_order, first_drawer

if TYPE_CHECKING:
    from gouji_rules.cards import Card
    from gouji_rules.rule_set import RuleSet

LEAST_ENTROPY: Final = 16
MOST_ENTROPY: Final = 64
"""Bytes of one seat's entropy."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The commitment that was published before a deal, the secret that was revealed after it, and what the seats gave.

    ``entropies`` are pairs of a seat and its bytes, in seat order, each seat at most once.
    """

    commitment: bytes
    secret: bytes
    entropies: tuple[tuple[int, bytes], ...] = ()

    @property
    def seed(self) -> bytes:
        """The seed that these give. Raises ValueError for a secret that is not 32 bytes."""
        return deal_seed(self.secret, [entropy for _, entropy in self.entropies])


def hands_of(rules: RuleSet, seed: bytes) -> tuple[tuple[Card, ...], ...]:
    """The six hands that a seed deals, each ascending (R3)."""
    return tuple(as_cards(sorted(held)) for held in dealt_out(draw_order(rules, seed), first_drawer(seed)))


def faults_of(proof: Proof, seed: bytes | None) -> list[Wording]:
    """In what a deal is not as it was promised, in words; empty where it is. ``seed`` is what it was made of."""
    if len(proof.secret) != SEED_BYTES:
        return [
            Wording(
                f"the secret is {len(proof.secret)} bytes, not {SEED_BYTES}",
                f"secret 有 {len(proof.secret)} 字节，不是 {SEED_BYTES}",
            )
        ]
    found: list[Wording] = []
    if commitment(proof.secret) != proof.commitment:
        is_so, said = commitment(proof.secret).hex(), proof.commitment.hex()
        found.append(
            Wording(f"the secret's commitment is {is_so}, not {said}", f"secret 的承诺是 {is_so}，不是 {said}")
        )
    seats = [seat for seat, _ in proof.entropies]
    if seats != sorted(set(seats)) or not all(0 <= seat < SEATS for seat in seats):
        found.append(
            Wording(
                f"entropies are given by seats in order, each once, not by {seats}",
                f"entropies 须按座位顺序、每家一次，不能是 {seats}",
            )
        )
    if seed is not None and proof.seed != seed:
        is_so, said = proof.seed.hex(), seed.hex()
        found.append(
            Wording(
                f"the secret and the entropies give the seed {is_so}, not {said}",
                f"secret 与 entropies 得出的 seed 是 {is_so}，不是 {said}",
            )
        )
    return found

"""The shuffle (R3): a documented, portable function of a 32-byte seed (docs/shuffle.md).

All numbers are big-endian; ``‖`` joins bytes; the tags are ASCII.

1. *Commitment* of a server's secret S (32 bytes): SHA-256("gouji/commitment/1" ‖ S).
2. *Seed* of a deal: SHA-256("gouji/seed/1" ‖ S ‖ SHA-256(e1) ‖ SHA-256(e2) ‖ …), with the players' entropies e1, e2, …
   in order.
3. *Keys*: the blocks SHA-512("gouji/shuffle/1" ‖ seed ‖ j), j = 0, 1, 2, … as four bytes, are joined and cut into keys
   of eight bytes; card i of the pack in its documented order has key i.
4. *Order of drawing*: the pack sorted by key, equal keys by i. The first card drawn is the first of it.
5. *Seats*: in SHA-512("gouji/seats/1" ‖ seed) the first eight bytes modulo 6 are the seat that draws first, the next
   eight modulo 6 the seat that leads when nobody shows (R5). Seats draw one card at a time in seat order.
"""

from __future__ import annotations

from hashlib import sha256, sha512
from struct import Struct
from typing import TYPE_CHECKING

from gouji_rules.cards import SEATS, Card, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.rule_set import RuleSet

SEED_BYTES = 32

_COMMITMENT_TAG = b"gouji/commitment/1"
_SEED_TAG = b"gouji/seed/1"
_SHUFFLE_TAG = b"gouji/shuffle/1"
_SEATS_TAG = b"gouji/seats/1"

_COUNTERS = tuple(j.to_bytes(4, "big") for j in range(64))
_ONE_PACK = bytes(range(1, 55))


def commitment(server_secret: bytes) -> bytes:
    """What a server publishes before a deal: SHA-256 of its 32-byte secret with a tag."""
    _need_32(server_secret, "a server's secret")
    return sha256(_COMMITMENT_TAG + server_secret).digest()


def deal_seed(server_secret: bytes, entropies: Sequence[bytes] = ()) -> bytes:
    """The 32-byte seed of a deal, mixed from the server's secret and the players' entropies in order."""
    _need_32(server_secret, "a server's secret")
    mixed = sha256(_SEED_TAG + server_secret)
    for entropy in entropies:
        mixed.update(sha256(entropy).digest())
    return mixed.digest()


def shuffled(rule_set: RuleSet, seed: bytes) -> tuple[Card, ...]:
    """The whole pack in the order of drawing."""
    if rule_set.removed:
        cards = pack(rule_set)
        return tuple(cards[i] for i in _sorted_by_key(len(cards), seed))
    return tuple(map(Card, draw_order(rule_set.decks, seed)))


def draw_order(decks: int, seed: bytes) -> bytes:
    """Whole packs in the order of drawing, a byte per card value."""
    return bytes(map((_ONE_PACK * decks).__getitem__, _sorted_by_key(54 * decks, seed)))


def seats(seed: bytes) -> tuple[int, int]:
    """The seat that draws the first card, and the seat that leads first when nobody shows (R5)."""
    _need_32(seed, "a seed")
    block = sha512(_SEATS_TAG + seed).digest()
    return int.from_bytes(block[:8], "big") % SEATS, int.from_bytes(block[8:16], "big") % SEATS


def first_drawer(seed: bytes) -> int:
    """The seat that draws the first card."""
    return seats(seed)[0]


def _sorted_by_key(cards: int, seed: bytes) -> list[int]:
    _need_32(seed, "a seed")
    prefix = _SHUFFLE_TAG + seed
    stream = b"".join([sha512(prefix + counter).digest() for counter in _COUNTERS[: (cards + 7) // 8]])
    keys = _KEYS[cards].unpack_from(stream) if cards in _KEYS else Struct(f">{cards}Q").unpack_from(stream)
    return sorted(range(cards), key=keys.__getitem__)


_KEYS = {54 * decks: Struct(f">{54 * decks}Q") for decks in (4, 6)}


def _need_32(value: bytes, what: str) -> None:
    if len(value) != SEED_BYTES:
        raise ValueError(f"{what} is {SEED_BYTES} bytes, not {len(value)}")

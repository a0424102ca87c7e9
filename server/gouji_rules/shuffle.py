"""The shuffle (R3): a documented, portable function of a 32-byte seed (docs/shuffle.md).

All numbers are big-endian; ``‖`` joins bytes; the tags are ASCII.

1. *Commitment* of a server's secret S (32 bytes): SHA-256("gouji/commitment/1" ‖ S).
2. *Seed* of a deal: SHA-256("gouji/seed/1" ‖ S ‖ SHA-256(e1) ‖ SHA-256(e2) ‖ …), with the players' entropies e1, e2, …
   in order.
3. *Keys*: the blocks SHA-512("gouji/shuffle/1" ‖ seed ‖ j), j = 0, 1, 2, … as four bytes, are joined and cut into
   pieces of eight bytes; the key of card i of the pack, in its documented order, is piece i without its first 12 and
   last 8 bits: 44 bits.
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
    return tuple(map(Card, draw_order(rule_set, seed)))


def draw_order(rule_set: RuleSet, seed: bytes) -> bytes:
    """The whole pack in the order of drawing, a byte per card value."""
    if rule_set.decks == 4 and not rule_set.removed:
        return _draw_four_packs(seed)
    cards = bytes(pack(rule_set))
    return bytes([cards[i] for i in _sorted_by_key(len(cards), seed)])


def seats(seed: bytes) -> tuple[int, int]:
    """The seat that draws the first card, and the seat that leads first when nobody shows (R5)."""
    _need_32(seed, "a seed")
    block = sha512(_SEATS_TAG + seed).digest()
    return int.from_bytes(block[:8], "big") % SEATS, int.from_bytes(block[8:16], "big") % SEATS


def first_drawer(seed: bytes) -> int:
    """The seat that draws the first card."""
    return seats(seed)[0]


def _stream(cards: int, seed: bytes) -> bytes:
    """The joined blocks, as many as these cards need."""
    _need_32(seed, "a seed")
    prefix = _SHUFFLE_TAG + seed
    return b"".join([sha512(prefix + counter).digest() for counter in _COUNTERS[: (cards + 7) // 8]])


def _sorted_by_key(cards: int, seed: bytes) -> list[int]:
    """The numbers of the cards of a pack, sorted by key."""
    stream = _stream(cards, seed)
    keys = [int.from_bytes(stream[8 * i : 8 * i + 8], "big") >> 8 & _KEY_MASK for i in range(cards)]
    return sorted(range(cards), key=keys.__getitem__)


# The same for four packs without a step of Python per card: a key, followed by its card's number in the last byte, is
# read as the fraction of a float in [1, 2). Floats sort fast, and the numbers are read off the last bytes.
_FOUR = 216
_KEY_MASK = (1 << 44) - 1
_FRACTIONS = int.from_bytes(bytes.fromhex("000fffffffffff00") * _FOUR, "big")
_NUMBERED_ONES = int.from_bytes(b"".join(b"\x3f\xf0\0\0\0\0\0" + bytes([i]) for i in range(_FOUR)), "big")
_FLOATS = Struct(f">{_FOUR}d")
_FOUR_PACKS = (_ONE_PACK * 4).ljust(256, b"\0")


def _draw_four_packs(seed: bytes) -> bytes:
    stream = int.from_bytes(_stream(_FOUR, seed), "big")
    keyed = (stream & _FRACTIONS | _NUMBERED_ONES).to_bytes(8 * _FOUR, "big")
    return _FLOATS.pack(*sorted(_FLOATS.unpack(keyed)))[7::8].translate(_FOUR_PACKS)


def _need_32(value: bytes, what: str) -> None:
    if len(value) != SEED_BYTES:
        raise ValueError(f"{what} is {SEED_BYTES} bytes, not {len(value)}")

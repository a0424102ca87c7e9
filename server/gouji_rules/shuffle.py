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
from typing import TYPE_CHECKING, Final

from gouji_rules.cards import SEATS, Card, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.rule_set import RuleSet

SEED_BYTES: Final = 32

_COMMITMENT_TAG: Final = b"gouji/commitment/1"
_SEED_TAG: Final = b"gouji/seed/1"
_SHUFFLE_TAG: Final = b"gouji/shuffle/1"
_SEATS_TAG: Final = b"gouji/seats/1"


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
    key = (rule_set.decks, rule_set.removed)
    drawing = _DRAWINGS.get(key)
    if drawing is None:
        if len(_DRAWINGS) > _MOST_KEPT:
            _DRAWINGS.clear()
        drawing = _DRAWINGS[key] = _Drawing(bytes(pack(rule_set)))
    return drawing.order(seed)


def seats(seed: bytes) -> tuple[int, int]:
    """The seat that draws the first card, and the seat that leads first when nobody shows (R5)."""
    _need_32(seed, "a seed")
    block = sha512(_SEATS_TAG + seed).digest()
    return int.from_bytes(block[:8], "big") % SEATS, int.from_bytes(block[8:16], "big") % SEATS


def first_drawer(seed: bytes) -> int:
    """The seat that draws the first card."""
    return seats(seed)[0]


_KEY_MASK: Final = (1 << 44) - 1
_NUMBERED: Final = 256
"""Packs of at most so many cards have their numbers beside the keys in eight bytes."""


class _Drawing:
    """How one pack is drawn.

    Without a step of Python per card, where a card's number fits into a byte: a key, followed by that number, is read
    as the fraction of a float in [1, 2). Floats sort fast, and the numbers are read off the last bytes.
    """

    __slots__ = ("_blocks", "_cards", "_floats", "_fractions", "_names", "_ones")

    def __init__(self, cards: bytes) -> None:
        self._cards: bytes = cards
        count = len(cards)
        numbers = range(count if count <= _NUMBERED else 0)
        self._blocks: tuple[bytes, ...] = tuple([block.to_bytes(4, "big") for block in range((count + 7) // 8)])
        self._fractions: int = int.from_bytes(bytes.fromhex("000fffffffffff00") * len(numbers), "big")
        self._ones: int = int.from_bytes(b"".join([b"\x3f\xf0\0\0\0\0\0" + bytes([i]) for i in numbers]), "big")
        self._floats: Struct = Struct(f">{len(numbers)}d")
        self._names: bytes = cards[:_NUMBERED].ljust(_NUMBERED, b"\0")

    def order(self, seed: bytes) -> bytes:
        """The pack in the order of drawing."""
        stream = self._stream(seed)
        count = len(self._cards)
        if count > _NUMBERED:
            keys = [int.from_bytes(stream[8 * i : 8 * i + 8], "big") >> 8 & _KEY_MASK for i in range(count)]
            return bytes([self._cards[i] for i in sorted(range(count), key=keys.__getitem__)])
        keyed = int.from_bytes(stream[: 8 * count], "big") & self._fractions | self._ones
        floats = self._floats
        return floats.pack(*sorted(floats.unpack(keyed.to_bytes(8 * count, "big"))))[7::8].translate(self._names)

    def _stream(self, seed: bytes) -> bytes:
        """The joined blocks, as many as these cards need."""
        _need_32(seed, "a seed")
        common = sha512(_SHUFFLE_TAG + seed)
        blocks: list[bytes] = []
        for counter in self._blocks:
            block = common.copy()
            block.update(counter)
            blocks.append(block.digest())
        return b"".join(blocks)


_DRAWINGS: Final[dict[tuple[int, str], _Drawing]] = {}
"""By number of packs and cards removed."""
_MOST_KEPT: Final = 64


def _need_32(value: bytes, what: str) -> None:
    if len(value) != SEED_BYTES:
        raise ValueError(f"{what} is {SEED_BYTES} bytes, not {len(value)}")

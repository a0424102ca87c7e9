"""The shuffle written once more from docs/shuffle.md, with nothing of the engine; and the worked values made of it.

`python -m tests.rules.shuffle_cases` writes tests/cases/shuffle_vectors.json anew: what other languages test against.
"""

from __future__ import annotations

import json
import random
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "cases" / "shuffle_vectors.json"
ABOUT = (
    "worked values of docs/shuffle.md. Bytes are hexadecimal. A pack is so many decks without the cards removed: pairs "
    "of a rank (0 for 3s, 12 for 2s, 13 and 14 for the jokers) and how many of it. Cards are numbers 1 to 54, two "
    "hexadecimal digits each: `order` is the order of drawing, `hands` the six hands, each ascending, seat 0 first. "
    "`entropies` are what seats gave, in seat order; `first_leader` leads when nobody shows 3s."
)
PACKS: list[tuple[int, list[tuple[int, int]]]] = [
    (4, []),
    (4, []),
    (6, []),
    (4, [(0, 10), (1, 10), (2, 4)]),
    (1, []),
    (3, [(0, 3), (13, 1)]),
    (5, [(12, 7)]),
]


def pack(decks: int, removed: list[tuple[int, int]]) -> list[int]:
    """The cards in their order: a deck is clubs 3 to 2, diamonds, hearts, spades, small joker, big joker."""
    cards = list(range(1, 55)) * decks
    suit = 0
    for rank, count in sorted(removed):
        for _ in range(count):
            card = 40 + rank if rank >= 13 else suit % 4 * 13 + rank + 1
            last = len(cards) - 1 - cards[::-1].index(card)
            del cards[last]
            suit += rank < 13
    return cards


def worked(
    decks: int, removed: list[tuple[int, int]], secret: bytes, entropies: list[tuple[int, bytes]]
) -> dict[str, Any]:
    """One case, step by step as the page says."""
    seed = sha256(b"gouji/seed/1" + secret + b"".join(sha256(given).digest() for _, given in entropies)).digest()
    cards = pack(decks, removed)
    blocks = (sha512(b"gouji/shuffle/1" + seed + j.to_bytes(4, "big")).digest() for j in range(len(cards) // 8 + 1))
    stream = b"".join(blocks)
    keys = [int.from_bytes(stream[8 * i : 8 * i + 8], "big") >> 8 & 2**44 - 1 for i in range(len(cards))]
    order = [cards[i] for i in sorted(range(len(cards)), key=lambda i: (keys[i], i))]
    seats = sha512(b"gouji/seats/1" + seed).digest()
    first = int.from_bytes(seats[:8], "big") % 6
    hands = [sorted(order[(seat - first) % 6 :: 6]) for seat in range(6)]
    return {
        "decks": decks,
        "removed": [list(pair) for pair in removed],
        "secret": secret.hex(),
        "entropies": [[seat, given.hex()] for seat, given in entropies],
        "commitment": sha256(b"gouji/commitment/1" + secret).hexdigest(),
        "seed": seed.hex(),
        "first_drawer": first,
        "first_leader": int.from_bytes(seats[8:16], "big") % 6,
        "order": bytes(order).hex(),
        "hands": [bytes(hand).hex() for hand in hands],
    }


def cases() -> list[dict[str, Any]]:
    """All cases, the same every time."""
    dice = random.Random("shuffle")
    made = [worked(4, [], bytes([fill]) * 32, []) for fill in (0, 255)]
    for number in range(62):
        decks, removed = PACKS[number % len(PACKS)]
        givers = sorted(dice.sample(range(6), dice.randint(0, 6)))
        given = [(seat, dice.randbytes(dice.choice([16, 31, 32, 33, 64]))) for seat in givers]
        made.append(worked(decks, removed, dice.randbytes(32), given))
    return made


def text() -> str:
    """The whole file, a case a line."""
    lines = ",\n".join(json.dumps(case) for case in cases())
    return f'{{"about": {json.dumps(ABOUT)}, "deals": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

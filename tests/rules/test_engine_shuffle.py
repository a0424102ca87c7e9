"""R3: the shuffle's worked values, for other languages to compare with."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import gouji_rules as gr
from gouji_rules.fairness import hands_of
from gouji_rules.shuffle import draw_order, seats
from tests.rules.shuffle_cases import FILE, text

VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["deals"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["secret"][:8])
def test_worked_values(vector: dict[str, Any]) -> None:
    """Commitment, seed, seats, order of drawing and hands are those of the file (docs/shuffle.md)."""
    secret = bytes.fromhex(vector["secret"])
    entropies = [bytes.fromhex(given) for _, given in vector["entropies"]]
    removed = "".join(
        gr.format_counts([count if rank == at else 0 for at in range(15)]) for rank, count in vector["removed"]
    )
    rules = replace(gr.preset("qingdao"), decks=vector["decks"], removed=removed)
    assert gr.commitment(secret).hex() == vector["commitment"]
    seed = gr.deal_seed(secret, entropies)
    assert seed.hex() == vector["seed"]
    assert list(seats(seed)) == [vector["first_drawer"], vector["first_leader"]]
    assert draw_order(rules, seed).hex() == vector["order"]
    assert [bytes(hand).hex() for hand in hands_of(rules, seed)] == vector["hands"]


def test_the_file_is_what_the_page_says() -> None:
    """The shuffle written anew from docs/shuffle.md makes the very file: the engine is not its own witness."""
    assert FILE.read_text(encoding="utf-8") == text()


def test_the_file_covers_what_differs() -> None:
    """Packs larger than a byte counts, packs with cards removed, no entropy, six of them, all lengths."""
    assert len(VECTORS) == 64
    assert max(len(vector["order"]) // 2 for vector in VECTORS) > 256
    assert sum(bool(vector["removed"]) for vector in VECTORS) > 10
    assert {len(vector["entropies"]) for vector in VECTORS} == set(range(7))
    assert {len(given) // 2 for vector in VECTORS for _, given in vector["entropies"]} == {16, 31, 32, 33, 64}


def test_every_entropy_changes_the_seed() -> None:
    """Each player's bytes, their order, and where one ends count."""
    secret = bytes(32)
    seeds = [
        gr.deal_seed(secret),
        gr.deal_seed(secret, [b""]),
        gr.deal_seed(secret, [b"ab"]),
        gr.deal_seed(secret, [b"a", b"b"]),
        gr.deal_seed(secret, [b"b", b"a"]),
        gr.deal_seed(b"\x01" + bytes(31), []),
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(len(seed) == 32 for seed in seeds)


def test_a_secret_or_seed_of_another_length_is_refused() -> None:
    """32 bytes, or a clear error."""
    for wrong in (b"", b"x" * 31, b"x" * 33):
        with pytest.raises(ValueError, match="is 32 bytes"):
            gr.deal_seed(wrong)
        with pytest.raises(ValueError, match="is 32 bytes"):
            gr.commitment(wrong)
        with pytest.raises(ValueError, match="is 32 bytes"):
            gr.Deal.start(gr.preset("qingdao"), wrong)

"""R3: the shuffle's worked values, for other languages to compare with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gouji_rules as gr
from gouji_rules.shuffle import seats

VECTORS = json.loads((Path(__file__).parent / "shuffle_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["deals"], ids=lambda vector: vector["secret"][:8])
def test_worked_values(vector: dict[str, object]) -> None:
    """Commitment, seed, seats and order of drawing are the committed ones (docs/shuffle.md)."""
    secret = bytes.fromhex(str(vector["secret"]))
    entropies = [bytes.fromhex(text) for text in vector["entropies"]]  # type: ignore[attr-defined]
    assert gr.commitment(secret).hex() == vector["commitment"]
    seed = gr.deal_seed(secret, entropies)
    assert seed.hex() == vector["seed"]
    assert list(seats(seed)) == [vector["first_drawer"], vector["lot"]]
    assert [int(card) for card in gr.shuffled(gr.preset("qingdao"), seed)] == vector["order"]


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

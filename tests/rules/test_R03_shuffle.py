# rule: R3 applies
# rule: R3 refuses
"""R3: the shuffle is a documented function of the seed, the same in any language."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr

RULES = gr.preset("qingdao")
SEEDS = st.binary(min_size=32, max_size=32)


def number(data: bytes) -> int:
    value = 0
    for byte in data:
        value = value * 256 + byte
    return value


def drawing_order(seed: bytes) -> list[int]:
    """The documented algorithm written again: sort the pack by 44-bit keys cut from SHA-512 blocks, ties by number."""
    stream = b""
    block = 0
    while len(stream) < 8 * 216:
        tail = bytes([block >> 24 & 255, block >> 16 & 255, block >> 8 & 255, block & 255])
        stream += hashlib.new("sha512", b"gouji/shuffle/1" + seed + tail).digest()
        block += 1
    whole_pack = [card for _ in range(4) for card in range(1, 55)]
    keyed = [(number(stream[8 * i : 8 * i + 8]) % 2**52 // 256, i, card) for i, card in enumerate(whole_pack)]
    return [card for _, _, card in sorted(keyed)]


def seats_drawn(seed: bytes) -> tuple[int, int]:
    """Who draws first, and who leads by lot."""
    block = hashlib.new("sha512", b"gouji/seats/1" + seed).digest()
    return number(block[:8]) % 6, number(block[8:16]) % 6


@given(SEEDS)
def test_the_order_of_drawing_is_the_documented_one(seed: bytes) -> None:
    """The engine's order of drawing, and the seat that draws first, are those of the algorithm in the documentation."""
    assert [int(card) for card in gr.shuffled(RULES, seed)] == drawing_order(seed)
    assert gr.first_drawer(seed) == seats_drawn(seed)[0]


@given(SEEDS)
def test_the_same_seed_deals_the_same_hands(seed: bytes) -> None:
    """Cards are dealt one by one in the order of drawing from the first drawer on, and the same again from the seed."""
    order, first = drawing_order(seed), seats_drawn(seed)[0]
    hands: list[list[int]] = [[] for _ in range(6)]
    for turn, card in enumerate(order):
        hands[(first + turn) % 6].append(card)
    deal = gr.Deal.start(RULES, seed)
    again = gr.Deal.start(RULES, seed)
    for seat in range(6):
        assert list(deal.cards(seat)) == sorted(hands[seat])
        assert again.cards(seat) == deal.cards(seat)
    assert again.digest() == deal.digest()


def test_another_seed_deals_other_hands() -> None:
    """One bit more in the seed is another deal: no two of 256 seeds give the same order."""
    orders = {tuple(gr.shuffled(RULES, bytes([value]) + bytes(31))) for value in range(256)}
    assert len(orders) == 256


def test_every_card_comes_everywhere() -> None:
    """Over many seeds no place of the order is kept for few cards: the first card drawn takes all 54 values."""
    first = Counter(gr.shuffled(RULES, number.to_bytes(32, "big"))[0] for number in range(1, 1500))
    assert len(first) == 54
    assert max(first.values()) < 4 * 1500 / 54


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_has_32_bytes(length: int) -> None:
    """A seed of another length is refused, not stretched."""
    with pytest.raises(ValueError, match="32"):
        gr.shuffled(RULES, bytes(length))
    with pytest.raises(ValueError, match="32"):
        gr.Deal.start(RULES, bytes(length))


@given(SEEDS, st.lists(st.binary(max_size=40), max_size=4))
def test_the_seed_is_mixed_as_documented(secret: bytes, entropies: list[bytes]) -> None:
    """Commitment and seed are the documented SHA-256 sums of the secret and the players' entropies in order."""
    assert gr.commitment(secret) == hashlib.new("sha256", b"gouji/commitment/1" + secret).digest()
    mixed = b"gouji/seed/1" + secret + b"".join(hashlib.new("sha256", entropy).digest() for entropy in entropies)
    assert gr.deal_seed(secret, entropies) == hashlib.new("sha256", mixed).digest()


def test_the_commitment_does_not_fit_another_secret() -> None:
    """Another secret has another commitment, and the commitment is not the seed."""
    one, other = bytes(32), bytes(31) + b"\1"
    assert gr.commitment(one) != gr.commitment(other)
    assert gr.commitment(one) != gr.deal_seed(one)


def test_the_order_of_entropies_counts() -> None:
    """The entropies are mixed in order: exchanging two of them is another seed, and so is joining them."""
    secret = bytes(32)
    seeds = {gr.deal_seed(secret, parts) for parts in ([b"a", b"b"], [b"b", b"a"], [b"ab"], [b"ab", b""], [b"", b"ab"])}
    assert len(seeds) == 5

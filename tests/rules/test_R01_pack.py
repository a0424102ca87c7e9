# rule: R1 applies
# rule: R1 refuses
"""R1: the pack, and what it does not hold."""

from __future__ import annotations

from collections import Counter

import pytest

import gouji_rules as gr

RULES = gr.preset("qingdao")
SEED = bytes(range(32))


def test_four_packs_of_54() -> None:
    """The pack has 216 cards: sixteen of each rank 3..2, four small and four big jokers (R1)."""
    cards = gr.pack(RULES)
    assert len(cards) == 216
    assert set(Counter(cards).values()) == {4}
    ranks = Counter(gr.RANKS[gr.rank_of(card)] for card in cards)
    assert ranks == dict.fromkeys("3456789TJQKA2", 16) | {"s": 4, "b": 4}


def test_every_rank_has_its_suits_alike() -> None:
    """Of each rank 3..2 there are four cards in each of the four suits; jokers have none (R1)."""
    suits = Counter((gr.RANKS[gr.rank_of(card)], gr.suit_of(card)) for card in gr.pack(RULES))
    assert suits == {(rank, suit): 4 for rank in "3456789TJQKA2" for suit in range(4)} | {("s", -1): 4, ("b", -1): 4}


def test_36_cards_a_seat_and_the_whole_pack_dealt() -> None:
    """A deal gives every seat 36 cards and uses every card of the pack once (R1)."""
    deal = gr.Deal.start(RULES, SEED)
    held = [deal.cards(seat) for seat in range(6)]
    assert [len(cards) for cards in held] == [36] * 6
    assert Counter(card for cards in held for card in cards) == Counter(gr.pack(RULES))
    for seat in range(6):
        assert list(deal.hand(seat)) == gr.counts_of(held[seat])


@pytest.mark.parametrize("too_many", ["3" * 17, "2" * 17, "s" * 5, "b" * 5, "A" * 9])
def test_hands_beyond_the_pack_are_refused(too_many: str) -> None:
    """Hands with more of a rank than the pack has, in one seat or in several, make no deal (R1)."""
    hands = [too_many, "4A", "4A", "4AAAAAA", "4", "4"]
    with pytest.raises(ValueError, match="the pack has"):
        gr.Deal.from_hands(RULES, hands, 0)


def test_all_of_a_rank_may_be_held() -> None:
    """Sixteen of a rank and four of a joker, all the pack has, are accepted (R1)."""
    deal = gr.Deal.from_hands(RULES, ["3" * 16, "ssss", "bbbb", "4", "4", "4"], 0)
    assert deal.hand(0)[0] == 16


def test_six_packs() -> None:
    """Six packs: 324 cards, 24 of a rank, six of each joker, 54 a seat (R1)."""
    rules = RULES.replace(decks=6)
    cards = gr.pack(rules)
    assert len(cards) == 324
    assert set(Counter(cards).values()) == {6}
    deal = gr.Deal.start(rules, SEED)
    assert [len(deal.cards(seat)) for seat in range(6)] == [54] * 6
    assert Counter(card for seat in range(6) for card in deal.cards(seat)) == Counter(cards)
    assert gr.shuffled(rules, SEED) != gr.shuffled(rules, SEED[::-1])


def test_removed_cards_leave_the_suits_as_even_as_possible() -> None:
    """Ten 3s, ten 4s and four 5s out of four packs leave 192 cards, 32 a seat, the documented ones (R1)."""
    rules = RULES.replace(removed="3" * 10 + "4" * 10 + "5555")
    cards = gr.pack(rules)
    assert len(cards) == 192
    assert gr.cards_per_seat(rules) == 32
    left = Counter((gr.RANKS[gr.rank_of(card)], gr.suit_of(card)) for card in cards)
    assert [left["3", suit] for suit in range(4)] == [1, 1, 2, 2]
    assert [left["4", suit] for suit in range(4)] == [2, 2, 1, 1]
    assert [left["5", suit] for suit in range(4)] == [3, 3, 3, 3]
    assert {left[rank, suit] for rank in "6789TJQKA2" for suit in range(4)} == {4}
    assert gr.counts_of(cards) == gr.cards.pack_counts(rules)
    assert list(cards[:54]) == list(range(1, 55)), "the first pack is whole"
    deal = gr.Deal.start(rules, SEED)
    assert Counter(card for seat in range(6) for card in deal.cards(seat)) == Counter(cards)
    with pytest.raises(ValueError, match="the pack has"):
        gr.Deal.from_hands(rules, ["3" * 7, "6", "6", "6", "6", "6"], 0)


def test_removed_jokers_have_no_suit() -> None:
    """Jokers can be removed like other cards (R1)."""
    rules = RULES.replace(removed="ssbb22")
    assert gr.counts_of(gr.pack(rules)) == [16] * 12 + [14, 2, 2]

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

"""R46, R80: under `stifle = tribute` no view and no event depends on what another seat still holds."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gouji_rules as gr
from tests.rules.test_engine_views import gr_event_without_suits, public_without_suits, with_other_hands

LIANZHONG = gr.preset("lianzhong").replace(opening=False, burn="off", tribute=("stifle",), revolution="may")
RULE_SETS = {
    "lianzhong": LIANZHONG,
    "after_second": LIANZHONG.replace(melee_at="after_second", dead_gouji="any_last", pass_after_last="closed"),
    "kills in turn": LIANZHONG.replace(joker_kill="full", mixed_jokers="as_small"),
    "individual": LIANZHONG.replace(teams="individual", melee_at="active_four"),
}


def hands_with_threes(rng: Random) -> list[list[int]]:
    """Six hands of a few cards, most of them with 3s."""
    stock = [rank for rank, held in enumerate([16, 6, 6, 6, 2, 1, 2, 6, 2, 2, 5, 5, 6, 3, 3]) for _ in range(held)]
    rng.shuffle(stock)
    hands = []
    for _ in range(6):
        cards = [stock.pop() for _ in range(rng.randint(2, 7))]
        hands.append([cards.count(rank) for rank in range(15)])
    return hands


@pytest.mark.parametrize("name", RULE_SETS)
@given(seed=st.integers(0, 2**32), steps=st.integers(8, 60), seat=st.integers(0, 5))
def test_resampled_hands_give_the_same_view(name: str, seed: int, steps: int, seat: int) -> None:
    """Deal what a seat cannot know anew, answer the same: its views and all events are equal, at every step."""
    rules = RULE_SETS[name]
    rng = Random(seed)
    lead = rng.randrange(6)
    deal = gr.Deal.from_hands(rules, hands_with_threes(rng), lead)
    for _ in range(steps):
        if deal.over:
            break
        asked = rng.choice([s for s in range(6) if deal.is_asked(s)])
        legal = [action for action in deal.legal_actions(asked) if action != gr.REVOLT] or list(
            deal.legal_actions(asked)
        )
        deal.apply(asked, rng.choice(legal))
    assume(not deal.over)
    assume(deal.public.revolted < 0)
    again = gr.Deal.from_hands(rules, with_other_hands(deal, seat, rng), lead)
    first = gr.Deal.from_hands(rules, [gr.counts_of(cards) for cards in deal.dealt], lead)
    for answer in deal.answers:
        assume(again.can(answer.seat, answer.action))  # with other cards a lead may be one that R45 forbids
        one, other = first.apply(answer.seat, answer.action), again.apply(answer.seat, answer.action)
        assert [gr_event_without_suits(event) for event in one] == [gr_event_without_suits(event) for event in other]
        assert first.view(seat).hand == again.view(seat).hand
        assert public_without_suits(first.public) == public_without_suits(again.public)
        assert list(first.legal_actions(seat)) == list(again.legal_actions(seat))

# rule: R2 applies
# rule: R2 refuses
"""R2: suits matter for the first lead and for nothing after it."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr

RULES = gr.preset("qingdao")
SUITED = range(1, 53)


@given(st.integers(0, 11), st.lists(st.integers(0, 3), min_size=1, max_size=6), st.permutations(range(4)))
def test_a_play_is_the_same_in_any_suits(rank: int, suits: list[int], other: list[int]) -> None:
    """Cards of the same ranks in other suits are the same play (R2)."""
    cards = [13 * suit + rank + 1 for suit in suits]
    changed = [13 * other[suit] + rank + 1 for suit in suits]
    assert gr.play_of_cards(cards) == gr.play_of_cards(changed)


def without_cards(event: gr.Event) -> object:
    """An event with the real cards left out."""
    return (event.seat, event.play, event.gouji, event.dead, event.last) if isinstance(event, gr.Played) else event


def test_play_goes_on_alike_whichever_suits_are_put_down() -> None:
    """Two copies of a deal, in which the same ranks are put down in other suits, have the same events and questions."""
    rng = Random(2)
    low = gr.Deal.start(RULES, bytes(32))
    high = low.copy()
    for _ in range(400):
        question = low.question
        if question is None:
            break
        assert high.question == question
        seat = rng.choice([s for s in question.seat_list if low.is_asked(s)])
        action = rng.choice(low.legal_actions(seat))
        play = gr.play_of(action)
        cards: list[int] | None = None
        if play:
            wanted = list(gr.parse_ranks(gr.format_play(play)))
            cards = []
            for card in sorted(high.cards(seat), reverse=True):
                if wanted[gr.rank_of(card)]:
                    wanted[gr.rank_of(card)] -= 1
                    cards.append(card)
        events = [without_cards(event) for event in low.apply(seat, action)]
        assert [without_cards(event) for event in high.apply(seat, action, cards)] == events
    assert [low.hand(seat) for seat in range(6)] == [high.hand(seat) for seat in range(6)]
    assert any(low.cards(seat) != high.cards(seat) for seat in range(6))


def test_suits_do_matter_for_the_first_lead() -> None:
    """Two 3s of one suit may be shown, two of different suits may not (R5, the one place where suits count)."""
    question = gr.Question(gr.Kind.SHOW, 63, 1 << gr.Verb.SHOW | 1 << gr.Verb.NO)
    hand = gr.parse_ranks("3344")
    assert gr.can(RULES, question, 0, hand, gr.show_action(2), (0, 0, 2, 0))
    for suit in range(4):
        assert not gr.can(RULES, question, 0, hand, gr.show_action(suit), (1, 0, 1, 0))

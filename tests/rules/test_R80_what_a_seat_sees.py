# rule: R80 applies
# rule: R80 refuses
"""R80: a seat sees its own cards, all that was played and said, and counts of ten or fewer."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr

RULES = gr.preset("qingdao")
SEEDS = st.binary(min_size=32, max_size=32)


def counts_to_be_shown(deal: gr.Deal) -> list[int]:
    """The report rule of qingdao: exact from ten down, untold above (-1)."""
    held = [sum(deal.hand(seat)) for seat in range(6)]
    return [count if count <= 10 else -1 for count in held]


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 2**32 - 1))
def test_counts_are_told_from_ten_cards_on(seed: bytes, choices: int) -> None:
    """Through a whole deal the count of each seat that still plays is told exactly when it is ten or fewer (R80)."""
    rng = Random(choices)
    deal = gr.Deal.start(RULES, seed)
    told = 0
    while (question := deal.question) is not None:
        wanted = counts_to_be_shown(deal)
        for seat in range(6):
            if deal.public.standing[seat] == gr.Standing.ACTIVE:
                assert deal.public.count_shown[seat] == wanted[seat]
                told += wanted[seat] >= 0
        seat = rng.choice([s for s in question.seat_list if deal.is_asked(s)])
        deal.apply(seat, rng.choice(deal.legal_actions(seat)))
    assert told or deal.result.void


def test_eleven_cards_are_not_told_ten_are() -> None:
    """The border case: after one card of eleven is put down the ten left are told (R80, 满户)."""
    deal = gr.Deal.from_hands(RULES, ["3456789TJQK", "44", "55", "66", "77", "88888888888"], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    assert deal.public.count_shown == (-1, 2, 2, 2, 2, -1)
    deal.apply(0, gr.play_action(gr.parse_play("3")))
    assert deal.public.count_shown == (10, 2, 2, 2, 2, -1)


def test_without_reports_no_count_is_told() -> None:
    """`report = none`: no count of any seat is told, however few cards are left (R80)."""
    deal = gr.Deal.from_hands(RULES.replace(report="none"), ["34", "44", "55", "66", "77", "8"], 0)
    assert deal.public.count_shown == (-1,) * 6
    for seat in range(6):
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.play_action(gr.parse_play("3")))
    assert deal.public.count_shown == (-1,) * 6


def test_a_view_holds_the_own_cards_and_no_others() -> None:
    """Two deals in which the five other hands differ look the same to seat 0, which sees its own (R80)."""
    one = gr.Deal.from_hands(RULES, ["34", "345678" * 2, "45678" * 3, "9TJQKA" * 2, "9TJQK" * 3, "8" * 11], 0)
    other = gr.Deal.from_hands(RULES, ["34", "AAKKQQJJTT99", "2" * 15, "s6" + "9" * 11, "bbb" + "5" * 9, "J" * 11], 0)
    assert one.view(0).public == other.view(0).public
    assert one.view(0).hand == other.view(0).hand
    assert gr.format_counts(one.view(0).hand) == "34"
    assert one.public_view() == other.public_view()


@given(SEEDS, st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_views_do_not_depend_on_hidden_cards(seed: bytes, choices: int, seat: int) -> None:
    """Mid-deal, two other seats exchange cards that nothing public tells apart: the view of the seat stays (R80)."""
    rng = Random(choices)
    deal = gr.Deal.start(RULES, seed)
    for _ in range(rng.randrange(40)):
        question = deal.question
        if question is None:
            return
        asked = rng.choice([s for s in question.seat_list if deal.is_asked(s)])
        deal.apply(asked, gr.NO if question.kind == gr.Kind.REVOLT else rng.choice(deal.legal_actions(asked)))
    others = [other for other in range(6) if other != seat and any(deal.hand(other))]
    if len(others) < 2:
        return
    giver, taker = rng.sample(others, 2)
    before = deal.view(seat)
    changed = deal.copy()
    pos = changed.position
    hands = pos.hands
    give, take = ([rank for rank in range(15) if hands[s][rank]] for s in (giver, taker))
    given_rank, taken_rank = rng.choice(give), rng.choice(take)
    pos.change(giver, given_rank, -1)
    pos.change(giver, taken_rank, 1)
    pos.change(taker, taken_rank, -1)
    pos.change(taker, given_rank, 1)
    assert changed.view(seat) == before
    assert changed.question == deal.question


def test_what_was_done_is_seen_by_all() -> None:
    """Plays, passes, yields and the wind are in every seat's view as they are in the public one (R80)."""
    deal = gr.Deal.from_hands(RULES, ["5", "64", "77", "88", "993", "TT3"], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.play_action(gr.parse_play("5")))
    deal.apply(1, gr.WIND)
    deal.apply(2, gr.PASS)
    deal.apply(3, gr.YIELD)
    deal.apply(4, gr.play_action(gr.parse_play("9")))
    for seat in range(6):
        public = deal.view(seat).public
        assert public == deal.public_view()
        assert [(entry.seat, gr.format_play(entry.play)) for entry in public.plays] == [(0, "5"), (4, "9")]
        assert public.winded == 1 << 1
        assert public.yielded == 1 << 3
        assert public.passed == 1 << 2 | 1 << 3
        assert public.standing[0] == gr.Standing.FINISHED
        assert public.place[0] == 1

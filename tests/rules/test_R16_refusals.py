# rule: R16 applies
# rule: R16 refuses
# rule: R29 applies
# rule: R29 refuses
"""R16 and R29: what is illegal changes nothing and is answered with its rule; deals end and cards are conserved."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from tests.rules.random_deals import random_hands
from tests.rules.reference_plays import RANKS, canonical
from tests.rules.side_by_side import SideBySide

RULES = gr.preset("qingdao")

# A play puts at least one card down, so there are at most 216; about each the window asks at most four seats, and a
# follow is asked of at most five, one of them twice (R24). Before the first lead six answer and one chooses.
MOST_ANSWERS = 216 * (1 + 4 + 6) + 7

PLAIN = [
    gr.PASS,
    gr.YIELD,
    gr.WIND,
    gr.DECLINE,
    gr.NO,
    gr.REVOLT,
    gr.KEEP_HEAD,
    gr.DROP_HEAD,
    gr.show_action(0),
]


def random_action(rng: Random) -> gr.Action:
    """Any action, most of them nonsense where it is tried, some of them ints that stand for nothing."""
    if rng.random() < 0.1:
        return gr.Action(rng.getrandbits(rng.choice([5, 28, 33, 40])))
    if rng.random() < 0.4:
        return rng.choice(PLAIN)
    rank = rng.choice(RANKS[:12])
    play = gr.parse_play("".join(rng.choices(rank * 3 + "2sb", k=rng.randint(1, 4))))
    return gr.play_action(play) if rng.random() < 0.7 else gr.burn_action(play)


@given(st.integers(0, 2**32 - 1))
def test_can_legal_actions_and_apply_say_the_same(seed: int) -> None:
    """For any seat and action `can`, `legal_actions` and `verify` agree; refusals name a rule and change nothing."""
    rng = Random(seed)
    side = SideBySide(random_hands(rng), rng.randrange(6))
    deal = side.engine
    for _ in range(rng.randrange(60)):
        if side.running:
            side.random_answer(rng)
    digest, seen = deal.digest(), deal.public_view()
    for _ in range(25):
        seat, action = rng.randrange(6), random_action(rng)
        listed = action in list(deal.legal_actions(seat))
        assert deal.can(seat, action) == listed
        if listed:
            deal.verify(seat, action)
            deal.copy().apply(seat, action)
        else:
            with pytest.raises(gr.RuleViolation) as refused:
                deal.apply(seat, action)
            assert re.fullmatch(r"R\d+", refused.value.rule)
            assert refused.value.text_en
            assert refused.value.text_zh
        assert deal.digest() == digest
        assert deal.public_view() == seen
    for seat in range(6):
        if deal.is_asked(seat):
            assert deal.can(seat, deal.default_action(seat))


def test_refusals_do_not_name_another_seats_cards() -> None:
    """A refusal reads the question and the own hand alone: with other hidden hands it is the same, word by word."""
    story = ["0 play KK"]
    one = gr.Deal.from_hands(RULES, ["KK45", "AA45", "AA44", "AA3", "ss4", "6789"], 0)
    other = gr.Deal.from_hands(RULES, ["KK45", "AA45", "9999", "bb22", "345", "33"], 0)
    for deal in (one, other):
        for seat in range(6):
            deal.apply(seat, gr.NO)
        for line in story:
            deal.apply(int(line[0]), gr.parse_action(line[2:]))
    for action in [gr.burn_action(gr.parse_play("AA")), gr.PASS, gr.REVOLT, gr.play_action(gr.parse_play("AA"))]:
        with pytest.raises(gr.RuleViolation) as first:
            one.apply(1, action)
        with pytest.raises(gr.RuleViolation) as second:
            other.apply(1, action)
        assert (first.value.rule, first.value.text_en, first.value.text_zh) == (
            second.value.rule,
            second.value.text_en,
            second.value.text_zh,
        )


def test_cards_that_are_not_the_plays_are_refused() -> None:
    """Real cards must be in the hand and make the play that is put down: others are refused (R16)."""
    deal = gr.Deal.start(RULES, bytes(32))
    for seat in range(6):
        deal.apply(seat, gr.NO)
    leader = deal.public.leader
    lowest = deal.cards(leader)[0]
    rank = gr.RANKS[gr.rank_of(lowest)]
    action = gr.play_action(gr.parse_play(rank))
    foreign = next(card for card in gr.Card if card not in deal.cards(leader))
    own = next(card for card in deal.cards(leader) if gr.rank_of(card) != gr.rank_of(lowest))
    digest = deal.digest()
    for cards in ([foreign], [own], [], [lowest, lowest, lowest, lowest, lowest], [0], [99]):
        with pytest.raises((gr.RuleViolation, ValueError)):
            deal.apply(leader, action, cards)
        assert deal.digest() == digest
    deal.apply(leader, action, [lowest])
    assert deal.hand(leader)[gr.rank_of(lowest)] == sum(gr.rank_of(c) == gr.rank_of(lowest) for c in deal.cards(leader))


@settings(max_examples=40)
@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**32 - 1))
def test_a_deal_ends_and_keeps_its_cards(seed: bytes, choices: int) -> None:
    """Played at random a full deal ends within the bound; hands and plays are always the pack (R29)."""
    rng = Random(choices)
    deal = gr.Deal.start(RULES, seed)
    answers = 0
    while (question := deal.question) is not None:
        answers += 1
        assert answers <= MOST_ANSWERS
        seat = rng.choice([s for s in question.seat_list if deal.is_asked(s)])
        deal.apply(seat, rng.choice(deal.legal_actions(seat)))
        if answers % 20 == 0 or deal.over:
            held = [gr.format_counts(deal.hand(s)) for s in range(6)]
            played = [gr.format_play(entry.play) for entry in deal.public.plays]
            assert canonical("".join(held + played)) == canonical(gr.format_cards(gr.pack(RULES)))
            cards = [card for s in range(6) for card in deal.cards(s)]
            cards += [card for entry in deal.public.plays for card in entry.cards]
            assert sorted(cards) == sorted(gr.pack(RULES))
    assert deal.public.phase == gr.Phase.OVER
    if not deal.result.void:
        assert sorted(deal.result.places) == [0, 1, 2, 3, 4, 5]


def test_nothing_is_accepted_after_the_end() -> None:
    """A deal that is over asks nothing and refuses everything (R8, R29)."""
    deal = gr.Deal.from_hands(RULES, ["b", "34", "b", "34", "b", "34"], 0)
    for line in ["0 play b", "1 play 3", "2 play b", "3 play 3", "4 play b"]:
        for seat in range(6):
            if deal.can(seat, gr.NO):
                deal.apply(seat, gr.NO)
        deal.apply(int(line[0]), gr.parse_action(line[2:]))
    assert deal.over
    assert deal.question is None
    digest = deal.digest()
    for seat in range(6):
        assert len(deal.legal_actions(seat)) == 0
        for action in [*PLAIN, gr.play_action(gr.parse_play("4"))]:
            with pytest.raises(gr.DealOver):
                deal.apply(seat, action)
    assert deal.digest() == digest

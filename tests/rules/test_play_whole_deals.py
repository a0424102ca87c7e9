"""Whole deals of every preset, and of mixtures of their options, under random answers (R8, R16, R29, R32)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.playout import play_out
from tests.rules.every_rule_set import RULE_SETS
from tests.rules.test_engine_whole_deals import cards_everywhere

BOUND = 6000
PLAIN = [gr.PASS, gr.YIELD, gr.WIND, gr.DECLINE, gr.NO, gr.REVOLT, gr.KEEP_HEAD, gr.DROP_HEAD, gr.show_action(0)]
TEXTS = ["3", "33", "4", "55", "s", "b", "bb", "ss", "KK", "AA2", "s4", "bs", "99922", "TTTTT", "bb9", "bbs77"]
TAGS = [gr.Verb.PLAY, gr.Verb.BURN, gr.Verb.KILL, gr.Verb.GIVE]
ANYTHING = [*PLAIN, *(gr.Action(tag << 28 | gr.parse_play(text)) for text in TEXTS for tag in TAGS)]


def asked_in(deal: gr.Deal) -> list[int]:
    return [seat for seat in range(6) if deal.is_asked(seat)]


def random_answer(deal: gr.Deal, rng: Random, *, eager: bool) -> tuple[int, gr.Action]:
    """A seat asked and one of its answers; `eager`: more often one with cards, so that burns and kills come up."""
    seat = rng.choice(asked_in(deal))
    legal = deal.legal_actions(seat)
    index = rng.randrange(len(legal))
    if eager and rng.random() < 0.5:
        index = len(legal) - 1 - rng.randrange((len(legal) + 1) // 2)
    return seat, legal[index]


def check_answers(deal: gr.Deal, rng: Random) -> None:
    """`can`, the lazy list and `apply` agree about any answer of any seat; a refused one changes nothing (R16)."""
    seat = rng.choice(asked_in(deal)) if rng.random() < 0.8 else rng.randrange(6)
    legal = deal.legal_actions(seat)
    listed = list(legal)
    assert len(listed) == len(legal) == len(set(listed))
    verbs = 0
    for action in listed:
        verbs |= 1 << gr.verb_of(action)
    assert deal.open_verbs(seat) == verbs
    for action in rng.sample(listed, min(4, len(listed))):
        assert deal.can(seat, action)
        assert action in legal
        deal.copy().apply(seat, action)
    for action in rng.sample(ANYTHING, 6):
        allowed = deal.can(seat, action)
        assert allowed is (action in set(listed)), gr.format_action(action)
        if not allowed:
            before = deal.digest()
            with pytest.raises(gr.RuleViolation) as caught:
                deal.apply(seat, action)
            assert deal.digest() == before
            assert caught.value.rule.startswith("R")
            assert caught.value.text_en
            assert caught.value.text_zh
    for other in asked_in(deal):
        assert deal.can(other, deal.default_action(other))


def check_copies(deal: gr.Deal) -> None:
    """A copy and a restored deal are equal in every part, and live apart."""
    copied, restored = deal.copy(), gr.Deal.from_bytes(deal.to_bytes())
    assert copied.digest() == restored.digest() == deal.digest()
    assert copied.public == restored.public == deal.public
    assert restored.to_bytes() == deal.to_bytes()
    for seat in asked_in(deal):
        assert list(restored.legal_actions(seat)) == list(deal.legal_actions(seat))


def check_end(deal: gr.Deal, dealt: list[int]) -> None:
    """Places are a permutation, no place is given twice, sums are as the rules say, the record replays."""
    result = deal.result
    alone = deal.rules.teams == "individual"
    assert len(result.scores) == (6 if alone else 2)
    if not result.void:
        assert sorted(result.places) == list(range(6))
        assert sorted(deal.public.place) == [1, 2, 3, 4, 5, 6]
        if result.slam >= 0:
            assert sum(result.scores) == 0
        elif not any(deal.rules.burn_points) and not deal.rules.fault_points:
            assert sum(result.sums) == sum(deal.rules.points)
        revolted = deal.public.revolted
        if revolted >= 0:
            assert deal.public.place[revolted] == (
                3 if result.sweep and not alone and result.places[2] == revolted else 4
            )
    assert cards_everywhere(deal) == dealt
    revealed = deal.reveal()
    assert gr.check_record(revealed.record) == []
    assert gr.replay(gr.read_record(revealed.record))[1].digest() == deal.digest()


@pytest.mark.parametrize("name", RULE_SETS)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), eager=st.booleans())
def test_a_whole_deal_of_every_rule_set(name: str, seed: int, eager: bool) -> None:
    """From the shuffled pack to the last place everything that must hold holds, within a bounded number of answers."""
    rng = Random(seed)
    deal = gr.Deal.start(RULE_SETS[name], rng.randbytes(32))
    dealt = sorted(int(card) for held in deal.dealt for card in held)
    assert dealt == sorted(gr.pack(RULE_SETS[name]))
    answers = 0
    while not deal.over:
        if rng.random() < 0.04:
            check_answers(deal, rng)
        if rng.random() < 0.02:
            check_copies(deal)
        before, several = deal.public.kind, len(asked_in(deal)) > 1
        seat, action = random_answer(deal, rng, eager=eager)
        events = deal.apply(seat, action)
        if several and before == gr.Kind.WINDOW:
            assert events == [], "an answer that leaves a window open tells something (R32, R36)"
        answers += 1
        assert answers < BOUND, "a deal must end (R29)"
        if not rng.randrange(20):
            for held in range(6):
                assert gr.counts_of(deal.cards(held)) == list(deal.hand(held))
    check_end(deal, dealt)


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("number", range(4))
def test_the_driver_plays_every_rule_set_to_its_end(name: str, number: int) -> None:
    """The simulation driver ends deals of every rule set with six places, and repeats itself."""
    rules = RULE_SETS[name]
    seed = Random(number).randbytes(32)
    deals = [gr.Deal.start(rules, seed, track_cards=False) for _ in range(2)]
    decisions = [play_out(deal, Random(number)) for deal in deals]
    assert decisions[0] == decisions[1] > 0
    assert deals[0].public == deals[1].public
    result = deals[0].result
    assert result.void or sorted(result.places) == list(range(6))
    played = sum(gr.size(play.play) for play in deals[0].public.plays)
    assert played + sum(sum(deals[0].hand(seat)) for seat in range(6)) == len(gr.pack(rules))

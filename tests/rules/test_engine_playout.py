"""The simulation driver decides exactly as the public way of answering does."""

from __future__ import annotations

from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.playout import play_out, random_deal
from tests.rules.every_rule_set import RULE_SETS

QINGDAO = gr.preset("qingdao")


def answered_the_public_way(rules: gr.RuleSet, seed: bytes, rng: Random) -> tuple[gr.Deal, int]:
    """A deal answered through verify and apply, drawing the numbers that the driver draws, and its decisions."""
    deal = gr.Deal.start(rules, seed, track_cards=False)
    decisions = 0
    while not deal.over:
        kind = deal.public.kind
        for seat in [seat for seat in range(6) if deal.is_asked(seat)]:
            legal = deal.legal_actions(seat)
            assert len(legal) > 0
            index = 0
            if kind == gr.Kind.HEAD:
                index = 0 if rng.random() < 0.5 else 1
                decisions += 1
            elif len(legal) > 1:
                decisions += 1
                index = int(rng.random() * len(legal))
                if kind == gr.Kind.FOLLOW:
                    plain = sum(1 for action in legal[:3] if not gr.play_of(action))
                    index = index if index >= plain else plain - 1 - index
            deal.apply(seat, legal[index])
    return deal, decisions


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", RULE_SETS)
def test_the_driver_and_the_public_way_play_the_same_deal(name: str, number: int) -> None:
    """Same seed, same random numbers: the same plays, places and number of decisions with more than one option."""
    rules, seed = RULE_SETS[name], Random(number).randbytes(32)
    driven = gr.Deal.start(rules, seed, track_cards=False)
    decisions = play_out(driven, Random(number))
    deal, counted = answered_the_public_way(rules, seed, Random(number))
    assert decisions == counted
    assert driven.public == deal.public
    assert [driven.hand(seat) for seat in range(6)] == [deal.hand(seat) for seat in range(6)]
    assert driven.result == deal.result


@pytest.mark.parametrize("name", RULE_SETS)
def test_simulations_go_on_from_half_answered_questions(name: str) -> None:
    """From any moment of a deal, also while others' answers are awaited: those that are in stand, and it ends."""
    rng = Random(name)
    deal = gr.Deal.start(RULE_SETS[name], rng.randbytes(32))
    half_answered = 0
    while not deal.over:
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        answered = [seat for seat in range(6) if deal.pending(seat)]
        half_answered += bool(answered)
        if answered or rng.random() < 0.05:
            before = deal.digest()
            end = deal.copy()
            play_out(end, rng)
            assert end.over
            assert deal.digest() == before
        seat = rng.choice(asked)
        legal = deal.legal_actions(seat)
        deal.apply(seat, legal[rng.randrange(len(legal))])
    assert half_answered or deal.result.void


def test_random_deals_differ_and_repeat() -> None:
    """The driver is a function of the random source alone."""
    first = [random_deal(QINGDAO, Random(n)) for n in range(20)]
    assert first == [random_deal(QINGDAO, Random(n)) for n in range(20)]
    assert len(set(first)) > 10

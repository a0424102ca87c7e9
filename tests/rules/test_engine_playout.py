"""The simulation driver decides exactly as the public way of answering does."""

from __future__ import annotations

from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.playout import play_out, random_deal

QINGDAO = gr.preset("qingdao")


def answered_the_public_way(seed: bytes, rng: Random) -> tuple[gr.Deal, int]:
    """A deal answered through verify and apply, drawing the numbers that the driver draws, and its decisions."""
    deal = gr.Deal.start(QINGDAO, seed, track_cards=False)
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


@pytest.mark.parametrize("number", range(25))
def test_the_driver_and_the_public_way_play_the_same_deal(number: int) -> None:
    """Same seed, same random numbers: the same plays, places and number of decisions with more than one option."""
    seed = Random(number).randbytes(32)
    driven = gr.Deal.start(QINGDAO, seed, track_cards=False)
    decisions = play_out(driven, Random(number))
    deal, counted = answered_the_public_way(seed, Random(number))
    assert decisions == counted
    assert driven.public == deal.public
    assert [driven.hand(seat) for seat in range(6)] == [deal.hand(seat) for seat in range(6)]
    assert driven.result == deal.result


def test_random_deals_differ_and_repeat() -> None:
    """The driver is a function of the random source alone."""
    first = [random_deal(QINGDAO, Random(n)) for n in range(20)]
    assert first == [random_deal(QINGDAO, Random(n)) for n in range(20)]
    assert len(set(first)) > 10

"""R4, R42: blind calls before the cards are drawn, open calls before the first lead."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.actions import CALL_BLIND, CALL_OPEN
from gouji_rules.events import Called, LeadFixed
from gouji_rules.playout import random_deal
from gouji_rules.steps import AS_DEALT, FROM_SEED, READY, Step, plan

BOTH = replace(gr.preset("qingdao"), opening=True, calls="both", tribute=("point",), swap_places=False)


def test_no_card_is_drawn_before_the_blind_calls() -> None:
    """While blind calls are open no hand exists for anyone to see; then the cards are drawn."""
    deal = gr.Deal.start(BOTH, bytes(32))
    assert deal.question is not None
    assert (deal.question.kind, deal.question.seats, deal.start_events) == (gr.Kind.CALL, 63, ())
    assert deal.public.phase == gr.Phase.CALLS
    assert all(not any(deal.view(seat).hand) and not deal.view(seat).cards for seat in range(6))
    assert deal.public.count_shown == (-1,) * 6
    happened = [event for seat in range(6) for event in deal.apply(seat, gr.NO)]
    assert any(isinstance(event, LeadFixed) for event in happened)
    assert [len(deal.cards(seat)) for seat in range(6)] == [36] * 6


def test_a_call_is_told_at_once_and_a_no_is_not() -> None:
    """The event and the public mark come with the call, while others still think; a no changes nothing public."""
    deal = gr.Deal.start(BOTH, bytes(32))
    before = deal.public_view()
    assert deal.apply(2, gr.NO) == []
    assert deal.public_view() == before
    assert deal.apply(4, CALL_BLIND) == [Called(4, blind=True)]
    assert deal.public.calls == (0, 0, 0, 0, 2, 0)
    with pytest.raises(gr.AlreadyAnswered):
        deal.apply(4, gr.NO)
    with pytest.raises(gr.WrongVerb) as refused:
        deal.apply(0, CALL_OPEN)
    assert refused.value.rule == "R42"


def opened_calls(blind: set[int]) -> gr.Deal:
    """A deal after the blind calls of these seats."""
    deal = gr.Deal.start(BOTH, bytes(32))
    for seat in range(6):
        deal.apply(seat, CALL_BLIND if seat in blind else gr.NO)
    return deal


def test_one_of_the_two_at_most() -> None:
    """Who called blind is not asked about an open call; if all did nobody is."""
    deal = opened_calls({1, 4})
    assert deal.question is not None
    assert (deal.question.kind, deal.question.seat_list) == (gr.Kind.CALL, (0, 2, 3, 5))
    assert deal.apply(0, CALL_OPEN) == [Called(0, blind=False)]
    for seat in (2, 3, 5):
        deal.apply(seat, gr.NO)
    assert deal.public.calls == (1, 2, 0, 0, 2, 0)
    assert deal.public.kind == gr.Kind.REVOLT
    assert opened_calls(set(range(6))).public.kind == gr.Kind.REVOLT


def test_open_calls_alone() -> None:
    """`calls = open`: nothing is asked before the cards are drawn."""
    deal = gr.Deal.start(replace(BOTH, calls="open"), bytes(32))
    assert deal.public.verbs >> gr.Verb.CALL_OPEN & 1
    assert len(deal.cards(0)) == 36


def test_the_order_of_a_deal() -> None:
    """R4: every step in its order, and only those whose option is on."""
    rules = replace(BOTH, swap_places=True, hold_three=True, buy_from="S1", buy_with="S1")
    assert plan(rules, FROM_SEED) == tuple(Step)
    assert plan(rules, AS_DEALT) == tuple(step for step in Step if step != Step.FIRST_LEAD)
    assert plan(rules, READY) == (Step.BLIND_CALLS, Step.DRAW, Step.OPEN_CALLS, Step.REVOLUTION)
    assert plan(gr.preset("qingdao"), FROM_SEED) == (Step.FIRST_LEAD, Step.REVOLUTION)
    assert plan(gr.preset("qingdao").replace(revolution="off"), FROM_SEED) == (Step.FIRST_LEAD,)


def test_calls_lapse_with_a_void_deal() -> None:
    """R42: a deal dealt again after a void one begins without calls."""
    match = gr.Match(BOTH, deals=1)
    void = gr.Deal.from_hands(BOTH, ["", "", "345", "345", "345", "345"], 0)
    for seat in range(6):
        void.apply(seat, CALL_BLIND if seat == 0 else gr.NO)
    for seat in range(1, 6):
        void.apply(seat, gr.NO)
    for seat in range(6):
        void.apply(seat, gr.REVOLT if seat < 2 else gr.NO)
    assert void.public.calls[0] == 2
    assert match.finish(void).result.void
    assert match.start_deal(bytes(32)).public.calls == (0,) * 6


def test_before_the_cards_are_drawn_a_deal_is_saved() -> None:
    """A deal in the middle of its blind calls comes back whole and goes on alike."""
    deal = gr.Deal.start(BOTH, bytes(32))
    deal.apply(3, CALL_BLIND)
    for again in (deal.copy(), gr.Deal.from_bytes(deal.to_bytes())):
        other = deal.copy()
        for seat in (0, 1, 2, 4, 5):
            assert again.apply(seat, gr.NO) == other.apply(seat, gr.NO)
        assert again.digest() == other.digest() != deal.digest()
        assert again.cards(0) == other.cards(0) != ()


def test_simulations_answer_calls() -> None:
    """A random simulation plays a deal with calls to its end."""
    for number in range(5):
        assert random_deal(BOTH, Random(number)) > 0

# rule: R84 applies
# rule: R84 refuses
"""R84: when a deal is over everything is open, and not before."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr

RULES = gr.preset("qingdao")


def played_out(seed: bytes, rng: Random) -> tuple[gr.Deal, list[tuple[int, gr.Action]]]:
    """A deal played at random to its end and every answer given in it."""
    deal = gr.Deal.start(RULES, seed)
    given_answers = []
    while (question := deal.question) is not None:
        with pytest.raises(gr.DealRunning):
            deal.reveal()
        seat = rng.choice([s for s in question.seat_list if deal.is_asked(s)])
        action = rng.choice(deal.legal_actions(seat))
        deal.apply(seat, action)
        given_answers.append((seat, action))
    return deal, given_answers


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**32 - 1))
def test_everything_is_open_after_the_deal(seed: bytes, choices: int) -> None:
    """The reveal holds the hands as dealt, seed, order of drawing, first drawer and every answer (R84)."""
    start = gr.Deal.start(RULES, seed)
    deal, given_answers = played_out(seed, Random(choices))
    reveal = deal.reveal()
    assert [sorted(hand) for hand in reveal.hands] == [sorted(start.cards(seat)) for seat in range(6)]
    assert reveal.seed == seed
    assert reveal.order == gr.shuffled(RULES, seed)
    assert reveal.first_drawer == gr.first_drawer(seed)
    assert reveal.lead == start.lead
    assert [(answer.seat, answer.action) for answer in reveal.answers] == given_answers


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**32 - 1))
def test_the_record_of_a_deal_replays(seed: bytes, choices: int) -> None:
    """The record in the reveal is one that the checker accepts, and its result is the deal's (R84)."""
    deal, _ = played_out(seed, Random(choices))
    text = deal.reveal().record
    assert gr.check_record(text) == []
    if not deal.result.void:
        record = gr.read_record(text)
        assert record.places == deal.result.places
        assert record.scores == deal.result.scores


def test_who_could_burn_is_open_afterwards() -> None:
    """A burn that came second in its window, hidden while the deal ran, is told in the reveal (R36, R84)."""
    deal = gr.Deal.from_hands(RULES, ["KK", "b", "AA", "b", "34", "AA"], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.play_action(gr.parse_play("KK")))
    burn = gr.burn_action(gr.parse_play("AA"))
    for seat, action in [(5, burn), (1, gr.DECLINE), (2, burn), (4, gr.DECLINE)]:
        deal.apply(seat, action)
    assert not any(entry.seat == 5 for entry in deal.public.plays)
    while (question := deal.question) is not None:
        seat = next(s for s in question.seat_list if deal.is_asked(s))
        deal.apply(seat, deal.default_action(seat))
    answers = [(answer.seat, answer.action) for answer in deal.reveal().answers]
    assert (5, burn) in answers
    window = {
        answer.window for answer in deal.reveal().answers if (answer.seat, answer.action) in [(5, burn), (2, burn)]
    }
    assert window == {1}


def test_nothing_is_open_while_the_deal_runs() -> None:
    """Before the end there is no reveal and no result, and a void deal has a reveal but no places (R84, R50)."""
    deal = gr.Deal.from_hands(RULES, ["34", "45", "56", "67", "78", "89"], 0)
    with pytest.raises(gr.DealRunning) as refused:
        deal.reveal()
    assert refused.value.rule == "R84"
    with pytest.raises(gr.DealRunning):
        _ = deal.result
    for seat in range(6):
        deal.apply(seat, gr.REVOLT)
    assert deal.over
    assert deal.result.void
    assert deal.result.places == ()
    assert [gr.format_cards(hand) for hand in deal.reveal().hands] == ["34", "45", "56", "67", "78", "89"]

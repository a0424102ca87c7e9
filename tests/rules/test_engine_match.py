"""R50, R60 to R63, R68: deals in a row, void ones not counted, and the scores of a deal."""

from __future__ import annotations

from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.playout import play_out
from gouji_rules.scoring import result_of

QINGDAO = gr.preset("qingdao")


def ended(places: str, rules: gr.RuleSet = QINGDAO) -> gr.DealResult:
    """The result of a deal with these seats in finishing order."""
    public = gr.PublicState(rules)
    for place, seat in enumerate(places, 1):
        public.place[int(seat)] = place
    return result_of(public)


@pytest.mark.parametrize(
    ("places", "scores", "sweep"),
    [
        ("024135", (12, 0), True),
        ("531024", (0, 12), True),
        ("021435", (6, 0), False),
        ("012345", (2, 0), False),
        ("013245", (2, 0), False),
        ("103524", (0, 4), False),
        ("135024", (0, 12), True),
        ("140325", (0, 0), False),
    ],
)
def test_scores_of_qingdao(places: str, scores: tuple[int, int], sweep: bool) -> None:
    """4/2/0/0/-2/-4, a negative sum is 0, a sweep doubles to 12 : 0 (R60, R61, R62, R63)."""
    result = ended(places)
    assert result.scores == scores
    assert result.sweep is sweep
    assert result.places == tuple(int(seat) for seat in places)


def test_signed_scores_and_no_doubling() -> None:
    """Signed records keep what is below zero; without sweep_doubles nothing doubles (R62, R63)."""
    signed = QINGDAO.replace(record="signed")
    assert ended("024135", signed).scores == (12, -12)
    assert ended("024135", signed.replace(sweep_doubles=False)).scores == (6, -6)


def finished(match: gr.Match, number: int) -> gr.Deal:
    """The match's next deal, played out at random."""
    deal = match.start_deal(Random(number).randbytes(32))
    play_out(deal, Random(number))
    return deal


def test_a_match_adds_its_deals_up() -> None:
    """Three deals: scores add up, deals are numbered, and the match is over after the third (R68)."""
    match = gr.Match(QINGDAO, deals=3)
    total = [0, 0]
    for number in range(3):
        assert not match.over
        deal = finished(match, number)
        assert deal.public.number == number + 1
        step = match.finish(deal)
        total = [a + b for a, b in zip(total, deal.result.scores, strict=True)]
        assert step.scores == match.scores == tuple(total)
        assert step.over is (number == 2)
    assert match.over
    with pytest.raises(ValueError, match="the match is over"):
        match.start_deal(bytes(32))


def test_a_void_deal_does_not_count() -> None:
    """Two revolutions void the deal: it is dealt again under the same number and adds nothing (R50)."""
    match = gr.Match(QINGDAO, deals=1)
    void = gr.Deal.from_hands(QINGDAO, ["", "", "345", "345", "345", "345"], 0)
    for seat in range(6):
        void.apply(seat, gr.REVOLT if seat < 2 else gr.NO)
    assert void.over
    assert void.result.void
    step = match.finish(void)
    assert (step.over, step.deal_number, step.scores) == (False, 1, (0, 0))
    assert match.finish(finished(match, 1)).over


def test_only_the_deal_due_is_counted() -> None:
    """A running deal, and one of another number, are refused and change nothing."""
    match = gr.Match(QINGDAO, deals=2)
    with pytest.raises(gr.DealRunning):
        match.finish(match.start_deal(bytes(32)))
    first = finished(match, 1)
    match.finish(first)
    with pytest.raises(ValueError, match="not the one due"):
        match.finish(first)
    assert match.deal_number == 2
    with pytest.raises(ValueError, match="cannot have -1"):
        gr.Match(QINGDAO, deals=-1)

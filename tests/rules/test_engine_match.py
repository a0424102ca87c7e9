"""R50, R60 to R63, R68: deals in a row, void ones not counted, and the scores of a deal."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.match import draw_lot
from gouji_rules.playout import play_out
from gouji_rules.scoring import result_of
from gouji_rules.state import with_seat

QINGDAO = gr.preset("qingdao")


def ended(places: str, rules: gr.RuleSet = QINGDAO) -> gr.DealResult:
    """The result of a deal with these seats in finishing order."""
    public = gr.PublicState(rules)
    for place, seat in enumerate(places, 1):
        public.place = with_seat(public.place, int(seat), place)
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


TRIBUTE = replace(QINGDAO, tribute=("loser",), return_="free", swap_places=False)


def answered(deal: gr.Deal) -> gr.Deal:
    """The deal, played out with default answers before play and at random then."""
    while deal.public.phase not in (gr.Phase.PLAY, gr.Phase.OVER):
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        deal.apply(seat, deal.default_action(seat))
    play_out(deal, Random(3))
    return deal


def test_obligations_go_from_deal_to_deal() -> None:
    """R70, R73: what a deal leaves is paid before the next; the first deal has no tribute (R4)."""
    match = gr.Match(TRIBUTE, deals=3)
    owed: tuple[gr.Obligation, ...] = ()
    for number in range(3):
        deal = match.start_deal(Random(number).randbytes(32))
        assert deal.obligations == deal.public.obligations == owed
        answered(deal)
        places = deal.result.places
        owed = (
            ()
            if deal.result.sweep
            else (
                gr.Obligation(places[5], places[0], "loser", 2),
                gr.Obligation(places[4], places[1], "loser", 1),
            )
        )
        assert deal.result.obligations == owed
        match.finish(deal)
    assert match.obligations == ()


def test_obligations_survive_a_void_deal() -> None:
    """R79: a voided deal changes nothing of what is owed."""
    match = gr.Match(TRIBUTE, deals=2)
    match.finish(answered(match.start_deal(Random(5).randbytes(32))))
    owed = match.obligations
    assert owed
    void = gr.Deal.from_hands(TRIBUTE, ["", "", "345", "345", "345", "345"], 0, owed, number=2)
    for seat in range(6):
        void.apply(seat, gr.REVOLT if seat < 2 else gr.NO)
    step = match.finish(void)
    assert step.result.void
    assert match.obligations == owed
    assert match.start_deal(bytes(32)).obligations == owed


def decided(rules: gr.RuleSet, places: str, number: int = 1) -> gr.Deal:
    """A deal that ended with these places."""
    deal = gr.Deal.start(rules, Random(number).randbytes(32), number=number)
    for place, seat in enumerate(places, 1):
        deal.public.place = with_seat(deal.public.place, int(seat), place)
    deal.public.phase = gr.Phase.OVER
    return deal


@pytest.mark.parametrize(("option", "over"), [("match_ends", True), ("redeal", False), ("by_place", False)])
def test_a_sweep_ends_the_match_in_s1(option: str, over: bool) -> None:
    """R68, R76: under `match_ends` a sweep is the match's end, else it goes on."""
    rules = replace(QINGDAO, sweep_tribute=option)
    match = gr.Match(rules, deals=5)
    assert match.finish(decided(rules, "024135")).over is over
    match = gr.Match(rules, deals=5)
    assert not match.finish(decided(rules, "012345")).over


def test_a_tie_is_settled_by_a_recorded_lot() -> None:
    """R64: level after the last deal, the lot from its seed decides: the same for everyone, and told."""
    rules = replace(QINGDAO, tie_by_lot=True)
    winners = set()
    for number in range(12):
        match = gr.Match(rules, deals=1)
        deal = decided(rules, "140325")
        deal.seed = Random(number).randbytes(32)
        step = match.finish(deal)
        assert step.scores == (0, 0)
        assert step.lot == gr.LotDrawn(draw_lot(deal.seed, (0, 1)))
        assert match.winner == step.lot.team
        winners.add(match.winner)
    assert winners == {0, 1}
    match = gr.Match(rules, deals=1)
    assert match.finish(decided(rules, "024135")).lot is None
    assert match.winner == 0


def test_without_the_option_a_tie_stands() -> None:
    """A match of other rules that ends level has no winner."""
    match = gr.Match(QINGDAO, deals=1)
    assert match.finish(decided(QINGDAO, "140325")).lot is None
    assert match.winner == -1
    assert match.leaders == (0, 1)


def test_all_six_dissolve_a_match() -> None:
    """R17: with the sixth agreement the match is over; the running deal is not scored, finished deals count."""
    match = gr.Match(TRIBUTE, deals=3)
    match.finish(answered(match.start_deal(Random(5).randbytes(32))))
    scores = match.scores
    running = match.start_deal(bytes(32))
    for seat in (3, 0, 0, 1, 2):
        assert match.agree_to_dissolve(seat) is None
    match.object_to_dissolving(4)
    for seat in range(5):
        assert match.agree_to_dissolve(seat) is None
    assert match.agree_to_dissolve(5) == gr.MatchDissolved()
    assert (match.over, match.dissolved) == (True, True)
    assert (match.scores, match.obligations, len(match.results)) == (scores, (), 1)
    with pytest.raises(ValueError, match="the match is over"):
        match.finish(running)
    with pytest.raises(ValueError, match="the match is over"):
        match.agree_to_dissolve(0)
    with pytest.raises(ValueError, match="is no seat"):
        gr.Match(TRIBUTE).agree_to_dissolve(6)

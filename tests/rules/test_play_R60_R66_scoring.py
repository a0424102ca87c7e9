"""R7, R8, R60 to R66: places and points in federation and in individual play, gaps, faults and slams."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gouji_rules as gr
from gouji_rules import finishing
from gouji_rules.debts import obligations_of
from tests.rules.story import of_kind, told

HOKKAIDO = gr.preset("hokkaido")
LOW = " ".join(["345"] * 6)


def finished_in_order(rules: gr.RuleSet, order: list[int], lead: int = 0) -> gr.Deal:
    """A deal whose seats go out in this order, as far as it goes on (R8)."""
    hands = ["3345" if rules.hold_three else "345"] * 6
    deal, _ = told(rules.replace(removed="") if rules.removed else rules, " ".join(hands), lead=lead)
    while deal.public.kind != gr.Kind.LEAD:
        for seat in range(6):
            if deal.is_asked(seat):
                deal.apply(seat, gr.NO)
    for seat in order:
        if finishing.finish(deal.position, seat):
            break
    assert deal.over
    return deal


@pytest.mark.parametrize(
    ("name", "order", "scores"),
    [
        ("qingdao", [0, 1, 2, 3, 4], (2, 0)),
        ("qingdao", [0, 2, 4], (12, 0)),
        ("chinagames", [0, 1, 2, 3, 4], (1, -1)),
        ("chinagames", [1, 3, 5], (-6, 6)),
        ("shandong", [0, 2, 4], (6, -6)),
        ("lianzhong", [1, 3, 5], (-6, 6)),
        ("competition", [0, 1, 2, 3, 4], (7 + 4 + 2 - 6, 5 + 3 + 1 - 6)),
        ("competition", [0, 2, 4], (16 - 6, 6 - 6)),
        ("hokkaido", [0, 1, 2, 3, 4], (2, 1, 0, 0, -1, -2)),
        ("hokkaido", [0, 2, 4, 1, 3], (2, 0, 1, -1, 0, -2)),
    ],
)
def test_points_by_place(name: str, order: list[int], scores: tuple[int, ...]) -> None:
    """Points of every preset, a sweep doubled where it is, two off for each that did not open in competition."""
    result = finished_in_order(gr.preset(name), order).result
    assert result.scores == scores
    assert result.sweep is (name != "hokkaido" and len({seat % 2 for seat in order[:3]}) == 1)


def test_individual_play_ends_when_one_holds_cards() -> None:
    """A deal goes on with one side alone in play, and ends with the fifth place (R7, R8)."""
    deal, _ = told(HOKKAIDO, LOW, "0 ? play")
    over = [finishing.finish(deal.position, seat) for seat in (0, 2, 4, 1, 3)]
    assert over == [False, False, False, False, True]
    assert deal.result.places == (0, 2, 4, 1, 3, 5)


def test_a_revolutionary_is_always_fourth_in_individual_play() -> None:
    """Its neighbours at two seats coming first and second change nothing (R7, R51)."""
    deal, _ = told(HOKKAIDO, "- 345 345 345 345 345", "0 revolt", "3 head drop", "= 1 leads")
    for seat in (2, 4, 1, 3):
        finishing.finish(deal.position, seat)
    assert deal.over
    assert deal.result.places == (2, 4, 1, 0, 3, 5)


@pytest.mark.parametrize(
    ("order", "doubled"),
    [
        ([0, 1, 3, 5, 2, 4], True),
        ([0, 1, 2, 4, 3, 5], True),
        ([0, 1, 2, 4, 5, 3], True),
        ([0, 5, 4, 1, 2, 3], False),
        ([0, 1, 2, 5, 4, 3], False),
    ],
)
def test_gap_doubles(order: list[int], doubled: bool) -> None:
    """Place 6 two seats from place 1, or 5 two seats from 2, doubles the points once (R65)."""
    worth = (2, 1, 0, 0, -1, -2)
    for rules in (HOKKAIDO, HOKKAIDO.replace(gap_doubles=True)):
        result = finished_in_order(rules, order[:5]).result
        factor = 2 if rules.gap_doubles and doubled else 1
        assert result.scores == tuple(factor * worth[order.index(seat)] for seat in range(6))
        assert result.doubled is (factor == 2)


@pytest.mark.parametrize(("lead", "scores"), [(0, (10, -2, -2, -2, -2, -2)), (5, (6, -1, -1, -1, -1, -2))])
def test_a_slam_is_all_the_points_and_ends_the_deal(lead: int, scores: tuple[int, ...]) -> None:
    """Nobody else played a card from its first play to its last: +10 if it led first, else +6 (R66)."""
    rules = HOKKAIDO.replace(slam=True)
    story = ["0 play 3", *[f"{seat} pass" for seat in (1, 2, 3, 4, 5)]] if not lead else ["5 play 3", "0 play 4"]
    if lead:
        story += [f"{seat} pass" for seat in (1, 2, 3, 4, 5)]
    hands = "38 4455 4455 4455 4455 34455" if not lead else "48 4455 4455 4455 4455 34455"
    deal, events = told(rules, hands, *story, "0 play 8", lead=lead)
    assert of_kind(events, gr.SlamMade) == [gr.SlamMade(0)]
    assert deal.over
    assert deal.result.slam == 0
    assert deal.result.scores == scores
    assert deal.result.places[0] == 0
    told(HOKKAIDO, hands, *story, "0 play 8", "1 ? pass,wind", lead=lead)


def test_another_seats_card_between_is_no_slam() -> None:
    """One card of another seat between the first play and the last, and there is none (R66)."""
    story = ["0 play 3", "1 play 4", *[f"{seat} pass" for seat in (2, 3, 4, 5)], "0 play 8"]
    deal, events = told(HOKKAIDO.replace(slam=True), "38 4455 4455 4455 4455 4455", *story)
    assert not of_kind(events, gr.SlamMade)
    assert not deal.over


def test_what_a_slam_leaves_owed() -> None:
    """R66: loser tribute alone is dropped by a slam; tribute for burns, stifling and points stays owed."""
    rules = gr.preset("lianzhong").replace(
        hold_three=True, tribute=("stifle", "burn", "point", "loser"), stifle="tribute"
    )
    plain = gr.DealResult(
        (0, 1, 2, 3, 4, 5), (0, 0), (0, 0), sweep=False, burned=((1, 2, False),), stifled=((3, 0),), opened=0b000001
    )
    slam = replace(plain, slam=0)
    owed = [{debt.kind for debt in obligations_of(rules, result, (0,) * 6)} for result in (plain, slam)]
    assert owed == [{"stifle", "burn", "point", "loser"}, {"stifle", "burn", "point"}]


def test_two_gaps_double_once_and_a_counter_burn_by_itself() -> None:
    """R65: both gaps double no more than one; a burn tribute doubled by a counter-burn (R35) is doubled once more."""
    rules = HOKKAIDO.replace(gap_doubles=True)
    result = finished_in_order(rules, [0, 1, 4, 5, 3]).result
    assert result.scores == tuple(2 * value for value in result.sums)
    burned = replace(result, burned=((1, 2, True), (3, 2, False)))
    owed = obligations_of(rules.replace(tribute=("burn",)), burned, (0,) * 6)
    assert [debt.count for debt in owed] == [4, 2]


def test_a_void_deal_scores_nothing() -> None:
    """In individual play a void deal has six zeros (R50, R7)."""
    deal, _ = told(HOKKAIDO, "- - 345 345 345 345", "0 revolt", "1 revolt", "2 no", "3 no", "4 no", "5 no", lead=2)
    assert deal.result.void
    assert deal.result.scores == (0,) * 6

"""Parts of a deal on their own, engine against second machine: first leads, buying, places to points, point tribute."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.debts import obligations_of
from gouji_rules.scoring import result_of
from tests.rules import reference_scoring as scoring
from tests.rules.reference_table import SEATS, Debt, Table
from tests.rules.side_by_side import SideBySide

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("show", ["auto", "ask"])
@pytest.mark.parametrize("name", ["qingdao", "competition", "lianzhong"])
@settings(max_examples=60)
@given(seed=SEEDS)
def test_first_leads_are_the_same(name: str, show: str, seed: int) -> None:
    """Who shows, takes over and leads is the same for any seed, with 3s and with 4s, shown or asked for (R5)."""
    rng = Random(seed)
    rules = gr.preset(name).replace(show=show, decks=rng.choice([4, 6]))
    side = SideBySide.from_seed(rules, rng.randbytes(32))
    while side.reference.kind == "show":
        side.compare()
        side.random_answer(rng)
    assert side.engine.lead == side.reference.lead
    side.compare(plays=False)


@pytest.mark.parametrize("teams", ["federation", "individual"])
@pytest.mark.parametrize("buy_from", ["S0", "S1", "S3", "S4"])
@settings(max_examples=60)
@given(seed=SEEDS)
def test_threes_are_bought_alike(buy_from: str, teams: str, seed: int) -> None:
    """Who buys a 3 of whom, and what for, is the same whatever everyone holds (R49)."""
    rng = Random(seed)
    rules = gr.preset("chinagames").replace(hold_three=True, buy_from=buy_from, teams=teams, calls="none", tribute=())
    hands = ["3" * rng.choice([0, 0, 1, 2, 2]) + rng.choice(["2", "s", "b", "2s", "sb", ""]) + "5" for _ in SEATS]
    while sum(hand.count("s") for hand in hands) > 4 or sum(hand.count("b") for hand in hands) > 4:
        hands = [hand.replace(rng.choice("sb"), "2", 1) for hand in hands]
    SideBySide(hands, rng.randrange(6), rules, as_dealt=True).compare(plays=False)


VARIANTS = [
    *[gr.preset(name).replace(opening=False, calls="none", open_leads_four=False, tribute=()) for name in gr.PRESETS],
    gr.preset("hokkaido").replace(gap_doubles=True),
    gr.preset("hokkaido").replace(teams="federation"),
    gr.preset("chinagames").replace(record="positive_only"),
    gr.preset("shandong"),
    gr.preset("qingdao").replace(tribute=("loser",), sweep_tribute="opposites"),
    gr.preset("lianzhong"),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: rules.name)
def test_every_order_of_finishing_is_worth_the_same(rules: gr.RuleSet) -> None:
    """Scores, sweeps, gaps and debts are the same for all 720 orders of finishing (R60 to R65, R73, R76)."""
    for order in permutations(SEATS):
        public = gr.PublicState(rules)
        public.place = tuple(order.index(seat) + 1 for seat in SEATS)
        result = result_of(public)
        table = Table(rules, [""] * 6, 0, places={seat: place for place, seat in enumerate(order, 1)})
        assert list(result.scores) == scoring.scores(table), order
        assert result.sweep == scoring.is_sweep(table), order
        assert result.doubled == scoring.gap(table), order
        assert [Debt(o.payer, o.receiver, o.kind, o.count) for o in result.obligations] == scoring.debts_left(table)


@pytest.mark.parametrize("double_backfire", [False, True])
@pytest.mark.parametrize("point_table", ["S0", "S1", "S2", "S3"])
def test_point_tribute_is_the_same(point_table: str, double_backfire: bool) -> None:
    """For all calls of two opposites and whether they have opened, both owe the same (R74)."""
    rules = gr.preset("chinagames").replace(
        point_table=point_table, double_backfire=double_backfire, tribute=("point",), sweep_tribute="by_place"
    )
    words = ["", "open", "blind"]
    for mine, its, i_opened, it_opened in product(range(3), range(3), [False, True], [False, True]):
        opened = {1, 2, 4, 5} | ({0} if i_opened else set()) | ({3} if it_opened else set())
        result = gr.DealResult((0, 1, 2, 3, 4, 5), (0, 0), (0, 0), False, opened=sum(1 << seat for seat in opened))
        owed = obligations_of(rules, result, (mine, 0, 0, its, 0, 0))
        table = Table(rules, [""] * 6, 0, places={seat: seat + 1 for seat in SEATS}, opened=opened)
        table.calls = {seat: words[call] for seat, call in ((0, mine), (3, its)) if call}
        assert [Debt(o.payer, o.receiver, o.kind, o.count) for o in owed] == scoring.debts_left(table)

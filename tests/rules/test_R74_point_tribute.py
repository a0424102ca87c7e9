"""R74: point tribute between opposites, held to the table of worked cases."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import gouji_rules as gr
from gouji_rules.debts import POINT_TABLES, Side, obligations_of
from gouji_rules.obligations import Obligation

CASES = Path(__file__).parent.parent / "cases" / "point_tribute.tsv"
TABLE = {"chinagames": "S1", "shandong": "S2", "hokkaido+opening": "S0"}
CALLS = ("none", "open", "blind")
RULES = replace(gr.preset("qingdao"), opening=True, tribute=("stifle", "burn", "point", "loser"))


def cases() -> list[dict[str, str]]:
    """The rows of the table."""
    with CASES.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def case_name(case: dict[str, str]) -> str:
    """A row as the name of its test."""
    return "-".join(case.values())


@pytest.mark.parametrize("case", cases(), ids=case_name)
def test_the_table_of_worked_cases(case: dict[str, str]) -> None:
    """Every row of cases/point_tribute.tsv: what the opposite pays me, and what I pay it."""
    mine = Side(CALLS.index(case["my_call"]), case["i_opened"] == "yes")
    other = Side(CALLS.index(case["opposite_call"]), case["opposite_opened"] == "yes")
    pays = POINT_TABLES[TABLE[case["preset"]]]
    assert pays(RULES, other, mine) == int(case["opposite_pays_me"])
    assert pays(RULES, mine, other) == int(case["i_pay_opposite"])


def test_the_table_is_whole() -> None:
    """No combination of calls and openings is missing from the worked cases."""
    assert len(cases()) == 36 + 16 + 36


@pytest.mark.parametrize("call", [1, 2])
def test_a_doubled_backfire(call: int) -> None:
    """`double_backfire`: a caller whose opposite opened pays 4 or 8 instead of 2 or 4; nothing else doubles."""
    pays = POINT_TABLES["S0"]
    doubled = replace(RULES, double_backfire=True)
    caller, other = Side(call, opened=True), Side(0, opened=True)
    assert pays(RULES, caller, other) == 2 * call
    assert pays(doubled, caller, other) == 4 * call
    assert pays(doubled, Side(0, opened=False), Side(call, opened=True)) == 2 * call


def test_lianzhong_knows_one_card() -> None:
    """S3: the unopened pays 1; both unopened: both pay; both opened: nobody."""
    pays = POINT_TABLES["S3"]
    unopened, opened = Side(0, opened=False), Side(0, opened=True)
    assert [pays(RULES, a, b) for a in (unopened, opened) for b in (unopened, opened)] == [1, 1, 0, 0]


def result(places: str, **facts: object) -> gr.DealResult:
    """A result with these seats in finishing order."""
    seats = tuple(map(int, places))
    sweep = len({seat & 1 for seat in seats[:3]}) == 1
    return replace(gr.DealResult(seats, (0, 0), (0, 0), sweep), **facts)  # type: ignore[arg-type]


def test_obligations_in_the_order_of_paying() -> None:
    """R70: stifle, burn, point, loser; each from what the deal brought about."""
    made = obligations_of(
        RULES,
        result("012345", opened=0b110111, stifled=((4, 1),), burned=((2, 5, False), (3, 5, True))),
        (0, 2, 0, 0, 0, 0),
    )
    assert [str(owed) for owed in made] == [
        "4>1 stifle 1",
        "2>5 burn 1",
        "3>5 burn 2",
        "3>0 point 2",
        "5>0 loser 2",
        "4>1 loser 1",
    ]


def test_the_price_of_a_blind_call() -> None:
    """A seat called blind that did not open, against the opened seat that it called, pays by both calls (S1)."""
    made = obligations_of(RULES, result("012345", opened=0b111110), (2, 0, 0, 1, 0, 0))
    assert [str(owed) for owed in made if owed.kind == "point"] == ["0>3 point 10"]


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ("match_ends", []),
        ("redeal", []),
        ("opposites", ["1>4 loser 1", "3>0 loser 1", "5>2 loser 1"]),
        ("by_place", ["5>0 loser 2", "3>2 loser 1"]),
    ],
)
def test_tribute_after_a_sweep(option: str, wanted: list[str]) -> None:
    """R76: the match ends, or nothing is owed, or the swept pay their opposites, or ordinary tribute."""
    rules = replace(RULES, opening=False, sweep_tribute=option)
    assert [str(owed) for owed in obligations_of(rules, result("024135", burned=()), (0,) * 6)] == wanted


def test_gap_doubles_and_slam() -> None:
    """R65 doubles every count once; after a slam there is no loser debt (R66)."""
    rules = replace(RULES, opening=False)
    doubled = obligations_of(rules, result("012345", doubled=True, stifled=((0, 1),)), (0,) * 6)
    assert [str(owed) for owed in doubled] == ["0>1 stifle 2", "5>0 loser 4", "4>1 loser 2"]
    assert obligations_of(rules, result("012345", slam=0), (0,) * 6) == ()


def test_only_the_kinds_of_the_rules() -> None:
    """A kind that `tribute` does not name is not owed (R77: none of them by default)."""
    facts = result("012345", stifled=((4, 1),), burned=((2, 5, False),))
    for kind in ("stifle", "burn", "point", "loser"):
        assert {owed.kind for owed in obligations_of(replace(RULES, tribute=(kind,)), facts, (0,) * 6)} == {kind}
    assert obligations_of(gr.preset("qingdao"), facts, (0,) * 6) == ()


def test_the_text_of_an_obligation() -> None:
    """``"5>0 loser 2"`` is read and written; anything else is refused with a reason."""
    assert gr.parse_obligation(" 5 > 0  loser 2 ") == Obligation(5, 0, "loser", 2)
    assert str(Obligation(5, 0, "loser", 2)) == "5>0 loser 2"
    for text, said in (
        ("5>0 loser", "is no obligation"),
        ("5>5 loser 1", "to another"),
        ("5>0 gift 1", "no kind"),
        ("5>0 loser 0", "no number"),
        ("6>0 loser 1", "is no obligation"),
    ):
        with pytest.raises(ValueError, match=said):
            gr.parse_obligation(text)

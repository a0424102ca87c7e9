"""R11 to R15: every row of the worked cases, and the explanation that goes with the answer."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

import gouji_rules as gr
from gouji_rules.comparison import as_small, counts_big, is_unbeatable, strengths

QINGDAO = gr.preset("qingdao")
CASES = Path(__file__).parent.parent / "cases" / "compare.tsv"


def rows() -> list[tuple[str, str, str, str, bool, bool]]:
    """The worked cases: mixed_jokers, joker_kill, on the table, answer, whether it beats, whether it is gouji."""
    with CASES.open(newline="") as file:
        return [
            (
                row["mixed_jokers"],
                row["joker_kill"],
                row["on_table"],
                row["answer"],
                row["beats"] == "yes",
                row["answer_is_gouji"] == "yes",
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def test_the_worked_cases_are_all_there() -> None:
    """The file of worked cases is read whole: both ways of mixing, all three kinds of kill."""
    assert len(rows()) == 199
    assert {row[0] for row in rows()} == {"by_card", "as_small"}
    assert {row[1] for row in rows()} == {"off", "two_big", "full"}


@pytest.mark.parametrize(("mixed", "kill", "top", "answer", "wins", "gouji"), rows())
def test_a_worked_case(mixed: str, kill: str, top: str, answer: str, wins: bool, gouji: bool) -> None:
    """A worked case holds: whether the answer beats the play on the table, and whether it is gouji (R12, R13, R15)."""
    rules = replace(QINGDAO, mixed_jokers=mixed, joker_kill=kill)
    on_table, play = gr.parse_play(top), gr.parse_play(answer)
    assert gr.beats(rules, on_table, play) is wins
    assert gr.is_gouji(rules, play) is gouji
    found = gr.explain(rules, on_table, play)
    assert (found.beats, found.answer_is_gouji) == (wins, gouji)


@pytest.mark.parametrize(("mixed", "kill", "top", "answer", "wins", "gouji"), rows())
def test_the_explanation_of_a_worked_case_adds_up(
    mixed: str, kill: str, top: str, answer: str, wins: bool, gouji: bool
) -> None:
    """An explanation covers every card of the play on the table, or says that the numbers differ; both languages."""
    del gouji
    rules = replace(QINGDAO, mixed_jokers=mixed, joker_kill=kill)
    found = gr.explain(rules, gr.parse_play(top), gr.parse_play(answer))
    if found.rule == "R11":
        assert not wins
        assert len(top) != len(answer)
        assert found.covers == ()
    else:
        assert len(found.covers) == len(top)
        assert all(cover.stronger for cover in found.covers) is wins
    assert found.text_en
    assert any("\u4e00" <= char <= "\u9fff" for char in found.text_zh)


def test_beating_is_card_by_card() -> None:
    """For every pair of small plays, by_card is R12's sentence: sorted, each card strictly stronger (R11, R12)."""
    texts = ["".join(cards) for size in (1, 2, 3) for cards in combinations_with_replacement("379TKA2sb", size)]
    plays = []
    for text in texts:
        try:
            plays.append(gr.parse_play(text))
        except gr.PlayError:
            continue
    assert len(plays) > 100
    for top in plays:
        for answer in plays:
            mine, theirs = strengths(answer), strengths(top)
            by_hand = len(mine) == len(theirs) and all(a > b for a, b in zip(mine, theirs, strict=True))
            assert gr.beats(QINGDAO, top, answer) is by_hand, (gr.format_play(top), gr.format_play(answer))


def test_a_big_joker_is_unbeatable_only_by_card_and_without_kills() -> None:
    """R23: known to all as unbeatable is what counts a big joker, after mixed_jokers, where kills are off."""
    big, mixed = gr.parse_play("b99"), gr.parse_play("bs99")
    assert is_unbeatable(QINGDAO, big)
    assert is_unbeatable(QINGDAO, mixed)
    assert not is_unbeatable(QINGDAO, gr.parse_play("s99"))
    small = replace(QINGDAO, mixed_jokers="as_small")
    assert is_unbeatable(small, big)
    assert not counts_big(small, mixed)
    assert not is_unbeatable(replace(QINGDAO, joker_kill="full"), big)


def test_as_small_reads_mixed_jokers_as_small() -> None:
    """`bs25555` is two small jokers with five 5s under as_small (R12)."""
    read = as_small(gr.parse_play("bs25555"))
    assert strengths(read) == (13, 13, 2, 2, 2, 2, 2)
    assert as_small(gr.parse_play("bb25")) == gr.parse_play("bb25")


def test_gouji_twos_two() -> None:
    """With gouji_twos = 2 a single two is no gouji play, two are (R13, S0's text)."""
    rules = QINGDAO.replace(gouji_twos=2)
    assert not gr.is_gouji(rules, gr.parse_play("2"))
    assert gr.is_gouji(rules, gr.parse_play("22"))

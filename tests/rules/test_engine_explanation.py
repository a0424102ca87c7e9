"""What a play is, in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_rules.comparison import is_unbeatable
from gouji_rules.explanation import describe_play
from gouji_rules.plays import Play, compose, is_gouji, parse_play
from gouji_rules.rule_set import PRESETS, RuleSet, preset


@pytest.mark.parametrize(
    ("text", "rules", "said"),
    [
        ("99922", ["R10", "R13"], "5 cards: 3 × 9, 2 × 2 counted as 9"),
        ("TTTT2", ["R10", "R13"], "a gouji play: 5 × T, 5 are enough"),
        ("TTTT", ["R10", "R13"], "5 × T would be needed"),
        ("9999999", ["R10", "R13"], "below the ten"),
        ("2", ["R10", "R13"], "a gouji play: 1 × 2, 1 is enough"),
        ("K", ["R10", "R13"], "2 × K would be needed"),
        ("s5555", ["R10", "R13"], "it holds a joker"),
        ("bs55", ["R10", "R13", "R23"], "nothing beats it"),
    ],
)
def test_a_play_is_told_with_the_rules(text: str, rules: list[str], said: str) -> None:
    """Its parts (R10), whether it is gouji and why (R13), and whether it is known to be unbeatable (R23)."""
    reasons = describe_play(preset("qingdao"), parse_play(text))
    assert [reason.rule for reason in reasons] == rules
    assert said in "; ".join(reason.en for reason in reasons)


PLAYS = (
    st.tuples(*map(st.integers, (0,) * 5, (11, 16, 16, 4, 4)))
    .filter(lambda parts: any(parts[1:]))
    .map(lambda parts: compose(*parts))
)


@given(PLAYS, st.sampled_from(list(PRESETS.values())))
def test_what_is_said_of_a_play_is_true(play: Play, rules: RuleSet) -> None:
    """The words agree with the engine, in both languages, for every play."""
    reasons = describe_play(rules, play)
    gouji = next(reason for reason in reasons if reason.rule == "R13")
    assert gouji.en.startswith("a gouji play") is is_gouji(rules, play)
    assert gouji.zh.startswith("够级牌") is is_gouji(rules, play)
    assert any(reason.rule == "R23" for reason in reasons) is is_unbeatable(rules, play)
    assert all(re.search("[\u4e00-\u9fff]", reason.zh) for reason in reasons)

"""Exact numbers of plays and of ways on, in every preset: a change of one rule shows as a number (R10-R15, R20-R45)."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from tests.rules import exact_counts
from tests.rules.exact_counts import HANDS, POSITIONS, RULES, TOPS

PLAYS = exact_counts.read(exact_counts.PLAYS_FILE)
WAYS = exact_counts.read(exact_counts.WAYS_FILE)


def test_the_tables_are_whole() -> None:
    """Every hand under every top play, and every position, is counted for every preset."""
    assert [(row["hand"], row["top"]) for row in PLAYS] == [(hand, top) for hand in HANDS for top in ("", *TOPS)]
    assert all(set(row) == {"hand", "top", *RULES} for row in PLAYS)
    assert [(row["position"], row["rules"]) for row in WAYS] == [(name, said) for name in POSITIONS for said in RULES]
    assert set(gr.PRESETS) <= set(RULES)


@pytest.mark.parametrize("hand", HANDS)
def test_numbers_of_plays(hand: str) -> None:
    """Leads, gouji leads, leads while burning and with a 4 due; answers, burns and kills: listed by the engine."""
    for row in (row for row in PLAYS if row["hand"] == hand):
        for said, rules in RULES.items():
            assert exact_counts.play_counts(hand, row["top"], rules) == row[said], (hand, row["top"], said)


@pytest.mark.parametrize("hand", HANDS)
def test_numbers_of_plays_counted_again(hand: str) -> None:
    """The same numbers from all choices of cards, each looked at by the rules."""
    for row in (row for row in PLAYS if row["hand"] == hand):
        for said, rules in RULES.items():
            assert exact_counts.play_counts_again(hand, row["top"], rules) == row[said], (hand, row["top"], said)


@pytest.mark.parametrize("name", POSITIONS)
def test_numbers_of_ways_on(name: str) -> None:
    """How many answers there are at each depth from a position, in the engine."""
    for row in (row for row in WAYS if row["position"] == name):
        numbers = [int(row[str(depth + 1)]) for depth in range(exact_counts.DEPTH)]
        assert exact_counts.ways(name, RULES[row["rules"]], exact_counts.DEPTH) == numbers, row["rules"]


@pytest.mark.parametrize("name", POSITIONS)
def test_numbers_of_ways_on_counted_again(name: str) -> None:
    """The same on the slow machine of the rules, as deep as it comes in a moment."""
    for row in (row for row in WAYS if row["position"] == name):
        numbers = [int(row[str(depth + 1)]) for depth in range(exact_counts.AGAIN)]
        assert exact_counts.ways_again(name, RULES[row["rules"]], exact_counts.AGAIN) == numbers, row["rules"]


def test_the_tables_tell_the_presets_apart() -> None:
    """No two rule sets have the same numbers throughout, so none may be mistaken for another."""
    columns = {said: tuple(row[said] for row in PLAYS) for said in RULES}
    for row in WAYS:
        columns[row["rules"]] += tuple(row[str(depth + 1)] for depth in range(exact_counts.DEPTH))
    assert len(set(columns.values())) == len(RULES)

"""The first leak gate inside the engine: what a seat sees of a deal does not depend on cards that it may not know."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from tests.leak.planted import PLANTED
from tests.leak.stories import write_script
from tests.leak.worlds import Leak, other_worlds
from tests.rules.every_rule_set import RULE_SETS
from tests.rules.random_rule_sets import random_rule_set

if TYPE_CHECKING:
    from collections.abc import Callable

GAMES = max(1, int(os.environ.get("LEAK_GAMES", "36")) // 9)
"""Deals of each rule set; besides, eight times as many of rule sets at random."""

WORLDS = 3
"""Other worlds for each deal."""

pytestmark = [pytest.mark.leak, pytest.mark.timeout(300 + 60 * GAMES)]

MOODS = ("plain", "poor", "rich", "rich")
LENGTHS = (20, 60, 140, 400)
LONG = (100, 500, 500)


def worlds_of_a_deal(dice: random.Random, rules: gr.RuleSet, lengths: tuple[int, ...] = LENGTHS) -> int:
    """Write a deal up to a random point of it and compare it with other worlds; return how many there were."""
    script = write_script(
        dice, rules, observer=dice.choice((-1, *range(6))), mood=dice.choice(MOODS), length=dice.choice(lengths)
    )
    return len(list(other_worlds(dice, script, WORLDS)))


@pytest.mark.parametrize("name", RULE_SETS)
def test_nothing_seen_depends_on_hidden_cards(name: str) -> None:
    """Views, the public state, questions, events, legal answers and refusals of a seat, and all that a spectator sees,
    are equal in every world that it cannot tell apart from its own, at every step of a deal."""
    found = number = 0
    while number < GAMES or not found:
        assert number < GAMES + 10, "no other worlds: nothing was compared"
        found += worlds_of_a_deal(random.Random(f"{name} {number}"), RULE_SETS[name])
        number += 1


def test_nothing_seen_depends_on_hidden_cards_under_any_options() -> None:
    """The same for presets with options at random."""
    found = 0
    for number in range(8 * GAMES):
        dice = random.Random(f"options {number}")
        rules = random_rule_set(dice)
        try:
            found += worlds_of_a_deal(dice, rules)
        except Leak as leak:
            raise Leak(f"{rules.name} with {rules.overrides()}, number {number}: {leak}") from leak
    assert found > 8 * GAMES, "few other worlds: little was compared"


@pytest.mark.parametrize(("plant", "preset", "options", "first"), PLANTED)
def test_the_gate_finds_leaks_in_the_engine(
    plant: Callable[[pytest.MonkeyPatch], None],
    preset: str,
    options: dict[str, object],
    first: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every planted leak is found within a hundred deals; the search begins where it was short once."""
    plant(monkeypatch)
    rules = gr.preset(preset).replace(**options)
    with pytest.raises(Leak, match="differs"):
        sum(worlds_of_a_deal(random.Random(f"planted {number}"), rules, LONG) for number in range(first, first + 100))

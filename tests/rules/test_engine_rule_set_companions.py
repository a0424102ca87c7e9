"""Every option switched to every value, alone and in pairs, from every preset: a sound set, or a contradiction in what
was said or stood already (docs/rules.md §12)."""

from __future__ import annotations

import dataclasses
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji_rules.contradictions import contradictions
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from tests.rules.option_values_tried import VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_rules.rule_set import OptionValue, RuleSet


def switches(base: RuleSet, count: int) -> Iterator[dict[str, OptionValue]]:
    """Every way to change so many options of a set."""
    for options in combinations(VALUES, count):
        for values in product(*(VALUES[option] for option in options)):
            if all(base.option(option) != value for option, value in zip(options, values, strict=True)):
                yield dict(zip(options, values, strict=True))


def contradicted_without_companions(base: RuleSet, said: dict[str, OptionValue]) -> set[tuple[str, ...]]:
    """The fields that contradict each other in the set with what was said alone, nothing brought."""
    changes: dict[str, Any] = {"return_" if name == "return" else name: said[name] for name in said}
    bare = dataclasses.replace(base, **changes)
    return {fields for fields, _, _ in contradictions(bare)}


def made_or_refused(base: RuleSet, said: dict[str, OptionValue]) -> RuleSet | gr.RuleSetError:
    """The set with these options, or why there is none."""
    try:
        return base.replace(**said)
    except gr.RuleSetError as error:
        return error


def check_switches(base: RuleSet, count: int) -> tuple[int, int]:
    """Switch so many options at a time; how many sets were sound and how many contradicted themselves."""
    sound = refused = 0
    for said in switches(base, count):
        made = made_or_refused(base, said)
        if isinstance(made, gr.RuleSetError):
            refused += 1
            assert set(made.fields) & set(said), (said, made.fields)
            if len(made.fields) > 1:
                assert made.fields in contradicted_without_companions(base, said), (said, made.fields)
            assert made.text_en, said
            assert made.text_zh, said
        else:
            sound += 1
            assert not contradictions(made), said
            assert {name: made.option(name) for name in said} == said
            assert gr.preset(base.name).replace(**made.overrides()) == made, said
    return sound, refused


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", PRESET_NAMES)
def test_switching_options_makes_a_sound_set_or_a_contradiction_in_what_was_said(name: str, count: int) -> None:
    """What an option brings with it never contradicts another that was named: who contradicts oneself has said so."""
    sound, refused = check_switches(gr.preset(name), count)
    assert min(sound, refused) > 10


@pytest.mark.parametrize("name", PRESET_NAMES)
@pytest.mark.parametrize(
    "said", [{"hold_three": True, "stifle": "last_place"}, {"hold_three": True, "revolution": "off"}]
)
def test_holding_threes_goes_with_what_is_said_of_it(name: str, said: dict[str, OptionValue]) -> None:
    """Stifling that costs the last place is no tribute, and nobody can be made to revolt where nobody may."""
    made = gr.preset(name)
    for option, value in said.items():
        made = made.replace(**{option: value, **({"buy_none": "off"} if value == "off" else {})})
    at_once = gr.preset(name).replace(**said, **({"buy_none": "off"} if "revolution" in said else {}))
    for rules in (made, at_once):
        assert ("stifle" in rules.tribute) == (rules.stifle == "tribute" and name != "competition")
        assert contradictions(rules) == []


def test_every_option_is_switched() -> None:
    """The values tried are of all options, each with two at least."""
    assert set(VALUES) == set(OPTION_NAMES)
    assert all(len(values) > 1 for values in VALUES.values())

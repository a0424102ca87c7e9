"""Which rule sets a table plays: all."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from gouji_rules.option_values import settings_of
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from gouji_server.tables import Refused, TableSpec
from tests.server.players import House, person


@pytest.mark.parametrize("preset", PRESET_NAMES)
async def test_every_preset_makes_a_table(preset: str) -> None:
    """None is held back."""
    at = House()
    await at.tables.start()
    assert (await at.tables.create(person(0), TableSpec(rule_set=preset), "new")).rule_set == f"ruleSets/{preset}"


@pytest.mark.parametrize("preset", PRESET_NAMES)
async def test_every_value_of_every_option_makes_a_table_that_says_so(preset: str) -> None:
    """Whatever the rules accept as an override, a table is made with and tells; what they refuse is refused with the
    same fields named."""
    at = House()
    await at.tables.start()
    made = set()
    settings = [(name, value) for name in OPTION_NAMES for value in values_of(name)]
    for number, (name, value) in enumerate(settings):
        spec = TableSpec(rule_set=preset, options=((name, value),))
        wanted = rules_of(preset, name, value)
        if isinstance(wanted, gr.RuleSetError):
            with pytest.raises(Refused) as refused:
                await at.tables.create(person(number), spec, "new")
            assert refused.value.reason == "BAD_RULE_SET"
            assert [field for field, _ in refused.value.fields] == [f"rule_set.{field}" for field in wanted.fields]
            continue
        table = await at.tables.create(person(number), spec, "new")
        assert [(option.field, option.value) for option in table.options] == list(settings_of(wanted))
        made.add(name)
    assert {"seating", "report", "feel_chances", "peek", "teams", "decks"} <= made


def rules_of(preset: str, name: str, value: gr.rule_set.OptionValue) -> gr.RuleSet | gr.RuleSetError:
    """Return the preset with one option overridden, or why that cannot be."""
    try:
        return gr.preset(preset).replace(**{name: value})
    except gr.RuleSetError as error:
        return error


def values_of(name: str) -> tuple[gr.rule_set.OptionValue, ...]:
    """Return every value of an option, or those of the presets where there are too many."""
    allowed = gr.rule_set._OPTIONS["return_" if name == "return" else name]
    return allowed or tuple({gr.preset(preset).option(name) for preset in PRESET_NAMES})

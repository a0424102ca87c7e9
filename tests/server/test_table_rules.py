"""Which rule sets a table plays."""

from __future__ import annotations

import dataclasses

import pytest

import gouji_rules as gr
from gouji_rules.rule_set import PRESET_NAMES
from gouji_server.tables import Refused, TableSpec
from gouji_server.tables.carried import carried_presets, not_carried, table_rules
from tests.server.players import House, person


def test_a_rule_that_the_wire_does_not_carry_is_named() -> None:
    """An option whose questions or events the wire lacks keeps a rule set off the tables, and is named."""
    qingdao = gr.preset("qingdao")
    assert not_carried(qingdao) == ()
    assert not_carried(dataclasses.replace(qingdao, feel_chances=3)) == ("feel_chances",)


def test_a_preset_is_offered_only_if_all_of_it_is_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A preset that the rules know and the wire does not is in no list."""
    offered = [rules.name for rules in carried_presets()]
    feeling = dataclasses.replace(gr.preset("qingdao"), name="feeling", feel_chances=3)
    monkeypatch.setitem(gr.PRESETS, "feeling", feeling)
    assert [rules.name for rules in carried_presets()] == offered
    with pytest.raises(gr.RuleSetError) as raised:
        table_rules("feeling", {})
    assert "feel_chances" in raised.value.fields


@pytest.mark.parametrize("preset", PRESET_NAMES)
async def test_every_preset_makes_a_table_or_is_refused_in_so_many_words(preset: str) -> None:
    """What is offered makes a table; anything else is refused with the preset named, and makes none."""
    at = House()
    await at.tables.start()
    offered = preset in [rules.name for rules in carried_presets()]
    if offered:
        assert (await at.tables.create(person(0), TableSpec(rule_set=preset), "new")).rule_set == f"ruleSets/{preset}"
        return
    with pytest.raises(Refused) as raised:
        await at.tables.create(person(0), TableSpec(rule_set=preset), "new")
    assert preset in raised.value.text_en
    assert raised.value.fields
    assert at.tables.list() == ([], "")

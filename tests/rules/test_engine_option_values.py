"""Options as text: read as they are written."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_rules.option_texts import OPTION_TEXTS, OptionText, OptionType
from gouji_rules.option_values import difference, parse_option, read_overrides, rules_from_settings, settings_of
from gouji_rules.rule_set import PRESETS, RuleSetError, format_option, preset


@pytest.mark.parametrize("text", OPTION_TEXTS, ids=lambda text: text.name)
def test_every_value_of_an_option_is_read_as_it_is_written(text: OptionText) -> None:
    """Each preset's value, and each value described, comes back from its text."""
    for rules in PRESETS.values():
        assert parse_option(text.name, format_option(rules.option(text.name))) == rules.option(text.name)
    if text.type in (OptionType.BOOL, OptionType.CHOICE):
        for value, _ in text.values:
            read = parse_option(text.name, value)
            assert format_option(read) == value
            assert type(read) is type(preset("qingdao").option(text.name))


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("points", "3/2/1/-1/-2/-3", (3, 2, 1, -1, -2, -3)),
        ("tribute", "none", ()),
        ("tribute", "burn/loser", ("burn", "loser")),
        ("removed", "3344", "3344"),
        ("deals", "5", 5),
        ("opening", "yes", "yes"),
        ("deals", "٥", "٥"),
        ("points", "4/x", (4, "x")),
    ],
)
def test_texts(option: str, text: str, value: Any) -> None:
    """Lists have strokes between their parts; what cannot be read stays text, for the rule set to refuse."""
    assert parse_option(option, text) == value


def test_unknown_and_repeated_options_are_refused() -> None:
    """Each is named."""
    for settings, field in (([("cheating", "true")], "cheating"), ([("show", "ask"), ("show", "ask")], "show")):
        with pytest.raises(RuleSetError) as raised:
            read_overrides(settings)
        assert raised.value.fields == (field,)


@given(st.text(max_size=30), st.sampled_from([text.name for text in OPTION_TEXTS]))
def test_no_text_is_a_fault(text: str, option: str) -> None:
    """Whatever is typed for an option makes a rule set, which its own settings make again, or is refused as one."""
    with contextlib.suppress(RuleSetError):
        rules = rules_from_settings("qingdao", [(option, text)])
        assert rules_from_settings("qingdao", settings_of(rules)) == rules


def test_a_difference_names_every_option_that_differs() -> None:
    """Two sets differ in exactly what was changed, and not from themselves."""
    qingdao = preset("qingdao")
    changed = qingdao.replace(show="ask", deals=4)
    assert difference(qingdao, changed) == (("show", "auto", "ask"), ("deals", 0, 4))
    assert difference(qingdao, qingdao) == ()

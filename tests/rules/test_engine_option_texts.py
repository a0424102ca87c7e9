"""What people are told of the options agrees with the options there are."""

from __future__ import annotations

import re

import pytest

from gouji_rules import rule_set
from gouji_rules.option_texts import OPTION_TEXTS, PRESET_TEXTS, TEXT_OF, OptionText, OptionType, Text
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES, QINGDAO, RuleSetError, format_option

TYPES = {bool: OptionType.BOOL, str: OptionType.CHOICE, int: OptionType.CHOICE}


def test_every_option_is_described_once_and_in_order() -> None:
    """The texts have the options of the rules, in the order of §12, and the presets of §12."""
    assert tuple(text.name for text in OPTION_TEXTS) == OPTION_NAMES
    assert tuple(PRESET_TEXTS) == PRESET_NAMES


@pytest.mark.parametrize("text", OPTION_TEXTS, ids=lambda text: text.name)
def test_values_described_are_the_values_allowed(text: OptionText) -> None:
    """Every value that an option has is described, none besides; what has no list of values has bounds instead."""
    field = "return_" if text.name == "return" else text.name
    values = rule_set._OPTIONS[field]
    if values is not None:
        assert [value for value, _ in text.values] == [format_option(value) for value in values]
        assert text.type is TYPES[type(values[0])]
    elif text.type in (OptionType.NUMBER, OptionType.NUMBERS):
        assert text.low < text.high
        inside = text.high if text.type is OptionType.NUMBER else (text.high,) * text.count
        outside = text.high + 1 if text.type is OptionType.NUMBER else (text.high + 1,) * text.count
        assert rule_set._checked(field, inside) == inside
        with pytest.raises(RuleSetError):
            rule_set._checked(field, outside)
    elif text.type is OptionType.SET:
        every = tuple(value for value, _ in text.values)
        assert rule_set._checked(field, every) == every
        with pytest.raises(RuleSetError):
            rule_set._checked(field, ("no such thing",))
    else:
        assert text.type is OptionType.CARDS
        assert isinstance(QINGDAO.option(text.name), str)


def test_every_text_is_there_in_both_languages() -> None:
    """Chinese is Chinese, English has none of it, and a sentence ends as one."""
    for option in OPTION_TEXTS:
        for text in (option.title, option.text, option.group.value, *(said for _, said in option.values)):
            assert_both(text)
        assert option.text.en.endswith(".")
        assert option.text.zh.endswith("。")
    for preset in PRESET_TEXTS.values():
        assert_both(preset.title)
        assert_both(preset.text)


def assert_both(text: Text) -> None:
    """A text has both languages, each in its own letters but for names of rules."""
    assert re.search("[\u4e00-\u9fff0-9]", text.zh), text
    assert re.search("[A-Za-z]", text.en), text
    assert len(re.findall("[\u4e00-\u9fff]", text.en)) == 0, text


def test_what_an_option_needs_is_an_option() -> None:
    """An option depends on another one, never on itself."""
    for option in OPTION_TEXTS:
        assert not option.needs or (option.needs in TEXT_OF and option.needs != option.name)
        assert all(re.fullmatch(r"R\d+", rule) for rule in option.rules)
        assert option.source

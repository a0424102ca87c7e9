"""The rule sets that tables can be made with, described so that a client can draw a settings page."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gouji.rules.v1 import rules_pb2
from gouji_rules.option_texts import OPTION_TEXTS, OptionText, OptionType, Text, preset_texts
from gouji_rules.rule_set import PRESETS, format_option

if TYPE_CHECKING:
    from gouji_rules import RuleSet

PREFIX = "ruleSets/"

_TYPES = {
    OptionType.BOOL: rules_pb2.OPTION_TYPE_BOOL,
    OptionType.CHOICE: rules_pb2.OPTION_TYPE_CHOICE,
    OptionType.NUMBER: rules_pb2.OPTION_TYPE_NUMBER,
    OptionType.NUMBERS: rules_pb2.OPTION_TYPE_NUMBERS,
    OptionType.SET: rules_pb2.OPTION_TYPE_SET,
    OptionType.CARDS: rules_pb2.OPTION_TYPE_CARDS,
}


@cache
def rule_sets() -> tuple[rules_pb2.RuleSet, ...]:
    """Return the rule sets, in the order of docs/rules.md §12; shared, so not to be changed."""
    return tuple(described(rules) for rules in PRESETS.values())


def described(rules: RuleSet) -> rules_pb2.RuleSet:
    """Describe a preset with every option."""
    texts = preset_texts(rules.name)
    return rules_pb2.RuleSet(
        name=PREFIX + rules.name,
        title=_localized(texts.title),
        description=_localized(texts.text),
        options=[_option(text, format_option(rules.option(text.name))) for text in OPTION_TEXTS],
        source=texts.source,
    )


def _option(text: OptionText, value: str) -> rules_pb2.RuleOption:
    return rules_pb2.RuleOption(
        field=text.name,
        value=value,
        type=_TYPES[text.type],
        title=_localized(text.title),
        text=_localized(text.text),
        allowed=[rules_pb2.AllowedValue(value=allowed, text=_localized(said)) for allowed, said in text.values],
        count=text.count,
        minimum=text.low,
        maximum=text.high,
        needs=text.needs,
        rules=text.rules,
        source=text.source,
        group=_localized(text.group.value),
    )


def _localized(text: Text) -> rules_pb2.LocalizedText:
    return rules_pb2.LocalizedText(en=text.en, zh=text.zh)

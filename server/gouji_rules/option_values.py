"""Options as text: ``true``, ``4``, ``any_last``, ``4/2/0/0/-2/-4``, ``burn/loser``, ``none`` for an empty list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gouji_rules.cards import parse_ranks
from gouji_rules.errors import shortened
from gouji_rules.option_texts import TEXT_OF, OptionType
from gouji_rules.rule_set import OptionValue, RuleSet, RuleSetError, format_option, preset

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = re.compile(r"-?[0-9]{1,9}").fullmatch


def parse_option(option: str, text: str) -> OptionValue:
    """Read an option's value, as :func:`~gouji_rules.rule_set.format_option` writes it.

    Raises RuleSetError for an unknown option. Whether the option has the value is left to the rule set's own check: a
    text that cannot be read stays a text, which that check refuses.
    """
    known = TEXT_OF.get(option)
    if known is None:
        said = shortened(option)
        raise RuleSetError((option,), f"there is no option {said}", f"没有选项 {said}")
    if known.type is OptionType.BOOL:
        return {"true": True, "false": False}.get(text, text)
    if known.type is OptionType.NUMBERS:
        return tuple(_number(part) for part in _parts(text))  # type: ignore[return-value]
    if known.type is OptionType.SET:
        return _parts(text)
    if known.type is OptionType.NUMBER or (known.type is OptionType.CHOICE and known.values[0][0].isdecimal()):
        return _number(text)
    return text


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split("/")) if text not in ("", "none") else ()


def _number(text: str) -> int | str:
    return int(text) if _NUMBER(text) else text


def read_overrides(settings: Iterable[tuple[str, str]]) -> dict[str, OptionValue]:
    """Read options given as (name, text). Raises RuleSetError for an unknown option and for one given twice."""
    read: dict[str, OptionValue] = {}
    for option, text in settings:
        if option in read:
            raise RuleSetError((option,), f"{option} is given twice", f"{option} 重复给出")
        read[option] = parse_option(option, text)
    return read


def settings_of(rules: RuleSet) -> tuple[tuple[str, str], ...]:
    """What makes a rule set from its preset, as (name, text): :func:`read_overrides` and ``replace`` give it back."""
    return tuple((option, format_option(value)) for option, value in rules.overrides().items())


def rules_from_settings(name: str, settings: Iterable[tuple[str, str]]) -> RuleSet:
    """A preset with options given as (name, text). Raises RuleSetError."""
    overrides = read_overrides(settings)
    return preset(name).replace(**overrides) if overrides else preset(name)


def difference(one: RuleSet, other: RuleSet) -> tuple[tuple[str, OptionValue, OptionValue], ...]:
    """The options in which two rule sets differ, with their values, in the order of docs/rules.md §12.

    Cards removed are the same in any order and spelling.
    """
    return tuple(
        (option, one.option(option), other.option(option))
        for option in TEXT_OF
        if one.option(option) != other.option(option)
        and not (option == "removed" and parse_ranks(one.removed) == parse_ranks(other.removed))
    )

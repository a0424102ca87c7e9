"""Which rule sets a table may play: those whose every question and event the service carries.

The rules know more than the service does while a rule family is on its way from one to the other. This is the one place
that holds a table back from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules.rule_set import OPTION_NAMES, format_option

if TYPE_CHECKING:
    from gouji_rules.rule_set import OptionValue

_MISSING: dict[str, tuple[OptionValue, ...]] = {
    "seating": ("choose_opposite", "draw"),
    "feel_chances": (3,),
}
"""The values that the service does not carry, by option: nobody could draw seats or feel a hand."""


def not_carried(rules: gr.RuleSet) -> tuple[str, ...]:
    """Return the options of a rule set whose values the service lacks, in the order of docs/rules.md §12."""
    return tuple(name for name in OPTION_NAMES if rules.option(name) in _MISSING.get(name, ()))


def carried_presets() -> tuple[gr.RuleSet, ...]:
    """Return the presets that a table may play, in the order of docs/rules.md §12."""
    return tuple(rules for rules in gr.PRESETS.values() if not not_carried(rules))


def table_rules(preset: str, options: dict[str, OptionValue]) -> gr.RuleSet:
    """Return the rule set of a new table. Raises gouji_rules.RuleSetError, which names the fields, and the preset."""
    rules = gr.preset(preset).replace(**options)
    missing = not_carried(rules)
    if not missing:
        return rules
    said = ", ".join(f"{name} = {format_option(rules.option(name))}" for name in missing)
    raise gr.RuleSetError(
        missing,
        f"tables do not play the rules of {preset} with {said} yet",
        f"牌桌尚不支持 {preset} 规则中的 {said}",
    )

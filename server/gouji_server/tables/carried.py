"""Which rule sets a table may play: those whose every question and event the wire carries.

The rules know more than the wire does while a rule family is on its way from one to the other. This is the one place
that holds a table back from it.
"""

from __future__ import annotations

import gouji_rules as gr
from gouji_rules.rule_set import OPTION_NAMES, OptionValue, format_option

_FREE = None
_BOTH = (False, True)

_CARRIED: dict[str, tuple[OptionValue, ...] | None] = {
    "direction": ("ccw", "cw"),
    "seating": ("free",),
    "show": ("auto", "ask"),
    "gouji_twos": (1, 2),
    "revolution": ("off", "may"),
    "points": _FREE,
    "record": ("positive_only", "signed"),
    "sweep_doubles": _BOTH,
    "tie_by_lot": _BOTH,
    "tribute": _FREE,
    "return": ("free", "may_refuse", "must_match"),
    "tribute_refusable": _BOTH,
    "sweep_tribute": ("match_ends", "redeal", "opposites", "by_place"),
    "swap_places": _BOTH,
    "waiver_shows": _BOTH,
    "point_table": ("S0", "S1", "S2", "S3"),
    "point_returned": _BOTH,
    "revolution_by": ("dealt", "held"),
    "decks": (4, 6),
    "removed": _FREE,
    "report": ("shown", "none"),
    "deals": _FREE,
}
"""The values carried, by option; None: every one. Of an option not named here, that of the preset qingdao alone."""


def not_carried(rules: gr.RuleSet) -> tuple[str, ...]:
    """Return the options of a rule set whose values the wire does not carry, in the order of docs/rules.md §12."""
    base = gr.preset("qingdao")
    return tuple(name for name in OPTION_NAMES if not _carries(name, rules.option(name), base.option(name)))


def _carries(name: str, value: OptionValue, usual: OptionValue) -> bool:
    if name in _CARRIED:
        values = _CARRIED[name]
        return values is None or value in values
    return value == usual


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

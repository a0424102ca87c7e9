"""Every option with the values that tests try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.option_texts import OPTION_TEXTS, OptionType
from gouji_rules.option_values import parse_option
from gouji_rules.presets import TRIBUTE_KINDS

if TYPE_CHECKING:
    from gouji_rules.rule_set import OptionValue

LISTS: dict[str, tuple[OptionValue, ...]] = {
    "removed": ("", "33", "333", "3" * 10 + "4" * 10 + "5555", "3" * 30),
    "burn_points": ((0, 0), (1, -1), (0, -2)),
    "points": ((4, 2, 0, 0, -2, -4), (2, 1, 0, 0, -1, -2)),
    "fault_points": (0, -2),
    "tribute": ((), *((kind,) for kind in TRIBUTE_KINDS), TRIBUTE_KINDS),
    "deals": (0, 3),
}
"""Values of the options that are no choice."""


def values_of_options() -> dict[str, tuple[OptionValue, ...]]:
    """Every option with the values tried."""
    found = dict(LISTS)
    for text in OPTION_TEXTS:
        if text.type in (OptionType.BOOL, OptionType.CHOICE):
            found[text.name] = tuple(parse_option(text.name, value) for value, _ in text.values)
    return found


VALUES = values_of_options()

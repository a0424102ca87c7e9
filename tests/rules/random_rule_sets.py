"""Rule sets at random: any preset with any options, made legal by leaving out what contradicts the rest (§12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.rule_set import OPTION_NAMES

if TYPE_CHECKING:
    from random import Random

LISTS: dict[str, tuple[Any, ...]] = {
    "removed": ("", "3333333333" + "4444444444" + "5555", "333333", "ssssbb"),
    "burn_points": ((0, 0), (1, -1), (0, -2), (3, 0)),
    "points": ((4, 2, 0, 0, -2, -4), (2, 1, 0, 0, -1, -2), (7, 5, 4, 3, 2, 1), (0, 0, 0, 0, 0, 0), (5, 0, 0, 0, 0, -5)),
    "fault_points": (0, -2, 1),
    "tribute": ((), ("loser",), ("stifle", "burn", "point", "loser"), ("burn", "loser"), ("point",), ("stifle",)),
    "deals": (0, 1, 2, 3, 5),
}
"""Some values of the options that have no list of values."""

VALUES: dict[str, tuple[Any, ...]] = {
    name: gr.rule_set._OPTIONS[gr.rule_set._FIELD_OF.get(name, name)] or LISTS[name] for name in OPTION_NAMES
}
"""Every option and values of it, in the order of docs/rules.md §12."""


def made_legal(base: gr.RuleSet, wanted: dict[str, Any]) -> gr.RuleSet:
    """A rule set with the options wanted, but those that it is refused for, the last named first."""
    overrides = dict(wanted)
    while True:
        try:
            return base.replace(**overrides)
        except gr.RuleSetError as refused:
            named = [field for field in refused.fields if field in overrides]
            # A contradiction may lie between a companion and the rest: then the last wish goes.
            del overrides[named[-1] if named else next(reversed(overrides))]


def random_rule_set(rng: Random, most: int = 8) -> gr.RuleSet:
    """A preset with up to ``most`` options at random."""
    names = rng.sample(OPTION_NAMES, rng.randint(1, most))
    return made_legal(gr.preset(rng.choice(list(gr.PRESETS))), {name: rng.choice(VALUES[name]) for name in names})


def options(most: int = 8) -> st.SearchStrategy[dict[str, Any]]:
    """Up to ``most`` options with a value each, for :func:`made_legal`; none to begin with."""
    settings = st.sampled_from(OPTION_NAMES).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(VALUES[name]))
    )
    return st.lists(settings, unique_by=lambda setting: setting[0], max_size=most).map(dict)

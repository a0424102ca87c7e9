"""The order of a deal (R4): its steps before play, those left out whose option is off."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gouji_rules.rule_set import RuleSet


class Step(IntEnum):
    """The steps of R4 before play, in order; the swap of places 5 and 6 is agreed before everything else (R73)."""

    SWAP = 1
    BLIND_CALLS = 2
    DRAW = 3
    FIRST_LEAD = 4
    BUYING = 5
    TRIBUTE = 6
    OPEN_CALLS = 7
    REVOLUTION = 8


FROM_SEED: Final = 0
"""A deal from a seed: every step."""
AS_DEALT: Final = 1
"""A deal of given hands as they were dealt: the first lead is given."""
READY: Final = 2
"""A deal of given hands after buying and tribute."""


def plan(rules: RuleSet, origin: int) -> tuple[Step, ...]:
    """The steps of a deal of these rules, chosen once when it is made.

    DRAW is a step of its own only where something is asked before.
    """
    steps: list[Step] = []
    if rules.tribute and rules.swap_places and origin != READY:
        steps.append(Step.SWAP)
    if rules.calls == "both":
        steps.append(Step.BLIND_CALLS)
    if steps:
        steps.append(Step.DRAW)
    if origin == FROM_SEED:
        steps.append(Step.FIRST_LEAD)
    if rules.buy_from != "off" and origin != READY:
        steps.append(Step.BUYING)
    if rules.tribute and origin != READY:
        steps.append(Step.TRIBUTE)
    if rules.calls != "none":
        steps.append(Step.OPEN_CALLS)
    if rules.revolution != "off":
        steps.append(Step.REVOLUTION)
    return tuple(steps)

"""Built-in policies: each chooses an action from what one seat may see, and nothing else.

A policy is a pure function of a `gouji_rules.SeatView` and a `random.Random`: it keeps no memory and can therefore not
cheat. It is called only when the view's seat is asked, and returns an action that `view.can` accepts.
"""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from gouji_bots.cards import choose_cards
from gouji_bots.random_policy import random_policy
from gouji_bots.simple_policy import simple_policy
from gouji_rules import Action, SeatView

Policy: TypeAlias = Callable[[SeatView, Random], Action]

policies: dict[str, Policy] = {"random": random_policy, "simple": simple_policy}
"""The policies by the name they are added to a table with."""

__all__ = ["Policy", "choose_cards", "policies", "random_policy", "simple_policy"]

"""The policy `random`: any legal action, all equally likely. For tests, and to be beaten."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from gouji_rules import Action, SeatView


def random_policy(view: SeatView, rng: Random) -> Action:
    """Return one of the legal actions."""
    legal = view.legal_actions()
    return legal[rng.randrange(len(legal))]

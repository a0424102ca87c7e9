"""Our rules engine as the benchmark programs drive it: one whole deal of random decisions a call."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules.playout import random_deal

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


def gouji_qingdao() -> Callable[[random.Random], int]:
    """Return `play(rng) -> decisions`: those with more than one option; the driver answers the others."""
    rules = gr.preset("qingdao")

    def play(rng: random.Random) -> int:
        return random_deal(rules, rng)

    play.version = f"gouji {version('gouji')}"  # type: ignore[attr-defined]
    return play

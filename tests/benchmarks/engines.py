"""Our rules engine as the benchmark programs drive it: one whole deal of random decisions a call."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules import trick
from gouji_rules.playout import random_deal

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


def build() -> str:
    """Tell which build is imported: `pure` or `compiled`."""
    return "pure" if Path(trick.__file__).suffix == ".py" else "compiled"


def gouji(preset: str) -> Callable[[random.Random], int]:
    """Return `play(rng) -> decisions`: those with more than one option; the driver answers the others."""
    rules = gr.preset(preset)

    def play(rng: random.Random) -> int:
        return random_deal(rules, rng)

    play.version = f"gouji {version('gouji')}, {build()}"  # type: ignore[attr-defined]
    return play

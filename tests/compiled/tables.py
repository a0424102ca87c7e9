"""Plays a match of each preset at a table, for either build: prints what the module is, and a digest of each match.

The digest is over the numbers at the end and what every seat and a spectator are sent of the last steps, as many as a
table keeps.
"""

from __future__ import annotations

import pickle
import random
from hashlib import blake2b
from pathlib import Path

import gouji_rules as gr
from gouji_bots import policies
from gouji_server.tables import table
from gouji_server.training import play_match

DEALS = 2


def digest(preset: str) -> str:
    """Play a match under a preset; return its digest."""
    story = play_match(preset, random.Random(1), DEALS)
    told = blake2b(f"{story.seq} {story.state.n} {story.state.p}".encode(), digest_size=16)
    for step in story.ring.steps:
        for seat in range(-1, 6):
            told.update(step.chunk_for(seat) or b"-")
    return told.hexdigest()


def bots(preset: str) -> str:
    """Have a bot play every seat, from its view and from a copy as a bot's own process gets it; return what it did."""
    dice = random.Random(2)
    deal = gr.Deal.start(gr.preset(preset), dice.randbytes(32))
    done = blake2b(digest_size=16)
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        view = deal.view(seat)
        copied = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own
        action, again = (policies["simple"](each, random.Random(3)) for each in (view, copied))
        if action != again:
            raise ValueError(f"{preset}: a copied view is answered otherwise")
        done.update(f"{seat} {action} {copied.public.moves} {list(copied.public.plays)};".encode())
        deal.apply(seat, action)
    return done.hexdigest()


if __name__ == "__main__":
    print(Path(table.__file__).suffix, *map(digest, gr.PRESETS), *map(bots, gr.PRESETS))

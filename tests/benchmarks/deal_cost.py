"""What a deal costs to hold and to copy, in a process of its own: prints one line of JSON.

    python -m tests.benchmarks.deal_cost PRESET DEALS

The deals are those of a table: real cards, chosen by the players, every answer, the whole history, hidden parts
included, played at random by `apply`. ``kib`` is the growth of the process by each of DEALS deals held at once, after
as many were held before: at the start, when half of the cards are played, and when the deal is over. ``copy_us`` is the
fastest of many times of `copy()` on one such deal with half of its cards played: the one that nothing else disturbed.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import time
from pathlib import Path

import gouji_rules as gr
from gouji_rules import Deal
from gouji_rules.position import pick_cards
from tests.benchmarks.engines import build

COPIES = 200
"""Copies timed at once; the fastest of many such batches counts."""
BATCHES = 50


def live_deal(rules: gr.RuleSet, number: int, part: float) -> Deal:
    """Return a deal of which this part of the cards has been played, 1 for a deal that is over."""
    rng = random.Random(number)
    deal = Deal.start(rules, rng.randbytes(32))
    cards = len(gr.pack(rules))
    while part and not deal.over and (not deal.public.trick or sum(deal.position.left) > (1 - part) * cards):
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        legal = deal.legal_actions(asked[0])
        action = legal[rng.randrange(len(legal))]
        play = gr.play_of(action)
        deal.apply(asked[0], action, pick_cards(bytes(deal.cards(asked[0])), play) if play else None)
    return deal


def resident() -> int:
    """Return the bytes of memory that this process has resident."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def kib_each(rules: gr.RuleSet, deals: int, part: float) -> float:
    """Return the growth in KiB by each of as many deals as are held already."""
    held = [live_deal(rules, number, part) for number in range(deals)]
    gc.collect()
    before = resident()
    held += [live_deal(rules, number, part) for number in range(deals, 2 * deals)]
    gc.collect()
    return (resident() - before) / len(held) * 2 / 1024


def copy_us(rules: gr.RuleSet) -> float:
    """Return the microseconds of one `copy()`."""
    deal = live_deal(rules, 1, 0.5)
    best = float("inf")
    for _ in range(BATCHES):
        started = time.perf_counter()
        for _ in range(COPIES):
            deal.copy()
        best = min(best, (time.perf_counter() - started) / COPIES)
    return best * 1e6


def main() -> None:
    """Measure, each kind of deal in a child, so that none finds room that another left."""
    preset, deals = sys.argv[1], int(sys.argv[2])
    rules = gr.preset(preset)
    costs: dict[str, object] = {"preset": preset, "build": build(), "copy_us": copy_us(rules)}
    for name, part in (("start", 0.0), ("half", 0.5), ("end", 1.0)):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.write(writing, str(kib_each(rules, deals, part)).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            text = answer.read()
        os.waitpid(child, 0)
        costs[name] = float(text)
    print(json.dumps(costs))


if __name__ == "__main__":
    main()

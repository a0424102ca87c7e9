"""One rules engine in a process of its own, measured slice by slice as the bench program asks.

Standard library alone: it runs under whatever interpreter has the engine. Started as

    python engine_worker.py FOLDER MODULE:FACTORY[:ARGUMENT]

it imports the module from the folder and calls the factory with the argument, which gives `play(rng) -> decisions` (one
whole game, uniformly random legal actions). Then it answers each line on standard input with a line on standard output,
both JSON:

    {"warm": SECONDS}             -> {"ready": true, "python": "3.11.7", "version": "rlcard 1.2.0"}
    {"slice": SECONDS}            -> {"games": 31, "decisions": 1893, "cpu_s": 0.5, "kops": 4900.0}

Times are CPU time of this process. What an engine prints goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import random
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Play = Callable[[random.Random], float]

CALIBRATION_ROUNDS = 250_000


def calibrate(rounds: int = CALIBRATION_ROUNDS) -> float:
    """Return how many thousand rounds of a fixed loop a CPU second holds just now.

    A round is integer arithmetic, a list element added to and a dict entry set: the stuff that rules engines in Python
    are made of. Dividing a rate by this takes the speed of the machine at that moment out of it.
    """
    started = time.process_time()
    table: dict[int, int] = {}
    sums = [0] * 64
    value = 12345
    for step in range(rounds):
        value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        slot = value >> 9 & 63
        sums[slot] += step
        table[slot] = sums[slot] & 1023
    return rounds / (time.process_time() - started) / 1000


def play_for(play: Play, rng: random.Random, seconds: float) -> tuple[int, float, float]:
    """Play whole games until `seconds` of CPU time are used; return games, decisions and the seconds really used."""
    games, decisions = 0, 0.0
    started = time.process_time()
    while True:
        decisions += play(rng)
        games += 1
        used = time.process_time() - started
        if used >= seconds:
            return games, decisions, used


def answer(play: Play, rng: random.Random, order: dict[str, float]) -> dict[str, object]:
    """Carry out one order of the bench program."""
    if "warm" in order:
        play_for(play, rng, order["warm"])
        return {"ready": True, "python": platform.python_version(), "version": str(getattr(play, "version", ""))}
    before = calibrate()
    games, decisions, used = play_for(play, rng, order["slice"])
    return {"games": games, "decisions": decisions, "cpu_s": used, "kops": (before + calibrate()) / 2}


def main() -> None:
    """Answer orders until standard input ends."""
    folder, name = sys.argv[1:3]
    module, factory, *arguments = name.split(":")
    sys.path.insert(0, folder)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # an engine that prints must not be taken for an answer
    play: Play = getattr(importlib.import_module(module), factory)(*arguments)
    rng = random.Random(1)
    for line in sys.stdin:
        replies.write(json.dumps(answer(play, rng, json.loads(line))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()

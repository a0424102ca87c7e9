"""Rounds of several servers in turn, and the tables of their figures: as fast as they can, and at a steady rate."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.benchmarks.load import Round, Tally, quantile
from tests.benchmarks.report import figure, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.benchmarks.load import Contender, Pace

ANSWERS = ("play", "pass", "window answer", "revolution answer", "head choice")
SYNC = "one fdatasync of a 4 KiB append"


@dataclass
class Rounds:
    """All rounds of one contender, all as fast as it can or all at a pace."""

    contender: Contender
    done: list[Round] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The contender's."""
        return self.contender.label

    def median(self, value: Callable[[Round], float]) -> float:
        """Return the median over rounds."""
        return statistics.median(map(value, self.done))


async def take_turns(
    contenders: Sequence[Contender],
    pace: Pace,
    count: int,
    seconds: float,
    server_core: int | None,
    between: Callable[[], None] = lambda: None,
) -> list[Rounds]:
    """Let the contenders play so many rounds, another one first in each; do something between these."""
    all_rounds = [Rounds(contender) for contender in contenders]
    for turn in range(count):
        first = turn % len(all_rounds)
        for each in [*all_rounds[first:], *all_rounds[:first]]:
            each.done.append(await each.contender.round(pace, seconds, server_core))
        between()
    return all_rounds


def flat_out_table(rounds: Sequence[Rounds]) -> str:
    """Lay out the rounds in which tables play as fast as they can; `rounds` begins with our server."""
    rows = []
    for each in rounds:
        rates = [one.moves_per_cpu_s for one in each.done]
        rows.append(
            [
                each.label,
                figure(statistics.median(rates)),
                f"{min(rates):,.0f}–{max(rates):,.0f}",
                figure(each.median(by_u)),
                figure(each.median(lambda one: one.tally.moves / one.wall_s)),
                f"{100 * each.median(lambda one: one.server_cpu_s / one.wall_s):.0f} %",
                f"{100 * each.median(lambda one: one.load_cpu_s / one.wall_s):.0f} %",
                figure(each.median(lambda one: one.server_mib)),
                figure(ratio(rounds[0], each, by_cpu)),
                figure(ratio(rounds[0], each, by_u)),
            ]
        )
    head = ["as fast as they can", "moves per server CPU s", "range", "u", "moves/s", "server CPU", "load CPU", "MiB"]
    return table([*head, "ours ÷ this", "by u"], rows)


def by_cpu(one: Round) -> float:
    """Moves for each CPU second of the server."""
    return one.moves_per_cpu_s


def by_u(one: Round) -> float:
    """The same in units of the fixed loop."""
    return one.moves_per_kop


def ratio(ours: Rounds, other: Rounds, value: Callable[[Round], float]) -> float:
    """Return our median divided by the other's."""
    return ours.median(value) / other.median(value)


def game_table(ours: Sequence[Rounds]) -> str:
    """Lay out what kind of game our server played: how often each thing came with a move."""
    all_counts = [sum((one.tally.counts for one in each.done), start=Tally().counts) for each in ours]
    all_moves = [counts["play"] + counts["pass"] for counts in all_counts]
    rows = [
        [
            name.replace("_", " "),
            *(
                f"{counts[name] / moves:.4f}" if moves else "–"
                for counts, moves in zip(all_counts, all_moves, strict=True)
            ),
        ]
        for name in (*ANSWERS, "window_closed", "deal_ended", "message")
    ]
    rows.insert(0, ["moves", *(f"{moves:,}" for moves in all_moves)])
    return table(["the game played, a move", *(each.label for each in ours)], rows)


def paced_table(rounds: Sequence[Rounds], syncs: Sequence[float], rate: float) -> str:
    """Lay out how long a move takes to its sixth seat at a steady rate, beside one durable write."""
    rows = [
        [
            each.label,
            figure(each.median(lambda one: one.tally.moves / one.wall_s)),
            figure(1000 * each.median(lambda one: one.spread.p50)),
            figure(1000 * each.median(lambda one: one.spread.p99)),
            figure(1000 * max(one.spread.worst for one in each.done)),
            f"{100 * each.median(lambda one: one.server_cpu_s / one.wall_s):.0f} %",
        ]
        for each in rounds
    ]
    spans = [figure(1000 * quantile(syncs, share)) for share in (0.5, 0.99)]
    rows.append([SYNC, "–", *spans, figure(1000 * max(syncs)), "–"])
    return table([f"at {rate:g} moves/s", "moves/s", "p50 ms", "p99 ms", "max ms", "server CPU"], rows)

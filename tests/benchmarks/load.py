"""What a load on a server is to the program that measures it: it runs, it stands still, it counts."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tests.benchmarks.engine_worker import calibrate
from tests.benchmarks.processes import ServerError, cpu_seconds, resident_mib

if TYPE_CHECKING:
    from collections.abc import Sequence

STANDSTILL_SECONDS = 60.0


@dataclass
class Pace:
    """How fast the tables play: as fast as they can, or a move a table every `gap` seconds.

    ``at_once``: a client answers when it holds the step itself; else a table goes on when all six of its clients do.
    """

    gap: float | None = None
    at_once: bool = False

    @classmethod
    def of(cls, rate: float | None, tables: int) -> Pace:
        """Return the pace of `rate` moves a second over all tables; None is as fast as they can."""
        return cls(None if rate is None else tables / rate)


@dataclass(frozen=True)
class Spread:
    """How long moves took to their sixth seat, in seconds."""

    p50: float
    p99: float
    worst: float

    @classmethod
    def of(cls, latencies: Sequence[float]) -> Spread:
        """Sum up; nan of none."""
        return cls(quantile(latencies, 0.5), quantile(latencies, 0.99), max(latencies, default=math.nan))


@dataclass
class Tally:
    """What happened while a load ran."""

    counts: Counter[str] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)

    @property
    def moves(self) -> int:
        """Accepted plays and passes."""
        return self.counts["play"] + self.counts["pass"]


class Load(Protocol):
    """A server process with clients at its tables."""

    label: str
    pid: int

    async def run(self, pace: Pace) -> None:
        """Begin to play, or go on."""

    async def rest(self) -> Tally:
        """Stop asking for more; return, when every move made has arrived everywhere, what happened since `run`."""


class Contender(Protocol):
    """What takes its turn in the rounds."""

    @property
    def label(self) -> str:
        """What it is called."""

    async def round(self, pace: Pace, seconds: float, server_core: int | None) -> Round:
        """Play for some seconds."""


@dataclass
class Standing:
    """A contender whose server and clients stand ready all the time."""

    load: Load

    @property
    def label(self) -> str:
        """The load's."""
        return self.load.label

    async def round(self, pace: Pace, seconds: float, server_core: int | None) -> Round:
        """Play for some seconds."""
        return await one_round(self.load, pace, seconds, server_core)


@dataclass
class Round:
    """One round of one load."""

    tally: Tally
    wall_s: float
    server_cpu_s: float
    load_cpu_s: float
    kops: float
    server_mib: float
    spread: Spread

    @property
    def moves_per_cpu_s(self) -> float:
        """Moves for each CPU second of the server process and its children."""
        return self.tally.moves / self.server_cpu_s if self.server_cpu_s else math.nan

    @property
    def moves_per_kop(self) -> float:
        """The same in units of the fixed loop (thousand rounds), so that the machine's mood is taken out."""
        return self.moves_per_cpu_s / self.kops * 1000


def calibrate_on(core: int | None) -> float:
    """Time the fixed loop on the server's core, where the server must be idle now."""
    if core is None:
        return calibrate()
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return calibrate()
    finally:
        os.sched_setaffinity(0, mine)


async def one_round(load: Load, pace: Pace, seconds: float, server_core: int | None) -> Round:
    """Let a load run for some seconds, the fixed loop timed before and after."""
    before = calibrate_on(server_core)
    server_cpu, own_cpu, wall = cpu_seconds(load.pid), time.process_time(), time.perf_counter()
    await load.run(pace)
    await asyncio.sleep(seconds)
    try:
        async with asyncio.timeout(STANDSTILL_SECONDS):
            tally = await load.rest()
    except TimeoutError:
        raise ServerError(f"{load.label}: a move did not arrive everywhere in {STANDSTILL_SECONDS:g} s") from None
    wall = time.perf_counter() - wall
    server_cpu, own_cpu = cpu_seconds(load.pid) - server_cpu, time.process_time() - own_cpu
    kops = (before + calibrate_on(server_core)) / 2
    return Round(tally, wall, server_cpu, own_cpu, kops, resident_mib(load.pid), Spread.of(tally.latencies))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the values lie; nan of none."""
    if not values:
        return math.nan
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]

"""Many tables at human pace: a move a table every few seconds, over as many connections as this machine allows."""

from __future__ import annotations

import math
import resource
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tests.benchmarks.game_load import SEATS, game_load
from tests.benchmarks.load import Pace, one_round
from tests.benchmarks.our_server import our_server
from tests.benchmarks.processes import resident_mib
from tests.benchmarks.report import figure, table

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

SPARE_FILES = 500  # what a process needs beside its connections
OPEN_SECONDS = 400.0
PER_ACCOUNT = 20  # connections: signing in takes long, and is not what is measured


@dataclass(frozen=True)
class Crowd:
    """How many tables, how many connections at most, how fast and for how long."""

    tables: int
    connections: int
    gap: float
    seconds: float

    @classmethod
    def of(cls, asked: argparse.Namespace) -> Self:
        """Read the options."""
        return cls(asked.crowd_tables, asked.connections, asked.gap, asked.crowd_seconds)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this part's options."""
    parser.add_argument("--crowd-tables", type=int, default=2000, help="crowd: live tables")
    parser.add_argument("--connections", type=int, default=12000, help="crowd: connections at most")
    parser.add_argument("--gap", type=float, default=4.0, help="crowd: seconds between two moves of a table")
    parser.add_argument("--crowd-seconds", type=float, default=20.0, help="crowd: how long they play")


async def measured(asked: Crowd, server_core: int | None, folder: Path) -> str:
    """Sit the crowd down, let it play, return the table of it."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    most = min(asked.connections, files - SPARE_FILES)
    per_client = math.ceil(asked.tables * SEATS / most)
    with our_server(folder / "crowd", server_core) as server:
        empty = resident_mib(server.pid)
        load = game_load(
            server.address,
            server.pid,
            asked.tables,
            per_client=per_client,
            per_account=PER_ACCOUNT,
            open_seconds=OPEN_SECONDS,
        )
        async with load as crowd:
            pace = Pace(asked.gap)
            await one_round(crowd, pace, asked.gap, server_core)
            done = await one_round(crowd, pace, asked.seconds, server_core)
            connections = len(crowd.clients)
    rows = [
        ["seats", f"{asked.tables * SEATS:,}"],
        ["connections, each with a Play stream", f"{connections:,}"],
        ["tables a stream", str(per_client)],
        ["open files allowed", f"{files:,}"],
        ["moves/s", figure(done.tally.moves / done.wall_s)],
        ["server CPU", f"{100 * done.server_cpu_s / done.wall_s:.0f} %"],
        ["load CPU", f"{100 * done.load_cpu_s / done.wall_s:.0f} %"],
        ["p50 ms", figure(1000 * done.spread.p50)],
        ["p99 ms", figure(1000 * done.spread.p99)],
        ["max ms", figure(1000 * done.spread.worst)],
        ["server MiB", figure(done.server_mib)],
        ["KiB a table with its connections", figure((done.server_mib - empty) * 1024 / asked.tables)],
    ]
    return table([f"{asked.tables:,} live tables, a move each {asked.gap:g} s", "figure"], rows)

"""Peers whose folder brings a load of its own: a program for Node that starts its server, plays and prints figures.

Each round starts server and load anew, warms them up, and lets them play; the peer's clients are its own.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.benchmarks.load import Round, Spread, Tally, calibrate_on
from tests.benchmarks.processes import ServerError, free_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.load import Pace
    from tests.benchmarks.peers import Peers

ROUND_SECONDS = 180.0
FIRST_MOVES = 100  # a table's, before it is known how fast the peer is
LEAST_MOVES = 20

KITS = (
    ("boardgame.io", "boardgameio", ()),
    ("Colyseus, schema", "colyseus", ("schema",)),
    ("Colyseus, message", "colyseus", ("message",)),
)
BARE_KIT = ("bare grpc.aio, uvloop", "grpcaio", ("bidi",))


@dataclass
class Kit:
    """A peer of the folder's own making."""

    label: str
    folder: Path
    kind: tuple[str, ...]
    python: Path
    tables: int
    speed: float = 0.0  # moves a second in the last round as fast as it can

    async def round(self, pace: Pace, seconds: float, server_core: int | None) -> Round:
        """Let it play for about some seconds as fast as it can, or at a pace for as long as its load chooses."""
        before = calibrate_on(server_core)
        phase = "saturate" if pace.gap is None else "paced"
        rate = [] if pace.gap is None else ["--rate", f"{self.tables / pace.gap:g}"]
        moves = max(LEAST_MOVES, math.ceil(seconds * self.speed / self.tables)) if self.speed else FIRST_MOVES
        asked = ["--tables", str(self.tables), "--moves", str(moves), "--only", f"warm,{phase}", *rate]
        figures = (await self.run(asked, server_core))[phase]
        if pace.gap is None:
            self.speed = figures["moves_per_s"]
        wall = figures["wall_s"]
        spread = Spread(*(figures[name] / 1000 for name in ("p50_ms", "p99_ms", "max_ms")))
        tally = Tally()
        tally.counts["play"] = round(figures["moves"])
        return Round(
            tally=tally,
            wall_s=wall,
            server_cpu_s=figures["server_cpu_pct"] * wall / 100,
            load_cpu_s=figures["client_cpu_pct"] * wall / 100,
            kops=(before + calibrate_on(server_core)) / 2,
            server_mib=figures["server_rss_mib"],
            spread=spread,
        )

    async def kib_per_table(self, tables: int, server_core: int | None) -> float:
        """Return what the server grows by with each table and its six connections."""
        figures = await self.run(["--only", "memory", "--mem-tables", str(tables)], server_core)
        return float(figures["memory"]["kib_per_table"])

    async def run(self, asked: list[str], server_core: int | None) -> Any:
        """Run the peer's load once; return the figures that it printed. Raises ServerError."""
        settings = {
            "SERVER_CORE": str(0 if server_core is None else server_core),
            "PEER_PORT": str(free_port()),
            "PYTHON": str(self.python),
            "UVLOOP": "1",
        }
        process = await asyncio.create_subprocess_exec(
            "node",
            *(str(self.folder / "load.mjs"), *self.kind, *asked, "--repeats", "1"),
            cwd=self.folder,
            env={**os.environ, **settings},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        started = time.monotonic()
        try:
            output, errors = await asyncio.wait_for(process.communicate(), ROUND_SECONDS)
        except TimeoutError:
            raise ServerError(f"{self.label}: not done after {time.monotonic() - started:.0f} s") from None
        finally:
            if process.returncode is None:
                process.terminate()  # it ends its server
                await process.wait()
        lines = output.decode(errors="replace").splitlines()
        if process.returncode != 0 or not lines:
            said = "\n".join(errors.decode(errors="replace").splitlines()[-15:])
            raise ServerError(f"{self.label}: its load ended with status {process.returncode}:\n{said}")
        return json.loads(lines[-1])


def found_kits(peers: Peers, tables: int, kits: tuple[tuple[str, str, tuple[str, ...]], ...] = KITS) -> list[Kit]:
    """Return the peers of this kind that are there; say which are not, and why."""
    found = []
    for label, name, kind in kits:
        folder = peers.folder / "servers" / name
        if not (folder / "load.mjs").is_file():
            print(f"{label} is left out: {folder / 'load.mjs'} is missing.", flush=True)
        elif shutil.which("node") is None:
            print(f"{label} is left out: there is no node in PATH.", flush=True)
        else:
            found.append(Kit(label, folder, kind, peers.python, tables))
    return found

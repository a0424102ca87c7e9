"""`make bench-rules`: how many random decisions a second the rules engine plays, beside other engines.

Every engine runs in a process of its own and plays a slice of CPU time when it is its turn; turns go round, so that all
see the same good and bad moments of the machine. Around each slice the process times a fixed loop: **u**, decisions per
thousand rounds of it, is the figure to compare between runs and machines. Figures are medians over the slices; a ratio
is a ratio of medians of u. Decisions with a single option are not counted for us; the peers count all of theirs.

Then it says what a deal of each preset takes to hold and to copy. With a compiled wheel (`--wheel`, or `WHEEL` in the
environment) the same rows appear for that build too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gouji_rules as gr
from tests.benchmarks.peers import Peers, PeersError, find_peers
from tests.benchmarks.report import figure, machine, table

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# What is measured beside ours: label, factory of PEERS/engines/peers.py. The first is what ratios are taken to.
PEER_ENGINES = (
    ("RLCard doudizhu, rules only", "rlcard_doudizhu_raw"),
    ("RLCard doudizhu, environment", "rlcard_doudizhu_env"),
    ("OpenSpiel dou_dizhu, from Python", "spiel_doudizhu"),
)


@dataclass(frozen=True)
class Build:
    """A build of our engine: what its rows are called after the preset, and where it lies (None: this tree)."""

    name: str
    folder: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process that imports it."""
        paths = [str(ROOT)] if self.folder is None else [str(self.folder), str(ROOT)]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass
class Engine:
    """An engine, the process that plays it, and its slices so far."""

    label: str
    process: subprocess.Popen[str]
    version: str = ""
    rates: list[float] = field(default_factory=list)
    units: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    def order(self, what: str, seconds: float) -> dict[str, Any]:
        """Have the process do something; raises `PeersError` if it ends instead."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({what: seconds}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise PeersError(f"{self.label}: its process ended (status {self.process.wait()}); what it said is above")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def warm(self, seconds: float) -> None:
        """Let the engine fill its caches; learn its version."""
        reply = self.order("warm", seconds)
        self.version = f"{reply['version']}, Python {reply['python']}"

    def slice(self, seconds: float) -> None:
        """Measure one slice."""
        reply = self.order("slice", seconds)
        rate = reply["decisions"] / reply["cpu_s"]
        self.rates.append(rate)
        self.units.append(rate / reply["kops"])
        self.lengths.append(reply["decisions"] / reply["games"])

    def end(self) -> None:
        """End the process; it stops by itself when its input does."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it ended by itself, with an order unread
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def unpack(wheel: Path, folder: Path) -> Build:
    """Unpack a compiled wheel; raises `PeersError` for anything else."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeersError(f"{wheel} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    if not list((folder / "gouji_rules").glob("trick.*.so")):
        raise PeersError(f"{wheel} is a pure wheel; docs/benchmarks.md says how to build a compiled one")
    return Build("compiled", folder)


def start(
    label: str, python: Path, folder: Path, factory: str, core: int | None, environment: dict[str, str] | None = None
) -> Engine:
    """Start the process of an engine, on one core if asked."""
    process = subprocess.Popen(
        [str(python), str(HERE / "engine_worker.py"), str(folder), factory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    if core is not None:
        os.sched_setaffinity(process.pid, {core})
    return Engine(label, process)


def engines(presets: Sequence[str], builds: Sequence[Build], peers: Peers | None, core: int | None) -> list[Engine]:
    """Start all engines, ours first."""
    if peers is not None:
        peers.need(peers.engines / "peers.py")
    found = []
    for build in builds:
        for preset in presets:
            factory = f"tests.benchmarks.engines:gouji:{preset}"
            label = row(preset, build)
            found.append(start(label, Path(sys.executable), ROOT, factory, core, build.environment))
    if peers is not None:
        for label, factory in PEER_ENGINES:
            found.append(start(label, peers.python, peers.engines, f"peers:{factory}", core))
    return found


def row(preset: str, build: Build) -> str:
    """Name the row of a preset in a build."""
    return f"gouji, {preset}" + (f", {build.name}" if build.folder else "")


def deal_costs(presets: Sequence[str], builds: Sequence[Build], deals: int) -> list[list[str]]:
    """Measure what deals of each preset take to hold and to copy, as rows."""
    found = []
    for build in builds:
        for preset in presets:
            command = [sys.executable, "-m", "tests.benchmarks.deal_cost", preset, str(deals)]
            done = subprocess.run(
                command, cwd=ROOT, env=build.environment, stdout=subprocess.PIPE, text=True, check=False
            )
            if done.returncode:
                raise PeersError(f"{row(preset, build)}: its deals could not be measured; what was said is above")
            cost = json.loads(done.stdout)
            figures = [figure(cost[name]) for name in ("start", "half", "end", "copy_us")]
            found.append([row(preset, build), *figures])
    return found


def measure(found: Sequence[Engine], slices: int, seconds: float, warm: float) -> None:
    """Measure all engines, slice after slice, each time beginning with another one."""
    for engine in found:
        engine.warm(warm)
    for turn in range(slices):
        first = turn % len(found)
        for engine in [*found[first:], *found[:first]]:
            engine.slice(seconds)


def spread(values: Sequence[float]) -> str:
    """Return the distance between best and worst in percent of the median."""
    return f"{100 * (max(values) - min(values)) / statistics.median(values):.0f} %"


def show(found: Sequence[Engine]) -> str:
    """Lay the figures out."""
    base = next((statistics.median(engine.units) for engine in found if engine.label == PEER_ENGINES[0][0]), None)
    rows = [
        [
            engine.label,
            figure(statistics.median(engine.rates)),
            figure(max(engine.rates)),
            figure(statistics.median(engine.units)),
            spread(engine.units),
            figure(statistics.median(engine.lengths)),
            "–" if base is None else figure(statistics.median(engine.units) / base),
            engine.version,
        ]
        for engine in found
    ]
    head = ["engine", "decisions/s", "best", "u", "spread of u", "decisions a game", "× RLCard rules only", "version"]
    return table(head, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 1 when something that was asked for could not be measured."""
    parser = argparse.ArgumentParser(prog="make bench-rules", description=__doc__)
    parser.add_argument("--slices", type=int, default=15, help="slices of each engine")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds of a slice")
    parser.add_argument("--warm", type=float, default=0.5, help="CPU seconds before the first slice")
    parser.add_argument("--core", type=int, default=None, help="pin every engine to this core")
    parser.add_argument("--presets", default=",".join(gr.PRESETS), help="which presets, by comma; all by default")
    parser.add_argument("--wheel", default=os.environ.get("WHEEL"), help="a compiled wheel to measure beside this tree")
    parser.add_argument("--deals", type=int, default=300, help="deals held to see what one takes; 0: leave that out")
    asked = parser.parse_args(argv)
    presets = asked.presets.split(",")
    unknown = [name for name in presets if name not in gr.PRESETS]
    if unknown:
        parser.error(f"there is no preset {unknown[0]}; there are {', '.join(gr.PRESETS)}")
    with tempfile.TemporaryDirectory(prefix="gouji-bench-") as folder:
        return run(asked, presets, Path(folder))


def run(asked: argparse.Namespace, presets: Sequence[str], folder: Path) -> int:
    """Measure what was asked for and print it; ``folder`` is for a wheel's content."""
    found: list[Engine] = []
    builds = [Build("pure")]
    try:
        peers = find_peers()
        print(machine(), flush=True)
        if peers is None:
            print(
                "PEERS is not set: the other engines are left out (see docs/benchmarks.md).",
                flush=True,
            )
        if asked.wheel:
            builds.append(unpack(Path(asked.wheel), folder))
        found = engines(presets, builds, peers, asked.core)
        measure(found, asked.slices, asked.seconds, asked.warm)
    except PeersError as problem:
        print(f"bench-rules: {problem}", file=sys.stderr)
        return 1
    finally:
        for engine in found:
            engine.end()
    print(f"\n{show(found)}\n")
    print(
        f"{asked.slices} slices of {asked.seconds:g} CPU seconds each, the engines taking turns; medians, and the best."
    )
    print("u: decisions per thousand rounds of a fixed Python loop timed around each slice.")
    print("Ours counts only decisions with more than one option; the others count all.")
    return 0 if not asked.deals else show_costs(presets, builds, asked.deals)


def show_costs(presets: Sequence[str], builds: Sequence[Build], deals: int) -> int:
    """Measure and print what deals take to hold and to copy."""
    try:
        rows = deal_costs(presets, builds, deals)
    except PeersError as problem:
        print(f"bench-rules: {problem}", file=sys.stderr)
        return 1
    head = ["a deal of a table", "KiB at the start", "half played", "over", "copy() µs, half played"]
    print(f"\n{table(head, rows)}\n")
    print(f"KiB: growth of the process by each of {deals} deals held at once, with real cards, every answer and hidden")
    print("parts; copy(): the fastest of many batches.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

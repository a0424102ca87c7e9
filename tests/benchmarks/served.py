"""`make bench`: the served game beside a bare grpc.aio server, and one durable write on the same disk.

Our server runs as it would for people: a process of its own, the journal on disk, metrics on, real rules. Twenty
tables, a connection a seat, clients that answer at once. The peer is the same six-seat table on plain grpc.aio, without
a game and without a journal (found where `PEERS` says; left out without it). Server on one core, load on the other.
Rounds of both take turns in one run; figures are medians of rounds, a ratio is a ratio of medians.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks import profiling
from tests.benchmarks.bare_load import bare_server
from tests.benchmarks.disk import sync_times
from tests.benchmarks.game_load import game_load
from tests.benchmarks.load import Load, Pace, Round, one_round, quantile
from tests.benchmarks.peers import Peers, PeersError, find_peers
from tests.benchmarks.processes import START_SECONDS, ServerError, last_words, server_process, thread_cpu_seconds
from tests.benchmarks.report import figure, machine, table

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[2]
SYNCS = 50  # a round
SERVING = re.compile(rb"serving on ([^\s\"]+:\d+)")
PROFILE = "profile"


@dataclass
class Rounds:
    """All rounds of one load."""

    load: Load
    flat_out: list[Round] = field(default_factory=list)
    paced: list[Round] = field(default_factory=list)


def cores() -> tuple[int | None, int | None]:
    """Return a core for the server and one for the load; None for both, said aloud, where there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        print("There is one core only: server and load share it, and nothing is pinned.")
        return None, None
    return mine[0], mine[1]


def our_settings() -> dict[str, str]:
    """Return the settings of our server: the defaults, but for limits that a load from one address would meet."""
    return {
        "GOUJI_SIGN_IN_BURST": "100000",
        "GOUJI_MAX_TABLES_PER_ACCOUNT": "1000",
        "GOUJI_ACCESS_TOKEN_SECONDS": "86400",
    }


def our_command(folder: Path, with_cprofile: bool) -> list[str]:
    """Return the command that runs our server on a port that it picks, its files in a folder."""
    profiler = ["-m", "cProfile", "-o", str(folder / PROFILE)] if with_cprofile else []
    where = ["--port", "0", "--metrics-port", "0", "--data-dir", str(folder / "data")]
    return [sys.executable, *profiler, "-m", "gouji_server", *where]


def wait_until_serving(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address that the server prints when it is ready."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := SERVING.search(log.read_bytes()):
            return found[1].decode()
        if process.poll() is not None:
            raise ServerError(f"the server ended with status {process.returncode}:\n{last_words(log)}")
        time.sleep(0.05)
    raise ServerError(f"the server did not say that it serves within {START_SECONDS:g} s:\n{last_words(log)}")


async def measure(asked: argparse.Namespace, peers: Peers | None, folder: Path) -> None:
    """Run both servers with their loads, round by round, and print the figures."""
    server_core, load_core = cores()
    if load_core is not None:
        os.sched_setaffinity(0, {load_core})
    async with AsyncExitStack() as stack:
        sync = stack.enter_context(ExitStack())
        log = folder / "gouji.log"
        with_cprofile = asked.profile and profiling.py_spy(*spy_folders(peers)) is None
        process = sync.enter_context(
            server_process(our_command(folder, with_cprofile), server_core, log, folder, our_settings())
        )
        address = wait_until_serving(process, log)
        ours = await stack.enter_async_context(game_load(address, process.pid, asked.tables))
        loads: list[Load] = [ours]
        if peers is not None and not asked.profile:
            for uvloop in (True, False):
                bare = bare_server(peers, uvloop, asked.tables, server_core, folder)
                loads.append(await stack.enter_async_context(bare))
        if asked.profile:
            await profile(asked, peers, ours, server_core, folder)
        else:
            await compare(asked, loads, server_core, folder)
    if with_cprofile:
        print(profiling.summary(*profiling.cprofile_counts(folder / PROFILE), 0, 0.0))


async def compare(asked: argparse.Namespace, loads: Sequence[Load], server_core: int | None, folder: Path) -> None:
    """Let the loads take turns, then print the figures."""
    rounds = [Rounds(load) for load in loads]
    full, paced = Pace(), Pace.of(asked.rate, asked.tables)
    for each in rounds:
        await one_round(each.load, full, asked.warm, server_core)
    syncs: list[float] = []
    for turn in range(asked.rounds):
        first = turn % len(rounds)
        for each in [*rounds[first:], *rounds[:first]]:
            each.flat_out.append(await one_round(each.load, full, asked.seconds, server_core))
        for each in [*rounds[first:], *rounds[:first]]:
            each.paced.append(await one_round(each.load, paced, asked.seconds, server_core))
        syncs += sync_times(folder, SYNCS)
    print(f"\n{flat_out_table(rounds)}\n\n{game_table(rounds[0])}\n\n{paced_table(rounds, syncs, asked.rate)}\n")
    print(f"{asked.tables} tables of six connections; {asked.rounds} rounds of {asked.seconds:g} s, taking turns.")
    print(
        "A move is an accepted play or pass, done when all six seats hold it. u: moves per server CPU second for each"
    )
    print(
        "thousand kops; a kop is a thousand rounds of a fixed Python loop, timed on the server's core around a round."
    )


def median(rounds: Sequence[Round], value: Callable[[Round], float]) -> float:
    """Return the median over rounds."""
    return statistics.median(map(value, rounds))


def flat_out_table(rounds: Sequence[Rounds]) -> str:
    """Lay out the rounds in which tables play as fast as they can."""
    ours = rounds[0].flat_out
    rows = []
    for each in rounds:
        done = each.flat_out
        rates = [one.moves_per_cpu_s for one in done]
        rows.append(
            [
                each.load.label,
                figure(statistics.median(rates)),
                f"{min(rates):,.0f}–{max(rates):,.0f}",
                figure(median(done, lambda one: one.moves_per_kop)),
                figure(median(done, lambda one: one.tally.moves / one.wall_s)),
                f"{100 * median(done, lambda one: one.server_cpu_s / one.wall_s):.0f} %",
                f"{100 * median(done, lambda one: one.load_cpu_s / one.wall_s):.0f} %",
                figure(median(done, lambda one: one.server_mib)),
                figure(median(ours, lambda one: one.moves_per_cpu_s) / statistics.median(rates)),
                figure(median(ours, lambda one: one.moves_per_kop) / median(done, lambda one: one.moves_per_kop)),
            ]
        )
    head = ["as fast as they can", "moves per server CPU s", "range", "u", "moves/s", "server CPU", "load CPU", "MiB"]
    return table([*head, "ours ÷ this", "by u"], rows)


def game_table(ours: Rounds) -> str:
    """Lay out what kind of game our server played in the fast rounds."""
    counts = sum((one.tally.counts for one in ours.flat_out), start=type(ours.flat_out[0].tally.counts)())
    moves = counts["play"] + counts["pass"]
    rows = [
        [name, f"{counts[name]:,}", figure(counts[name] / moves) if moves else "–"]
        for name in ("play", "pass", "window answer", "revolution answer", "head choice", "message")
    ]
    rows.append(
        ["windows closed without a burn", f"{counts['window_closed']:,}", figure(counts["window_closed"] / moves)]
    )
    deals = counts["deal_ended"]
    rows.append(["deals ended", f"{deals:,}", f"{counts['deal_ended'] / moves:.4f}"])
    return table(["the game played", "all", "a move"], rows)


def paced_table(rounds: Sequence[Rounds], syncs: Sequence[float], rate: float) -> str:
    """Lay out how long a move takes to its sixth seat at a steady rate, beside one durable write."""
    rows = []
    for each in rounds:
        waits = [wait for one in each.paced for wait in one.tally.latencies]
        rows.append(
            [
                each.load.label,
                figure(median(each.paced, lambda one: one.tally.moves / one.wall_s)),
                *(figure(1000 * quantile(waits, share)) for share in (0.5, 0.99)),
                figure(1000 * max(waits, default=float("nan"))),
                f"{100 * median(each.paced, lambda one: one.server_cpu_s / one.wall_s):.0f} %",
            ]
        )
    spans = [figure(1000 * quantile(syncs, share)) for share in (0.5, 0.99)]
    rows.append(["one fdatasync of a 4 KiB append", "–", *spans, figure(1000 * max(syncs)), "–"])
    return table([f"at {rate:g} moves/s", "moves/s", "p50 ms", "p99 ms", "max ms", "server CPU"], rows)


def spy_folders(peers: Peers | None) -> list[Path]:
    """Return folders beside PATH where py-spy may be."""
    return [Path(sys.executable).parent, *([peers.python.parent] if peers else [])]


async def profile(
    asked: argparse.Namespace, peers: Peers | None, ours: Load, server_core: int | None, folder: Path
) -> None:
    """Run our server alone, profiled, and print where its time goes."""
    await one_round(ours, Pace(), asked.warm, server_core)
    program = profiling.py_spy(*spy_folders(peers))
    if program is None:
        await one_round(ours, Pace(), asked.seconds, server_core)
        print("py-spy is not installed: cProfile of the whole run, its own cost in the figures, follows.")
        return
    before = thread_cpu_seconds(ours.pid)
    done = await one_round(ours, Pace(), asked.seconds, server_core)
    used = thread_cpu_seconds(ours.pid)
    spent = {thread: used[thread] - before.get(thread, 0.0) for thread in used}
    print(f"{done.tally.moves} moves, {done.moves_per_cpu_s:.0f} per server CPU second\n")
    print(profiling.by_thread(spent, done.tally.moves) + "\n")
    spy = profiling.start_py_spy(program, ours.pid, asked.seconds, folder / PROFILE)
    await one_round(ours, Pace(), asked.seconds + 0.5, server_core)
    spy.wait(timeout=60)
    main = next(seconds for thread, seconds in spent.items() if thread.startswith(f"{ours.pid} "))
    print("The main thread by py-spy, where it held the interpreter lock (its other time is shared out alike):\n")
    print(profiling.summary(*profiling.folded(folder / PROFILE), done.tally.moves, main))


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each load and kind")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a round")
    parser.add_argument("--warm", type=float, default=2.0, help="seconds of play before the first round")
    parser.add_argument("--rate", type=float, default=200.0, help="moves a second over all tables in the paced rounds")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="where journal and logs go, on a real disk")
    parser.add_argument("--profile", action="store_true", help="our server alone, and where its time goes")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 1 when something that was asked for could not be measured."""
    asked = parsed(argv)
    try:
        peers = find_peers()
        print(machine(), flush=True)
        if peers is None:
            print("PEERS is not set: the bare grpc.aio server is left out (see docs/benchmarks.md).", flush=True)
        asked.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="bench-", dir=asked.folder) as folder:
            asyncio.run(measure(asked, peers, Path(folder)))
    except (PeersError, ServerError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if "GRPC_VERBOSITY" not in os.environ:
        # gRPC reads it once, when it is imported; else it tells of every connection that ends with its server.
        os.environ["GRPC_VERBOSITY"] = "NONE"
        os.execv(sys.executable, [sys.executable, "-m", "tests.benchmarks.served", *sys.argv[1:]])  # noqa: S606 - this program again
    sys.exit(main())

"""`make bench-server`: figures of the served game, beside peers that play a table of six too.

Our server runs as it would for people: a process of its own, the journal on disk, metrics on, real rules. It has one
core for itself, all clients together another. Peers are found where `PEERS` says; without it their rows are left out.
Rounds of all servers take turns in one run; figures are medians of rounds, a ratio is a ratio of medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from tests.benchmarks import crowd, footprint, profiling, starting, turns
from tests.benchmarks.bare_load import bare_server
from tests.benchmarks.disk import sync_times
from tests.benchmarks.game_load import game_load
from tests.benchmarks.kit_load import found_kits
from tests.benchmarks.load import Contender, Load, Pace, Standing, one_round, quantile
from tests.benchmarks.our_server import our_server, run_from
from tests.benchmarks.peers import Peers, PeersError, find_peers
from tests.benchmarks.processes import ServerError, thread_cpu_seconds
from tests.benchmarks.report import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
SYNCS = 50  # a round
PROFILE = "profile"
PARTS = ("flat", "paced", "memory", "crowd", "start")
OURS = "gouji"


def cores() -> tuple[int | None, int | None]:
    """Return a core for the server and one for the load; None for both, said aloud, where there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        print("There is one core only: server and load share it, and nothing is pinned.")
        return None, None
    return mine[0], mine[1]


async def measure(asked: argparse.Namespace, peers: Peers | None, folder: Path) -> None:
    """Measure the parts that are asked for, one after the other, and print each when it is done."""
    server_core, load_core = cores()
    if load_core is not None:
        os.sched_setaffinity(0, {load_core})
    if asked.profile:
        await profile(asked, peers, server_core, folder)
        return
    if {"flat", "paced"} & asked.only:
        await beside_peers(asked, peers, server_core, folder)
    if "memory" in asked.only:
        print(f"\n{await footprint.measured(asked.sizes, peers, server_core, folder)}", flush=True)
    if "crowd" in asked.only:
        print(f"\n{await crowd.measured(asked.crowd, server_core, folder)}", flush=True)
    if "start" in asked.only:
        print(f"\n{await starting.measured(asked.starts, server_core, folder)}", flush=True)


async def beside_peers(asked: argparse.Namespace, peers: Peers | None, server_core: int | None, folder: Path) -> None:
    """Let our server and the peers take turns, then print the figures."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(our_server(folder / "beside", server_core))
        tables = asked.tables

        async def ours(label: str, per_client: int) -> Contender:
            load = game_load(server.address, server.pid, tables, label=label, per_client=per_client)
            return Standing(await stack.enter_async_context(load))

        seats = await ours(OURS, 1)
        shared = await ours(f"{OURS}, {tables} tables a stream", tables)
        bare: list[Contender] = []
        kits: list[Contender] = []
        if peers is not None:
            for uvloop in (True, False):
                load = bare_server(peers, uvloop, tables, server_core, folder)
                bare.append(Standing(await stack.enter_async_context(load)))
            kits += found_kits(peers, tables)
        for each in (seats, shared, *bare, *kits):
            await each.round(Pace(), asked.warm, server_core)
        if "flat" in asked.only:
            contenders = [seats, shared, *bare, *kits]
            fast = await turns.take_turns(contenders, Pace(), asked.rounds, asked.seconds, server_core)
            print(f"\n{turns.flat_out_table(fast)}\n\n{turns.game_table(fast[:2])}", flush=True)
            print(f"\n{flat_wants(fast, len(bare))}" if bare else "")
        if "paced" in asked.only:
            syncs: list[float] = []

            def sync() -> None:
                syncs.extend(sync_times(folder, SYNCS))

            pace = Pace.of(asked.rate, tables)
            count = asked.paced_rounds or asked.rounds
            slow = await turns.take_turns([seats, *bare, *kits], pace, count, asked.seconds, server_core, sync)
            print(f"\n{turns.paced_table(slow, syncs, asked.rate)}", flush=True)
            if bare:
                print(f"\n{paced_wants(slow, syncs)}")
    print(f"\n{tables} tables of six seats; {asked.rounds} rounds of about {asked.seconds:g} s, taking turns.")
    print(f"A connection a seat; where tables share a stream, six accounts with one each sit at all {tables} tables.")
    print(
        "A move is an accepted play or pass, done when all six seats hold it. u: moves per server CPU second for each"
    )
    print(
        "thousand kops; a kop is a thousand rounds of a fixed Python loop, timed on the server's core around a round."
    )


def flat_wants(rounds: Sequence[turns.Rounds], bare: int) -> str:
    """Say of the fast rounds what is wanted and what came out; `bare` of the peers, after our two, are bare ones."""
    seats, shared, *others = rounds
    wanted = []
    for number, other in enumerate(others):
        wanted.append((seats, other, 0.8 if number < bare else 1.0 if "boardgame" in other.label else None))
        wanted.append((shared, other, 2.0 if number < bare else None))
    lines = []
    for ours, other, least in wanted:
        if least is not None:
            come = turns.ratio(ours, other, turns.by_cpu)
            lines.append(f"{ours.label} ÷ {other.label}: {come:.2f}, wanted {least:g}: {met(come >= least)}")
    return "\n".join(lines)


def paced_wants(rounds: Sequence[turns.Rounds], syncs: Sequence[float]) -> str:
    """Say of the paced rounds what is wanted and what came out; the second is the bare server."""
    ours, bare = (1000 * each.median(lambda one: one.spread.p50) for each in rounds[:2])
    most = bare + 2000 * quantile(syncs, 0.5)
    return f"p50 of {rounds[0].label}: {ours:.2f} ms, wanted {rounds[1].label} + 2 fdatasync, {most:.2f} ms: " + met(
        ours <= most
    )


def met(so: bool) -> str:
    """Say whether something is as wanted."""
    return "met" if so else "not met"


async def profile(asked: argparse.Namespace, peers: Peers | None, server_core: int | None, folder: Path) -> None:
    """Run our server alone, profiled, and print where its time goes."""
    program = profiling.py_spy(*spy_folders(peers))
    out = folder / PROFILE
    profiler = () if program else ("-m", "cProfile", "-o", str(out))
    with our_server(folder / "profiled", server_core, profiler=profiler) as server:
        load = game_load(server.address, server.pid, asked.tables, label=OURS, per_client=asked.profile_tables)
        async with load as ours:
            await one_round(ours, Pace(), asked.warm, server_core)
            if program:
                await spied(program, ours, asked.seconds, server_core, out)
            else:
                await one_round(ours, Pace(), asked.seconds, server_core)
    if not program:
        print("py-spy is not installed: cProfile of the whole run, its own cost in the figures, follows.")
        print(profiling.summary(*profiling.cprofile_counts(out), 0, 0.0))


def spy_folders(peers: Peers | None) -> list[Path]:
    """Return folders beside PATH where py-spy may be."""
    return [Path(sys.executable).parent, *([peers.python.parent] if peers else [])]


async def spied(program: str, ours: Load, seconds: float, server_core: int | None, out: Path) -> None:
    """Play a round to count, and one under py-spy."""
    before = thread_cpu_seconds(ours.pid)
    done = await one_round(ours, Pace(), seconds, server_core)
    used = thread_cpu_seconds(ours.pid)
    spent = {thread: used[thread] - before.get(thread, 0.0) for thread in used}
    print(f"{done.tally.moves} moves, {done.moves_per_cpu_s:.0f} per server CPU second\n")
    print(profiling.by_thread(spent, done.tally.moves) + "\n")
    spy = profiling.start_py_spy(program, ours.pid, seconds, out)
    await one_round(ours, Pace(), seconds + 0.5, server_core)
    spy.wait(timeout=60)
    main = next(seconds for thread, seconds in spent.items() if thread.startswith(f"{ours.pid} "))
    print("The main thread by py-spy, where it held the interpreter lock (its other time is shared out alike):\n")
    print(profiling.summary(*profiling.folded(out), done.tally.moves, main))


def parts(text: str) -> frozenset[str]:
    """Read a list of parts."""
    named = frozenset(text.split(","))
    if not named <= frozenset(PARTS):
        raise argparse.ArgumentTypeError(f"there are the parts {', '.join(PARTS)}")
    return named


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make bench-server", description=__doc__)
    parser.add_argument("--only", type=parts, default=frozenset(PARTS), help=f"parts, of {','.join(PARTS)}")
    parser.add_argument("--tables", type=int, default=20, help="of the parts flat and paced")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each server and kind")
    parser.add_argument("--paced-rounds", type=int, default=3, help="rounds at a steady rate; 0: as --rounds")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a round")
    parser.add_argument("--warm", type=float, default=2.0, help="seconds of play before the first round")
    parser.add_argument("--rate", type=float, default=200.0, help="moves a second over all tables in the paced rounds")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="where journal and logs go, on a real disk")
    parser.add_argument("--wheel", default=os.environ.get("WHEEL"), help="a compiled wheel for our server to run from")
    parser.add_argument("--profile", action="store_true", help="our server alone, and where its time goes")
    parser.add_argument("--profile-tables", type=int, default=1, help="tables a stream while profiling")
    footprint.add_options(parser)
    crowd.add_options(parser)
    starting.add_options(parser)
    asked = parser.parse_args(argv)
    asked.sizes = footprint.Sizes.of(asked)
    asked.crowd = crowd.Crowd.of(asked)
    asked.starts = starting.Starts.of(asked)
    return asked


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 1 when something that was asked for could not be measured."""
    asked = parsed(argv)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    started = time.monotonic()
    try:
        peers = find_peers()
        print(machine(), flush=True)
        if peers is None:
            print("PEERS is not set: the peers are left out (see docs/benchmarks.md).", flush=True)
        asked.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="bench-", dir=asked.folder) as folder:
            if asked.wheel:
                run_from(Path(asked.wheel), Path(folder, "wheel"))
            print(f"Our server runs from {Path(asked.wheel).name if asked.wheel else 'the sources'}.", flush=True)
            uvloop.run(measure(asked, peers, Path(folder)))
    except (PeersError, ServerError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    print(f"\nDone in {time.monotonic() - started:.0f} s, load average {os.getloadavg()[0]:.1f} at the end.")
    return 0


if __name__ == "__main__":
    if "GRPC_VERBOSITY" not in os.environ:
        # gRPC reads it once, when it is imported; else it tells of every connection that ends with its server.
        os.environ["GRPC_VERBOSITY"] = "NONE"
        os.execv(sys.executable, [sys.executable, "-m", "tests.benchmarks.served", *sys.argv[1:]])  # noqa: S606 - this program again
    sys.exit(main())

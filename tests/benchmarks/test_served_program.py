"""`make bench-server` runs from end to end, for a moment, against our server and stand-ins for the peers."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from grpc_tools import protoc  # type: ignore[import-untyped]

from tests.benchmarks.programs import number, rows, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

TINY = (
    *("--only", "flat,paced", "--tables", "2", "--rounds", "1", "--paced-rounds", "0"),
    *("--seconds", "0.5", "--warm", "0.1", "--rate", "40"),
)
# The protocol that docs/benchmarks.md describes.
PROTO = """
syntax = "proto3";
package bench;
service Table { rpc Sit(stream Move) returns (stream View); }
message Move { uint32 table = 1; uint32 seat = 2; uint32 rank = 3; uint32 k = 4; uint32 seed = 5; }
message View { uint32 n = 1; uint32 turn = 2; repeated uint32 hand = 3; repeated uint32 counts = 4; }
"""
SERVER = """
import asyncio, os
import grpc, table_pb2, table_pb2_grpc

tables = {}

class Service(table_pb2_grpc.TableServicer):
    async def Sit(self, moves, context):
        first = await anext(moves)
        table = tables.setdefault(first.table, {"n": 0, "queues": []})
        queue = asyncio.Queue()
        table["queues"].append(queue)
        queue.put_nowait(0)
        async def read():
            async for move in moves:
                assert move.seat == table["n"] % 6 and 1 <= move.k <= 3
                table["n"] += 1
                for each in table["queues"]:
                    each.put_nowait(table["n"])
        reader = asyncio.create_task(read())
        while True:
            n = await queue.get()
            await context.write(table_pb2.View(n=n, turn=n % 6, hand=[3] * 15, counts=[36] * 6))

async def main():
    server = grpc.aio.server()
    table_pb2_grpc.add_TableServicer_to_server(Service(), server)
    server.add_insecure_port(f"127.0.0.1:{os.environ['PORT']}")
    await server.start()
    await server.wait_for_termination()

asyncio.run(main())
"""


def bare_server(folder: Path) -> None:
    """Put a stand-in for the bare server where PEERS has it."""
    home = folder / "servers" / "grpcaio"
    home.mkdir(parents=True)
    (home / "server.py").write_text(SERVER, encoding="utf-8")
    (home / "table.proto").write_text(PROTO, encoding="utf-8")
    command = ["protoc", f"-I{home}", f"--python_out={home}", f"--grpc_python_out={home}", str(home / "table.proto")]
    assert protoc.main(command) == 0


def test_both_servers_are_measured_in_one_run(tmp_path: Path) -> None:
    """With peers the program plays on both, and prints moves a CPU second, the game's mix and latencies of each."""
    bare_server(tmp_path)
    done = run("served", *TINY, "--folder", str(tmp_path / "data"), PEERS=str(tmp_path), PEERS_PYTHON=sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr
    fast, _, paced = done.stdout.partition("| at 40 moves/s")
    for label in ("gouji", "bare grpc.aio, uvloop", "bare grpc.aio"):
        assert number(rows(fast)[label][3]) > 0  # moves/s; CPU time may be too short to show in its ticks
        moves, p50, p99, worst, _ = rows(paced)[label]
        assert 0 < number(moves) < 80
        assert 0 < number(p50) <= number(p99) <= number(worst)
    assert number(rows(paced)["one fdatasync of a 4 KiB append"][1]) > 0
    for column in (0, 1):  # a connection a seat, tables that share streams
        plays, passes = (number(rows(fast)[name][column]) for name in ("play", "pass"))
        assert number(rows(fast)["moves"][column]) > 0
        assert abs(plays + passes - 1) < 0.001
    assert "gouji ÷ bare grpc.aio: " in fast
    assert "p50 of gouji: " in paced
    assert list((tmp_path / "data").iterdir()) == []


KIT = """#!{python}
import json, os, sys

asked = dict(zip(sys.argv[-2::-2], sys.argv[::-2]))  # the options are pairs at the end
assert os.environ["PEER_PORT"].isdigit() and asked["--repeats"] == "1", asked
phase = asked["--only"].split(",")[-1]
if "colyseus" in sys.argv[1]:
    sys.exit("no room today")
playing = dict(
    moves=int(asked.get("--moves", 0)) * 2, wall_s=4, moves_per_s=100, server_cpu_pct=50, client_cpu_pct=25,
    p50_ms=1.5, p99_ms=2.5, max_ms=9, server_rss_mib=77,
)
print(json.dumps(dict(peer="x", saturate=playing, paced=playing, memory=dict(kib_per_table=321))))
"""


def kit(folder: Path, name: str) -> None:
    """Put a stand-in for a peer with a load of its own where PEERS has it, and one for node in a folder of programs."""
    home = folder / "servers" / name
    home.mkdir(parents=True)
    (home / "load.mjs").touch()
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "node").write_text(KIT.format(python=sys.executable), encoding="utf-8")
    (programs / "node").chmod(0o700)


def beside(folder: Path, peer: str) -> subprocess.CompletedProcess[str]:
    """Measure our server beside the bare one and a peer with a load of its own."""
    bare_server(folder)
    kit(folder, peer)
    path = f"{folder / 'programs'}:{os.environ['PATH']}"
    data = str(folder / "data")
    return run("served", *TINY, "--folder", data, PEERS=str(folder), PEERS_PYTHON=sys.executable, PATH=path)


def test_a_peer_with_its_own_load_takes_its_turns(tmp_path: Path) -> None:
    """The figures that a peer's load prints stand in our tables; peers that the folder lacks are named as left out."""
    done = beside(tmp_path, "boardgameio")
    assert done.returncode == 0, done.stdout + done.stderr
    fast, _, paced = done.stdout.partition("| at 40 moves/s")
    # 100 moves/s for half a second on two tables are 25 moves each; 50 moves in half of four seconds.
    per_cpu_second, _, _, moves_a_second, server_cpu, load_cpu, mib, _, _ = rows(fast)["boardgame.io"]
    assert (number(per_cpu_second), number(moves_a_second), number(mib)) == (25, 12.5, 77)
    assert (number(server_cpu), number(load_cpu)) == (50, 25)
    assert [number(cell) for cell in rows(paced)["boardgame.io"][1:4]] == [1.5, 2.5, 9]
    assert "gouji ÷ boardgame.io: " in fast
    assert "Colyseus, schema is left out" in done.stdout


def test_a_peer_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    """A peer whose load ends with an error fails the run with what it said, not with a traceback."""
    done = beside(tmp_path, "colyseus")
    assert done.returncode == 1
    assert "no room today" in done.stderr
    assert "Traceback" not in done.stderr


def test_memory_and_a_crowd_are_measured(tmp_path: Path) -> None:
    """The parts memory and crowd say what connections and tables cost, and how a crowd on few connections fares."""
    sizes = ("--live-tables", "2", "--idle-tables", "40")
    people = ("--crowd-tables", "4", "--connections", "12", "--gap", "0.2", "--crowd-seconds", "0.5")
    done = run("served", "--only", "memory,crowd", *sizes, *people, "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    found = rows(done.stdout)
    assert number(found["gouji: an idle connection, signed in, with its Play stream"][0]) == 12
    assert number(found["gouji: a table being played and its six connections"][1]) > 0
    assert number(found["seats"][0]) == 24
    assert number(found["connections, each with a Play stream"][0]) == 12
    assert number(found["tables a stream"][0]) == 2
    assert 0 < number(found["moves/s"][0]) < 40
    assert 0 < number(found["p50 ms"][0]) <= number(found["p99 ms"][0])


def test_starts_are_measured(tmp_path: Path) -> None:
    """The part start says how long a start takes on nothing, on matches that a kill cut off, and on sleeping ones."""
    sizes = ("--start-tables", "4", "--start-moves", "3", "--cold-starts", "1")
    done = run("served", "--only", "start", *sizes, "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    starts = {label.split(",")[0]: cells for label, cells in rows(done.stdout).items()}
    assert number(starts["empty"][0]) > 0
    for label in ("4 live tables", "4 sleeping tables"):
        serves, answered = map(number, starts[label][:2])
        assert 0 < serves <= answered  # rounded to three digits
    assert list(tmp_path.iterdir()) == []


def test_without_peers_our_server_is_measured_alone(tmp_path: Path) -> None:
    """Without PEERS the program says that the bare server is left out, and measures ours."""
    done = run("served", *TINY, "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PEERS is not set" in done.stdout
    assert "gouji" in rows(done.stdout)
    assert "bare grpc.aio" not in rows(done.stdout)


def test_a_server_that_does_not_start_is_told_with_its_last_words(tmp_path: Path) -> None:
    """A server that ends at once fails the run with exit status 1 and what it said, not with a traceback."""
    done = run("served", *TINY, "--folder", str(tmp_path), GOUJI_HEARTBEAT_SECONDS="never")
    assert done.returncode == 1
    assert "bench: the server ended with status" in done.stderr
    assert "heartbeat_seconds" in done.stderr
    assert "Traceback" not in done.stderr

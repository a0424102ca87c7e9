"""`make bench` runs from end to end, for a moment, against our server and a stand-in for the bare one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grpc_tools import protoc  # type: ignore[import-untyped]

from tests.benchmarks.programs import number, rows, run

if TYPE_CHECKING:
    from pathlib import Path

TINY = ("--tables", "2", "--rounds", "1", "--seconds", "0.5", "--warm", "0.1", "--rate", "40")
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
    mix = rows(fast)
    assert number(mix["play"][0]) > 0
    assert number(mix["pass"][0]) > 0
    assert list((tmp_path / "data").iterdir()) == []


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

"""The peer of the served game: the same six-seat workload on a plain grpc.aio server without a game.

The server is the folder of peers' own (`servers/grpcaio`): a play of one to three cards of one rank, a view to each of
six seats, no journal, no rules. Here is the load on it, made like the load on our server: a channel and a bidirectional
stream a seat, and the table's next move when all six seats hold the last one.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc  # type: ignore[import-untyped]

from tests.benchmarks.load import Load, Pace, Tally
from tests.benchmarks.peers import Peers, PeersError
from tests.benchmarks.processes import ServerError, free_port, server_process, wait_for_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SEATS = 6
RANKS = 15
CHANNEL_OPTIONS = (("grpc.use_local_subchannel_pool", 1),)  # a connection a channel


def messages(proto: Path) -> tuple[Any, Any]:
    """Return the classes of the peer's `Move` and `View`, made from its proto file and kept out of our stubs' pool."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        if protoc.main(["protoc", f"-I{proto.parent}", f"--descriptor_set_out={out}", str(proto)]) != 0:
            raise PeersError(f"{proto} does not compile")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    move, view = (pool.FindMessageTypeByName(f"bench.{name}") for name in ("Move", "View"))
    return message_factory.GetMessageClass(move), message_factory.GetMessageClass(view)


class BareTable:
    """A table of the peer and its six clients."""

    def __init__(self, number: int, load: BareLoad) -> None:
        self.number = number
        self.load = load
        self.n = -1
        self.holding = 0
        self.views: list[Any] = [None] * SEATS
        self.calls: list[Any] = []
        self.due = 0.0
        self.timer: asyncio.TimerHandle | None = None
        self.sent_at = 0.0
        self.rested = asyncio.Event()

    async def seat(self, channel: grpc.aio.Channel, seat: int) -> None:
        """Sit a client down."""
        move, view = self.load.classes
        method: Any = channel.stream_stream(
            "/bench.Table/Sit", request_serializer=move.SerializeToString, response_deserializer=view.FromString
        )
        call = method()
        self.calls.append(call)
        await call.write(move(table=self.number, seat=seat, seed=self.number))
        self.load.tasks.append(asyncio.create_task(self.read(call, seat)))

    async def read(self, call: Any, seat: int) -> None:
        """Take views until the stream ends."""
        while True:
            view = await call.read()
            if view is grpc.aio.EOF:
                return
            self.views[seat] = view
            if view.n > self.n:
                self.n, self.holding = view.n, 0
                self.load.tally.counts["play"] += view.n > 0
            self.holding += view.n == self.n
            pace = self.load.pace
            if self.holding == SEATS and (pace is None or not pace.at_once):
                await self.step(pace)
            elif pace is not None and pace.at_once and view.turn == seat:
                await self.move(seat)

    async def step(self, pace: Pace | None) -> None:
        """All six hold the view: note how long the move took, make the next one."""
        now = time.perf_counter()
        if self.sent_at:
            self.load.tally.latencies.append(now - self.sent_at)
            self.sent_at = 0.0
        if pace is None:
            self.rested.set()
        elif pace.gap is None:
            await self.move(self.views[0].turn)
        else:
            self.due += pace.gap
            self.wait(self.due - now)

    def wait(self, seconds: float) -> None:
        """Make the next move at the table's next tick."""
        self.timer = asyncio.get_running_loop().call_later(seconds, self.tick)

    def tick(self) -> None:
        """Make the next move now that its time has come."""
        self.timer = None
        self.load.tasks.append(asyncio.create_task(self.move(self.views[0].turn)))

    def stop(self) -> None:
        """Rest, if the table only waits for its time."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.rested.set()

    async def move(self, seat: int) -> None:
        """Play one to three cards of the lowest rank."""
        move, _ = self.load.classes
        hand = self.views[seat].hand
        rank = next(rank for rank in range(RANKS) if hand[rank])
        self.rested.clear()
        self.sent_at = time.perf_counter()
        await self.calls[seat].write(move(table=self.number, seat=seat, rank=rank, k=min(hand[rank], 1 + self.n % 3)))


class BareLoad(Load):
    """Clients at all tables of the peer."""

    def __init__(self, label: str, pid: int, classes: tuple[Any, Any]) -> None:
        self.label = label
        self.pid = pid
        self.classes = classes
        self.tables: list[BareTable] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.pace: Pace | None = None
        self.tally = Tally()

    async def open(self, port: int, tables: int) -> list[grpc.aio.Channel]:
        """Sit six clients down at each table."""
        channels = []
        for number in range(1, tables + 1):
            table = BareTable(number, self)
            self.tables.append(table)
            for seat in range(SEATS):
                channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=CHANNEL_OPTIONS)
                channels.append(channel)
                await table.seat(channel, seat)
        async with asyncio.timeout(30):
            for table in self.tables:
                await table.rested.wait()
        return channels

    async def run(self, pace: Pace) -> None:
        """Begin to play, or go on."""
        self.tally = Tally()
        self.pace = pace
        self.tasks = [task for task in self.tasks if not task.done()]
        now = time.perf_counter()
        for index, table in enumerate(self.tables):
            if pace.gap is None:
                await table.move(table.views[0].turn)
            else:
                offset = pace.gap * index / len(self.tables)
                table.due = now + offset
                table.rested.clear()
                table.wait(offset)

    async def rest(self) -> Tally:
        """Stop asking for more and wait for what is under way."""
        self.pace = None
        for table in self.tables:
            table.stop()
        for table in self.tables:
            await table.rested.wait()
        for task in self.tasks:
            if task.done():
                task.result()
        return self.tally


@asynccontextmanager
async def bare_server(
    peers: Peers, uvloop: bool, tables: int, core: int | None, folder: Path
) -> AsyncIterator[BareLoad]:
    """Run the peer's server with clients at its tables."""
    program, proto = peers.server / "server.py", peers.server / "table.proto"
    peers.need(program, proto, peers.server / "table_pb2.py", peers.server / "table_pb2_grpc.py")
    classes = messages(proto)
    port, log = free_port(), folder / f"bare{int(uvloop)}.log"
    settings = {"PORT": str(port), "UVLOOP": str(int(uvloop))}
    with server_process([str(peers.python), str(program)], core, log, peers.server, settings) as process:
        wait_for_port(process, port, log)
        load = BareLoad(f"bare grpc.aio{', uvloop' if uvloop else ''}", process.pid, classes)
        channels: list[grpc.aio.Channel] = []
        try:
            channels = await load.open(port, tables)
            yield load
        except TimeoutError:
            raise ServerError(f"{load.label}: the tables did not open") from None
        finally:
            for task in load.tasks:
                task.cancel()
            await asyncio.gather(*load.tasks, return_exceptions=True)
            await asyncio.gather(*(channel.close() for channel in channels))

"""How long the server takes to start: empty, after a kill with many tables being played, and with as many asleep."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import grpc

from gouji.table.v1 import table_pb2, table_pb2_grpc
from gouji_server.journal import SqliteJournal
from gouji_server.tables import Limits, SystemClock, SystemEntropy, Tables, WorkerBots
from tests.benchmarks.game_load import game_load, some_at_once
from tests.benchmarks.load import Pace
from tests.benchmarks.our_server import our_server
from tests.benchmarks.processes import ServerError, cpu_seconds, resident_mib
from tests.benchmarks.report import figure, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

PER_CLIENT = 100  # tables a stream while the past is played
OPEN_SECONDS = 300.0
PLAY_SECONDS = 300.0
SUSPEND_SECONDS = 1.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Starts:
    """How many tables, and how many moves each has behind it."""

    tables: int
    moves: int
    cold: int

    @classmethod
    def of(cls, asked: argparse.Namespace) -> Self:
        """Read the options."""
        return cls(asked.start_tables, asked.start_moves, asked.cold_starts)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this part's options."""
    parser.add_argument("--start-tables", type=int, default=1000, help="start: tables in the journal")
    parser.add_argument("--start-moves", type=int, default=30, help="start: moves that each has behind it")
    parser.add_argument("--cold-starts", type=int, default=5, help="start: starts on nothing")


@dataclass(frozen=True)
class Owner:
    """Who may ask about a table."""

    table: str
    metadata: tuple[tuple[str, str], ...]


async def measured(asked: Starts, server_core: int | None, folder: Path) -> str:
    """Start the server in turn on nothing, on live tables, on sleeping ones; return the table of it."""
    rows = [cold_row(asked.cold, server_core, folder)]
    data = folder / "live"
    owners, moves = await played(asked, data, server_core)
    asleep = folder / "asleep"
    shutil.copytree(data, asleep, ignore=shutil.ignore_patterns("*.sock"))
    await put_to_sleep(asleep, owners)
    each = f"{moves / len(owners):.0f} moves each"
    rows.append(await recovery_row(f"{len(owners):,} live tables, {each}", data, owners, server_core))
    rows.append(await recovery_row(f"{len(owners):,} sleeping tables, {each}", asleep, owners, server_core))
    head = ["a start of the server", "serves after s", "all tables answered after s", "CPU s", "MiB"]
    return table(head, rows)


def cold_row(count: int, server_core: int | None, folder: Path) -> list[str]:
    """Start the server on new data directories; return the median's row."""
    times, cpu, mib = [], 0.0, 0.0
    for number in range(count):
        with our_server(folder / f"cold{number}", server_core) as server:
            times.append(server.started_in)
            cpu, mib = cpu_seconds(server.pid), resident_mib(server.pid)
    return [f"empty, median of {count}", figure(statistics.median(times)), "–", figure(cpu), figure(mib)]


async def played(asked: Starts, data: Path, server_core: int | None) -> tuple[list[Owner], int]:
    """Have matches begin and go on for some moves, then kill the server; return the owners and all moves."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(our_server(data, server_core))
        load = await stack.enter_async_context(
            game_load(server.address, server.pid, asked.tables, per_client=PER_CLIENT, open_seconds=OPEN_SECONDS)
        )
        await load.run(Pace())
        async with asyncio.timeout(PLAY_SECONDS):
            while load.tally.moves < asked.tables * asked.moves:
                await asyncio.sleep(LOOK_SECONDS)
                load.check()
        owners = [Owner(each.name, each.clients[0].metadata) for each in load.tables]
        moves = load.tally.moves
        server.process.kill()
    return owners, moves


async def put_to_sleep(data: Path, owners: Sequence[Owner]) -> None:
    """Have the tables' own rule for deserted matches suspend them all: it waits a second here instead of minutes."""
    journal = await SqliteJournal.open(data / "journal.sqlite3")
    entropy = SystemEntropy()
    bots = WorkerBots(entropy)
    limits = Limits(suspend_seconds=SUSPEND_SECONDS)
    tables = Tables(journal, clock=SystemClock(), entropy=entropy, house_bots=bots, limits=limits)

    def awake() -> int:
        listed = [tables.listed(owner.table) for owner in owners]
        return sum(info is None or not info.HasField("suspend_time") for info in listed)

    try:
        await tables.start()
        async with asyncio.timeout(PLAY_SECONDS):
            while awake():  # noqa: ASYNC110 - the tables tell nobody of it
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        raise ServerError(f"{awake()} of {len(owners)} tables were not suspended") from None
    finally:
        await tables.close()
        await bots.close()
        await journal.close()


async def recovery_row(label: str, data: Path, owners: Sequence[Owner], server_core: int | None) -> list[str]:
    """Start the server on a data directory and ask for every table; return the row."""
    with our_server(data, server_core, log=data.with_suffix(".again.log")) as server:
        serving = time.monotonic()
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = table_pb2_grpc.TableServiceStub(channel)

            async def ask(owner: Owner) -> None:
                answer = await stub.GetView(table_pb2.GetViewRequest(table=owner.table), metadata=owner.metadata)
                if not answer.view.HasField("state"):
                    raise ServerError(f"{owner.table} came back without its deal")

            await some_at_once(ask(owner) for owner in owners)
        answered = server.started_in + time.monotonic() - serving
        used, grown = cpu_seconds(server.pid), resident_mib(server.pid)
    return [label, figure(server.started_in), figure(answered), figure(used), figure(grown)]

"""What connections and tables cost in memory: how a fresh server's process grows by many of each."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gouji.lobby.v1 import lobby_pb2, lobby_pb2_grpc
from tests.benchmarks.game_load import SEATS, GameLoad, game_load, some_at_once
from tests.benchmarks.kit_load import BARE_KIT, KITS, found_kits
from tests.benchmarks.load import Pace, one_round
from tests.benchmarks.our_server import our_server
from tests.benchmarks.processes import resident_mib
from tests.benchmarks.report import figure, table

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from tests.benchmarks.game_load import Client
    from tests.benchmarks.peers import Peers

WARM_TABLES = 5
WARM_SECONDS = 2.0
REST_SECONDS = 1.0
PLAY_SECONDS = 0.07  # a table, as fast as they can: some half deal of each


@dataclass(frozen=True)
class Sizes:
    """How many of each."""

    tables: int
    idle: int

    @classmethod
    def of(cls, asked: argparse.Namespace) -> Self:
        """Read the options."""
        return cls(asked.live_tables, asked.idle_tables)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this part's options."""
    parser.add_argument("--live-tables", type=int, default=100, help="memory: tables with six connections each")
    parser.add_argument("--idle-tables", type=int, default=1000, help="memory: tables that wait for players")


async def measured(sizes: Sizes, peers: Peers | None, server_core: int | None, folder: Path) -> str:
    """Measure our server, and the peers' tables with their connections; return the table of it."""
    with our_server(folder / "footprint", server_core) as server:
        async with game_load(server.address, server.pid, WARM_TABLES) as load:
            await one_round(load, Pace(), WARM_SECONDS, server_core)
            rows = await ours(load, sizes, server_core)
    if peers is not None:
        for kit in found_kits(peers, sizes.tables, (BARE_KIT, *KITS)):
            grown = await kit.kib_per_table(sizes.tables, server_core)
            rows.append([f"{kit.label}: a table and its six connections", f"{sizes.tables:,}", figure(grown)])
    return table(["memory of the server's process", "how many", "KiB each"], rows)


async def ours(load: GameLoad, sizes: Sizes, server_core: int | None) -> list[list[str]]:
    """Open connections, then tables that wait, then matches on the connections; return the rows."""
    rows: list[list[str]] = []

    async def row(label: str, count: int, before: float) -> float:
        await asyncio.sleep(REST_SECONDS)
        now = resident_mib(load.pid)
        rows.append([label, f"{count:,}", figure((now - before) * 1024 / count)])
        return now

    connections = sizes.tables * SEATS
    before = resident_mib(load.pid)
    warm = len(load.clients)
    await load.sign_in(connections)
    connected = await row("gouji: an idle connection, signed in, with its Play stream", connections, before)
    await some_at_once(wait_at(load.clients[number % warm], number) for number in range(sizes.idle))
    waiting = await row("gouji: a table that waits for players", sizes.idle, connected)
    spare, load.clients = load.clients[:warm], load.clients[warm:]
    load.tables = []  # those of the warming stand still from now on
    await load.begin(sizes.tables, 1)
    begun = await row("gouji: a match that has just begun, its six connections apart", sizes.tables, waiting)
    await one_round(load, Pace(), math.ceil(PLAY_SECONDS * sizes.tables), server_core)
    playing = await row("gouji: what a match half a deal later takes on top", sizes.tables, begun)
    whole = (connected - before + playing - waiting) * 1024 / sizes.tables
    rows.append(["gouji: a table being played and its six connections", f"{sizes.tables:,}", figure(whole)])
    load.clients += spare
    return rows


async def wait_at(client: Client, number: int) -> None:
    """Make a table and wait there."""
    create = lobby_pb2.CreateTableRequest(request_id=f"idle-{number}")
    await lobby_pb2_grpc.LobbyServiceStub(client.channel).CreateTable(create, metadata=client.metadata)

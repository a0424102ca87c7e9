"""A server for the tests of bots and clients: real gRPC on a loopback port, one table, faults to order.

    from gouji_client.testing import DropStream, FakeServer

    async with FakeServer(seed=7, opponents="simple", faults=[DropStream(at=40)]) as server:
        result = await run_bot(server.address, MyBot(), table=server.table)
    assert result.faults == 0

The rules are the real ones; everything else is kept in memory and as simple as it can be. It is no server to play on:
anybody may sign in, nothing is stored, nothing is limited, no clock runs.
"""

from gouji_client.testing.fake_server import FakeServer
from gouji_client.testing.faults import (
    Busy,
    Delay,
    Drain,
    DropStream,
    Duplicate,
    EndStream,
    Fault,
    GoBack,
    LapseToken,
    LoseResult,
    NewEpoch,
    Resync,
    Skip,
    StaleDecision,
)

__all__ = [
    "Busy",
    "Delay",
    "Drain",
    "DropStream",
    "Duplicate",
    "EndStream",
    "FakeServer",
    "Fault",
    "GoBack",
    "LapseToken",
    "LoseResult",
    "NewEpoch",
    "Resync",
    "Skip",
    "StaleDecision",
]

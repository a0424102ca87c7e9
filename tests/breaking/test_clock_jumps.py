"""The machine's clock set while a server runs: an hour or a day, on or back. Nobody who plays or waits notices."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.session.v1 import session_pb2
from gouji_server.main import Server
from gouji_server.tables import SystemClock
from gouji_server.tables.clock import SLEW
from tests.server.players import HomeBots
from tests.server.raw_client import new_id
from tests.server.raw_seat import begun
from tests.server.running import Running

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = 3600.0
DAY = 24 * HOUR


class Machine:
    """A machine whose wall clock can be set, and whose steady clock cannot."""

    def __init__(self) -> None:
        self.steady = 500.0
        self.set_by = 1_800_000_000.0
        self.clock = SystemClock(lambda: self.steady + self.set_by, lambda: self.steady)


@pytest.mark.parametrize("jump", [HOUR, -HOUR, DAY, -DAY])
def test_time_is_steady_and_comes_round(jump: float) -> None:
    """After the wall clock is set, time goes on from where it was, at most a hundredth faster or slower, and never
    back, until it is the wall clock's."""
    machine = Machine()
    before = machine.clock.now()
    machine.set_by += jump
    assert machine.clock.now() == before
    dice = random.Random(1)
    last = before
    for _ in range(1000):
        passed = dice.choice([0.0, 0.001, 1.0, 20.0])
        machine.steady += passed
        now = machine.clock.now()
        assert passed * (1 - SLEW) - 1e-6 <= now - last <= passed * (1 + SLEW) + 1e-6
        last = now
    machine.steady += 101 * DAY
    assert machine.clock.now() == pytest.approx(machine.steady + machine.set_by, abs=1e-3)


def test_a_jump_is_told_once() -> None:
    """A clock that is set is warned of once for each time; one that drifts as clocks do is not."""
    machine = Machine()
    with capture_logs() as logs:
        for _ in range(100):
            machine.steady += 60
            machine.set_by += 0.05
            machine.clock.now()
        assert logs == []
        machine.set_by += HOUR
        machine.clock.now()
        machine.clock.now()
        machine.set_by -= HOUR
        machine.clock.now()
        machine.set_by -= DAY
        machine.clock.now()
    assert [(line["event"], round(line["seconds"], -2)) for line in logs] == [
        ("clock_jumped", HOUR),
        ("clock_jumped", -DAY),
    ]


@pytest.mark.parametrize("jump", [HOUR, -HOUR, DAY, -DAY])
async def test_nobody_notices(jump: float, start_server: Callable[..., Running]) -> None:
    """Deadlines, tokens, seats that are kept, and tickets are what they were after the clock was set."""
    machine = Machine()
    running = start_server(seat_lease_seconds=60)
    running.server = await Server.start(running.config, clock=machine.clock, house_bots=HomeBots())
    try:
        players = [await running.player(f"p{n}") for n in range(6)]
        seats = await begun(players[0], players, decision_time={"seconds": 20})
        ticketed = await running.player("waiting")
        ticket = (
            await ticketed.call(
                matchmaking_pb2.CreateTicketRequest(request_id=new_id(), rule_sets=["ruleSets/qingdao"])
            )
        ).ticket
        lobby = (await ticketed.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table
        for seat in seats:
            await seat.look()
        asked = next(seat for seat in seats if seat.seen.asked)
        question = asked.seen.state
        assert question is not None
        machine.set_by += jump
        machine.steady += 5
        request = await asked.next_request(await asked.look())
        after = asked.seen.state
        assert after is not None
        assert after.question == question.question
        await asked.client.call(request)
        assert (await ticketed.call(session_pb2.GetAccountRequest(name="accounts/me"))).account.name == ticketed.account
        again = await ticketed.call(matchmaking_pb2.GetTicketRequest(name=ticket.name))
        assert again.ticket.state == ticket.state
        held = (await ticketed.call(lobby_pb2.GetTableRequest(name=lobby.name))).table
        assert held.players[0].account == ticketed.account
        assert (await ticketed.refresh()).access_token
    finally:
        await running.stop()

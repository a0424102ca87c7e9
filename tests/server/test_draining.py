"""Stopping without hurry: nothing new, matches to their end or until patience is over, streams told to come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gouji.admin.v1 import admin_pb2 as pb
from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji_server.admin.draining import NEW, Draining
from tests.leak.every_call import services
from tests.server.admin_client import AdminClient
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import seated
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from typing import Any

    from tests.server.running import Running


class Matches:
    """Matches that a test counts."""

    def __init__(self, count: int) -> None:
        self.count = count

    def matches_of_people(self) -> int:
        """See gouji_server.admin.draining.Matches."""
        return self.count


async def test_it_ends_with_the_last_match() -> None:
    """The server is stopped within a second of the end of the last match, long before patience is over."""
    clock, matches, stopped = VirtualClock(), Matches(2), []
    draining = Draining(clock, matches)
    draining.when_over(lambda: stopped.append(clock.now()))
    start = clock.now()
    await draining.begin(600)
    clock.advance(100)
    matches.count = 1
    clock.advance(100)
    assert not stopped
    matches.count = 0
    clock.advance(2)
    assert 200 <= stopped[0] - start <= 201
    draining.close()


async def test_it_ends_when_patience_is_over_and_patience_can_be_changed() -> None:
    """A second call sets another time; health is told once, before anything is refused."""
    clock, stopped, told = VirtualClock(), [], []
    draining = Draining(clock, Matches(1))

    async def refuse() -> None:
        assert not draining.begun
        told.append(clock.now())

    draining.when_over(lambda: stopped.append(clock.now()))
    draining.when_begun(refuse)
    start = clock.now()
    await draining.begin(600)
    clock.advance(10)
    await draining.begin(20)
    clock.advance(19)
    assert not stopped
    clock.advance(2)
    assert stopped[0] - start == pytest.approx(30)
    assert len(told) == 1
    draining.close()


def test_what_is_new_are_methods_that_exist() -> None:
    """A method that is renamed has to be renamed in the list of what a draining server refuses."""
    assert {method.name for _, method in services()} >= NEW


async def test_a_draining_server_begins_nothing_and_goes_on(running_server: Running) -> None:
    """Health says NOT_SERVING, tables, seats and tickets are refused with a time to come back, and a match goes on."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    table = await seated(owner, players)
    waiting = (await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table.name
    stopped: list[bool] = []
    running_server.server.draining.when_over(lambda: stopped.append(True))
    async with AdminClient(running_server.config.data_dir) as admin:
        request = pb.DrainRequest(reason="update")
        request.patience.FromSeconds(600)
        await admin.call(request)
        how_far = await admin.call(pb.GetDrainRequest())
        assert (how_far.draining, how_far.matches) == (True, 1)
        assert (await admin.call(pb.GetStatusRequest())).draining
    health: Any = health_pb2_grpc.HealthStub(owner.channel)
    served = await health.Check(health_pb2.HealthCheckRequest(service="gouji.table.v1.TableService"))
    assert served.status == health_pb2.HealthCheckResponse.NOT_SERVING
    ticket = matchmaking_pb2.CreateTicketRequest(request_id=new_id(), rule_sets=["ruleSets/qingdao"])
    for new in (
        lobby_pb2.CreateTableRequest(request_id=new_id()),
        lobby_pb2.JoinTableRequest(request_id=new_id(), name=waiting, seat=2),
        ticket,
    ):
        refused = await refusal(players[0].call(new))
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert refused.retry
    stream = players[2].watch(table)
    assert await stream.read()
    stream.cancel()
    assert not stopped


async def test_streams_end_with_a_time_to_come_back(running_server: Running) -> None:
    """When the server stops, who follows a table is told UNAVAILABLE and when to try again, and finds it after it."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    table = await seated(owner, players)
    stream = players[0].watch(table)
    await stream.read()

    async def to_the_end() -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    await running_server.server.stop()
    told = await refusal(to_the_end())
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
    assert told.retry
    await running_server.start()
    again = running_server.client()
    await again.come_back(players[0].account, players[0].device_secret)
    assert (await again.call(lobby_pb2.GetTableRequest(name=table))).table.state == lobby_pb2.TABLE_STATE_PLAYING

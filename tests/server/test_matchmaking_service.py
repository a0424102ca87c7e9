"""MatchmakingService over real connections: parties, tickets, queues, streams, a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2 as pb
from gouji.table.v1 import table_pb2
from tests.server.raw_client import RawClient, new_id, refusal

if TYPE_CHECKING:
    from tests.server.running import Running

CODE = grpc.StatusCode
QINGDAO = "ruleSets/qingdao"


async def queue(client: RawClient, **fields: Any) -> pb.Ticket:
    wanted = {"rule_sets": [QINGDAO]} | fields
    answer: pb.CreateTicketResponse = await client.call(pb.CreateTicketRequest(request_id=new_id(), **wanted))
    return answer.ticket


async def ticket_of(client: RawClient, name: str) -> pb.Ticket:
    answer: pb.GetTicketResponse = await client.call(pb.GetTicketRequest(name=name))
    return answer.ticket


async def called(client: RawClient, name: str) -> pb.Ticket:
    """Ask until the ticket is called: the matchmaker looks in a task of its own."""
    for _ in range(200):
        found = await ticket_of(client, name)
        if found.state != pb.TICKET_STATE_QUEUED:
            return found
    raise AssertionError("never called")


async def test_a_party_of_three_and_three_others_play(running_server: Running) -> None:
    """The party is entered by its code, queued by its leader and sits on one side; all come, and the match begins."""
    people = [await running_server.player(f"p{number}") for number in range(6)]
    party = (await people[0].call(pb.CreatePartyRequest(request_id=new_id()))).party
    for number in (1, 2):
        join = pb.JoinPartyRequest(request_id=new_id(), join_code=party.join_code.lower())
        assert (await people[number].call(join)).party.name == party.name
    full = await refusal(people[3].call(pb.JoinPartyRequest(request_id=new_id(), join_code=party.join_code)))
    assert (full.code, full.reason) == (CODE.FAILED_PRECONDITION, "PARTY_FULL")
    not_leader = pb.CreateTicketRequest(request_id=new_id(), rule_sets=[QINGDAO], party=party.name)
    assert (await refusal(people[1].call(not_leader))).reason == "NOT_LEADER"
    ticket = await queue(people[0], party=party.name)
    assert list(ticket.accounts) == [client.account for client in people[:3]]
    assert (await people[2].call(pb.GetPartyRequest(name=party.name))).party.ticket == ticket.name
    assert (await ticket_of(people[2], ticket.name)).state == pb.TICKET_STATE_QUEUED
    others = [await queue(client) for client in people[3:]]
    told = [await called(people[1], ticket.name)]
    told += [await called(client, one.name) for client, one in zip(people[3:], others, strict=True)]
    assert {one.state for one in told} == {pb.TICKET_STATE_CALLED}
    assert len({one.table for one in told}) == 1
    name = told[0].table
    seats = []
    for client in people:
        joined = await client.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=name))
        seats.append(joined.seat)
        await client.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=name, ready=True))
    assert len({seat % 2 for seat in seats[:3]}) == 1
    view = await people[0].call(table_pb2.GetViewRequest(table=name))
    assert view.view.table_info.state == lobby_pb2.TABLE_STATE_PLAYING
    found = ticket
    for _ in range(200):
        found = await ticket_of(people[0], ticket.name)
        if found.state == pb.TICKET_STATE_MATCHED:
            break
    assert (found.state, found.table) == (pb.TICKET_STATE_MATCHED, name)


async def test_a_watcher_of_a_ticket_is_told_every_change_and_its_end(running_server: Running) -> None:
    """Queued, then cancelled: the stream tells both and ends; another's ticket is not there."""
    owner, other = await running_server.player(), await running_server.player()
    ticket = await queue(owner)
    stub: Any = owner.matchmaking.WatchTicket
    call = stub(pb.WatchTicketRequest(name=ticket.name), metadata=owner.metadata)
    first = await call.read()
    assert (first.ticket.name, first.ticket.state) == (ticket.name, pb.TICKET_STATE_QUEUED)
    cancel = pb.CancelTicketRequest(request_id=new_id(), name=ticket.name)
    assert (await owner.call(cancel)).ticket.state == pb.TICKET_STATE_CANCELLED
    assert (await call.read()).ticket.state == pb.TICKET_STATE_CANCELLED
    assert await call.read() is grpc.aio.EOF
    stub = other.matchmaking.WatchTicket
    for name in (ticket.name, "tickets/none"):
        asked = [
            stub(pb.WatchTicketRequest(name=name), metadata=other.metadata).read(),
            other.call(pb.GetTicketRequest(name=name)),
            other.call(pb.CancelTicketRequest(request_id=new_id(), name=name)),
        ]
        for call in asked:
            assert (await refusal(call)).reason == "TICKET_NOT_FOUND"


async def test_a_ticket_outlives_a_restart(running_server: Running) -> None:
    """It waits on after the server has come back, in its old place, and is called then."""
    owner = await running_server.player()
    request = pb.CreateTicketRequest(
        request_id=new_id(), rule_sets=[QINGDAO], fill_with_bots_after=Duration(seconds=20), region="north"
    )
    ticket = (await owner.call(request)).ticket
    session = owner.session
    await running_server.restart()
    again = running_server.client()
    again.session = session
    kept = await ticket_of(again, ticket.name)
    assert kept == ticket
    assert (await again.call(request)).ticket == ticket
    running_server.clock.advance(21)
    assert (await called(again, ticket.name)).state == pb.TICKET_STATE_CALLED


async def test_queues_tell_few_people_apart_from_nobody_not(running_server: Running) -> None:
    """Below three nothing is counted, so that nobody's waiting can be told from a number."""
    people = [await running_server.player() for _ in range(3)]
    for number, client in enumerate(people):
        queues = {one.rule_set: one for one in (await client.call(pb.GetQueuesRequest())).queues}
        assert not queues[QINGDAO].HasField("people")
        assert not queues[QINGDAO].HasField("expected_wait")
        await queue(client)
        assert number < 3
    queues = {one.rule_set: one for one in (await people[0].call(pb.GetQueuesRequest())).queues}
    assert queues[QINGDAO].people == 3
    assert not queues["ruleSets/shandong"].HasField("people")


async def test_leaving_a_party_cancels_its_ticket(running_server: Running) -> None:
    """A member that goes takes the ticket out of the queue; without the leader the party is no more."""
    leader, member = await running_server.player(), await running_server.player()
    create = pb.CreatePartyRequest(request_id=new_id())
    party = (await leader.call(create)).party
    assert (await leader.call(create)).party == party
    assert (await refusal(leader.call(pb.CreatePartyRequest(request_id=new_id())))).reason == "IN_A_PARTY"
    await member.call(pb.JoinPartyRequest(request_id=new_id(), join_code=party.join_code))
    ticket = await queue(leader, party=party.name)
    late = await running_server.player()
    waits = await refusal(late.call(pb.JoinPartyRequest(request_id=new_id(), join_code=party.join_code)))
    assert waits.reason == "TICKET_WAITS"
    await member.call(pb.LeavePartyRequest(request_id=new_id(), name=party.name))
    assert (await ticket_of(leader, ticket.name)).state == pb.TICKET_STATE_CANCELLED
    await leader.call(pb.LeavePartyRequest(request_id=new_id(), name=party.name))
    gone = pb.GetPartyRequest(name=party.name)
    assert (await refusal(leader.call(gone))).reason == "PARTY_NOT_FOUND"
    wrong = pb.JoinPartyRequest(request_id=new_id(), join_code=party.join_code)
    assert (await refusal(late.call(wrong))).reason == "PARTY_NOT_FOUND"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rule_sets": []}, "rule_sets"),
        ({"rule_sets": ["qingdao"]}, "rule_sets"),
        ({"rule_sets": [QINGDAO, QINGDAO]}, "rule_sets"),
        ({"rule_sets": ["ruleSets/none"]}, "rule_sets"),
        ({"region": "North"}, "region"),
        ({"window_start": 5.0, "window_most": 1.0}, "window_most"),
        ({"window_start": float("nan"), "window_most": 9.0}, "window_most"),
        ({"window_step": -1.0}, "window_most"),
        ({"fill_with_bots_after": Duration(seconds=1801)}, "fill_with_bots_after"),
    ],
)
async def test_what_no_ticket_can_ask_for_is_named(running_server: Running, fields: dict[str, Any], field: str) -> None:
    """Each field of bad shape is named, and nobody is queued."""
    client = await running_server.player()
    wanted = {"rule_sets": [QINGDAO]} | fields
    failed = await refusal(client.call(pb.CreateTicketRequest(request_id=new_id(), **wanted)))
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, (field,))
    await queue(client)

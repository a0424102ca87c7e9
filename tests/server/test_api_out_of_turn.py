"""Over real connections: opposites chosen, counts asked for, hands felt, matches ended by agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import table_pb2
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import Seat, begun

if TYPE_CHECKING:
    from tests.server.running import Running

CODE = grpc.StatusCode
NOWHERE = "tables/aaaaaaaaaaaaaaaa"
EVERYTHING = [
    rules_pb2.OptionSetting(field="report", value="asked"),
    rules_pb2.OptionSetting(field="feel_chances", value="3"),
    rules_pb2.OptionSetting(field="seating", value="draw"),
]


async def six(running: Running) -> tuple[RawClient, list[Seat]]:
    """Begin a match whose seats were drawn; return a stranger and the seats by who made them, not by number."""
    stranger = await running.player("stranger")
    players = [await running.player(f"p{number}") for number in range(6)]
    return stranger, await begun(stranger, players, options=EVERYTHING)


async def number_of(seat: Seat) -> int:
    """Return where a player sits, as its own view says."""
    answer: table_pb2.GetViewResponse = await seat.client.call(table_pb2.GetViewRequest(table=seat.table))
    return answer.view.seat.seat


async def test_what_is_said_out_of_turn_is_answered_once(running_server: Running) -> None:
    """Each call answers with the table's version; the same id gets the same answer, another body is refused."""
    _, seats = await six(running_server)
    one, other = seats[0], await number_of(seats[1])
    asked = table_pb2.AskCountRequest(request_id="ask", table=one.table, seat=other)
    felt = table_pb2.FeelRequest(request_id="feel", table=one.table)
    vote = table_pb2.VoteDissolutionRequest(request_id="vote", table=one.table, agrees=True)
    versions = []
    for request in (asked, felt, vote):
        answer: Any = await one.client.call(request)
        assert answer == await one.client.call(request)
        versions.append(answer.version)
    assert versions == list(range(versions[0], versions[0] + 3))
    (hand,) = (await one.client.call(table_pb2.GetViewRequest(table=one.table))).view.seat.felt
    assert (hand.least, hand.most) == (31, 36)
    for changed in (
        table_pb2.AskCountRequest(request_id="ask", table=one.table, seat=(other + 1) % 6),
        table_pb2.VoteDissolutionRequest(request_id="vote", table=one.table, agrees=False),
    ):
        refused = await refusal(one.client.call(changed))
        assert refused.reason == "REQUEST_ID_USED"


async def test_who_has_no_seat_says_nothing(running_server: Running) -> None:
    """A stranger is PERMISSION_DENIED whatever it says, before anything of it is looked at but its shape; and a table
    that does not exist is NOT_FOUND for everyone."""
    stranger, seats = await six(running_server)
    for table, code, reason in (
        (seats[0].table, CODE.PERMISSION_DENIED, "NOT_SEATED"),
        (NOWHERE, CODE.NOT_FOUND, "TABLE_NOT_FOUND"),
    ):
        for request in (
            table_pb2.AskCountRequest(request_id=new_id(), table=table, seat=2),
            table_pb2.FeelRequest(request_id=new_id(), table=table),
            table_pb2.VoteDissolutionRequest(request_id=new_id(), table=table, agrees=True),
        ):
            refused = await refusal(stranger.call(request))
            assert (refused.code, refused.reason) == (code, reason)


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (table_pb2.AskCountRequest(table=NOWHERE), ["request_id"]),
        (table_pb2.AskCountRequest(request_id="a", table="x", seat=6), ["table", "seat"]),
        (table_pb2.FeelRequest(table="x"), ["request_id", "table"]),
        (table_pb2.VoteDissolutionRequest(request_id=" ", table=NOWHERE), ["request_id"]),
        (lobby_pb2.ChooseOppositeRequest(request_id="a", name="x", seat=-1), ["name", "seat"]),
    ],
)
async def test_bad_shapes_are_named(running_server: Running, request_: Any, fields: list[str]) -> None:
    """All bad fields are named at once."""
    client = await running_server.player()
    refused = await refusal(client.call(request_))
    assert refused.code is CODE.INVALID_ARGUMENT
    assert list(refused.fields) == fields


async def test_an_opposite_is_chosen(running_server: Running) -> None:
    """The answer has the table as it is then and the caller's seat; a refusal names the rule."""
    one, two, three = [await running_server.player(f"p{number}") for number in range(3)]
    made = await one.call(
        lobby_pb2.CreateTableRequest(
            request_id=new_id(), options=[rules_pb2.OptionSetting(field="seating", value="choose_opposite")]
        )
    )
    name = made.table.name
    for client in (two, three):
        await client.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=name))
    answer = await three.call(lobby_pb2.ChooseOppositeRequest(request_id=new_id(), name=name, seat=0))
    assert (answer.seat, answer.table.players[3].account) == (3, three.account)
    assert [player.seat for player in answer.table.players if player.opposite_chosen] == [0, 3]
    refused = await refusal(two.call(lobby_pb2.ChooseOppositeRequest(request_id=new_id(), name=name, seat=0)))
    assert (refused.code, refused.reason, refused.metadata["rule"]) == (
        CODE.FAILED_PRECONDITION,
        "OPPOSITE_TAKEN",
        "R9",
    )

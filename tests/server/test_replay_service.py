"""ReplayService over real connections: who may see which matches, lists, records, streams and how these end."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from gouji.lobby.v1 import lobby_pb2
from gouji.replay.v1 import replay_pb2 as pb
from gouji.session.v1 import session_pb2
from gouji.table.v1 import table_pb2
from gouji_rules.records import check_record
from gouji_server.api.replay import REPLAY_BURST, REPLAYS_PER_MINUTE
from gouji_server.tables.refusals import stopping
from tests.server.message_strategies import ODD_LONGS, ODD_NUMBERS, ODD_TEXTS
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import play_match

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from tests.server.raw_client import RawClient
    from tests.server.running import Running

CODE = grpc.StatusCode


async def ended(owner: RawClient, **options: Any) -> str:
    """Begin a match with five built-in bots and end it by agreement; return the table's name."""
    table: str = (await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), **options))).table.name
    for _ in range(5):
        await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=table))
    await owner.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=table, ready=True))
    await owner.call(table_pb2.VoteDissolutionRequest(request_id=new_id(), table=table, agrees=True))
    return table


async def kept(client: RawClient, table: str) -> pb.Match:
    """Return the match played at a table, once it is told."""
    while not (found := await listed(client, table=table)):
        pass
    return found[0]


async def listed(client: RawClient, **filters: Any) -> list[pb.Match]:
    """Return all matches of a list, page by page."""
    request = pb.ListMatchesRequest(**filters)
    found: list[pb.Match] = []
    while True:
        answer = await client.call(request)
        found += answer.matches
        if not answer.next_page_token:
            return found
        request.page_token = answer.next_page_token


async def steps_of(stream: Any) -> list[pb.ReplayStep]:
    return [step async for message in stream for step in message.steps]


async def test_a_match_played_is_told_whole(running_server: Running) -> None:
    """After its end a match has a record that holds, and a replay that ends with the table's last event."""
    players = [await running_server.player(f"p{number}") for number in range(6)]
    stranger = await running_server.player("stranger")
    seats = await play_match(stranger, players)
    match = await kept(players[0], seats[0].table)
    full = (await players[0].call(pb.GetMatchRequest(name=match.name))).match
    assert len(full.deal_results) == full.deals_begun
    assert not match.deal_results
    assert [player.account for player in full.players] == [player.account for player in players]
    record = (await players[0].call(pb.GetMatchRecordRequest(name=match.name))).record
    assert check_record(record) == []
    for client in (players[3], stranger):  # the table could be watched
        steps = await steps_of(client.replay(match.name))
        assert steps[-1].step == match.steps
        assert steps[-1].update.events[-1].HasField("table_closed")
        assert [step.step for step in steps] == sorted({step.step for step in steps})


async def test_a_match_of_a_closed_table_exists_for_its_players_alone(running_server: Running) -> None:
    """Where nobody might watch, a stranger is answered, by every method, as for a name that was made up."""
    owner, stranger = await running_server.player("owner"), await running_server.player("stranger")
    table = await ended(owner, no_spectators=True)
    match = await kept(owner, table)
    assert not match.open_to_all
    for filters in ({}, {"table": table}, {"player": owner.account}, {"rule_set": match.rule_set}):
        assert await listed(stranger, **filters) == []
        assert [found.name for found in await listed(owner, **filters)] == [match.name]
    made_up = f"matches/{'a' * len(match.name.removeprefix('matches/'))}"

    def questions(name: str) -> list[Any]:
        return [
            *(stranger.call(kind(name=name)) for kind in (pb.GetMatchRequest, pb.GetMatchRecordRequest)),
            *(steps_of(stranger.replay(name, perspective=eyes)) for eyes in (0, 1, 2, 3)),
        ]

    told = [await refusal(question) for question in questions(match.name)]
    assert told == [await refusal(question) for question in questions(made_up)]
    assert {(one.code, one.reason) for one in told} == {(CODE.NOT_FOUND, "MATCH_NOT_FOUND")}
    assert await steps_of(owner.replay(match.name))


async def test_a_running_match_is_told_to_nobody(running_server: Running) -> None:
    """While it is played there is nothing of it here, not even for its players."""
    owner = await running_server.player("owner")
    table: str = (await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table.name
    for _ in range(5):
        await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=table))
    await owner.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=table, ready=True))
    other = await ended(owner)
    await kept(owner, other)
    assert [match.table for match in await listed(owner)] == [other]
    name = table.replace("tables/", "matches/")
    assert (await refusal(owner.call(pb.GetMatchRequest(name=name)))).reason == "MATCH_NOT_FOUND"


async def test_names_of_matches_cannot_be_guessed(running_server: Running) -> None:
    """A name has 160 bits that follow from nothing: neither from its table nor from the name before."""
    owner = await running_server.player("owner")
    names = [(await kept(owner, await ended(owner))).name.removeprefix("matches/") for _ in range(3)]
    assert all(len(name) == 32 for name in names)
    assert len(set(names)) == 3
    assert len({name[:4] for name in names}) == 3


async def test_lists_are_filtered_and_come_in_pages(running_server: Running) -> None:
    """Every filter leaves what it says, pages join to the whole, the last finished first."""
    one, two = await running_server.player("one"), await running_server.player("two")
    tables = []
    for number in range(6):
        owner = one if number % 2 else two
        rule_set = "ruleSets/qingdao" if number < 3 else "ruleSets/shandong"
        tables.append(await ended(owner, rule_set=rule_set))
        await kept(owner, tables[-1])
        running_server.clock.advance(60)
    whole = await listed(one)
    assert [match.table for match in whole] == tables[::-1]
    assert await listed(one, page_size=1) == await listed(one, page_size=4) == whole
    assert await listed(two, player=one.account, page_size=2) == whole[0::2]
    assert await listed(one, rule_set="ruleSets/qingdao") == whole[3:]
    assert await listed(one, rule_set="ruleSets/qingdao", player=two.account) == whole[3::2]
    assert await listed(one, ended_from=whole[2].end_time) == whole[:3]
    assert await listed(one, ended_before=whole[2].end_time, player=two.account) == [whole[3], whole[5]]
    assert await listed(one, table=tables[4]) == [whole[1]]
    assert await listed(one, player="accounts/nobody") == []


async def test_a_page_token_is_good_for_its_own_question_alone(running_server: Running) -> None:
    """With other filters, or from another account, it is refused."""
    one, two = await running_server.player("one"), await running_server.player("two")
    for _ in range(2):
        await kept(one, await ended(one))
    token = (await one.call(pb.ListMatchesRequest(page_size=1))).next_page_token
    assert (await one.call(pb.ListMatchesRequest(page_size=1, page_token=token))).matches
    for client, request in (
        (two, pb.ListMatchesRequest(page_token=token)),
        (one, pb.ListMatchesRequest(page_token=token, player=one.account)),
        (one, pb.ListMatchesRequest(page_token=token, ended_from=Timestamp(seconds=1))),
        (one, pb.ListMatchesRequest(page_token=token[:-1])),
    ):
        assert (await refusal(client.call(request))).fields == ("page_token",)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.ListMatchesRequest(page_size=101), "page_size"),
        (pb.ListMatchesRequest(player="x"), "player"),
        (pb.ListMatchesRequest(rule_set="x"), "rule_set"),
        (pb.ListMatchesRequest(table="matches/x"), "table"),
        (pb.ListMatchesRequest(ended_from=Timestamp(seconds=2**62)), "ended_from"),
        (pb.ListMatchesRequest(ended_before=Timestamp(nanos=-1)), "ended_before"),
        (pb.GetMatchRequest(name="tables/x"), "name"),
        (pb.GetMatchRecordRequest(), "name"),
    ],
)
async def test_what_is_asked_badly_is_named(running_server: Running, request_: Message, field: str) -> None:
    """A field that is not as it should be is INVALID_ARGUMENT and named."""
    client = await running_server.player()
    refused = await refusal(client.call(request_))
    assert (refused.code, refused.fields) == (CODE.INVALID_ARGUMENT, (field,))


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"seat": 1}, "seat"),
        ({"perspective": pb.PERSPECTIVE_SEAT, "seat": 6}, "seat"),
        ({"perspective": 9}, "perspective"),
        ({"first_step": -1}, "first_step"),
        ({"first_step": 2, "last_step": 1}, "last_step"),
    ],
)
async def test_a_replay_asked_for_badly_is_refused(running_server: Running, wanted: Any, field: str) -> None:
    """So is a field of a stream's request."""
    client = await running_server.player()
    refused = await refusal(steps_of(client.replay("matches/x", **wanted)))
    assert (refused.code, refused.fields) == (CODE.INVALID_ARGUMENT, (field,))


async def test_nobody_unknown_is_told_anything(running_server: Running) -> None:
    """Without an access token every method is UNAUTHENTICATED, before anything else is looked at."""
    client = running_server.client()
    calls = [client.call(kind()) for kind in (pb.ListMatchesRequest, pb.GetMatchRequest, pb.GetMatchRecordRequest)]
    for call in (*calls, steps_of(client.replay("x"))):
        assert (await refusal(call)).code is CODE.UNAUTHENTICATED


async def test_a_replay_counts_as_a_stream(start_server: Callable[..., Running]) -> None:
    """One more than an account may have open is refused; a replay read to its end makes room."""
    async with start_server(max_streams_per_account=1) as running:
        owner = await running.player("owner")
        match = await kept(owner, await ended(owner))
        watch = owner.watch((await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table.name)
        await watch.read()
        assert (await refusal(steps_of(owner.replay(match.name)))).reason == "TOO_MANY_STREAMS"
        watch.cancel()
        while True:
            try:
                assert await steps_of(owner.replay(match.name))
                break
            except grpc.aio.AioRpcError:
                continue
        assert await steps_of(owner.replay(match.name))


@pytest.mark.parametrize("how", ["lapse", "sign out", "stop"])
async def test_a_replay_that_waits_for_its_reader_ends_with_its_session(running_server: Running, how: str) -> None:
    """A reader that takes nothing is let go when its token lapses, its session ends, or the server stops."""
    players = [await running_server.player(f"p{number}") for number in range(6)]
    seats = await play_match(players[0], players, deals=4)  # more than gRPC takes up at once
    match = await kept(players[0], seats[0].table)
    client = await running_server.player("reader")
    messages = aiter(client.replay(match.name))
    assert (await anext(messages)).steps
    if how == "lapse":
        running_server.clock.advance(running_server.config.access_token_seconds + 1)
    elif how == "sign out":
        token = client.session.refresh_token
        await client.call(session_pb2.SignOutRequest(refresh_token=token))
    else:
        running_server.server._streams.end_all(stopping)
    refused = await refusal(steps_of(messages))
    assert refused.code is (CODE.UNAVAILABLE if how == "stop" else CODE.UNAUTHENTICATED)


async def test_odd_requests_break_nothing(start_server: Callable[..., Running]) -> None:
    """Whatever numbers and texts a replay is asked for with, it is refused in words or told."""
    async with start_server(call_limit_factor=0, join_code_burst=1000) as running:
        await _ask_oddly(await running.player("owner"))


async def _ask_oddly(owner: RawClient) -> None:
    match = await kept(owner, await ended(owner))
    dice = random.Random(8)
    for _ in range(300):
        request: dict[str, Any] = {
            "match": dice.choice([match.name, *ODD_TEXTS]),
            "perspective": dice.choice([0, 1, 2, 3, 3, *ODD_NUMBERS]),
            "seat": dice.choice([0, 1, *ODD_NUMBERS]),
            "first_step": dice.choice([0, 1, 3, *ODD_LONGS]),
            "last_step": dice.choice([0, 0, 5, *ODD_LONGS]),
            "share_link": dice.choice(["", *ODD_TEXTS]),
        }
        code = CODE.OK
        try:
            assert await steps_of(owner.replay(**request))
        except grpc.aio.AioRpcError as error:
            code = error.code()
        assert code in (CODE.OK, CODE.INVALID_ARGUMENT, CODE.NOT_FOUND), request


async def test_reading_out_is_slowed_down(running_server: Running) -> None:
    """Replays and records together, of matches that are there or not, count for the account that asks alone."""
    owner, other = await running_server.player(), await running_server.player()
    match = await kept(owner, await ended(owner))

    async def watch(client: RawClient, name: str = match.name) -> None:
        await steps_of(client.replay(name))

    for _ in range(REPLAY_BURST // 2 - 1):
        await watch(owner)
        await owner.call(pb.GetMatchRecordRequest(name=match.name))
    for _ in range(2):
        assert (await refusal(watch(owner, "matches/none"))).reason == "MATCH_NOT_FOUND"
    for call in (watch(owner), owner.call(pb.GetMatchRecordRequest(name=match.name))):
        failed = await refusal(call)
        assert (failed.code, failed.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_REPLAYS")
        assert failed.retry
    await watch(other)
    running_server.clock.advance(60 / REPLAYS_PER_MINUTE)
    await watch(owner)
    assert (await refusal(watch(owner))).reason == "TOO_MANY_REPLAYS"

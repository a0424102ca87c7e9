"""Whatever is sent, the answer is planned: no fault, no unknown error, and what is refused changes nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given
from hypothesis import strategies as st

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.replay.v1 import replay_pb2
from gouji.rules.v1 import rules_pb2
from gouji.session.v1 import session_pb2
from gouji.sharing.v1 import sharing_pb2
from gouji.table.v1 import table_pb2
from tests.server.conftest import settings
from tests.server.message_strategies import ODD_TEXTS, broken, messages
from tests.server.raw_client import SERVICES, RawClient, new_id
from tests.server.raw_seat import Seat, begun
from tests.server.running import Running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

STREAMS = {"Play", "WatchTable", "WatchTables", "WatchTicket", "WatchReplay"}
UNARY = [
    (service, method.name, GetMessageClass(method.input_type))
    for service, (module, full) in SERVICES.items()
    for method in module.DESCRIPTOR.services_by_name[service].methods
    if method.name not in STREAMS
]
EVERYTHING = [
    rules_pb2.OptionSetting(field="report", value="asked"),
    rules_pb2.OptionSetting(field="feel_chances", value="3"),
]
"""A table at which nothing that can be said out of turn is against the rules."""
ENDS_SESSIONS = {"DeleteAccount", "RevokeSession", "SignOutEverywhere"}
"""Methods that may end the session of whoever calls them: guests call these who are needed for nothing else."""
UNPLANNED = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
BAD_CODES = {code.value[0] for code in UNPLANNED}


class Target:
    """A server with a running match, a seat at it and a stranger, in an event loop of its own."""

    def __init__(self, runner: asyncio.Runner, running: Running) -> None:
        self.runner = runner
        self.running = running
        self.seats: list[Seat] = []
        self.stranger: RawClient

    async def start(self) -> None:
        await self.running.start()
        players = [await self.running.player(f"p{n}") for n in range(6)]
        self.stranger = await self.running.player("stranger")
        self.seats = await begun(self.stranger, players, options=EVERYTHING)

    @property
    def table(self) -> str:
        return self.seats[0].table

    @property
    def texts(self) -> list[str]:
        """Strings that mean something to this server."""
        return [*ODD_TEXTS, self.table, self.stranger.account, self.stranger.session.access_token]

    def run(self, work: Awaitable[Any]) -> Any:
        async def waited() -> Any:
            return await work

        return self.runner.run(waited())

    def code_of(self, work: Awaitable[Any]) -> grpc.StatusCode:
        """Return how a call ends."""
        try:
            self.run(work)
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    async def views(self) -> list[bytes]:
        """Everything that can be seen at the table, by every seat and a stranger."""
        request = table_pb2.GetViewRequest(table=self.table)
        clients = [*(seat.client for seat in self.seats), self.stranger]
        return [(await client.call(request)).SerializeToString(deterministic=True) for client in clients]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Start a server for all examples of the module."""
    config = settings(
        tmp_path_factory.mktemp("fuzz"),
        sign_in_burst=10**6,
        max_tables_per_account=10**6,
        max_streams_per_account=100,
        call_limit_factor=0,
    )
    with asyncio.Runner() as runner:
        target = Target(runner, Running(config))
        target.run(target.start())
        yield target
        target.run(target.running.stop())


def raws(kind: type[Message], texts: list[str]) -> st.SearchStrategy[bytes]:
    """Bytes sent for a message of a kind: odd messages, broken ones, and noise."""
    odd = messages(kind, texts).map(lambda message: message.SerializeToString())
    return st.one_of(odd, odd.flatmap(broken), st.binary(max_size=200))


@given(data=st.data())
def test_unary_methods_answer_anything(target: Target, data: st.DataObject) -> None:
    """No bytes sent to a unary method make it fail in an unplanned way, and a refused call changes no view."""
    service, method, kind = data.draw(st.sampled_from(UNARY))
    raw = data.draw(raws(kind, target.texts))
    sender = data.draw(st.sampled_from([*(seat.client for seat in target.seats), target.stranger, None]))
    if method in ENDS_SESSIONS and sender is not None:
        sender = target.run(target.running.player())
    metadata = () if sender is None else sender.metadata
    before = target.run(target.views())
    code = target.code_of(target.stranger.send(service, method, raw, metadata))
    assert code not in UNPLANNED, (method, raw)
    if code is not grpc.StatusCode.OK:
        assert target.run(target.views()) == before


@given(data=st.data())
def test_watching_answers_anything(target: Target, data: st.DataObject) -> None:
    """No bytes sent to WatchTable make it fail in an unplanned way."""
    raw = data.draw(raws(table_pb2.WatchTableRequest, target.texts))

    async def watch() -> None:
        method: Any = target.stranger.channel.unary_stream("/gouji.table.v1.TableService/WatchTable")
        call = method(raw, metadata=target.stranger.metadata)
        try:
            assert await call.read()
        finally:
            call.cancel()

    assert target.code_of(watch()) not in UNPLANNED, raw


@given(data=st.data())
def test_a_play_stream_answers_anything(target: Target, data: st.DataObject) -> None:
    """Each message on a Play stream gets one result, none of them unplanned, and the stream is good afterwards."""
    raw = data.draw(st.lists(raws(table_pb2.PlayRequest, target.texts), min_size=1, max_size=5))
    sender = data.draw(st.sampled_from([target.seats[0].client, target.stranger]))

    async def play() -> list[table_pb2.CommandResult]:
        call: Any = sender.channel.stream_stream(
            "/gouji.table.v1.TableService/Play", response_deserializer=table_pb2.PlayResponse.FromString
        )(metadata=sender.metadata)
        last = table_pb2.PlayRequest(unsubscribe=table_pb2.Unsubscribe(request_id="last", table=target.table))
        for message in (*raw, last.SerializeToString()):
            await call.write(message)
        results: list[table_pb2.CommandResult] = []
        while len(results) <= len(raw):
            results += (await call.read()).results
        call.cancel()
        return results

    results = target.run(play())
    assert len(results) == len(raw) + 1
    assert [result.HasField("error") for result in results if result.request_id == "last"][-1:] == [False]
    assert not BAD_CODES & {result.error.code for result in results}, (raw, results)


@given(action=messages(table_pb2.Action, ODD_TEXTS), expected=st.sampled_from([None, -1, 0, -(2**63), 2**63 - 1]))
def test_a_seat_may_answer_its_question_with_anything(
    target: Target, action: table_pb2.Action, expected: int | None
) -> None:
    """No action to an open question fails in an unplanned way: it is judged, checked and carried out or refused."""
    view = target.run(target.seats[0].look())
    seat = target.seats[view.state.question.seats[0]]
    request = table_pb2.SubmitActionRequest(
        request_id=new_id(),
        table=target.table,
        decision=view.state.question.decision,
        action=action,
        expected_version=expected,
    )
    checked = target.code_of(seat.client.call(table_pb2.CheckPlayRequest(table=target.table, action=action)))
    assert checked not in UNPLANNED, action
    assert target.code_of(seat.client.call(request)) not in UNPLANNED, action
    assert target.run(target.seats[0].look()).info.state == lobby_pb2.TABLE_STATE_PLAYING


@pytest.mark.parametrize(
    ("service", "method"),
    [("SessionService", "SignIn"), ("LobbyService", "CreateTable"), ("TableService", "SubmitAction")],
)
def test_a_message_too_large_is_refused(target: Target, service: str, method: str) -> None:
    """A message past the size limit is RESOURCE_EXHAUSTED and is not read."""
    large = bytes(target.running.config.max_request_bytes + 1)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        target.run(target.stranger.send(service, method, large, target.stranger.metadata))
    assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_the_kinds_are_those_of_the_services() -> None:
    """The methods that are fuzzed are all there are."""
    assert {method for _, method, _ in UNARY} | STREAMS == {
        method.name
        for module in (session_pb2, lobby_pb2, table_pb2, replay_pb2, matchmaking_pb2, sharing_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }

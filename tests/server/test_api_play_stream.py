"""The Play stream: every command gets one result, and the stream ends when it should and not before."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import state_pb2, table_pb2
from gouji_server.accounts import Identity
from gouji_server.accounts.revocations import Revocations
from gouji_server.api.calls import Call
from gouji_server.api.join_codes import CodeTries
from gouji_server.api.limits import CallLimits
from gouji_server.api.pages import Pages
from gouji_server.api.play import PlayStream as ServedStream
from gouji_server.api.streams import LINGER_SECONDS, Stream, Streams
from gouji_server.api.table import TableRoom
from gouji_server.config import Config
from gouji_server.metrics import Metrics
from gouji_server.tables import Caller, Limits, Outbox
from tests.server.players import House, at_home
from tests.server.raw_client import RawClient, Refusal, new_id, refusal
from tests.server.raw_seat import PlayStream, action, seated
from tests.server.table_time import settle
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.server.running import Running

CODE = grpc.StatusCode
NOWHERE = "tables/aaaaaaaaaaaaaaaa"


async def ended(stream: PlayStream) -> Refusal:
    """Read to the end of a stream that fails."""

    async def read_on() -> None:
        await stream.end()

    return await refusal(read_on())


async def send_raw(client: RawClient, *messages: bytes) -> Any:
    """Open a Play stream of bytes and write messages."""
    call: Any = client.channel.stream_stream(
        "/gouji.table.v1.TableService/Play", response_deserializer=table_pb2.PlayResponse.FromString
    )(metadata=client.metadata)
    for message in messages:
        await call.write(message)
    return call


@pytest.mark.parametrize("garbage", [b"\xff", b"\x0a\x05abc", b"\x00", b"garbage" * 100], ids=repr)
async def test_garbage_gets_a_result_and_the_stream_goes_on(running_server: Running, garbage: bytes) -> None:
    """A message that is none is answered by a result without an id, and the next command is carried out."""
    client = await running_server.player()
    table = await seated(client, [])
    good = table_pb2.PlayRequest(subscribe=table_pb2.Subscribe(request_id="good", table=table))
    call = await send_raw(client, garbage, good.SerializeToString())
    results = list((await call.read()).results)
    while len(results) < 2:
        results += (await call.read()).results
    assert (results[0].request_id, results[0].error.code) == ("", CODE.INVALID_ARGUMENT.value[0])
    assert results[0].error.reason == "MALFORMED_MESSAGE"
    assert (results[1].request_id, results[1].HasField("error")) == ("good", False)
    call.cancel()


def named(**fields: Any) -> dict[str, Any]:
    """Make one command from its name and message."""
    return fields


@pytest.mark.parametrize(
    ("command", "code", "field"),
    [
        (named(), CODE.INVALID_ARGUMENT, "command"),
        (named(subscribe=table_pb2.Subscribe(table=NOWHERE)), CODE.INVALID_ARGUMENT, "request_id"),
        (named(subscribe=table_pb2.Subscribe(request_id="r", table="x")), CODE.INVALID_ARGUMENT, "table"),
        (named(subscribe=table_pb2.Subscribe(request_id="r", table=NOWHERE)), CODE.NOT_FOUND, ""),
        (named(unsubscribe=table_pb2.Unsubscribe(request_id="r")), CODE.INVALID_ARGUMENT, "table"),
        (named(unsubscribe=table_pb2.Unsubscribe(request_id="r", table=NOWHERE)), CODE.NOT_FOUND, ""),
        (named(act=table_pb2.SubmitActionRequest(request_id="r", table=NOWHERE)), CODE.NOT_FOUND, ""),
        (named(act=table_pb2.SubmitActionRequest(request_id="r")), CODE.NOT_FOUND, ""),
        (named(renew=table_pb2.RenewToken(request_id="r")), CODE.UNAUTHENTICATED, ""),
        (named(renew=table_pb2.RenewToken(request_id="?", access_token="x")), CODE.INVALID_ARGUMENT, "request_id"),
    ],
    ids=repr,
)
async def test_bad_commands_get_a_result(
    running_server: Running, command: dict[str, Any], code: grpc.StatusCode, field: str
) -> None:
    """A command that cannot be carried out gets one result saying why, and the stream goes on."""
    client = await running_server.player()
    stream = PlayStream(client)
    await stream.send(**command)
    while not stream.results and not stream.unnamed:
        await stream.read()
    (result,) = [*stream.results.values(), *stream.unnamed]
    assert (result.error.code, result.version) == (code.value[0], 0)
    assert result.error.text.en
    assert result.error.text.zh
    if field:
        assert field in result.error.text.en
    assert not (await stream.subscribe(await seated(client, []))).HasField("error")


async def test_a_long_request_id_is_not_sent_back_whole(running_server: Running) -> None:
    """A request id of any length gets its result, cut short: an answer is not as large as one likes."""
    stream = PlayStream(await running_server.player())
    await stream.send(act=table_pb2.SubmitActionRequest(request_id="x" * 10_000, table=NOWHERE))
    await stream.read()
    assert list(stream.results) == ["x" * 64]


async def test_every_command_gets_one_result(running_server: Running) -> None:
    """Hundreds of commands, good and bad, sent without waiting, get exactly one result each, in bounded flight."""
    client = await running_server.player()
    tables = [await seated(client, []) for _ in range(3)]
    dice = random.Random(7)
    stream = PlayStream(client)
    sent: set[str] = set()

    async def send_all() -> None:
        for _ in range(400):
            request_id = new_id()
            sent.add(request_id)
            table = dice.choice([*tables, NOWHERE])
            kind = dice.choice(["subscribe", "unsubscribe", "act", "renew"])
            if kind == "subscribe":
                await stream.send(subscribe=table_pb2.Subscribe(request_id=request_id, table=table))
            elif kind == "unsubscribe":
                await stream.send(unsubscribe=table_pb2.Unsubscribe(request_id=request_id, table=table))
            elif kind == "renew":
                token = dice.choice(["x", client.session.access_token])
                await stream.send(renew=table_pb2.RenewToken(request_id=request_id, access_token=token))
            else:
                act = table_pb2.SubmitActionRequest(
                    request_id=request_id, table=table, decision=1, action=action(state_pb2.VERB_PASS)
                )
                await stream.send(act=act)
        await stream.call.done_writing()

    async def read_all() -> None:
        while len(stream.results) < 400:
            assert await stream.read()

    await asyncio.gather(send_all(), read_all())
    assert stream.results.keys() == sent
    assert stream.unnamed == []


async def test_a_stream_ends_when_its_token_lapses(running_server: Running) -> None:
    """Play and WatchTable alike end with UNAUTHENTICATED, with details, at the moment the token lapses."""
    client = await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    watch = client.watch(table)
    await watch.read()
    running_server.clock.advance(899)
    assert not stream.call.done()
    running_server.clock.advance(1)

    async def watch_on() -> None:
        while True:
            await watch.read()

    for failed in (await ended(stream), await refusal(watch_on())):
        assert (failed.code, failed.reason) == (CODE.UNAUTHENTICATED, "TOKEN_INVALID")


async def test_a_renewed_stream_lives_on(running_server: Running) -> None:
    """A fresh token in band puts the end off to when that token lapses."""
    client = await running_server.player()
    stream = PlayStream(client)
    await stream.subscribe(await seated(client, []))
    running_server.clock.advance(800)
    token = (await client.refresh()).access_token
    await stream.send(renew=table_pb2.RenewToken(request_id="renew", access_token=token))
    assert await stream.result("renew") == table_pb2.CommandResult(request_id="renew")
    running_server.clock.advance(899)
    await stream.subscribe(await seated(client, []))
    running_server.clock.advance(1)
    assert (await ended(stream)).code is CODE.UNAUTHENTICATED


async def test_renewing_with_an_older_token_takes_nothing_away(running_server: Running) -> None:
    """A token that lapses sooner than the stream's leaves the stream's end where it is."""
    client = await running_server.player()
    old = client.session.access_token
    running_server.clock.advance(500)
    await client.refresh()
    stream = PlayStream(client)
    await stream.send(renew=table_pb2.RenewToken(request_id="renew", access_token=old))
    await stream.result("renew")
    running_server.clock.advance(899)
    await stream.subscribe(await seated(client, []))


async def test_a_stream_keeps_its_account(running_server: Running) -> None:
    """A token of somebody else, a lapsed one and none at all renew nothing, and the stream goes on until its time."""
    client, other = await running_server.player(), await running_server.player()
    stream = PlayStream(client)
    await stream.subscribe(await seated(client, []))
    tries = {"other": other.session.access_token, "none": "", "garbage": "x.y.z"}
    for request_id, token in tries.items():
        await stream.send(renew=table_pb2.RenewToken(request_id=request_id, access_token=token))
    errors = {request_id: (await stream.result(request_id)).error for request_id in tries}
    assert errors["other"].reason == "OTHER_ACCOUNT"
    assert errors["other"].code == CODE.PERMISSION_DENIED.value[0]
    assert {errors["none"].reason, errors["garbage"].reason} == {"TOKEN_INVALID"}
    running_server.clock.advance(900)
    assert (await ended(stream)).code is CODE.UNAUTHENTICATED


async def test_without_a_token_no_stream(running_server: Running) -> None:
    """A stream without a good token is refused before anything is read from it."""
    client = running_server.client()
    assert (await ended(PlayStream(client))).code is CODE.UNAUTHENTICATED
    client.session = session_pb2.Session(access_token="x")
    assert (await ended(PlayStream(client))).reason == "TOKEN_INVALID"
    watch = client.watch(NOWHERE)
    assert (await refusal(watch.read())).code is CODE.UNAUTHENTICATED


async def test_silence_is_broken_by_heartbeats(running_server: Running) -> None:
    """A stream on which nothing happens says that it is alive, with the server's time; so does a watcher's."""
    client = await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    watch = client.watch(table)
    await watch.read()
    beat = running_server.config.heartbeat_seconds
    for count in (1, 2):
        running_server.clock.advance(beat)
        await stream.read()
        assert stream.heartbeats == count
        response = await watch.read()
        assert not response.updates
        assert response.heartbeat.time.ToNanoseconds() == running_server.clock.now() * 1e9


async def test_a_half_closed_stream_goes_on_while_it_follows(running_server: Running) -> None:
    """A client that sends no more is still told of the tables it follows; following none, its stream ends well."""
    client, guest = await running_server.player(), await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    await stream.call.done_writing()
    await guest.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table))
    while not stream.stories[table].of_kind("seat_changed"):
        assert await stream.read()
    idle = PlayStream(client)
    await idle.send(act=table_pb2.SubmitActionRequest(request_id="last", table=NOWHERE))
    await idle.call.done_writing()
    assert await idle.end() is CODE.OK
    assert list(idle.results) == ["last"]


async def test_unsubscribing_ends_the_news(running_server: Running) -> None:
    """After unsubscribing nothing more of the table comes, twice is no error, and one may begin anew."""
    client, guest = await running_server.player(), await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    for request_id in ("one", "two"):
        await stream.send(unsubscribe=table_pb2.Unsubscribe(request_id=request_id, table=table))
        assert not (await stream.result(request_id)).HasField("error")
    await guest.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table))
    seen = stream.stories[table].place
    await stream.send(act=table_pb2.SubmitActionRequest(request_id="later", table=NOWHERE))
    await stream.result("later")
    assert stream.stories[table].place == seen
    await stream.subscribe(table)
    assert stream.stories[table].place.n > seen.n  # type: ignore[union-attr]


async def test_a_stream_follows_so_many_tables(start_server: Callable[..., Running]) -> None:
    """Past the limit a table more is refused, one followed already is not, and leaving one makes room."""
    async with start_server(max_tables_per_stream=2) as running:
        client = await running.player()
        tables = [await seated(client, []) for _ in range(3)]
        stream = PlayStream(client)
        for table in (*tables[:2], tables[0]):
            assert not (await stream.subscribe(table)).HasField("error")
        refused = await stream.subscribe(tables[2])
        assert refused.error.reason == "TOO_MANY_TABLES_ON_STREAM"
        await stream.send(unsubscribe=table_pb2.Unsubscribe(request_id="bye", table=tables[0]))
        assert not (await stream.subscribe(tables[2])).HasField("error")


async def test_a_table_that_is_closed_makes_room(start_server: Callable[..., Running]) -> None:
    """A table that is over is followed no more and does not count."""
    async with start_server(max_tables_per_stream=1) as running:
        client, guest = await running.player(), await running.player()
        first, second = await seated(client, []), await seated(client, [])
        stream = PlayStream(client)
        await stream.subscribe(first)
        assert (await stream.subscribe(second)).HasField("error")
        await guest.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=first))
        await guest.call(lobby_pb2.LeaveTableRequest(request_id=new_id(), name=first))
        while not stream.stories[first].closed:
            assert await stream.read()
        assert not (await stream.subscribe(second)).HasField("error")


async def test_a_fault_is_the_result_of_one_command(running_server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that meets a fault of the server gets INTERNAL with an incident number, and the stream goes on."""
    client = await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    with monkeypatch.context() as patch:
        patch.setattr("gouji_server.tables.Tables.open", failing_open)
        await stream.send(subscribe=table_pb2.Subscribe(request_id="one", table=table))
        await stream.send(act=table_pb2.SubmitActionRequest(request_id="two", table=table))
        errors = [(await stream.result(request_id)).error for request_id in ("one", "two")]
    for error in errors:
        assert (error.code, error.reason) == (CODE.INTERNAL.value[0], "FAULT")
        assert "secret" not in str(error)
        assert error.metadata["incident"] in error.text.en
    assert not (await stream.subscribe(table)).HasField("error")


async def failing_open(_tables: object, _name: str) -> None:
    raise KeyError("secret")


async def test_stopping_ends_streams_with_a_hint(running_server: Running) -> None:
    """When the server stops, streams end with UNAVAILABLE and the time to come back, told of what came before."""
    client = await running_server.player()
    table = await seated(client, [])
    stream = PlayStream(client)
    await stream.subscribe(table)
    watch = client.watch(table)
    await watch.read()
    stopping = asyncio.create_task(running_server.server.stop())
    failed = await ended(stream)
    assert (failed.code, failed.reason) == (CODE.UNAVAILABLE, "STOPPING")
    assert failed.retry
    assert (await refusal(watch.read())).code is CODE.UNAVAILABLE
    await stopping
    await running_server.start()


class DeafReader:
    """The context of a stream whose client reads nothing: what is written stays unsent."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def peer(self) -> str:
        return "ipv4:192.0.2.1:4711"

    def done(self) -> bool:
        return False

    async def write(self, message: bytes) -> None:
        self.written.append(message)
        await asyncio.Event().wait()


async def test_a_reader_that_takes_nothing_is_cut_off() -> None:
    """A stream whose reader does not take even what is left when its token lapses is ended some seconds later."""
    clock = VirtualClock()
    outbox = Outbox(clock, Limits())
    stream = Stream(Identity(Caller("accounts/a", "a"), clock.now() + 900, "s"), "192.0.2.1", outbox, clock)
    reader: Any = DeafReader()
    writing = asyncio.create_task(stream.write(reader, 15, table_pb2.PlayResponse))
    outbox.put_result("one", 1)
    await settle()
    outbox.put_result("two", 2)
    clock.advance(900)
    clock.advance(LINGER_SECONDS - 1)
    await settle()
    assert not writing.done()
    clock.advance(1)
    await settle()
    assert writing.cancelled()
    assert len(reader.written) == 1


async def test_a_writer_that_reads_nothing_is_not_read_either() -> None:
    """With as many commands in flight as allowed no more are read: what waits for a deaf client is bounded."""
    house = House(limits=at_home(commands_in_flight=4))
    unused: Any = None
    room = TableRoom(
        tables=house.tables,
        pages=Pages(bytes(32)),
        streams=Streams(Config(), Revocations(house.clock, 900)),
        metrics=Metrics(),
        clock=house.clock,
        heartbeat_seconds=15,
        max_tables_per_stream=10,
        code_tries=CodeTries(Config(), house.clock),
        chat=unused,
        silences=unused,
        limits=CallLimits(house.clock, 1),
        links=unused,
    )
    identity = Identity(Caller("accounts/a", "a"), house.clock.now() + 900, "s")
    reader: Any = DeafReader()
    nobody: Any = None
    read = 0

    async def requests() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            act = table_pb2.SubmitActionRequest(request_id=f"r{read}", table=NOWHERE)
            yield table_pb2.PlayRequest(act=act).SerializeToString()

    serving = asyncio.create_task(ServedStream(room, nobody, Call(reader, identity)).run(requests()))
    await settle(1000)
    # What is being written has left; behind it wait as many as allowed.
    assert len(reader.written) == 1
    written = len(table_pb2.PlayResponse.FromString(reader.written[0]).results)
    assert read == written + 4
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert len(room.streams) == 0

"""The fake server itself: what bot authors, and clients in other languages, may count on."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, LocalizedMessage
from google.rpc.status_pb2 import Status

import gouji_rules as gr
from gouji.cards.v1 import cards_pb2
from gouji.session.v1 import session_pb2, session_pb2_grpc
from gouji.table.v1 import state_pb2, table_pb2, table_pb2_grpc
from gouji_client import PolicyBot, run_bot
from gouji_client.testing import DropStream, Duplicate, FakeServer, Resync
from gouji_client.testing.opponents import opponent_of
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HANDS = ["3455AA2s", "4466KK", "5577QQ", "667788", "8899TT", "99JJb2"]


class Raw:
    """A client without the SDK: stubs, a token, and its headers."""

    def __init__(self, server: FakeServer) -> None:
        self.channel = grpc.aio.insecure_channel(server.address)
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)
        self.tables = table_pb2_grpc.TableServiceStub(self.channel)
        self.headers: tuple[tuple[str, str], ...] = ()

    async def sign_in(self, server: FakeServer) -> None:
        """Sign in and take the seat, so that the match begins."""
        guest = session_pb2.NewGuest(display_name="raw")
        answer = await self.sessions.SignIn(session_pb2.SignInRequest(new_guest=guest, request_id="r1"))
        self.headers = (("authorization", f"Bearer {answer.session.access_token}"),)
        server._table.join(answer.session.account.name, "raw", None)
        server._table.set_ready(answer.session.account.name, ready=True)


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    """A fake server with short hands."""
    async with FakeServer(hands=HANDS, opponents=["no"]) as running:
        yield running


@pytest.fixture
async def raw(server: FakeServer) -> AsyncIterator[Raw]:
    """A client without the SDK whose seat 0 is asked about revolution."""
    client = Raw(server)
    await client.sign_in(server)
    yield client
    await client.channel.close()


def act(server: FakeServer, verb: Any, request_id: str = "a1", **more: Any) -> Any:
    """Make a request to answer the open question."""
    action = table_pb2.Action(verb=verb, **more)
    decision = server._table.decision
    return table_pb2.SubmitActionRequest(request_id=request_id, table=server.table, decision=decision, action=action)


async def test_a_match_can_be_played_by_single_calls(server: FakeServer, raw: Raw) -> None:
    """GetView, ListLegalPlays, CheckPlay and SubmitAction are enough to play, as for clients that hold no stream."""
    view = await raw.tables.GetView(table_pb2.GetViewRequest(table=server.table), metadata=raw.headers)
    assert view.view.snapshot.reason == table_pb2.SNAPSHOT_REASON_REQUESTED
    assert list(view.view.state.question.verbs) == [state_pb2.VERB_NO, state_pb2.VERB_REVOLT]
    done = await raw.tables.SubmitAction(act(server, state_pb2.VERB_NO), metadata=raw.headers)
    assert done.version > view.view.n
    pages, token = [], ""
    while True:
        request = table_pb2.ListLegalPlaysRequest(table=server.table, page_size=7, page_token=token)
        page = await raw.tables.ListLegalPlays(request, metadata=raw.headers)
        pages.append(page)
        token = page.next_page_token
        if not token:
            break
    assert len(pages) > 1
    assert sum(len(page.plays) for page in pages) == page.total_size
    fives = [cards_pb2.CARD_CLUB_5, cards_pb2.CARD_CLUB_5]
    cards = [card for card in view.view.seat.hand if gr.rank_of(card) == 2]
    assert cards == fives
    check = table_pb2.CheckPlayRequest(
        table=server.table, action=table_pb2.Action(verb=state_pb2.VERB_PLAY, cards=cards)
    )
    assert (await raw.tables.CheckPlay(check, metadata=raw.headers)).accepted
    await raw.tables.SubmitAction(act(server, state_pb2.VERB_PLAY, "a2", cards=cards), metadata=raw.headers)
    assert (0, "play 55") in server.answers


async def test_a_watch_stream_ends_with_the_table(server: FakeServer) -> None:
    """WatchTable gives a snapshot, then every step to a spectator without a hand, and ends with OK."""
    raw = Raw(server)
    guest = session_pb2.NewGuest(display_name="eye")
    signed = await raw.sessions.SignIn(session_pb2.SignInRequest(new_guest=guest, request_id="w"))
    headers = (("authorization", f"Bearer {signed.session.access_token}"),)
    request = table_pb2.WatchTableRequest(table=server.table)
    seen: list[table_pb2.TableUpdate] = []

    async def watch() -> None:
        async for message in raw.tables.WatchTable(request, metadata=headers):
            seen.extend(message.updates)

    watching = asyncio.create_task(watch())
    await run_bot(server.address, PolicyBot("random", seed=1), table=server.table, backoff=AT_ONCE)
    await watching
    await raw.channel.close()
    assert seen[0].HasField("snapshot")
    assert [event.n for update in seen[1:] for event in update.events] == list(range(seen[0].n + 1, server.version + 1))
    assert not any(update.HasField("seat") or update.p for update in seen)


@pytest.mark.parametrize(
    ("request_made", "code", "reason"),
    [
        (lambda server: act(server, state_pb2.VERB_UNSPECIFIED), "INVALID_ARGUMENT", "BAD_ACTION"),
        (lambda server: act(server, state_pb2.VERB_PASS), "FAILED_PRECONDITION", "WRONG_VERB"),
        (lambda server: act(server, state_pb2.VERB_PLAY, cards=[1, 2]), "INVALID_ARGUMENT", "NOT_A_PLAY"),
        (lambda server: act(server, state_pb2.VERB_NO, cards=[1]), "INVALID_ARGUMENT", "BAD_ACTION"),
        (lambda server: act(server, 99, cards=[1]), "INVALID_ARGUMENT", "BAD_ACTION"),
        (
            lambda server: table_pb2.SubmitActionRequest(
                table=server.table, decision=1, action=table_pb2.Action(verb=state_pb2.VERB_NO)
            ),
            "ABORTED",
            "STALE_DECISION",
        ),
        (lambda server: table_pb2.SubmitActionRequest(table="tables/none"), "NOT_FOUND", "TABLE_NOT_FOUND"),
    ],
)
async def test_bad_requests_are_refused_with_details(
    server: FakeServer, raw: Raw, request_made: Any, code: str, reason: str
) -> None:
    """A bad request gets its status, a reason and texts in both languages, as from a real server."""
    before = server.version
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await raw.tables.SubmitAction(request_made(server), metadata=raw.headers)
    assert caught.value.code().name == code
    trailers = dict(caught.value.trailing_metadata() or ())
    status = Status.FromString(trailers["grpc-status-details-bin"])
    info, said = ErrorInfo(), LocalizedMessage()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == (reason, "gouji")
    assert [detail.Unpack(said) and said.locale for detail in status.details[1:3]] == ["en-US", "zh-CN"]
    assert server.version == before


async def test_without_a_token_nothing_is_told(server: FakeServer) -> None:
    """Every call but signing in wants a token."""
    raw = Raw(server)
    for call in (
        raw.tables.GetView(table_pb2.GetViewRequest(table=server.table)),
        raw.sessions.GetAccount(session_pb2.GetAccountRequest(name="accounts/me")),
        raw.tables.SubmitAction(table_pb2.SubmitActionRequest(table=server.table)),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    await raw.channel.close()


async def test_a_request_id_is_good_for_one_body(server: FakeServer, raw: Raw) -> None:
    """The same id with the same body gives the same answer and is done once; with another body it is refused."""
    request = act(server, state_pb2.VERB_NO)
    first = await raw.tables.SubmitAction(request, metadata=raw.headers)
    assert await raw.tables.SubmitAction(request, metadata=raw.headers) == first
    assert server.answers.count((0, "no")) == 1
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await raw.tables.SubmitAction(act(server, state_pb2.VERB_REVOLT), metadata=raw.headers)
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_an_account_is_read_by_name_or_as_me(server: FakeServer, raw: Raw) -> None:
    """A caller reads its own account, by name or as `me`; one that is not there is not found."""
    mine = await raw.sessions.GetAccount(session_pb2.GetAccountRequest(name="accounts/me"), metadata=raw.headers)
    assert mine.account.display_name == "raw"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await raw.sessions.GetAccount(session_pb2.GetAccountRequest(name="accounts/99"), metadata=raw.headers)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def play(**settings: Any) -> FakeServer:
    async with FakeServer(**settings) as server:
        await run_bot(
            server.address,
            PolicyBot("random", seed=4),
            table=server.table,
            backoff=AT_ONCE,
            rng=random.Random(4),
        )
    return server


async def test_the_same_seed_makes_the_same_match() -> None:
    """Seed and answers decide a match, whatever goes wrong on the way; another seed makes another."""
    first = await play(seed=11, deals=2)
    again = await play(seed=11, deals=2, faults=[DropStream(at=30), Duplicate(at=90), Resync(at=120)])
    other = await play(seed=12, deals=2)
    assert first.answers == again.answers
    assert first.scores == again.scores
    assert first.answers != other.answers


async def test_records_of_the_fake_server_are_real() -> None:
    """Its records are accepted by the checker of records: the rules are the real ones."""
    server = await play(seed=11, opponents="simple", deals=2)
    assert len(server.records) == 2
    assert [list(gr.check_record(record)) for record in server.records] == [[], []]


async def test_opponents_follow_a_script_where_it_is_legal() -> None:
    """A script's answers are given in order; where it has none that is legal the default action is played."""
    script = {1: ["pass", "play 44"], 3: ["play 66"], 5: ["play JJ"]}
    server = await play(hands=HANDS, lead=5, opponents=script)
    plays = [entry for entry in server.answers if entry[1].startswith("play")]
    assert plays[0] == (5, "play JJ")
    assert (1, "pass") in server.answers


async def test_opponents_may_be_policies_of_ones_own() -> None:
    """A function from a view to an action plays a seat; a mapping gives each seat its own."""
    asked = set()

    def policy(view: gr.SeatView, rng: random.Random) -> gr.Action:
        asked.add(view.seat)
        return view.default_action()

    await play(seed=3, opponents={1: policy, 4: policy, 2: "simple"})
    assert asked == {1, 4}


async def test_what_is_said_twice_under_one_id_is_said_once() -> None:
    """A question, a feeling or a vote that comes again gets its first answer; another under the same id is refused."""
    rules = gr.preset("qingdao").replace(report="asked", feel_chances=3)
    async with FakeServer(hands=HANDS, rules=rules, opponents=["no"]) as server:
        raw = Raw(server)
        await raw.sign_in(server)
        said: dict[str, object] = {"request_id": "a", "table": server.table}
        calls: list[tuple[Any, Any, dict[str, object], dict[str, object]]] = [
            (raw.tables.AskCount, table_pb2.AskCountRequest, {"seat": 1}, {"seat": 2}),
            (raw.tables.Feel, table_pb2.FeelRequest, {}, {}),
            (raw.tables.VoteDissolution, table_pb2.VoteDissolutionRequest, {"agrees": True}, {"agrees": False}),
        ]
        for call, request, body, another in calls:
            first = await call(request(**said, **body), metadata=raw.headers)
            told = server._table.n
            assert await call(request(**said, **body), metadata=raw.headers) == first
            assert server._table.n == told >= first.version
            if another != body:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(request(**said, **another), metadata=raw.headers)
                assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS
        await raw.channel.close()


@pytest.mark.parametrize("seats", [[], [0, 0], [6], [-1]])
def test_seats_without_sense_are_refused(seats: list[int]) -> None:
    """Clients' seats are one or more different ones of the six."""
    with pytest.raises(ValueError, match="0 to 5"):
        FakeServer(seats=seats)


def test_an_opponent_without_sense_is_refused() -> None:
    """An unknown policy and a script that cannot be read are refused when the server is made."""
    with pytest.raises(ValueError, match="genius"):
        FakeServer(opponents="genius")
    with pytest.raises(ValueError, match="jump"):
        opponent_of(["jump"], random.Random(1))


async def test_stopping_twice_is_no_error() -> None:
    """A server may be stopped by hand inside `async with`."""
    async with FakeServer() as server:
        await server.stop()
        await server.stop()


async def test_a_stream_without_news_gets_heartbeats() -> None:
    """Silence is broken by heartbeats, alone in their messages."""
    async with FakeServer(heartbeat=0.001, hands=HANDS) as server:
        raw = Raw(server)
        await raw.sign_in(server)
        call = raw.tables.WatchTable(table_pb2.WatchTableRequest(table=server.table), metadata=raw.headers)
        first = await call.read()
        second = await call.read()
        assert isinstance(first, table_pb2.WatchTableResponse)
        assert isinstance(second, table_pb2.WatchTableResponse)
        assert first.updates
        assert second.HasField("heartbeat")
        assert not second.updates
        call.cancel()
        await raw.channel.close()

"""What is asked of a client that is closed, and of a table where nothing is asked (any more)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest

import gouji_client.sync as gouji
from gouji_client import ClientClosed, NotSignedIn, Refused, connect
from gouji_client.testing import FakeServer
from tests.clients.watching import AT_ONCE, sit_down

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


async def test_everything_after_close_says_that_the_client_is_closed() -> None:
    """Every command of a client, its lobby and its tables raises `ClientClosed`, whatever was known before."""
    async with FakeServer(seed=1) as server:
        client = await connect(server.address, backoff=AT_ONCE)
        table = await sit_down(client, server.table)
        await table.until(lambda view: view.asked)
        await client.close()
        await client.close()
        asked: list[Any] = [
            table.act("pass"),
            table.act("pass", decision=3),
            table.act("fly"),
            table.check("pass"),
            table.ask_count(1),
            table.feel(),
            table.vote_dissolution(),
            table.set_autopilot(),
            table.take_back(),
            table.set_auto_decline(),
            table.get_view(),
            table.legal_plays(),
            table.set_ready(),
            table.follow(),
            table.until(lambda view: view.over),
            anext(table.updates()),
            client.table("other").follow(),
            client.lobby.rule_sets(),
            anext(client.lobby.tables()),
            client.lobby.get(table),
            client.lobby.create(),
            client.lobby.join(table),
            client.lobby.leave(table),
            client.lobby.set_ready(table),
            client.lobby.add_bot(table),
            client.lobby.choose_opposite(table, 1),
            client.sign_in("Mei"),
            client.sign_out(),
        ]
        for call in asked:
            with pytest.raises(ClientClosed, match="closed: connect anew"):
                await call


def test_every_plain_call_after_close_says_so_too() -> None:
    """The sync client says the same."""
    with gouji.running(FakeServer(seed=1)) as server:
        client = gouji.connect(server.address, backoff=AT_ONCE)
        client.sign_in("Mei")
        table = client.table(server.table)
        client.lobby.join(table)
        table.set_ready()
        table.until(lambda view: view.asked)
        client.close()
        calls: list[Callable[[], object]] = [
            lambda: table.act("pass"),
            lambda: table.check("pass"),
            lambda: table.until(lambda view: True),
            lambda: list(table.updates()),
            lambda: client.table("other").view,
            table.feel,
            table.get_view,
            client.lobby.rule_sets,
            client.lobby.tables,
            client.new_table,
            client.sign_out,
        ]
        for call in calls:
            with pytest.raises(ClientClosed, match="closed: connect anew"):
                call()


class Deaf(grpc.GenericRpcHandler):
    """Answers no call, and says when one came."""

    def __init__(self) -> None:
        self.called = asyncio.Event()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        """Take any call."""
        return grpc.unary_unary_rpc_method_handler(self.wait)

    async def wait(self, _request: bytes, _context: object) -> bytes:
        """Wait for ever."""
        self.called.set()
        await asyncio.Event().wait()
        return b""


@pytest.fixture
async def deaf() -> AsyncIterator[tuple[str, Deaf]]:
    """The address of a server that answers no call."""
    server, handler = grpc.aio.server(), Deaf()
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}", handler
    await server.stop(0)


async def test_a_call_on_its_way_when_the_client_is_closed_says_so(deaf: tuple[str, Deaf]) -> None:
    """Who waits for an answer is told that the client was closed, and is not cancelled."""
    address, handler = deaf
    client = await connect(address)
    call = asyncio.create_task(client.sign_in("Mei"))
    await handler.called.wait()
    await client.close()
    with pytest.raises(ClientClosed):
        await call
    assert not call.cancelled()


async def test_a_call_that_is_cancelled_stays_cancelled(deaf: tuple[str, Deaf]) -> None:
    """A cancellation from outside goes through, also when the client is closed at the same time."""
    address, handler = deaf
    client = await connect(address)
    call = asyncio.create_task(client.sign_in("Mei"))
    await handler.called.wait()
    call.cancel()
    await client.close()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert call.cancelled()


async def test_acting_where_nothing_is_asked_says_why() -> None:
    """Before the match, after it, and without a seat the refusal is the server's, and no fault of the request."""
    async with (
        FakeServer(seed=1) as server,
        connect(server.address, backoff=AT_ONCE) as client,
        connect(server.address, backoff=AT_ONCE) as watcher,
    ):
        await watcher.sign_in("Lan")
        watched = watcher.table(server.table)
        await watched.follow()
        await client.sign_in("Mei")
        await client.lobby.join(server.table)
        table = client.table(server.table)
        await table.follow()
        with pytest.raises(Refused, match="MATCH_NOT_STARTED: the match has not begun"):
            await table.act("pass")
        await table.set_ready()
        await table.until(lambda view: view.asked)
        await watched.until(lambda view: view.decision > 0)
        with pytest.raises(Refused, match="NOT_SEATED: you have no seat"):
            await watched.act("play 5")
        with pytest.raises(Refused, match="NOT_SEATED"):
            await watched.act("pass")
        await table.vote_dissolution()
        await table.until(lambda view: view.over)
        for action in ("pass", "play 5", table.view.to_seat_view().default_action()):
            with pytest.raises(Refused, match="TABLE_CLOSED: the match is over and the table is closed"):
                await table.act(action)


def test_the_plain_client_speaks_of_plain_calls() -> None:
    """Nothing that the sync client says when it is used too early tells to await something."""
    with (
        gouji.running(FakeServer(seed=1)) as server,
        gouji.connect(server.address, backoff=AT_ONCE) as client,
    ):
        table = client.table(server.table)
        early: list[Callable[[], object]] = [
            lambda: client.account,
            lambda: client.credentials,
            lambda: table.view,
            lambda: table.act("pass"),
            lambda: table.check("pass"),
            client.lobby.tables,
        ]
        for call in early:
            with pytest.raises(NotSignedIn, match=r"sign in first, with client\.sign_in\(name\)") as caught:
                call()
            assert "await" not in str(caught.value)
        client.sign_in("Mei")
        client.lobby.join(table)
        # The table was not looked at so far: the first command does that by itself.
        with pytest.raises(Refused, match="MATCH_NOT_STARTED"):
            client.table(server.table).act("pass")
        table.set_ready()
        table.until(lambda view: view.asked)
        table.unfollow()
        table.check(table.view.to_seat_view().legal_actions()[0])
        table.unfollow()
        assert table.act("no") > 0

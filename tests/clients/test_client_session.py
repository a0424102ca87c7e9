"""Signing in, coming back, keeping the session alive."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from gouji_client import (
    Backoff,
    ClientClosed,
    Credentials,
    CredentialsError,
    NotSignedIn,
    Refused,
    ServerUnreachable,
    SignInFailed,
    connect,
)
from gouji_client.testing import Drain, EndStream, FakeServer, LapseToken
from tests.clients.manual_clock import EagerClock, ManualClock
from tests.clients.watching import AT_ONCE, play_to_the_end, sit_down

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from gouji_client import Client


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    """A fake server."""
    async with FakeServer(seed=1) as running:
        yield running


@pytest.fixture
async def client(server: FakeServer) -> AsyncIterator[Client]:
    """A client that has not signed in."""
    async with connect(server.address, backoff=AT_ONCE) as connected:
        yield connected


async def test_a_name_makes_a_new_account_each_time(server: FakeServer) -> None:
    """Names are not unique and prove nothing: two sign-ins with one name are two accounts."""
    accounts = set()
    for _ in range(2):
        async with connect(server.address) as client:
            credentials = await client.sign_in("梅")
            assert (client.account.display_name, credentials.account) == ("梅", client.account.name)
            accounts.add(client.account.name)
    assert len(accounts) == 2


async def test_credentials_bring_the_same_account_back(server: FakeServer, client: Client) -> None:
    """With its credentials a later client is the same account."""
    credentials = await client.sign_in("Mei")
    async with connect(server.address) as later:
        assert await later.sign_in(credentials=credentials) == credentials
        assert later.account == client.account


async def test_a_kept_file_brings_the_same_account_back(server: FakeServer, tmp_path: Path) -> None:
    """With `keep` the first time makes an account and a file, and every later time comes back with it."""
    path = tmp_path / "bot.json"
    names = []
    for _ in range(3):
        async with connect(server.address) as client:
            await client.sign_in("Bot", keep=path)
            names.append(client.account.name)
    assert len(set(names)) == 1
    assert Credentials.load(path).account == names[0]


async def test_unknown_credentials_are_told_with_what_to_do(server: FakeServer, client: Client, tmp_path: Path) -> None:
    """If the server does not know the kept account any more, the error names the file and the way out."""
    path = tmp_path / "bot.json"
    Credentials(server.address, "accounts/99", "Bot", "no such secret").save(path)
    with pytest.raises(SignInFailed, match=r"bot\.json.*remove it"):
        await client.sign_in("Bot", keep=path)
    assert path.exists(), "nothing is lost"


async def test_a_secret_is_not_sent_to_another_server(server: FakeServer, client: Client) -> None:
    """Credentials of another machine's server are refused before anything is sent."""
    foreign = Credentials("gouji.example:50151", "accounts/1", "Bot", "secret")
    with pytest.raises(CredentialsError, match=r"gouji\.example"):
        await client.sign_in(credentials=foreign)
    assert server.sign_ins == 0


@pytest.mark.parametrize("name", ["", "x" * 25, "a\nb"])
async def test_a_bad_name_is_refused_in_words(client: Client, name: str) -> None:
    """A name that the server does not take gives its reason, in both languages, and no account."""
    with pytest.raises(Refused, match="1 to 24 characters") as caught:
        await client.sign_in(name)
    assert caught.value.reason == "BAD_REQUEST"
    assert caught.value.code.name == "INVALID_ARGUMENT"
    assert "24" in caught.value.text_zh
    with pytest.raises(NotSignedIn, match="sign in first"):
        _ = client.account


async def test_what_needs_an_account_says_so(client: Client) -> None:
    """Every call that needs an account raises the same error before one is there."""
    table = client.table("fake")
    with pytest.raises(NotSignedIn):
        await client.lobby.create()
    with pytest.raises(NotSignedIn):
        await table.follow()
    with pytest.raises(NotSignedIn):
        await table.get_view()


async def test_after_signing_out_the_session_is_over(client: Client) -> None:
    """Signing out ends the session; signing out twice is no error."""
    await client.sign_in("Mei")
    await client.sign_out()
    await client.sign_out()
    with pytest.raises(NotSignedIn):
        await client.lobby.rule_sets()


async def test_nothing_listening_is_said_with_the_address() -> None:
    """Where no server is, the error names the address and how to start one, within the time given."""
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1\b.*gouji serve"):
        await connect("127.0.0.1:1", wait=0.05)


async def test_a_server_that_stays_away_ends_everything_that_waits() -> None:
    """When patience is at its end, readers and senders alike get ServerUnreachable, and a closed client says so."""
    server = await FakeServer(seed=1).start()
    client = await connect(server.address, backoff=Backoff(first=0, ceiling=0, patience=0.0))
    table = await sit_down(client, server.table)
    await table.until(lambda view: view.asked)
    reading = asyncio.create_task(table.until(lambda view: view.over))
    await asyncio.sleep(0)
    await server.stop()
    with pytest.raises(ServerUnreachable, match="no Gouji server answers"):
        await reading
    await client.close()
    with pytest.raises(ClientClosed):
        await table.until(lambda view: view.over)


async def test_a_server_that_only_hangs_up_is_given_up() -> None:
    """Streams that are opened and bring nothing new are no success: patience ends, and waits grow meanwhile."""
    clock = EagerClock(limit=100)
    backoff = Backoff(first=1.0, ceiling=8.0, patience=60.0)
    async with (
        FakeServer(seed=1, faults=[EndStream(at=20)] * 100) as server,
        connect(server.address, backoff=backoff, clock=clock, silence=5000) as client,
    ):
        table = await sit_down(client, server.table)
        with pytest.raises(ServerUnreachable, match="the stream ended"):
            await play_to_the_end(table, random.Random(1))
        assert 8 <= server.streams_opened <= 20
        assert max(seconds for seconds in clock.slept if seconds < 100) > 4.0


async def test_closing_ends_everything_that_waits() -> None:
    """Whoever waits when the client is closed is told so and does not hang; closing twice is no error."""
    async with FakeServer(seats=[0, 1]) as server:
        client = await connect(server.address, backoff=AT_ONCE)
        table = await sit_down(client, server.table)
        await table.follow()
        waiting = asyncio.create_task(table.until(lambda view: view.over))
        await asyncio.sleep(0)
        await client.close()
        await client.close()
        with pytest.raises(ClientClosed):
            await waiting
        with pytest.raises(ClientClosed):
            await client.sign_in("again")


async def until(condition: Callable[[], bool]) -> None:
    """Give way to the loop until something has come about."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - what it waits for comes by the network, and no event tells
            await asyncio.sleep(0)


async def test_a_token_is_renewed_in_band_before_it_lapses() -> None:
    """At seven tenths of its life the token is traded in and told on the open stream, which goes on."""
    clock = ManualClock()
    async with (
        FakeServer(seed=1, clock=clock, token_seconds=1000) as server,
        connect(server.address, backoff=AT_ONCE, clock=clock, silence=10_000_000) as client,
    ):
        table = await sit_down(client, server.table)
        await table.follow()
        for times in range(1, 4):
            clock.advance(650)
            await asyncio.sleep(0)
            assert server.refreshes == times - 1
            clock.advance(60)
            await until(lambda wanted=times: server.renewals == wanted)  # type: ignore[misc]
        await play_to_the_end(table, random.Random(1))
        assert (server.streams_opened, server.refreshes, server.sign_ins) == (1, 3, 1)


async def test_a_silent_stream_is_given_up_and_opened_again() -> None:
    """When not even a heartbeat came for `silence` seconds the stream is taken for broken."""
    clock = ManualClock()
    async with (
        FakeServer(seed=1, heartbeat=None) as server,
        connect(server.address, backoff=Backoff(first=0, ceiling=0, patience=None), clock=clock, silence=60) as client,
    ):
        table = await sit_down(client, server.table)
        await table.until(lambda view: view.asked)

        def opened_again() -> bool:
            clock.advance(61)
            return server.streams_opened > 1

        await until(opened_again)
        await play_to_the_end(table, random.Random(1))


async def test_heartbeats_keep_a_quiet_stream() -> None:
    """A stream on which only heartbeats come is not given up."""
    clock = ManualClock()
    async with (
        FakeServer(seed=1, heartbeat=0.001) as server,
        connect(server.address, backoff=AT_ONCE, clock=clock, silence=60) as client,
    ):
        table = await sit_down(client, server.table)
        await table.until(lambda view: view.asked)
        link = client._stream._link
        assert link is not None
        for _ in range(5):
            clock.advance(50)
            heard = clock.monotonic()
            await until(lambda at=heard: link._heard_at >= at)  # type: ignore[misc]
        assert server.streams_opened == 1


async def test_a_lapsed_token_is_renewed_for_a_single_call(server: FakeServer, client: Client) -> None:
    """A call whose token lapsed is made again with a new one, without the caller noticing."""
    await client.sign_in("Mei")
    server._accounts.lapse(client.account.name, refresh_too=False)
    assert await client.lobby.rule_sets()
    assert server.refreshes == 1
    server._accounts.lapse(client.account.name, refresh_too=True)
    assert await client.lobby.rule_sets()
    assert (server.refreshes, server.sign_ins) == (1, 2)


async def test_many_calls_at_once_renew_a_token_once(server: FakeServer, client: Client) -> None:
    """However many calls find the token lapsed, it is traded in once: a second trade would end the session."""
    await client.sign_in("Mei")
    server._accounts.lapse(client.account.name, refresh_too=False)
    await asyncio.gather(*(client.lobby.rule_sets() for _ in range(10)))
    assert (server.refreshes, server.sign_ins) == (1, 1)


async def test_a_session_that_cannot_be_renewed_ends_the_readers() -> None:
    """If neither token nor secret is taken any more, readers get SignInFailed instead of waiting for ever."""
    async with (
        FakeServer(seed=1, faults=[LapseToken(at=20, refresh_too=True)]) as server,
        connect(server.address, backoff=AT_ONCE) as client,
    ):
        table = await sit_down(client, server.table)
        server._accounts._secrets.clear()
        with pytest.raises(SignInFailed):
            await play_to_the_end(table, random.Random(1))


async def test_fresh_tokens_that_are_never_taken_are_given_up() -> None:
    """If every fresh token is refused as well, the client waits longer and longer and then says so."""
    clock = EagerClock(limit=100)
    backoff = Backoff(first=1.0, ceiling=8.0, patience=60.0)
    async with (
        FakeServer(seed=1, faults=[LapseToken(at=20)] * 100) as server,
        connect(server.address, backoff=backoff, clock=clock, silence=5000) as client,
    ):
        table = await sit_down(client, server.table)
        with pytest.raises(SignInFailed, match="lapsed"):
            await play_to_the_end(table, random.Random(1))
        assert 8 <= server.refreshes <= 20


async def test_the_wait_that_a_draining_server_asks_for_is_kept() -> None:
    """A server that says when to come back is not asked earlier."""
    clock = EagerClock(limit=1000)
    async with (
        FakeServer(seed=1, faults=[Drain(at=20, refusals=2, retry_after=30.0)]) as server,
        connect(
            server.address, backoff=Backoff(first=0, ceiling=0, patience=None), clock=clock, silence=5000
        ) as client,
    ):
        table = await sit_down(client, server.table)
        await play_to_the_end(table, random.Random(1))
        assert [seconds for seconds in clock.slept if seconds < 1000] == [30.0] * 3

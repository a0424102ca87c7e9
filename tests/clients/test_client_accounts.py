"""What an account does about itself, by the SDK: at the real server and at the fake one alike."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import gouji_client.sync as gouji
from gouji.session.v1 import session_pb2 as pb
from gouji_client import (
    BadInput,
    Client,
    Credentials,
    CredentialsError,
    NewTable,
    NotSignedIn,
    PolicyBot,
    Refused,
    SignInFailed,
    connect,
    run_bot,
)
from gouji_client.testing import FakeServer
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path


@pytest.fixture(params=["real", "fake"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RealServer | FakeServer]:
    """Either server."""
    async with RealServer(tmp_path) if request.param == "real" else FakeServer(seed=1) as running:
        yield running


@pytest.fixture
async def client(server: RealServer | FakeServer) -> AsyncIterator[Client]:
    """A client that has signed in as a new guest."""
    async with connect(server.address, backoff=AT_ONCE) as connected:
        await connected.sign_in("Mei")
        yield connected


async def other_device(client: Client) -> Client:
    """Sign in to the same account anew."""
    other = await connect(client.address, backoff=AT_ONCE)
    await other.sign_in(credentials=client.credentials)
    return other


async def test_sessions_are_listed_and_ended(client: Client) -> None:
    """The account sees both of its sessions, ends the other one, and goes on; the other comes back by its secret."""
    other = await other_device(client)
    found = await client.accounts.sessions()
    assert sorted(session.current for session in found) == [False, True]
    assert all(session.client.startswith("python") for session in found)
    assert (await client.accounts.me()).name == client.account.name
    (theirs,) = [session.name for session in found if not session.current]
    await client.accounts.revoke_session(theirs.removeprefix("sessions/"))
    assert [session.current for session in await client.accounts.sessions()] == [True]
    assert (await other.accounts.me()).name == client.account.name
    await other.close()


async def test_only_ones_own_sessions_are_ended(client: Client) -> None:
    """A session that is not the account's is refused, and a slip is told before anything is sent."""
    with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
        await client.accounts.revoke_session("sessions/nothing")
    with pytest.raises(BadInput, match="no name"):
        await client.accounts.revoke_session("")


async def test_signing_out_everywhere(client: Client) -> None:
    """All others are signed out, or this one too; then it has to sign in again."""
    other = await other_device(client)
    assert await client.accounts.sign_out_everywhere() == 1
    assert await client.accounts.sign_out_everywhere(keep_this=False) == 1
    with pytest.raises(NotSignedIn):
        await client.accounts.sessions()
    await client.sign_in(credentials=other.credentials)
    assert len(await client.accounts.sessions()) == 1
    await other.close()


async def test_a_lost_secret_is_replaced(client: Client) -> None:
    """Whoever holds the old secret cannot come back, nor go on; the new one brings the account back."""
    lost = client.credentials
    thief = await other_device(client)
    new = await client.accounts.replace_device_secret()
    assert new == client.credentials
    assert new.device_secret != lost.device_secret
    with pytest.raises(SignInFailed):
        await thief.accounts.me()
    await thief.close()
    async with connect(client.address) as later:
        with pytest.raises(SignInFailed):
            await later.sign_in(credentials=lost)
        await later.sign_in(credentials=new)
        assert later.account.name == client.account.name


async def test_an_ended_session_loses_its_stream(client: Client) -> None:
    """A table followed in a session that was ended is followed no more, and who waits for it is told."""
    other = await other_device(client)
    made = await other.lobby.create()
    await other.table(made.name).follow()
    credentials = await client.accounts.replace_device_secret()
    assert isinstance(credentials, Credentials)
    with pytest.raises(SignInFailed):
        await asyncio.wait_for(other.table(made.name).until(lambda view: view.over), 30)
    await other.close()


async def test_a_password_brings_the_account_back(client: Client, tmp_path: Path) -> None:
    """A guest sets a name and password, comes back by them elsewhere, and stays there by a kept secret."""
    told = await client.accounts.set_password("Wang", "correct horse")
    assert (told.name, told.login_name) == (client.account.name, "wang")
    keep = tmp_path / "wang.json"
    async with connect(client.address, backoff=AT_ONCE) as other:
        with pytest.raises(SignInFailed):
            await other.sign_in_with_password("wang", "battery staple")
        credentials = await other.sign_in_with_password("WANG", "correct horse", keep=keep)
        assert other.account.name == client.account.name
        assert Credentials.load(keep) == credentials
        with pytest.raises(Refused, match="WRONG_PASSWORD"):
            await other.accounts.set_password("", "battery staple", "wrong horse")
        await other.accounts.set_password("", "battery staple", "correct horse")
    async with connect(client.address, backoff=AT_ONCE) as later:
        await later.sign_in("", keep=keep)
        assert later.account.name == client.account.name
        await later.sign_in_with_password("wang", "battery staple")
        with pytest.raises(Refused, match="BAD_REQUEST"):
            await later.accounts.set_password("", "short", "battery staple")


async def test_a_name_is_one_accounts(client: Client) -> None:
    """A name that another account signs in with is refused."""
    await client.accounts.set_password("wang", "correct horse")
    async with connect(client.address, backoff=AT_ONCE) as other:
        await other.sign_in("another")
        with pytest.raises(Refused, match="LOGIN_NAME_TAKEN"):
            await other.accounts.set_password("Wang", "correct horse")


async def test_a_profile_is_changed_and_seen(client: Client) -> None:
    """Name and locale change; others see the public part; a bot is renamed by its owner."""
    changed = await client.accounts.update(display_name="Mei Mei", locale="zh-CN")
    assert (changed.display_name, changed.locale) == ("Mei Mei", "zh-CN")
    bot = await client.accounts.create_bot("robot")
    assert (await client.accounts.update(display_name="better", bot=bot.name)).display_name == "better"
    async with connect(client.address, backoff=AT_ONCE) as other:
        await other.sign_in("another")
        seen = await other.accounts.get(client.account.name)
        assert (seen.display_name, seen.locale) == ("Mei Mei", "")
        with pytest.raises(Refused, match="ACCOUNT_NOT_FOUND"):
            await other.accounts.get("accounts/nobody")
    with pytest.raises(BadInput, match="nothing is to change"):
        await client.accounts.update()


async def test_a_block_list_is_kept(client: Client) -> None:
    """Who is blocked is listed, until it is blocked no more."""
    async with connect(client.address, backoff=AT_ONCE) as other:
        await other.sign_in("another")
        await client.accounts.block(other.account.name)
        assert [entry.account.name for entry in await client.accounts.blocked()] == [other.account.name]
        await client.accounts.unblock(other.account.name)
        assert await client.accounts.blocked() == []
        with pytest.raises(Refused):
            await client.accounts.block(client.account.name)


async def test_an_account_is_deleted(client: Client) -> None:
    """It wants the password, ends this session and all others, and nothing brings the account back."""
    name, credentials = client.account.name, client.credentials
    await client.accounts.set_password("mei", "correct horse")
    with pytest.raises(Refused, match="WRONG_PASSWORD"):
        await client.accounts.delete()
    other = await other_device(client)
    await client.accounts.delete("correct horse")
    with pytest.raises(NotSignedIn):
        await client.accounts.me()
    with pytest.raises(SignInFailed):
        await other.accounts.me()
    await other.close()
    with pytest.raises(SignInFailed):
        await client.sign_in(credentials=credentials)
    await client.sign_in("somebody")
    assert (await client.accounts.get(name)).deleted


async def test_a_bot_has_an_account_and_tokens(client: Client) -> None:
    """A bot is made, signs in by its token, is shown as a bot at the table, and is out when the token is revoked."""
    bot = await client.accounts.create_bot("robot")
    assert (bot.bot, bot.owner, bot.display_name) == (True, client.account.name, "robot")
    assert [found.name for found in await client.accounts.bots()] == [bot.name]
    later = datetime.now(UTC) + timedelta(days=1)
    told, secret = await client.accounts.create_bot_token(bot.name, scopes=["play", "lobby"], expires=later)
    assert [pb.BotScope.Name(scope) for scope in told.scopes] == ["BOT_SCOPE_PLAY", "BOT_SCOPE_LOBBY"]
    assert abs(told.expire_time.seconds - later.timestamp()) <= 1
    assert [token.name for token in await client.accounts.bot_tokens(bot.name)] == [told.name]
    async with connect(client.address, backoff=AT_ONCE) as program:
        await program.sign_in_as_bot(secret)
        assert program.account.name == bot.name
        with pytest.raises(CredentialsError, match="its token brings it back"):
            _ = program.credentials
        made = await program.lobby.create(NewTable(deals=1))
        assert made.players[0].is_bot_account
        with pytest.raises(Refused, match="SCOPE_MISSING"):
            await program.accounts.create_bot("another")
        await client.accounts.revoke_bot_token(told.name)
        with pytest.raises(SignInFailed):
            await program.accounts.me()
        with pytest.raises(SignInFailed, match="does not take this token"):
            await program.sign_in_as_bot(secret)
    await client.accounts.delete_bot(bot.name)
    assert await client.accounts.bots() == []
    with pytest.raises(Refused, match="BOT_NOT_FOUND"):
        await client.accounts.bot_tokens(bot.name)


async def test_a_bot_plays_a_match_by_its_token(client: Client) -> None:
    """`run_bot` with a token plays under the name of the bot's account."""
    bot = await client.accounts.create_bot("robot")
    _, secret = await client.accounts.create_bot_token(bot.name)
    result = await run_bot(client.address, PolicyBot("simple"), table=NewTable(deals=1), fill="simple", token=secret)
    assert result.complete


@pytest.mark.parametrize(
    "slip",
    [
        lambda accounts: accounts.create_bot_token("a", scopes=["dance"]),
        lambda accounts: accounts.create_bot_token("a", expires=datetime(2030, 1, 1)),  # noqa: DTZ001 - the slip
        lambda accounts: accounts.create_bot(7),
        lambda accounts: accounts.delete_bot(None),
    ],
)
async def test_slips_are_told_before_anything_is_sent(client: Client, slip: Callable[[Any], Awaitable[Any]]) -> None:
    """What cannot be meant is a BadInput in words."""
    with pytest.raises(BadInput):
        await slip(client.accounts)


def test_the_same_without_async() -> None:
    """The plain client has the same calls."""
    with gouji.running(FakeServer(seed=1)) as server, gouji.connect(server.address) as client:
        client.sign_in("Mei")
        assert client.accounts.me().display_name == "Mei"
        assert [session.current for session in client.accounts.sessions()] == [True]
        with pytest.raises(Refused):
            client.accounts.revoke_session("nothing")
        assert client.accounts.sign_out_everywhere() == 0
        assert client.accounts.replace_device_secret().account == client.account.name
        assert client.accounts.set_password("mei", "correct horse").login_name == "mei"
        with gouji.connect(server.address) as later:
            assert later.sign_in_with_password("mei", "correct horse").account == client.account.name
        assert client.accounts.update(locale="zh").locale == "zh"
        assert client.accounts.get(client.account.name).locale == "zh"
        bot = client.accounts.create_bot("robot")
        client.accounts.block(bot.name)
        assert len(client.accounts.blocked()) == 1
        client.accounts.unblock(bot.name)
        told, secret = client.accounts.create_bot_token(bot.name)
        assert client.accounts.bots() == [bot]
        assert client.accounts.bot_tokens(bot.name) == [told]
        with gouji.connect(server.address) as program:
            program.sign_in_as_bot(secret)
            assert program.account.name == bot.name
        client.accounts.revoke_bot_token(told.name)
        client.accounts.delete_bot(bot.name)
        client.accounts.delete("correct horse")

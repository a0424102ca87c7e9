"""Accounts that operators shut out: at once, with their bots, for as long as was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest

from gouji.admin.v1 import admin_pb2 as pb
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.session.v1 import session_pb2
from tests.server.admin_client import AdminClient
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import seated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.server.raw_client import RawClient
    from tests.server.running import Running


@pytest.fixture
async def admin(running_server: Running) -> AsyncIterator[AdminClient]:
    """An operator of the running server."""
    async with AdminClient(running_server.config.data_dir) as client:
        yield client


def ban(account: str, seconds: int = 0) -> pb.BanAccountRequest:
    """Return a ban for so long, or for good."""
    request = pb.BanAccountRequest(account=account, reason="cheats")
    if seconds:
        request.duration.FromSeconds(seconds)
    return request


async def bot_of(owner: RawClient) -> tuple[str, str]:
    """A bot's account, and a token of it."""
    bot = await owner.call(session_pb2.CreateBotAccountRequest(display_name="bot", request_id=new_id()))
    made = await owner.call(session_pb2.CreateBotTokenRequest(parent=bot.account.name, request_id=new_id()))
    return bot.account.name, made.token


async def sign_in_as_bot(client: RawClient, token: str) -> session_pb2.SignInResponse:
    """Sign in with a bot's token."""
    request = session_pb2.SignInRequest(bot=session_pb2.BotCredential(token=token))
    answer: session_pb2.SignInResponse = await client.sessions.SignIn(request)
    client.session = answer.session
    return answer


async def test_a_banned_account_is_out_at_once(running_server: Running, admin: AdminClient) -> None:
    """Its calls are refused, its streams end, and its secret opens nothing until it is let in again."""
    owner, player = await running_server.player("owner"), await running_server.player("player")
    table = await seated(owner, [player])
    stream = player.watch(table)
    await stream.read()
    await admin.call(ban(player.account))

    async def to_the_end() -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    assert (await refusal(to_the_end())).code == grpc.StatusCode.UNAUTHENTICATED
    assert (await refusal(player.call(session_pb2.ListSessionsRequest()))).code == grpc.StatusCode.UNAUTHENTICATED
    assert (await refusal(player.refresh())).code == grpc.StatusCode.UNAUTHENTICATED
    told = await refusal(running_server.client().come_back(player.account, player.device_secret))
    assert (told.code, told.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ACCOUNT_BANNED")
    assert "cheats" not in str(told)
    stranger = await refusal(running_server.client().come_back(player.account, "wrong"))
    assert stranger.code == grpc.StatusCode.UNAUTHENTICATED
    await admin.call(pb.UnbanAccountRequest(account=player.account))
    await running_server.client().come_back(player.account, player.device_secret)


async def test_its_ticket_is_given_up(running_server: Running, admin: AdminClient) -> None:
    """Who waits in the queue does so no more; who waits there too goes on waiting."""
    waiting = [await running_server.player(f"p{n}") for n in range(2)]
    tickets = []
    for client in waiting:
        request = matchmaking_pb2.CreateTicketRequest(request_id=new_id(), rule_sets=["ruleSets/qingdao"])
        tickets.append((await client.call(request)).ticket.name)
    await admin.call(ban(waiting[0].account))

    again = await waiting[1].call(matchmaking_pb2.GetTicketRequest(name=tickets[1]))
    assert again.ticket.state == matchmaking_pb2.TICKET_STATE_QUEUED
    await admin.call(pb.UnbanAccountRequest(account=waiting[0].account, reason="sorry"))
    await waiting[0].come_back(waiting[0].account, waiting[0].device_secret)
    gone = await waiting[0].call(matchmaking_pb2.GetTicketRequest(name=tickets[0]))
    assert gone.ticket.state == matchmaking_pb2.TICKET_STATE_CANCELLED


async def test_a_ban_outlives_a_restart_and_ends_in_time(running_server: Running, admin: AdminClient) -> None:
    """Who is banned for an hour is told until when, also by a server that was started anew, and comes back after it."""
    player = await running_server.player("player")
    secret, account = player.device_secret, player.account
    until = (await admin.call(ban(account, 3600))).ban.expire_time.ToDatetime()
    await running_server.restart()
    told = await refusal(running_server.client().come_back(account, secret))
    assert told.metadata["until"] == until.isoformat(timespec="seconds") + "+00:00"
    running_server.clock.advance(3601)
    await running_server.client().come_back(account, secret)
    async with AdminClient(running_server.config.data_dir) as again:
        assert not (await again.call(pb.ListBansRequest())).bans


async def test_its_bots_are_banned_with_it(running_server: Running, admin: AdminClient) -> None:
    """A bot's sessions end and its token opens nothing; a ban of the bot alone leaves its owner in."""
    owner = await running_server.player("owner")
    bot, token = await bot_of(owner)
    program = running_server.client()
    await sign_in_as_bot(program, token)
    await admin.call(ban(bot))
    assert (await refusal(sign_in_as_bot(running_server.client(), token))).reason == "ACCOUNT_BANNED"
    await owner.call(session_pb2.ListSessionsRequest())
    await admin.call(pb.UnbanAccountRequest(account=bot))
    await sign_in_as_bot(program, token)
    await admin.call(ban(owner.account))
    refused = await refusal(program.call(session_pb2.GetAccountRequest(name=bot)))
    assert refused.code == grpc.StatusCode.UNAUTHENTICATED
    assert (await refusal(sign_in_as_bot(running_server.client(), token))).reason == "ACCOUNT_BANNED"


async def test_a_password_opens_a_banned_account_as_little(running_server: Running, admin: AdminClient) -> None:
    """With the right password it is told to be banned; with a wrong one no more than anybody is."""
    player = await running_server.player("player")
    await player.call(session_pb2.SetPasswordRequest(login_name="player-1", new_password="correct horse"))
    await admin.call(ban(player.account))

    async def sign_in(password: str) -> str:
        with_password = session_pb2.PasswordCredential(login_name="player-1", password=password)
        request = session_pb2.SignInRequest(password=with_password)
        return (await refusal(running_server.client().sessions.SignIn(request))).reason

    assert await sign_in("correct horse") == "ACCOUNT_BANNED"
    assert await sign_in("wrong horse") != "ACCOUNT_BANNED"


async def test_bans_are_listed_and_replaced(running_server: Running, admin: AdminClient) -> None:
    """The newest first, each account once, by whom and why; accounts are found by a part of their names."""
    players = [await running_server.player(f"player {number}") for number in range(3)]
    for player in players:
        running_server.clock.advance(1)
        await admin.call(ban(player.account))
    running_server.clock.advance(1)
    await admin.call(ban(players[1].account, 60))
    listed: list[str] = []
    token = ""
    while True:
        page = await admin.call(pb.ListBansRequest(page_size=2, page_token=token))
        listed += [one.display_name for one in page.bans]
        token = page.next_page_token
        if not token:
            break
    assert listed == ["player 1", "player 2", "player 0"]
    found = (await admin.call(pb.ListAccountsRequest(text="ER 1"))).accounts
    assert [(one.name, one.ban.operator, one.ban.reason) for one in found] == [(players[1].account, "祥子", "cheats")]
    assert found[0].ban.HasField("expire_time")
    assert [one.name for one in (await admin.call(pb.ListAccountsRequest(text="%"))).accounts] == []
    by_name = (await admin.call(pb.ListAccountsRequest(text=players[0].account))).accounts
    assert [one.display_name for one in by_name] == ["player 0"]


async def test_what_is_no_ban_is_refused(admin: AdminClient) -> None:
    """Without a reason, for less than no time, or of nobody: one clear refusal each."""
    nobody = ban("accounts/0000000000000000")
    assert (await refusal(admin.call(nobody))).reason == "ACCOUNT_NOT_FOUND"
    assert (await refusal(admin.call(pb.UnbanAccountRequest(account=nobody.account)))).reason == "ACCOUNT_NOT_FOUND"
    nobody.reason = ""
    assert (await refusal(admin.call(nobody))).fields == ("reason",)
    past = ban("accounts/0000000000000000")
    past.duration.seconds = -5
    assert (await refusal(admin.call(past))).fields == ("duration",)

"""Bots: accounts that belong to somebody's, their tokens, what these are good for and when they are good no more."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.accounts.bots import NEW_BURST
from gouji_server.records.accounts import KEEP_TOKENS_SECONDS
from gouji_server.records.bots import MAX_BOTS, MAX_TOKENS
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import PlayStream
from tests.server.test_sessions import again

if TYPE_CHECKING:
    from tests.server.running import Running

PLAY, LOBBY, WATCH, CHAT = pb.BOT_SCOPE_PLAY, pb.BOT_SCOPE_LOBBY, pb.BOT_SCOPE_WATCH, pb.BOT_SCOPE_CHAT


async def new_bot(owner: RawClient, name: str = "robot") -> str:
    answer = await owner.call(pb.CreateBotAccountRequest(display_name=name, request_id=new_id()))
    made: str = answer.account.name
    return made


async def new_token(owner: RawClient, bot: str, *scopes: pb.BotScope.ValueType, **fields: Any) -> Any:
    request = pb.CreateBotTokenRequest(parent=bot, scopes=scopes, request_id=new_id(), **fields)
    return await owner.call(request)


async def signed_in(running: Running, token: str) -> RawClient:
    """Sign a program in with a bot's token."""
    client = running.client()
    request = pb.SignInRequest(bot=pb.BotCredential(token=token))
    answer: pb.SignInResponse = await client.sessions.SignIn(request)
    assert answer.device_secret == ""
    client.session = answer.session
    return client


async def me(client: RawClient) -> pb.Account:
    answer: pb.GetAccountResponse = await client.call(pb.GetAccountRequest(name="accounts/me"))
    return answer.account


async def test_a_program_plays_as_its_owners_bot(running_server: Running) -> None:
    """A bot has a name of its own and an owner; at a table all see that its account is a bot's, after a restart too."""
    owner = await running_server.player("owner")
    bot = await new_bot(owner, "机器人")
    made = await new_token(owner, bot)
    assert list(made.bot_token.scopes) == [PLAY, LOBBY, WATCH]
    program = await signed_in(running_server, made.token)
    account = await me(program)
    assert (account.name, account.display_name, account.bot, account.owner) == (bot, "机器人", True, owner.account)
    assert not (await me(owner)).bot
    table = (await program.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table
    await owner.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table.name))
    other = await signed_in(running_server, (await new_token(owner, await new_bot(owner))).token)
    await other.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table.name))
    await running_server.restart()
    again = running_server.client()
    again.session = owner.session
    players = (await again.call(lobby_pb2.GetTableRequest(name=table.name))).table.players
    assert [player.is_bot_account for player in players] == [True, False, True, False, False, False]
    stream = PlayStream(await signed_in(running_server, made.token))
    assert not (await stream.subscribe(table.name)).HasField("error")


async def test_a_bots_session_is_refreshed_as_others_are(running_server: Running) -> None:
    """A refreshed session of a bot is the bot's still, with the scopes that its token has."""
    owner = await running_server.player()
    program = await signed_in(running_server, (await new_token(owner, await new_bot(owner), LOBBY)).token)
    running_server.clock.advance(901)
    await program.refresh()
    assert (await me(program)).bot
    await program.call(lobby_pb2.ListTablesRequest())
    failed = await refusal(program.call(table_pb2.GetViewRequest(table="tables/aaaaaaaaaaaaaaaa")))
    assert (failed.reason, failed.metadata) == ("SCOPE_MISSING", {"scope": "watch"})


async def test_a_bot_without_its_token_is_no_person(running_server: Running) -> None:
    """Whose bot an account is makes it one: a session that has lost its token may do nothing that a person may."""
    owner = await running_server.player()
    program = await signed_in(running_server, (await new_token(owner, await new_bot(owner), LOBBY)).token)
    with closing(sqlite3.connect(running_server.config.data_dir / "records.sqlite3", isolation_level=None)) as records:
        records.execute("UPDATE refresh_families SET bot_token_id = NULL")
    await program.refresh()
    assert (await me(program)).bot
    for call in (lobby_pb2.ListTablesRequest(), pb.ListBotAccountsRequest()):
        assert (await refusal(program.call(call))).reason == "SCOPE_MISSING"


async def test_a_revoked_token_is_void_at_once(running_server: Running) -> None:
    """Sessions begun with it end with their streams, nobody signs in with it, and the bot's other tokens are good."""
    owner = await running_server.player()
    bot = await new_bot(owner)
    one, two = await new_token(owner, bot), await new_token(owner, bot)
    first, second = await signed_in(running_server, one.token), await signed_in(running_server, two.token)
    stream = PlayStream(first)
    await stream.send(unsubscribe=table_pb2.Unsubscribe(request_id="here", table="tables/aaaaaaaaaaaaaaaa"))
    await stream.result("here")
    request = pb.RevokeBotTokenRequest(name=one.bot_token.name)
    await owner.call(request)
    assert (await refusal(me(first))).reason == "TOKEN_INVALID"
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await stream.read()
    assert ended.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert (await refusal(first.refresh())).reason == "CREDENTIAL_INVALID"
    assert (await refusal(signed_in(running_server, one.token))).reason == "CREDENTIAL_INVALID"
    await me(second)
    await owner.call(request)
    listed = await owner.call(pb.ListBotTokensRequest(parent=bot))
    assert [token.name for token in listed.bot_tokens] == [two.bot_token.name]


async def test_a_token_lapses_with_all_that_came_of_it(running_server: Running) -> None:
    """At its time a token signs nobody in, and the sessions begun with it have lapsed too, however often refreshed."""
    owner = await running_server.player()
    bot = await new_bot(owner)
    request = pb.CreateBotTokenRequest(parent=bot, request_id=new_id(), description="  for a cup  ")
    request.expire_time.FromSeconds(int(running_server.clock.now()) + 1000)
    made = await owner.call(request)
    assert made.bot_token.description == "for a cup"
    program = await signed_in(running_server, made.token)
    running_server.clock.advance(300)
    await program.refresh()
    assert program.session.access_expire_time == program.session.refresh_expire_time == request.expire_time
    running_server.clock.advance(700)
    assert (await refusal(me(program))).reason == "TOKEN_INVALID"
    assert (await refusal(program.refresh())).reason == "CREDENTIAL_INVALID"
    assert (await refusal(signed_in(running_server, made.token))).reason == "CREDENTIAL_INVALID"
    await owner.refresh()
    assert not (await owner.call(pb.ListBotTokensRequest(parent=bot))).bot_tokens


async def test_tokens_that_open_nothing_get_one_answer(running_server: Running) -> None:
    """Unknown, revoked, of a deleted bot: every byte of the refusal is that of a wrong device secret."""
    owner = await running_server.player()
    revoked, deleted = await new_token(owner, await new_bot(owner)), await new_token(owner, bot := await new_bot(owner))
    await owner.call(pb.RevokeBotTokenRequest(name=revoked.bot_token.name))
    await owner.call(pb.DeleteBotAccountRequest(name=bot))
    tokens = ("gouji-bot-unknown", "x", revoked.token, deleted.token, owner.device_secret)
    refusals = [await refusal(signed_in(running_server, token)) for token in tokens]
    refusals.append(await refusal(running_server.client().come_back(owner.account, "x")))
    assert len({failed.raw for failed in refusals}) == 1


async def test_a_deleted_bot_is_gone(running_server: Running) -> None:
    """Its name is no more and its sessions end; it is in no list, and nothing can be made for it."""
    owner = await running_server.player()
    bot, other = await new_bot(owner, "one"), await new_bot(owner, "two")
    made = await new_token(owner, bot)
    program = await signed_in(running_server, made.token)
    await owner.call(pb.DeleteBotAccountRequest(name=bot))
    assert (await refusal(me(program))).reason == "TOKEN_INVALID"
    listed = await owner.call(pb.ListBotAccountsRequest())
    assert [account.name for account in listed.accounts] == [other]
    for request in (
        pb.DeleteBotAccountRequest(name=bot),
        pb.CreateBotTokenRequest(parent=bot, request_id=new_id()),
        pb.ListBotTokensRequest(parent=bot),
        pb.RevokeBotTokenRequest(name=made.bot_token.name),
    ):
        assert (await refusal(owner.call(request))).reason == "BOT_NOT_FOUND"


async def test_only_ones_own_bots(running_server: Running) -> None:
    """What belongs to somebody else is answered as what never was; a person's account is no bot."""
    owner, stranger = await running_server.player(), await running_server.player()
    bot = await new_bot(owner)
    token = (await new_token(owner, bot)).bot_token.name
    for mine, nothing in ((bot, "accounts/nobody"), (owner.account, "accounts/nobody")):
        refusals = []
        for name in (mine, nothing):
            refusals += [
                await refusal(stranger.call(pb.DeleteBotAccountRequest(name=name))),
                await refusal(stranger.call(pb.CreateBotTokenRequest(parent=name, request_id=new_id()))),
                await refusal(stranger.call(pb.ListBotTokensRequest(parent=name))),
                await refusal(stranger.call(pb.RevokeBotTokenRequest(name=token))),
            ]
        assert {failed.reason for failed in refusals} == {"BOT_NOT_FOUND"}
        assert len({failed.raw for failed in refusals}) == 1
    assert not (await stranger.call(pb.ListBotAccountsRequest())).accounts
    await signed_in(running_server, (await new_token(owner, bot)).token)


async def test_request_ids_are_kept(running_server: Running) -> None:
    """A repeated request finds the bot and the token that it made, restart or not; another body is refused."""
    owner = await running_server.player()
    create = pb.CreateBotAccountRequest(display_name="robot", request_id="one")
    bot = await owner.call(create)
    token = pb.CreateBotTokenRequest(parent=bot.account.name, scopes=[PLAY, CHAT], request_id="one")
    made = await owner.call(token)
    await running_server.restart()
    later = running_server.client()
    later.session = owner.session
    assert await later.call(create) == bot
    assert await later.call(token) == made
    await signed_in(running_server, made.token)
    for changed in (
        pb.CreateBotAccountRequest(display_name="another", request_id="one"),
        pb.CreateBotTokenRequest(parent=bot.account.name, scopes=[PLAY], request_id="one"),
        pb.CreateBotTokenRequest(parent=bot.account.name, scopes=[PLAY, CHAT], description="x", request_id="one"),
    ):
        assert (await refusal(later.call(changed))).reason == "REQUEST_ID_USED"
    stranger = await running_server.player()
    assert (await stranger.call(create)).account.name != bot.account.name


async def test_a_forgotten_request_does_not_bring_a_void_token_back(running_server: Running) -> None:
    """Repeated when the revoked token is long removed, the request makes another one; the old one stays void."""
    owner = await running_server.player()
    bot = await new_bot(owner)
    request = pb.CreateBotTokenRequest(parent=bot, scopes=[PLAY], request_id="one")
    old = await owner.call(request)
    await owner.call(pb.RevokeBotTokenRequest(name=old.bot_token.name))
    assert (await owner.call(request)).token == old.token
    running_server.clock.advance(KEEP_TOKENS_SECONDS + 86400)
    await again(running_server, owner)  # some sign-in or other has what is long void removed
    owner = await again(running_server, owner)
    new = await owner.call(request)
    assert new.token != old.token
    assert (await refusal(signed_in(running_server, old.token))).reason == "CREDENTIAL_INVALID"
    await signed_in(running_server, new.token)
    assert (await owner.call(request)).token == new.token


async def test_bots_and_tokens_are_bounded(running_server: Running) -> None:
    """So many bots, so many tokens of each, so many in a time; what goes makes room."""
    owner = await running_server.player()
    bots = []
    for _ in range(MAX_BOTS):
        bots.append(await new_bot(owner))
        running_server.clock.advance(30)
    assert (await refusal(new_bot(owner))).reason == "TOO_MANY_BOTS"
    await owner.refresh()
    await owner.call(pb.DeleteBotAccountRequest(name=bots[0]))
    running_server.clock.advance(30)
    bot = await new_bot(owner)
    names = []
    for _ in range(MAX_TOKENS):
        running_server.clock.advance(30)
        names.append((await new_token(owner, bot)).bot_token.name)
    assert (await refusal(new_token(owner, bot))).reason == "TOO_MANY_BOT_TOKENS"
    await owner.refresh()
    await owner.call(pb.RevokeBotTokenRequest(name=names[0]))
    running_server.clock.advance(30)
    await new_token(owner, bot)


async def test_making_bots_is_slowed_down(running_server: Running) -> None:
    """Past a burst making one is refused with the time to wait, though there is room."""
    owner = await running_server.player()
    for _ in range(NEW_BURST):
        bot = await new_bot(owner)
        await owner.call(pb.DeleteBotAccountRequest(name=bot))
    failed = await refusal(new_bot(owner))
    assert (failed.code, failed.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "BOTS_MADE_TOO_FAST")
    assert failed.retry is not None
    running_server.clock.advance(failed.retry)
    await new_bot(owner)


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (pb.CreateBotAccountRequest(), ("request_id", "display_name")),
        (pb.CreateBotAccountRequest(display_name="x" * 25, request_id="a"), ("display_name",)),
        (pb.CreateBotTokenRequest(), ("request_id", "parent")),
        (pb.CreateBotTokenRequest(parent="accounts/a", request_id="a", scopes=[pb.BOT_SCOPE_UNSPECIFIED]), ("scopes",)),
        (pb.CreateBotTokenRequest(parent="accounts/a", request_id="a", scopes=[PLAY, PLAY]), ("scopes",)),
        (pb.CreateBotTokenRequest(parent="accounts/a", request_id="a", description="x" * 61), ("description",)),
        (pb.RevokeBotTokenRequest(name="accounts/a"), ("name",)),
        (pb.ListBotTokensRequest(parent="x", page_size=-1), ("parent", "page_size")),
        (pb.SignInRequest(bot=pb.BotCredential()), ("bot.token",)),
        (pb.SignInRequest(bot=pb.BotCredential(token="x"), device=pb.DeviceCredential()), ("new_guest",)),
    ],
    ids=lambda value: value if isinstance(value, tuple) else type(value).__name__,
)
async def test_bad_shapes_are_named(running_server: Running, request_: Any, fields: tuple[str, ...]) -> None:
    """A request of bad shape is refused with each bad field named."""
    client = await running_server.player()
    failed = await refusal(client.call(request_))
    assert (failed.reason, failed.fields) == ("BAD_REQUEST", fields)


@pytest.mark.parametrize("seconds", [-1, 0, 2**62])
async def test_a_token_lapses_in_the_future(running_server: Running, seconds: int) -> None:
    """A time that is past, or that no clock will show, is no time for a token to lapse."""
    owner = await running_server.player()
    bot = await new_bot(owner)
    request = pb.CreateBotTokenRequest(parent=bot, request_id=new_id())
    request.expire_time.seconds = seconds if seconds > 2**40 else int(running_server.clock.now()) + seconds
    assert (await refusal(owner.call(request))).fields == ("expire_time",)


async def test_tokens_are_stored_as_hashes(running_server: Running) -> None:
    """Nothing on disk holds a bot's token."""
    owner = await running_server.player()
    made = await new_token(owner, await new_bot(owner), description="findable words")
    await running_server.restart()
    everything = b"".join(path.read_bytes() for path in running_server.config.data_dir.iterdir() if path.is_file())
    assert b"findable words" in everything
    assert made.token.encode() not in everything
    assert made.token.removeprefix("gouji-bot-").encode() not in everything

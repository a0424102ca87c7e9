"""Profiles: what others see, how it is changed, and what is left of an account that was deleted."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.recent_names import RecentNames
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.test_bot_accounts import new_bot, new_token, signed_in
from tests.server.test_passwords import PASSWORD, enter, set_password
from tests.server.test_sessions import again, ended, is_out, open_streams
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from tests.server.running import Running


async def update(client: RawClient, *paths: str, name: str = "accounts/me", **fields: Any) -> pb.Account:
    request = pb.UpdateAccountRequest(account=pb.Account(name=name, **fields), update_mask=FieldMask(paths=paths))
    answer: pb.UpdateAccountResponse = await client.call(request)
    return answer.account


async def get(client: RawClient, name: str) -> pb.Account:
    answer: pb.GetAccountResponse = await client.call(pb.GetAccountRequest(name=name))
    return answer.account


async def seated_name(client: RawClient) -> str:
    """Return the name under which the account sits down at a new table."""
    made = await client.call(lobby_pb2.CreateTableRequest(request_id=new_id()))
    name: str = made.table.players[0].display_name
    return name


async def test_others_see_the_public_part(running_server: Running) -> None:
    """Of another account one learns name, display name, age and whether it is a bot's; not how it signs in."""
    client, other = await running_server.player("one"), await running_server.player("two")
    await set_password(client, "wang")
    await update(client, locale="zh-CN")
    own, seen = await get(client, client.account), await get(other, client.account)
    assert (own.login_name, own.locale) == ("wang", "zh-CN")
    assert seen == pb.Account(name=own.name, display_name="one", create_time=own.create_time)
    bot = await new_bot(client, "robot")
    assert (await get(client, bot)).owner == client.account
    assert await get(other, bot) == pb.Account(
        name=bot, display_name="robot", bot=True, create_time=(await get(client, bot)).create_time
    )
    assert (await refusal(get(other, "accounts/nobody"))).reason == "ACCOUNT_NOT_FOUND"


async def test_a_name_is_changed(running_server: Running) -> None:
    """The new name holds from the answer on, for sessions whose tokens tell the old one too, and after a restart."""
    client = await running_server.player("old")
    other = await again(running_server, client)
    assert await seated_name(other) == "old"
    assert (await update(client, "display_name", display_name="  新名字 ")).display_name == "新名字"
    assert await seated_name(other) == "新名字"
    await running_server.restart()
    later = running_server.client()
    later.session = other.session
    assert await seated_name(later) == "新名字"
    assert (await later.refresh()).account.display_name == "新名字"


async def test_the_mask_says_what_changes(running_server: Running) -> None:
    """Only what the mask names changes; without one, what is given; an empty locale in the mask is none."""
    client = await running_server.player("one")
    changed = await update(client, "locale", display_name="ignored", locale="en")
    assert (changed.display_name, changed.locale) == ("one", "en")
    changed = await update(client, display_name="two")
    assert (changed.display_name, changed.locale) == ("two", "en")
    assert (await update(client, "locale")).locale == ""


@pytest.mark.parametrize(
    ("paths", "fields", "wrong"),
    [
        ((), {}, ("update_mask",)),
        (("name",), {}, ("update_mask",)),
        (("display_name", "owner"), {"display_name": "x"}, ("update_mask",)),
        (("display_name",), {}, ("account.display_name",)),
        ((), {"display_name": "x" * 25}, ("account.display_name",)),
        ((), {"locale": "中文"}, ("account.locale",)),
        ((), {"locale": "a" * 36}, ("account.locale",)),
        ((), {"name": "x", "locale": "en"}, ("account.name",)),
    ],
    ids=repr,
)
async def test_bad_changes_are_named(
    running_server: Running, paths: tuple[str, ...], fields: dict[str, str], wrong: tuple[str, ...]
) -> None:
    """A change that cannot be is refused with the fields named, and changes nothing."""
    client = await running_server.player("one")
    assert (await refusal(update(client, *paths, **fields))).fields == wrong
    assert (await get(client, "accounts/me")).display_name == "one"


async def test_only_ones_own_profile_is_changed(running_server: Running) -> None:
    """One's own, or that of one's bot; anybody else's is answered as none."""
    client, other = await running_server.player(), await running_server.player("two")
    bot = await new_bot(client, "robot")
    assert (await update(client, name=bot, display_name="better")).display_name == "better"
    refusals = [
        await refusal(update(other, name=name, display_name="worse")) for name in (bot, client.account, "accounts/no")
    ]
    assert len({failed.raw for failed in refusals}) == 1
    assert refusals[0].reason == "ACCOUNT_NOT_FOUND"
    assert (await get(client, bot)).display_name == "better"


async def test_recent_names_are_forgotten_in_time() -> None:
    """A new name is remembered as long as a token with the old one can live."""
    clock = VirtualClock()
    names = RecentNames(clock, 900)
    names.remember("accounts/a", "one", clock.now())
    clock.advance(100)
    names.remember("accounts/a", "two", clock.now())
    clock.advance(850)
    names.remember("accounts/b", "b", clock.now())
    assert (names.of("accounts/a", "old"), names.of("accounts/c", "c"), len(names)) == ("two", "c", 2)
    clock.advance(50)
    names.remember("accounts/d", "d", clock.now())
    assert (names.of("accounts/a", "old"), len(names)) == ("old", 2)


async def test_a_deleted_account_is_gone(running_server: Running) -> None:
    """Its sessions, streams, secrets, name and bots are gone at once and for good; its bare id is left."""
    client, other = await running_server.player("findable-one"), await running_server.player()
    await set_password(client, "findable-login")
    await update(client, locale="fi-FINDABLE")
    bot = await new_bot(client, "findable-bot")
    program = await signed_in(running_server, (await new_token(client, bot, description="findable-use")).token)
    elsewhere = await again(running_server, client)
    play, watch = await open_streams(elsewhere)
    await other.call(pb.BlockAccountRequest(name=client.account))
    await client.call(pb.BlockAccountRequest(name=other.account))
    await client.call(pb.DeleteAccountRequest(name=client.account, current_password=PASSWORD))
    for session in (client, elsewhere, program):
        await is_out(session)
    assert await ended(play.call) is grpc.StatusCode.UNAUTHENTICATED
    assert await ended(watch) is grpc.StatusCode.UNAUTHENTICATED
    stranger = running_server.client()
    assert (await refusal(stranger.come_back(client.account, client.device_secret))).reason == "CREDENTIAL_INVALID"
    assert (await refusal(enter(running_server, "findable-login"))).reason == "CREDENTIAL_INVALID"
    for name in (client.account, bot):
        left = await get(other, name)
        assert (left.display_name, left.deleted, left.login_name) == ("deleted", True, "")
    assert not (await other.call(pb.ListBlockedAccountsRequest())).blocked_accounts
    await set_password(other, "findable-login")
    await running_server.stop()
    path = running_server.config.data_dir / "records.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as database:
        rows = [
            str(row)
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for row in database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - SQLite's own names
        ]
    left_over = [
        row for row in rows if "findable" in row.lower() and other.account.removeprefix("accounts/") not in row
    ]
    assert left_over == []
    await running_server.start()
    later = running_server.client()
    later.session = elsewhere.session
    await is_out(later)


async def test_deleting_wants_to_be_meant(running_server: Running) -> None:
    """One's own full name and the password, if there is one; without them nothing happens."""
    client, other = await running_server.player(), await running_server.player()
    await set_password(client, "wang")
    for name in ("accounts/me", other.account, "", "me"):
        failed = await refusal(client.call(pb.DeleteAccountRequest(name=name, current_password=PASSWORD)))
        assert failed.fields == ("name",)
    for password in ("", "wrong"):
        request = pb.DeleteAccountRequest(name=client.account, current_password=password)
        assert (await refusal(client.call(request))).reason == "WRONG_PASSWORD"
    await get(client, "accounts/me")
    await other.call(pb.DeleteAccountRequest(name=other.account))
    await is_out(other)
    await enter(running_server, "wang")

"""Open sessions: listed, ended, and refused at once when ended, on calls and streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.accounts.finishing import Finishing
from gouji_server.accounts.revocations import Revocations
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import PlayStream
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from tests.server.running import Running

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


async def again(running: Running, client: RawClient, metadata: tuple[tuple[str, str], ...] = ()) -> RawClient:
    """Sign in to a client's account on another device with the same secret."""
    other = running.client()
    other.device_secret = client.device_secret
    device = pb.DeviceCredential(account=client.account, device_secret=client.device_secret)
    other.session = (await other.sessions.SignIn(pb.SignInRequest(device=device), metadata=metadata)).session
    return other


async def listed(client: RawClient, **page: Any) -> list[pb.OpenSession]:
    answer: pb.ListSessionsResponse = await client.call(pb.ListSessionsRequest(**page))
    return list(answer.sessions)


async def me(client: RawClient) -> Any:
    return await client.call(pb.GetAccountRequest(name="accounts/me"))


async def is_out(client: RawClient) -> None:
    """Hold that neither token of a session is taken any more, in the words of a lapsed one."""
    failed = await refusal(me(client))
    assert (failed.code, failed.reason) == (UNAUTHENTICATED, "TOKEN_INVALID")
    request = pb.RefreshSessionRequest(refresh_token=client.session.refresh_token)
    assert (await refusal(client.sessions.RefreshSession(request))).reason == "CREDENTIAL_INVALID"


async def open_streams(client: RawClient) -> tuple[PlayStream, Any]:
    """Open a stream of each kind, at a table of the client's own."""
    made = await client.call(lobby_pb2.CreateTableRequest(request_id=new_id()))
    play = PlayStream(client)
    await play.send(subscribe=table_pb2.Subscribe(request_id=new_id(), table=made.table.name))
    await play.read()
    watch = client.watch(made.table.name)
    await watch.read()
    return play, watch


async def ended(stream: Any) -> grpc.StatusCode:
    """Return how a stream ends."""
    while True:
        try:
            if await stream.read() is grpc.aio.EOF:
                return grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            return error.code()


async def test_sessions_are_listed(running_server: Running) -> None:
    """An account sees where it is signed in: by which client, since when, used when; and which one it asks in."""
    first = await running_server.player()
    running_server.clock.advance(10)
    second = await again(running_server, first, (("gouji-client", "phone/1.2"),))
    running_server.clock.advance(10)
    await first.refresh()
    now = running_server.clock.now()
    sessions = await listed(second)
    assert [(session.client, session.current) for session in sessions] == [("", False), ("phone/1.2", True)]
    times = [(s.create_time.seconds, s.last_use_time.seconds) for s in sessions]
    assert times == [(now - 20, now), (now - 10, now - 10)]
    lifetime = running_server.config.refresh_token_seconds
    assert [s.expire_time.seconds for s in sessions] == [now + lifetime, now - 10 + lifetime]
    await running_server.player("another")
    assert len(await listed(first)) == 2


async def test_sessions_come_in_pages(running_server: Running) -> None:
    """The list is read page by page, none twice and none left out."""
    client = await running_server.player()
    for _ in range(4):
        await again(running_server, client)
    found, token = [], ""
    while True:
        answer = await client.call(pb.ListSessionsRequest(page_size=2, page_token=token))
        found += [session.name for session in answer.sessions]
        if not (token := answer.next_page_token):
            break
    assert len(found) == len(set(found)) == 5
    stranger = await running_server.player()
    other = await client.call(pb.ListSessionsRequest(page_size=2))
    failed = await refusal(listed(stranger, page_size=2, page_token=other.next_page_token))
    assert failed.fields == ("page_token",)


async def test_a_revoked_session_is_out_at_once(running_server: Running) -> None:
    """From the answer on its calls are refused and its streams end, while others' go on."""
    client = await running_server.player()
    other = await again(running_server, client)
    play, watch = await open_streams(other)
    own_play, _ = await open_streams(client)
    (name,) = [session.name for session in await listed(client) if not session.current]
    await client.call(pb.RevokeSessionRequest(name=name))
    await is_out(other)
    assert await ended(play.call) is UNAUTHENTICATED
    assert await ended(watch) is UNAUTHENTICATED
    await me(client)
    request = table_pb2.Unsubscribe(request_id="still", table="tables/aaaaaaaaaaaaaaaa")
    await own_play.send(unsubscribe=request)
    await own_play.result("still")
    assert [session.current for session in await listed(client)] == [True]
    await client.call(pb.RevokeSessionRequest(name=name))


async def test_what_others_have_cannot_be_revoked(running_server: Running) -> None:
    """Another account's session is answered as one that never was, and goes on."""
    client, other = await running_server.player(), await running_server.player()
    (theirs,) = await listed(other)
    refusals = [
        await refusal(client.call(pb.RevokeSessionRequest(name=name))) for name in (theirs.name, "sessions/nothing")
    ]
    assert {failed.reason for failed in refusals} == {"SESSION_NOT_FOUND"}
    assert len({failed.raw for failed in refusals}) == 1
    await me(other)


async def test_ones_own_session_may_be_revoked(running_server: Running) -> None:
    """To revoke the session that one calls in is to sign out: the device secret stays good."""
    client = await running_server.player()
    (own,) = await listed(client)
    await client.call(pb.RevokeSessionRequest(name=own.name))
    await is_out(client)
    await running_server.client().come_back(client.account, client.device_secret)


async def test_a_revoked_device_does_not_come_back(running_server: Running) -> None:
    """The device secret of a revoked session is void, unless the one who revokes holds the same."""
    request_id = new_id()
    one, two = running_server.client(), running_server.client()
    await one.sign_in("same", request_id)
    await two.sign_in("same", request_id)  # one account, a secret for each
    (name,) = [session.name for session in await listed(one) if not session.current]
    await one.call(pb.RevokeSessionRequest(name=name))
    stranger = running_server.client()
    assert (await refusal(stranger.come_back(two.account, two.device_secret))).reason == "CREDENTIAL_INVALID"
    by_the_same = await again(running_server, one)
    (name,) = [session.name for session in await listed(one) if not session.current]
    await one.call(pb.RevokeSessionRequest(name=name))
    await is_out(by_the_same)
    await again(running_server, one)


@pytest.mark.parametrize("keep", [True, False])
async def test_signing_out_everywhere(running_server: Running, keep: bool) -> None:
    """All sessions end at once, or all but this one; secrets stay good, and another's sessions are not touched."""
    client, stranger = await running_server.player(), await running_server.player()
    others = [await again(running_server, client) for _ in range(3)]
    play, _ = await open_streams(others[0])
    answer = await client.call(pb.SignOutEverywhereRequest(keep_this_session=keep))
    assert (answer.ended_sessions, answer.device_secret) == (3 if keep else 4, "")
    for other in others:
        await is_out(other)
    assert await ended(play.call) is UNAUTHENTICATED
    await (me(client) if keep else is_out(client))
    await me(stranger)
    await again(running_server, client)


@pytest.mark.parametrize("how", ["everywhere", "everywhere but here", "another session", "password"])
async def test_the_request_that_made_the_account_opens_it_no_more(running_server: Running, how: str) -> None:
    """Who ends sessions, or sets a password, shuts out whoever knows that request as well: it makes another account."""
    client, request_id = running_server.client(), new_id()
    await client.sign_in("one", request_id)

    async def repeated() -> str:
        thief = running_server.client()
        await thief.sign_in("one", request_id)
        return thief.account

    assert await repeated() == client.account
    other = await again(running_server, client)
    if how == "password":
        await client.call(pb.SetPasswordRequest(login_name="wang", new_password="a long password"))
    elif how == "another session":
        name = next(session.name for session in await listed(client) if not session.current)
        await client.call(pb.RevokeSessionRequest(name=name))
    else:
        await client.call(pb.SignOutEverywhereRequest(keep_this_session=how != "everywhere"))
    assert await repeated() != client.account
    if how == "password":
        await me(other)


async def test_device_secrets_are_replaced(running_server: Running) -> None:
    """After a loss one secret is good, the new one; the session that asked goes on, and may ask again."""
    client = await running_server.player()
    other = await again(running_server, client)
    request = pb.SignOutEverywhereRequest(keep_this_session=True, replace_device_secrets=True)
    lost = (await client.call(request)).device_secret
    answer = await client.call(request)
    await is_out(other)
    await client.refresh()
    stranger = running_server.client()
    for void in (client.device_secret, lost):
        assert (await refusal(stranger.come_back(client.account, void))).reason == "CREDENTIAL_INVALID"
    client.device_secret = answer.device_secret
    other = await again(running_server, client)
    (name,) = [session.name for session in await listed(other) if not session.current]
    await other.call(pb.RevokeSessionRequest(name=name))
    await again(running_server, client)


async def test_secrets_are_not_replaced_where_an_answer_could_be_lost(running_server: Running) -> None:
    """Without a session that goes on, a lost answer would lose the account: that is refused, and changes nothing."""
    client = await running_server.player()
    failed = await refusal(client.call(pb.SignOutEverywhereRequest(replace_device_secrets=True)))
    assert failed.fields == ("replace_device_secrets",)
    await again(running_server, client)
    await me(client)


@pytest.mark.parametrize("how", ["sign out", "refresh twice"])
async def test_every_way_to_end_a_session_is_at_once(running_server: Running, how: str) -> None:
    """Signing out, and a refresh token that comes again, end access tokens and streams too."""
    client = await running_server.player()
    play, watch = await open_streams(client)
    used = client.session.refresh_token
    if how == "sign out":
        await client.call(pb.SignOutRequest(refresh_token=used))
    else:
        await client.refresh()
        await refusal(client.sessions.RefreshSession(pb.RefreshSessionRequest(refresh_token=used)))
    await is_out(client)
    assert await ended(play.call) is UNAUTHENTICATED
    assert await ended(watch) is UNAUTHENTICATED


async def test_a_stream_is_of_the_session_that_renewed_it(running_server: Running) -> None:
    """A stream renewed with a newer session's token outlives the older session, and ends with the newer."""
    client = await running_server.player()
    play, _ = await open_streams(client)
    newer = await again(running_server, client)
    renew = table_pb2.RenewToken(request_id="renew", access_token=newer.session.access_token)
    await play.send(renew=renew)
    await play.result("renew")
    await client.call(pb.SignOutRequest(refresh_token=client.session.refresh_token))
    await play.send(unsubscribe=table_pb2.Unsubscribe(request_id="alive", table="tables/aaaaaaaaaaaaaaaa"))
    await play.result("alive")
    renew = table_pb2.RenewToken(request_id="back", access_token=client.session.access_token)
    await play.send(renew=renew)
    assert (await play.result("back")).error.reason == "TOKEN_INVALID"
    await client.call(pb.SignOutRequest(refresh_token=newer.session.refresh_token))
    assert await ended(play.call) is UNAUTHENTICATED


async def test_a_revocation_outlives_a_restart(running_server: Running) -> None:
    """After a restart the access tokens of sessions ended before are refused, though they have not lapsed."""
    client = await running_server.player()
    other = await again(running_server, client)
    await client.call(pb.SignOutEverywhereRequest(keep_this_session=True))
    await running_server.restart()
    for session, out in ((other.session, True), (client.session, False)):
        later = running_server.client()
        later.session = session
        await (is_out(later) if out else me(later))


async def test_what_was_revoked_is_forgotten_in_time() -> None:
    """An ended session is remembered until its last access token has lapsed, and no longer."""
    clock = VirtualClock()
    ended_ones = Revocations(clock, 900)
    told: list[str] = []
    ended_ones.listen(told.append)
    ended_ones.end("a")
    clock.advance(899)
    ended_ones.end("b")
    assert "a" in ended_ones
    clock.advance(1)
    ended_ones.end("c")
    assert ("a" in ended_ones, "b" in ended_ones, len(ended_ones)) == (False, True, 2)
    assert told == ["a", "b", "c"]


async def test_a_call_that_is_given_up_is_carried_through() -> None:
    """When the caller goes away between writing and acting, what was written is acted upon; the end waits for it."""
    finishing = Finishing()
    written, done = asyncio.Event(), []

    async def work() -> None:
        await written.wait()
        done.append(True)

    caller = asyncio.create_task(finishing.run(work()))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    assert caller.cancelled()
    assert done == []
    written.set()
    await finishing.close()
    assert done == [True]

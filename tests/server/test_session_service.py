"""Signing in, coming back, refreshing, signing out: over real connections."""

from __future__ import annotations

import asyncio
import stat
from typing import TYPE_CHECKING

import grpc
import pytest

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.accounts import RETRY_SECONDS
from gouji_server.accounts.secrets import SECRET_BYTES
from tests.server.raw_client import RawClient, new_id, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
INVALID_ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT


async def me(client: RawClient) -> pb.Account:
    answer: pb.GetAccountResponse = await client.call(pb.GetAccountRequest(name="accounts/me"))
    return answer.account


async def test_a_name_makes_a_guest(running_server: Running) -> None:
    """A first visit gives an account of that name with all its tokens, and the account can be read."""
    client = running_server.client()
    answer = await client.sign_in("张三 🎴")
    now = running_server.clock.now()
    assert answer.session.account.name.startswith("accounts/")
    assert answer.session.account.display_name == "张三 🎴"
    assert answer.session.account.create_time.ToNanoseconds() == now * 1e9
    assert answer.session.access_expire_time.ToNanoseconds() == (now + 900) * 1e9
    assert answer.session.refresh_expire_time.ToNanoseconds() > (now + 86400) * 1e9
    assert await me(client) == answer.session.account
    by_name = await client.call(pb.GetAccountRequest(name=client.account))
    assert by_name.account == answer.session.account


async def test_secrets_are_long_and_different(running_server: Running) -> None:
    """Device secrets and refresh tokens hold 256 bits, and no two are alike."""
    secrets = []
    for _ in range(5):
        answer = await running_server.client().sign_in()
        secrets += [answer.device_secret, answer.session.refresh_token]
    assert len(set(secrets)) == len(secrets)
    assert all(len(secret) * 6 >= SECRET_BYTES * 8 >= 128 for secret in secrets)


async def test_one_name_twice_is_two_accounts(running_server: Running) -> None:
    """A name proves nothing: whoever gives it again is somebody else."""
    one, two = await running_server.player("same"), await running_server.player("same")
    assert one.account != two.account


async def test_the_device_secret_opens_the_account_again(running_server: Running) -> None:
    """Coming back with the secret gives a new session of the same account, and no secret."""
    first = await running_server.player("back")
    again = running_server.client()
    answer = await again.come_back(first.account, first.device_secret)
    assert answer.session.account == first.session.account
    assert answer.device_secret == ""
    assert answer.session.refresh_token != first.session.refresh_token
    assert await me(again) == first.session.account


async def test_wrong_secret_and_unknown_account_get_one_answer(running_server: Running) -> None:
    """Nobody learns from a refusal whether an account exists: every byte of it is the same."""
    known = await running_server.player()
    other = await running_server.player()
    stranger = running_server.client()
    tries = [
        (known.account, "wrong"),
        (known.account, other.device_secret),
        (known.account, known.device_secret + "x"),
        ("accounts/0000000000000000", known.device_secret),
        ("accounts/nobody", "wrong"),
    ]
    refusals = [await refusal(stranger.come_back(account, secret)) for account, secret in tries]
    assert {r.code for r in refusals} == {UNAUTHENTICATED}
    assert len({r.raw for r in refusals}) == 1
    assert refusals[0].reason == "CREDENTIAL_INVALID"


async def test_a_refresh_token_is_used_once(running_server: Running) -> None:
    """Refreshing gives new tokens of the same account; the used token, seen again, ends the whole session."""
    client = await running_server.player()
    first = client.session.refresh_token
    session = await client.refresh()
    assert session.account.name == client.account
    assert session.refresh_token != first
    assert await me(client) == session.account
    thief = running_server.client()
    thief.session = pb.Session(refresh_token=first)
    assert (await refusal(thief.refresh())).code is UNAUTHENTICATED
    assert (await refusal(client.refresh())).code is UNAUTHENTICATED


async def test_a_session_ended_by_reuse_ends_no_other(running_server: Running) -> None:
    """Only the family of the token that came twice is revoked; the owner's other sessions and secret go on."""
    client = await running_server.player()
    other = running_server.client()
    await other.come_back(client.account, client.device_secret)
    used = client.session.refresh_token
    await client.refresh()
    client.session = pb.Session(refresh_token=used)
    await refusal(client.refresh())
    await other.refresh()
    await running_server.client().come_back(other.account, client.device_secret)


async def test_of_two_refreshes_at_once_one_wins(running_server: Running) -> None:
    """The same token presented twice at the same moment is used once and ends its session."""
    client = await running_server.player()
    request = pb.RefreshSessionRequest(refresh_token=client.session.refresh_token)
    results = await asyncio.gather(*(client.sessions.RefreshSession(request) for _ in range(5)), return_exceptions=True)
    won = [result for result in results if isinstance(result, pb.RefreshSessionResponse)]
    assert len(won) == 1
    client.session = won[0].session
    assert (await refusal(client.refresh())).code is UNAUTHENTICATED


async def test_refresh_tokens_lapse(running_server: Running) -> None:
    """A refresh token is good until its time, which each refresh puts off, and not a moment longer."""
    client = await running_server.player()
    lifetime = running_server.config.refresh_token_seconds
    running_server.clock.advance(lifetime - 1)
    await client.refresh()
    running_server.clock.advance(lifetime)
    assert (await refusal(client.refresh())).reason == "CREDENTIAL_INVALID"


async def test_signing_out_ends_the_session(running_server: Running) -> None:
    """After signing out the token refreshes nothing; doing it twice, or with an unknown token, is no error."""
    client = await running_server.player()
    request = pb.SignOutRequest(refresh_token=client.session.refresh_token)
    await client.call(request)
    await client.call(request)
    await client.call(pb.SignOutRequest(refresh_token="never given out"))
    assert (await refusal(client.refresh())).code is UNAUTHENTICATED
    await running_server.client().come_back(client.account, client.device_secret)


async def test_an_access_token_lapses(running_server: Running) -> None:
    """Calls with a lapsed token are refused; refreshing helps."""
    client = await running_server.player()
    running_server.clock.advance(901)
    failed = await refusal(me(client))
    assert (failed.code, failed.reason) == (UNAUTHENTICATED, "TOKEN_INVALID")
    await client.refresh()
    await me(client)


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", ""),),
        (("authorization", "Bearer"),),
        (("authorization", "Bearer garbage"),),
        (("authorization", "Basic dXNlcjpwYXNz"),),
        (("authorization-bin", b"Bearer x"),),
        (("token", "x"),),
    ],
    ids=repr,
)
async def test_who_does_not_say_is_refused(running_server: Running, metadata: tuple[tuple[str, str], ...]) -> None:
    """Without a good access token there is one answer, whatever is missing or wrong."""
    failed = await refusal(running_server.client().call(pb.GetAccountRequest(name="accounts/me"), metadata))
    assert (failed.code, failed.reason, failed.domain) == (UNAUTHENTICATED, "TOKEN_INVALID", "gouji")
    assert set(failed.texts) == {"en-US", "zh-CN"}


async def test_two_tokens_are_none(running_server: Running) -> None:
    """A call that carries two tokens could be read in two ways, so it is not."""
    client = await running_server.player()
    assert (await refusal(client.call(pb.GetAccountRequest(name="accounts/me"), client.metadata * 2))).code is (
        UNAUTHENTICATED
    )


async def test_a_retried_sign_in_comes_to_the_same_account(running_server: Running) -> None:
    """One id and name within ten minutes is one account; each answer's secret and session work."""
    request_id = new_id()
    clients = [running_server.client() for _ in range(3)]
    answers = [await client.sign_in("one", request_id) for client in clients]
    assert len({answer.session.account.name for answer in answers}) == 1
    assert len({answer.device_secret for answer in answers}) == 3
    for answer in answers:
        await running_server.client().come_back(answer.session.account.name, answer.device_secret)
    for client in clients:
        await client.refresh()


async def test_retries_at_the_same_moment_make_one_account(running_server: Running) -> None:
    """A sign-in sent many times at once makes one account."""
    request_id = new_id()
    client = running_server.client()
    answers = await asyncio.gather(*(client.sign_in("one", request_id) for _ in range(8)))
    assert len({answer.session.account.name for answer in answers}) == 1


async def test_a_retry_is_the_same_id_and_name_and_not_too_late(running_server: Running) -> None:
    """Another name, another id, no id, or ten minutes later: another account."""
    request_id = new_id()
    first = await running_server.client().sign_in("one", request_id)
    others = [
        await running_server.client().sign_in("two", request_id),
        await running_server.client().sign_in("one", new_id()),
        await running_server.client().sign_in("one"),
    ]
    running_server.clock.advance(RETRY_SECONDS)
    others.append(await running_server.client().sign_in("one", request_id))
    names = [answer.session.account.name for answer in (first, *others)]
    assert len(set(names)) == len(names)


async def test_the_secrets_of_retries_are_bounded(running_server: Running) -> None:
    """However often a sign-in is retried, an account keeps a few secrets, the newest ones."""
    request_id = new_id()
    answers = []
    for _ in range(12):
        answers.append(await running_server.client().sign_in("one", request_id))
        running_server.clock.advance(1)
    account = answers[0].session.account.name
    works = []
    for answer in answers:
        client = running_server.client()
        try:
            await client.come_back(account, answer.device_secret)
            works.append(True)
        except grpc.aio.AioRpcError:
            works.append(False)
    assert works == [False] * 4 + [True] * 8


async def test_sign_ins_from_one_address_are_limited(start_server: Callable[..., Running]) -> None:
    """Past the burst a sign-in is refused with the time to wait, of either kind; after that time it is taken."""
    async with start_server(sign_in_burst=3, sign_ins_per_minute=30) as running:
        last = [await running.player() for _ in range(3)][-1]
        failed = await refusal(running.client().sign_in())
        assert (failed.code, failed.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SIGN_INS")
        assert failed.retry is not None
        assert failed.retry == pytest.approx(2.0, abs=0.002)
        assert (await refusal(running.client().come_back(last.account, "x"))).reason == "TOO_MANY_SIGN_INS"
        running.clock.advance(failed.retry)
        await running.player()
        await last.refresh()


async def test_refreshes_from_one_address_are_limited(start_server: Callable[..., Running]) -> None:
    """Guessing refresh tokens is slowed down as well."""
    async with start_server(sign_in_burst=1) as running:
        client = running.client()
        client.session = pb.Session(refresh_token="guess")
        reasons = [(await refusal(client.refresh())).reason for _ in range(11)]
        assert reasons == ["CREDENTIAL_INVALID"] * 10 + ["TOO_MANY_SIGN_INS"]


GUEST = pb.NewGuest(display_name="x")
DEVICE = pb.DeviceCredential(account="accounts/a", device_secret="s")


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (pb.SignInRequest(), ("new_guest",)),
        (pb.SignInRequest(new_guest=GUEST, device=DEVICE), ("new_guest",)),
        (pb.SignInRequest(new_guest=pb.NewGuest()), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(display_name=" \u3000 ")), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(display_name="x" * 25)), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(display_name="a\nb")), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(display_name="a\u202eb")), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(display_name="\u200d")), ("new_guest.display_name",)),
        (pb.SignInRequest(new_guest=GUEST, request_id="short"), ("request_id",)),
        (pb.SignInRequest(new_guest=GUEST, request_id="x" * 65), ("request_id",)),
        (pb.SignInRequest(new_guest=GUEST, request_id="x" * 15 + "/"), ("request_id",)),
        (pb.SignInRequest(new_guest=pb.NewGuest(), request_id="?"), ("request_id", "new_guest.display_name")),
        (pb.SignInRequest(device=pb.DeviceCredential()), ("device.account", "device.device_secret")),
        (pb.SignInRequest(device=pb.DeviceCredential(account="x", device_secret="s")), ("device.account",)),
        (
            pb.SignInRequest(device=pb.DeviceCredential(account="accounts/a", device_secret="s" * 999)),
            ("device.device_secret",),
        ),
        (pb.RefreshSessionRequest(), ("refresh_token",)),
        (pb.RefreshSessionRequest(refresh_token="x" * 999), ("refresh_token",)),
        (pb.SignOutRequest(), ("refresh_token",)),
        (pb.GetAccountRequest(), ("name",)),
        (pb.GetAccountRequest(name="accounts/"), ("name",)),
        (pb.GetAccountRequest(name="tables/x"), ("name",)),
    ],
    ids=lambda value: value if isinstance(value, tuple) else type(value).__name__,
)
async def test_bad_shapes_are_named(
    running_server: Running, request_: pb.SignInRequest, fields: tuple[str, ...]
) -> None:
    """A request of bad shape is INVALID_ARGUMENT with each bad field named, in two languages."""
    client = await running_server.player()
    failed = await refusal(client.call(request_))
    assert (failed.code, failed.reason, failed.fields) == (INVALID_ARGUMENT, "BAD_REQUEST", fields)
    assert set(failed.texts) == {"en-US", "zh-CN"}


@pytest.mark.parametrize("name", ["x", "  padded  ", "青岛老王", "👩‍👩‍👧", "x" * 24, "a b"])
async def test_good_names_are_taken(running_server: Running, name: str) -> None:
    """Names of any script are taken, without the space around them."""
    answer = await running_server.client().sign_in(name)
    assert answer.session.account.display_name == name.strip()


async def test_a_restart_forgets_nothing(running_server: Running) -> None:
    """Access tokens, refresh tokens, device secrets and retries outlive a restart of the server."""
    request_id = new_id()
    first = running_server.client()
    await first.sign_in("one", request_id)
    await running_server.restart()
    client = running_server.client()
    client.session = first.session
    assert await me(client) == first.session.account
    await client.refresh()
    await client.come_back(first.account, first.device_secret)
    assert (await running_server.client().sign_in("one", request_id)).session.account == first.session.account


async def test_secrets_are_stored_as_hashes(running_server: Running) -> None:
    """Nothing on disk holds a secret or a token, while the account's name is there; no file is open to others."""
    client = await running_server.player("findable-name")
    await client.refresh()
    await running_server.restart()
    folder = running_server.config.data_dir
    files = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    everything = b"".join(files.values())
    assert b"findable-name" in everything
    for secret in (client.device_secret, client.session.refresh_token, client.session.access_token):
        assert secret.encode() not in everything
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

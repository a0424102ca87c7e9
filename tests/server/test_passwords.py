"""Names and passwords: a guest becomes an account that comes back from anywhere, and guessing does not pay."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.login_names import canonical
from gouji_server.accounts.password_hashing import MAX_WAITING, HashingBusy, PasswordHashing
from gouji_server.config import Config
from gouji_server.records import PasswordRecords, RecordsFailed
from gouji_server.tables import SystemEntropy
from tests.server.raw_client import RawClient, refusal
from tests.server.test_sessions import again, is_out, listed, me, open_streams
from tests.server.test_sessions import ended as stream_ended

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

PASSWORD = "够级 correct horse"
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


async def set_password(client: RawClient, name: str, new: str = PASSWORD, current: str = "") -> Any:
    request = pb.SetPasswordRequest(login_name=name, new_password=new, current_password=current)
    return await client.call(request)


async def enter(running: Running, name: str, password: str = PASSWORD, *, remember: bool = False) -> RawClient:
    """Sign in by name and password on a new device."""
    client = running.client()
    credential = pb.PasswordCredential(login_name=name, password=password, remember_device=remember)
    answer = await client.sessions.SignIn(pb.SignInRequest(password=credential))
    client.session, client.device_secret = answer.session, answer.device_secret
    return client


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done with passwords, in their order, and by which thread."""
    done: list[str] = []
    verify, make = PasswordHashing._verify, PasswordHashing.hash

    def noted(self: PasswordHashing, stored: str, password: str) -> bool:
        done.append(f"verify in {threading.current_thread().name.split('_')[0]}")
        return verify(self, stored, password)

    async def noted_hash(self: PasswordHashing, password: str) -> str:
        done.append("hash")
        return await make(self, password)

    monkeypatch.setattr(PasswordHashing, "_verify", noted)
    monkeypatch.setattr(PasswordHashing, "hash", noted_hash)
    return done


async def test_a_guest_becomes_an_account_with_a_password(running_server: Running) -> None:
    """The account stays the same, its sessions and device secret go on, and name and password open it anywhere."""
    guest = await running_server.player("王")
    other = await again(running_server, guest)
    answer = await set_password(guest, "老Wang")
    assert (answer.account.name, answer.account.login_name) == (guest.account, "老wang")
    await me(other)
    await again(running_server, guest)
    await running_server.restart()
    for name in ("老Wang", "老WANG", " 老ｗａｎｇ "):
        client = await enter(running_server, name)
        assert client.account == guest.account
        assert client.device_secret == ""
        assert (await me(client)).account.display_name == "王"


async def test_a_device_is_remembered_if_wanted(running_server: Running) -> None:
    """With it a device secret is given, which opens the account without the password."""
    guest = await running_server.player()
    await set_password(guest, "wang")
    client = await enter(running_server, "wang", remember=True)
    assert client.device_secret not in ("", guest.device_secret)
    await again(running_server, client)


async def test_a_password_is_changed(running_server: Running) -> None:
    """A change wants the current one; other sessions and devices are out at once, the one that asked goes on."""
    client = await running_server.player()
    await set_password(client, "wang")
    thief = await enter(running_server, "wang", remember=True)
    play, _ = await open_streams(thief)
    for current in ("", "wrong"):
        failed = await refusal(set_password(client, "", "another password", current))
        assert (failed.code, failed.reason) == (grpc.StatusCode.PERMISSION_DENIED, "WRONG_PASSWORD")
    await me(thief)
    await set_password(client, "", "another password", PASSWORD)
    await is_out(thief)
    assert await stream_ended(play.call) is UNAUTHENTICATED
    stranger = running_server.client()
    assert (await refusal(stranger.come_back(client.account, thief.device_secret))).reason == "CREDENTIAL_INVALID"
    assert (await refusal(enter(running_server, "wang"))).reason == "CREDENTIAL_INVALID"
    await client.refresh()
    await again(running_server, client)
    assert len(await listed(client)) == 2
    await enter(running_server, "wang", "another password")


async def test_a_name_is_changed(running_server: Running) -> None:
    """A change may bring another name; the one before is free then."""
    client, other = await running_server.player(), await running_server.player()
    await set_password(client, "wang")
    await set_password(client, "li", PASSWORD + "!", PASSWORD)
    assert (await refusal(enter(running_server, "wang"))).reason == "CREDENTIAL_INVALID"
    await set_password(other, "wang")
    assert (await enter(running_server, "wang")).account == other.account
    assert (await enter(running_server, "li", PASSWORD + "!")).account == client.account


@pytest.mark.parametrize("name", ["wang", "WANG", "ｗａｎｇ", " wang"])
async def test_a_name_is_ones_own(running_server: Running, name: str) -> None:
    """Nobody else gets a name, however it is written, and the try changes nothing."""
    client, other = await running_server.player(), await running_server.player()
    await set_password(client, "wang")
    failed = await refusal(set_password(other, name, "another password"))
    assert (failed.code, failed.reason) == (grpc.StatusCode.ALREADY_EXISTS, "LOGIN_NAME_TAKEN")
    assert not (await me(other)).account.login_name
    assert (await enter(running_server, "wang")).account == client.account


async def test_names_wanted_at_the_same_moment_go_to_one(running_server: Running) -> None:
    """Of many who want one name at once one gets it."""
    clients = [await running_server.player() for _ in range(5)]
    results = await asyncio.gather(*(set_password(client, "wang") for client in clients), return_exceptions=True)
    assert sum(isinstance(result, pb.SetPasswordResponse) for result in results) == 1


async def test_setting_is_safe_to_repeat(running_server: Running) -> None:
    """The same request again, its answer lost, is answered as before: a first password and a change alike."""
    client = await running_server.player()
    first = await set_password(client, "wang")
    assert await set_password(client, "wang") == first
    second = await set_password(client, "", "another password", PASSWORD)
    assert await set_password(client, "", "another password", PASSWORD) == second
    await enter(running_server, "wang", "another password")


async def test_an_unknown_name_is_answered_as_a_wrong_password(running_server: Running, hashed: list[str]) -> None:
    """Every byte is the same, and the same work is done: one password hashed, in a thread of its own, for either."""
    client, guest = await running_server.player(), await running_server.player()
    await set_password(client, "wang")
    await guest.refresh()
    hashed.clear()
    work, answers = [], set()
    for name, password in (("wang", "wrong"), ("nobody", "wrong"), ("nobody", PASSWORD)):
        failed = await refusal(enter(running_server, name, password))
        answers.add(failed.raw)
        work.append(hashed[:])
        hashed.clear()
    assert len(answers) == 1
    assert work == [["verify in passwords"]] * 3
    device = await refusal(running_server.client().come_back(client.account, "wrong"))
    assert answers == {device.raw}


async def test_guessing_is_slowed_down_by_name(start_server: Callable[..., Running]) -> None:
    """Past a few tries a name is refused before anything is hashed, whether it is anybody's or not; others go on."""
    async with start_server(password_tries_burst=3, password_tries_per_minute=6) as running:
        client, other = await running.player(), await running.player()
        await set_password(client, "wang")
        await set_password(other, "li")
        refusals = []
        for name in ("wang", "nobody"):
            for written in (name, name.upper(), name):
                assert (await refusal(enter(running, written, "wrong"))).reason == "CREDENTIAL_INVALID"
            refusals.append(await refusal(enter(running, name)))
        assert [failed.reason for failed in refusals] == ["TOO_MANY_TRIES"] * 2
        assert len({failed.raw for failed in refusals}) == 1
        await enter(running, "li")
        assert refusals[0].retry is not None
        running.clock.advance(refusals[0].retry)
        await enter(running, "wang")


async def test_guessing_is_slowed_down_by_account(start_server: Callable[..., Running]) -> None:
    """Whoever holds a session tries current passwords no faster."""
    async with start_server(password_tries_burst=3, password_tries_per_minute=6) as running:
        client = await running.player()
        await set_password(client, "wang")
        reasons = [(await refusal(set_password(client, "", "another one", f"guess {n}"))).reason for n in range(3)]
        assert reasons == ["WRONG_PASSWORD", "WRONG_PASSWORD", "TOO_MANY_TRIES"]


async def test_sign_ins_by_password_count_for_the_address(start_server: Callable[..., Running]) -> None:
    """An address that signs in too often is refused, whatever the way and the name."""
    async with start_server(sign_in_burst=2) as running:
        await refusal(enter(running, "one"))
        await refusal(enter(running, "two"))
        assert (await refusal(enter(running, "three"))).reason == "TOO_MANY_SIGN_INS"


async def test_hashing_is_bounded_and_off_the_loop() -> None:
    """So many wait for the threads, one more is refused at once; those given up count until they end."""
    hashing = PasswordHashing(64, 1, SystemEntropy())
    gate = threading.Event()
    stuck = [asyncio.create_task(hashing._run(gate.wait)) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(HashingBusy):
        await hashing.hash("x")
    stuck[0].cancel()  # its thread is busy all the same
    await asyncio.gather(stuck[0], return_exceptions=True)
    with pytest.raises(HashingBusy):
        await hashing.fits(None, "x")
    gate.set()
    await asyncio.gather(*stuck[1:])
    while hashing._waiting:  # noqa: ASYNC110 - the threads say when
        await asyncio.sleep(0)
    stored = await hashing.hash("x")
    assert stored.startswith("$argon2id$")
    assert (await hashing.fits(stored, "x"), await hashing.fits(stored, "y")) == (True, False)
    assert not await hashing.fits("no hash", "x")
    await hashing.close()


async def test_a_busy_server_says_when_to_come_again(running_server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """When too many passwords wait, signing in and setting one are refused with the time to wait."""
    client = await running_server.player()

    async def busy(*_: object) -> None:
        raise HashingBusy

    monkeypatch.setattr(PasswordHashing, "_run", busy)
    for call in (enter(running_server, "wang"), set_password(client, "wang")):
        failed = await refusal(call)
        assert (failed.code, failed.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SIGN_IN_BUSY")
        assert failed.retry


async def test_old_hashes_are_made_anew(start_server: Callable[..., Running], hashed: list[str]) -> None:
    """After the settings were raised, a password that fits is hashed with the new ones when it is next given."""
    async with start_server() as running:
        await set_password(await running.player(), "wang")
    async with start_server(password_memory_kib=128) as running:
        hashed.clear()
        await enter(running, "wang")
        assert hashed == ["verify in passwords", "hash"]
        hashed.clear()
        await enter(running, "wang")
        assert hashed == ["verify in passwords"]


@pytest.mark.parametrize("failure", [HashingBusy, RecordsFailed])
async def test_a_sign_in_stands_where_hashing_anew_fails(
    start_server: Callable[..., Running], monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    """The password fitted and the session has begun: a new hash waits for the next sign-in."""
    async with start_server() as running:
        await set_password(await running.player(), "wang")
    async with start_server(password_memory_kib=128) as running:

        async def fail(*_: object) -> None:
            raise failure

        with monkeypatch.context() as broken:
            if failure is HashingBusy:
                broken.setattr(PasswordHashing, "hash", fail)
            else:
                broken.setattr(PasswordRecords, "renew", fail)
            await me(await enter(running, "wang"))
        assert len(await listed(await enter(running, "wang"))) == 3


def test_the_defaults_cost_something() -> None:
    """What is set without a word is what is advised for argon2id: 64 MiB, three passes."""
    config = Config()
    hashing = PasswordHashing(config.password_memory_kib, 1, SystemEntropy())
    assert hashing._nobody.startswith("$argon2id$v=19$m=65536,t=3,p=1$")


@pytest.mark.parametrize(
    ("name", "new", "fields"),
    [
        ("", PASSWORD, ("login_name",)),
        ("x", PASSWORD, ("login_name",)),
        ("-x", PASSWORD, ("login_name",)),
        ("a b", PASSWORD, ("login_name",)),
        ("x" * 33, PASSWORD, ("login_name",)),
        ("wang@", PASSWORD, ("login_name",)),
        ("wang", "short", ("new_password",)),
        ("wang", "x" * 129, ("new_password",)),
        ("wang", "xxxxxxxxxx", ("new_password",)),
        ("wang", "line\nbreak", ("new_password",)),
        ("wangwang", "WangWang", ("new_password",)),
        ("x", "x", ("login_name", "new_password")),
    ],
)
async def test_bad_names_and_passwords_are_named(
    running_server: Running, name: str, new: str, fields: tuple[str, ...]
) -> None:
    """What cannot be set is refused with the fields named, the password never repeated."""
    client = await running_server.player()
    failed = await refusal(set_password(client, name, new))
    assert (failed.reason, failed.fields) == ("BAD_REQUEST", fields)
    assert len(new) < 3 or new.encode() not in failed.raw


async def test_signing_in_with_what_is_no_name(running_server: Running) -> None:
    """A name or password of a shape that none has is named as such, without a look at any account."""
    client = running_server.client()
    request = pb.SignInRequest(password=pb.PasswordCredential(login_name="x", password=""))
    failed = await refusal(client.call(request))
    assert failed.fields == ("password.login_name", "password.password")


@given(st.text(max_size=40))
def test_canonical_names_are_their_own(name: str) -> None:
    """The form in which names are compared is its own form, and bounded."""
    form = canonical(name)
    assert len(form) <= 32
    assert not form or canonical(form) == form


async def test_passwords_are_stored_as_argon2(running_server: Running) -> None:
    """On disk is a hash with a salt of its own: two accounts with one password have nothing in common."""
    one, two = await running_server.player(), await running_server.player()
    await set_password(one, "one")
    await set_password(two, "two")
    await running_server.restart()
    everything = b"".join(path.read_bytes() for path in running_server.config.data_dir.iterdir() if path.is_file())
    assert PASSWORD.encode() not in everything
    hashes = {part[:90] for part in everything.split(b"$argon2id$")[1:]}
    assert len(hashes) >= 2

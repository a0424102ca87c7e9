"""How often accounts and addresses may call: never more than the table says, never refused after the wait told."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from hypothesis import given
from hypothesis import strategies as st

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import table_pb2
from gouji_server.api.limits import ADDRESS_FACTOR, GROUPS, OF_ADDRESS, CallLimits, Group
from gouji_server.api.scopes import OF_METHOD, Scope
from gouji_server.tables import Refused
from tests.docs.pages import ROOT
from tests.leak.every_call import services
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import PlayStream, seated
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

REASON = "TOO_MANY_CALLS"
COMMANDS = {f"Play.{field.name}" for field in table_pb2.PlayRequest.DESCRIPTOR.fields}


def test_every_method_is_in_one_group() -> None:
    """Each method that wants a token, and each command of a stream, stands in the table; nothing else does."""
    public = {method for method, scope in OF_METHOD.items() if scope is Scope.PUBLIC}
    assert GROUPS.keys() == {method.name for _, method in services()} - public | COMMANDS


def test_an_ordinary_client_is_far_below() -> None:
    """The paces leave room for a bot that plays twenty tables at once at full speed, and asks about each decision."""
    assert Group.PLAY.value.per_second >= 20 * 2 * 20
    assert Group.PLAY.value.burst >= 20 * 2
    assert all(group.value.burst >= group.value.per_second for group in Group)
    assert OF_ADDRESS.per_second >= ADDRESS_FACTOR * Group.PLAY.value.per_second


@given(
    st.sampled_from(sorted(GROUPS)),
    st.lists(st.floats(0, 5), min_size=1, max_size=60),
    st.floats(0.01, 0.05),
)
def test_never_more_than_the_table_says_and_never_refused_after_the_wait(
    method: str, pauses: list[float], factor: float
) -> None:
    """Over any stretch of time no more calls of one account get through than its burst and its rate; one that waits as
    long as it was told gets through."""
    clock = VirtualClock()
    limits = CallLimits(clock, factor)
    pace = GROUPS[method].value
    begun, passed = clock.now(), 0
    for pause in pauses:
        clock.advance(pause)
        for _ in range(5):
            try:
                limits.take(method, "accounts/a", "192.0.2.1")
            except Refused as refused:
                clock.advance(refused.retry_seconds or 0)
                limits.take(method, "accounts/a", "192.0.2.1")
            passed += 1
    burst = max(round(pace.burst * factor), 1)
    assert passed <= burst + pace.per_second * factor * (clock.now() - begun) + 1


def test_one_address_has_more_than_one_account_and_not_without_end() -> None:
    """Accounts behind one address do not disturb one another until all of them together call too much."""
    limits = CallLimits(VirtualClock(), 0.01)
    burst = Group.CHANGE.value.burst // 100
    refused: list[str] = []
    for number in range(ADDRESS_FACTOR + 5):
        for _ in range(burst):
            try:
                limits.take("JoinTable", f"accounts/{number}", "192.0.2.1")
            except Refused as error:
                refused.append(error.quota)
    assert refused == ["address/change"] * (5 * burst)
    limits.take("JoinTable", "accounts/x", "192.0.2.2")


def test_nothing_is_counted_where_it_is_switched_off() -> None:
    """With the factor 0 nobody is refused."""
    limits = CallLimits(VirtualClock(), 0)
    for _ in range(20 * Group.STREAM.value.burst):
        limits.take("Play", "accounts/a", "192.0.2.1")
        limits.come("192.0.2.1")


async def until_refused(client: RawClient, request: lobby_pb2.GetTableRequest) -> grpc.aio.AioRpcError:
    for _ in range(1000):
        try:
            await client.call(request)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                return error
    raise AssertionError("never refused")


async def test_a_call_too_many_is_told_what_is_used_up_and_when_to_come_again(
    start_server: Callable[..., Running],
) -> None:
    """The status has the reason, the quota and the wait; after it the call goes through, and another account was not
    disturbed meanwhile; whether a table exists is not told by it."""
    async with start_server(call_limit_factor=0.02) as running:
        one, other = [await running.player(name) for name in ("one", "other")]
        error = await until_refused(one, lobby_pb2.GetTableRequest(name="tables/none"))
        status = rpc_status.from_call(error)  # type: ignore[arg-type]
        assert status is not None
        quotas = []
        for packed in status.details:
            quota = error_details_pb2.QuotaFailure()
            if packed.Unpack(quota):
                quotas.append(quota.violations[0].subject)
        assert quotas == ["account/read"]
        assert (await refusal(other.call(lobby_pb2.GetTableRequest(name="tables/none")))).reason == "TABLE_NOT_FOUND"
        failed = await refusal(one.call(lobby_pb2.GetTableRequest(name="tables/none")))
        assert (failed.reason, set(failed.texts)) == (REASON, {"en-US", "zh-CN"})
        assert failed.retry is not None
        running.clock.advance(failed.retry)
        assert (await refusal(one.call(lobby_pb2.GetTableRequest(name="tables/none")))).reason == "TABLE_NOT_FOUND"


async def test_commands_of_a_stream_count_too(start_server: Callable[..., Running]) -> None:
    """An answer too many on a stream is refused with the wait, reaches no table, and the stream goes on."""
    async with start_server(call_limit_factor=0.01) as running:
        owner = await running.player("owner")
        table = await seated(owner, [])
        stream = PlayStream(owner)
        await stream.subscribe(table)
        for _ in range(Group.PLAY.value.burst // 100):
            act = table_pb2.SubmitActionRequest(request_id=new_id(), table=table, decision=1)
            assert (await stream.act(act)).error.reason != REASON
        act = table_pb2.SubmitActionRequest(request_id=new_id(), table=table, decision=1)
        told = (await stream.act(act)).error
        assert told.reason == REASON
        running.clock.advance(told.retry_delay.ToMilliseconds() / 1000)
        act = table_pb2.SubmitActionRequest(request_id=new_id(), table=table, decision=1)
        assert (await stream.act(act)).error.reason != REASON


async def test_an_address_that_calls_too_much_is_not_even_asked_who_it_is(
    start_server: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond what one address may call no token is looked at: it costs the server next to nothing."""
    async with start_server(call_limit_factor=0.0005) as running:
        client = running.client()
        answers = []
        for _ in range(40):
            try:
                await client.call(session_pb2.GetServerInfoRequest())
            except grpc.aio.AioRpcError as error:
                answers.append(error.code())
        assert set(answers) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        looked = []
        monkeypatch.setattr("gouji_server.accounts.accounts.Accounts.authenticate", lambda *_: looked.append(1))
        failed = await refusal(client.call(lobby_pb2.ListTablesRequest(), metadata=(("authorization", "Bearer x"),)))
        assert failed.reason == REASON
        assert not looked


async def test_streams_of_one_address_are_bounded(start_server: Callable[..., Running]) -> None:
    """One more is refused; when one ends there is room again."""
    async with start_server(max_streams_per_address=2) as running:
        people = [await running.player(f"p{n}") for n in range(3)]
        table = await seated(people[0], [])
        watches = [client.watch(table) for client in people[:2]]
        for watch in watches:
            await watch.read()
        late = people[2].watch(table)
        assert (await refusal(late.read())).reason == "TOO_MANY_STREAMS"
        watches[0].cancel()
        for _ in range(1000):
            again = people[2].watch(table)
            try:
                await again.read()
            except grpc.aio.AioRpcError:
                continue
            break
        else:
            raise AssertionError("no room though a stream has ended")


def test_the_order_of_counting_is_no_way_around() -> None:
    """However accounts, addresses and methods are mixed, no account and no address gets more than its own."""
    dice = random.Random(5)
    clock = VirtualClock()
    limits = CallLimits(clock, 0.01)
    passed: dict[tuple[str, str], int] = {}
    for _ in range(3000):
        account, address = f"accounts/{dice.randrange(3)}", f"192.0.2.{dice.randrange(2)}"
        method = dice.choice(("JoinTable", "GetTable", "SetReady"))
        group = GROUPS[method].name
        try:
            limits.take(method, account, address)
        except Refused:
            continue
        passed[account, group] = passed.get((account, group), 0) + 1
    assert passed == {
        (f"accounts/{number}", group.name): max(round(group.value.burst * 0.01), 1)
        for number in range(3)
        for group in (Group.CHANGE, Group.READ)
    }


def test_the_page_tells_the_table() -> None:
    """docs/limits.md has each group with its burst and its rate."""
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    told = {
        found[1]: (int(found[2]), float(found[3]))
        for found in re.finditer(r"^\| (\w+) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    }
    assert told == {group.name.lower(): group.value for group in Group}

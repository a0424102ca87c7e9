"""The operators' listener: who gets in, what they are told, and that all of it is in the audit log first."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gouji.admin.v1 import admin_pb2 as pb
from gouji.lobby.v1 import lobby_pb2
from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import chat_pb2, events_pb2
from gouji_server.records import RecordsFailed
from tests.server.admin_client import SERVICE, AdminClient, requests
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import seated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.server.running import Running


@pytest.fixture
async def admin(running_server: Running) -> AsyncIterator[AdminClient]:
    """An operator of the running server."""
    async with AdminClient(running_server.config.data_dir) as client:
        yield client


async def audit(admin: AdminClient, target: str = "") -> list[tuple[str, str, str]]:
    """Action, reason and detail of the audit log, the oldest first."""
    answer = await admin.call(pb.ListAuditEntriesRequest(target=target))
    return [(entry.action, entry.reason, entry.detail) for entry in reversed(answer.entries)]


async def a_match(running: Running) -> str:
    """A table at which six people play."""
    owner = await running.player("owner")
    players = [await running.player(f"p{n}") for n in range(6)]
    return await seated(owner, players)


# ── who gets in ──


@pytest.mark.parametrize("key", ["", "00" * 32, "nothing", "é"])
async def test_nothing_is_answered_without_the_credential(running_server: Running, key: str) -> None:
    """Every method, health, reflection, channelz and methods that do not exist refuse alike, whatever else was said."""
    async with AdminClient(running_server.config.data_dir, key=key.encode().hex() if key == "é" else key) as stranger:
        for request in requests():
            assert (await refusal(stranger.call(request))).code == grpc.StatusCode.UNAUTHENTICATED
        health: Any = health_pb2_grpc.HealthStub(stranger.channel)
        channelz: Any = channelz_pb2_grpc.ChannelzStub(stranger.channel)  # type: ignore[arg-type]
        odd: Any = stranger.channel.unary_unary("/gouji.admin.v1.AdminService/Nothing", None, None)
        for call in (
            health.Check(health_pb2.HealthCheckRequest(), metadata=stranger.metadata),
            channelz.GetServers(channelz_pb2.GetServersRequest(), metadata=stranger.metadata),
            odd(b"\xff", metadata=stranger.metadata),
        ):
            assert (await refusal(call)).code == grpc.StatusCode.UNAUTHENTICATED


async def test_players_port_has_nothing_of_it(running_server: Running) -> None:
    """On the public port AdminService and channelz are not implemented, and reflection does not name them."""
    player = await running_server.player()
    for method in [f"/{SERVICE.full_name}/{method.name}" for method in SERVICE.methods] + [
        "/grpc.channelz.v1.Channelz/GetServers"
    ]:
        call: Any = player.channel.unary_unary(method, None, None)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call(b"", metadata=player.metadata)
        assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_socket_and_credential_are_their_owners_alone(running_server: Running) -> None:
    """Both have mode 0600 in a directory of mode 0700; the key has 256 bits; the socket goes with the server."""
    folder = running_server.config.data_dir
    assert stat.S_IMODE((folder / "admin.sock").stat().st_mode) == 0o600
    assert stat.S_ISSOCK((folder / "admin.sock").stat().st_mode)
    assert stat.S_IMODE((folder / "admin.key").stat().st_mode) == 0o600
    assert len((folder / "admin.key").read_bytes()) == 32
    await running_server.stop()
    assert not (folder / "admin.sock").exists()
    await running_server.start()


async def test_it_can_be_a_port_of_this_machine(start_server: Callable[..., Running]) -> None:
    """With `--admin-port` operators come over loopback, and there is no socket."""
    async with start_server(admin_port=0) as running:
        target = running.server.admin_target
        assert target.startswith("127.0.0.1:")
        assert not (running.config.data_dir / "admin.sock").exists()
        async with AdminClient(running.config.data_dir, target=target) as admin:
            assert (await admin.call(pb.GetStatusRequest())).address == running.server.address


async def test_health_and_channelz_are_told_to_operators(running_server: Running, admin: AdminClient) -> None:
    """Channelz lists the servers of the process, the public one too."""
    health: Any = health_pb2_grpc.HealthStub(admin.channel)
    served = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE.full_name), metadata=admin.metadata)
    assert served.status == health_pb2.HealthCheckResponse.SERVING
    channelz: Any = channelz_pb2_grpc.ChannelzStub(admin.channel)  # type: ignore[arg-type]
    assert (await channelz.GetServers(channelz_pb2.GetServersRequest(), metadata=admin.metadata)).server


# ── the audit log ──


async def test_who_changes_or_looks_says_who_it_is(running_server: Running) -> None:
    """Without an operator's name nothing is done and nothing is written; lists need none."""
    silent = {"GetStatus", "ListTables", "ListAccounts", "ListBans", "ListReports", "ListAuditEntries", "GetDrain"}
    table = await a_match(running_server)
    async with AdminClient(running_server.config.data_dir, operator="") as nobody:
        for request in requests():
            name = type(request).__name__.removesuffix("Request")
            if name in silent:
                await nobody.call(request)
                continue
            refused = await refusal(nobody.call(request))
            assert (refused.code, "metadata gouji-operator" in refused.fields) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                True,
            ), name
        assert (await nobody.call(pb.ListAuditEntriesRequest())).entries == []
        assert (await nobody.call(pb.ListTablesRequest())).tables[0].name == table


async def test_a_look_is_written_down_before_it_is_answered(
    running_server: Running, admin: AdminClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who, what, why and whether hands were told stand in the log; where that cannot be written nothing is told."""
    table = await a_match(running_server)
    await admin.call(pb.InspectTableRequest(table=table, reason="a player asks"))
    await admin.call(pb.InspectTableRequest(table=table, reason="看牌", reveal=True))
    entries = (await admin.call(pb.ListAuditEntriesRequest(target=table))).entries
    assert [(entry.operator, entry.action, entry.reason, entry.detail) for entry in entries] == [
        ("祥子", "InspectTable", "看牌", "reveal"),
        ("祥子", "InspectTable", "a player asks", ""),
    ]

    async def fail(*_: object) -> None:
        raise RecordsFailed

    monkeypatch.setattr("gouji_server.records.audit.AuditRecords.add", fail)
    for request in (
        pb.InspectTableRequest(table=table, reason="x", reveal=True),
        pb.CloseTableRequest(table=table, request_id="c"),
    ):
        assert (await refusal(admin.call(request))).code == grpc.StatusCode.UNAVAILABLE
    assert (await admin.call(pb.ListTablesRequest())).tables[0].state == lobby_pb2.TABLE_STATE_PLAYING


async def test_the_audit_log_comes_in_pages_and_outlives_a_restart(running_server: Running, admin: AdminClient) -> None:
    """The newest first, each once, a page's token good for its own list alone."""
    for number in range(5):
        await refusal(admin.call(pb.InspectTableRequest(table=f"tables/t{number}")))
    await running_server.restart()
    async with AdminClient(running_server.config.data_dir) as again:
        seen: list[str] = []
        token = ""
        while True:
            page = await again.call(pb.ListAuditEntriesRequest(page_size=2, page_token=token))
            seen += [entry.target for entry in page.entries]
            token = page.next_page_token
            if not token:
                break
        assert seen == [f"tables/t{number}" for number in range(4, -1, -1)]
        first = await again.call(pb.ListAuditEntriesRequest(page_size=2))
        other = pb.ListAuditEntriesRequest(page_size=2, page_token=first.next_page_token, target="tables/t1")
        assert (await refusal(again.call(other))).fields == ("page_token",)


# ── tables ──


async def test_operators_see_every_table_and_the_hands_only_with_a_reason(
    running_server: Running, admin: AdminClient
) -> None:
    """Private ones are in the list; hands are six, as their players see them, and want a reason."""
    table = await a_match(running_server)
    owner = await running_server.player("private")
    private = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), private=True))
    names = [info.name for info in (await admin.call(pb.ListTablesRequest())).tables]
    assert set(names) == {table, private.table.name}
    first = await admin.call(pb.ListTablesRequest(page_size=1))
    second = await admin.call(pb.ListTablesRequest(page_size=1, page_token=first.next_page_token))
    assert [info.name for page in (first, second) for info in page.tables] == names
    assert second.next_page_token == ""
    assert (await refusal(admin.call(pb.InspectTableRequest(table=table, reveal=True)))).fields == ("reason",)
    plain = await admin.call(pb.InspectTableRequest(table=table))
    assert not plain.hands
    assert not plain.view.HasField("seat")
    assert plain.journal_entries > 0
    shown = await admin.call(pb.InspectTableRequest(table=table, reason="complaint", reveal=True))
    assert [len(hand.cards) for hand in shown.hands] == [36] * 6
    assert (shown.decision, list(shown.asked)) == (plain.decision, list(plain.asked))
    missing = await refusal(admin.call(pb.InspectTableRequest(table="tables/aaaaaaaaaaaaaaaa")))
    assert missing.reason == "TABLE_NOT_FOUND"


async def test_a_table_is_frozen_let_go_kicked_at_and_closed(running_server: Running, admin: AdminClient) -> None:
    """Each is written down and done once, however often the same request comes."""
    table = await a_match(running_server)
    frozen = await admin.call(pb.FreezeTableRequest(table=table, reason="dispute", request_id="f"))
    assert frozen.table.HasField("hold_time")
    assert [info.name for info in (await admin.call(pb.ListTablesRequest(held=True))).tables] == [table]
    let_go = await admin.call(pb.UnfreezeTableRequest(table=table, request_id="u"))
    assert not let_go.table.HasField("hold_time")
    await admin.call(pb.KickSeatRequest(table=table, seat=3, reason="rude", request_id="k"))
    again = await refusal(admin.call(pb.KickSeatRequest(table=table, seat=4, reason="rude", request_id="k")))
    assert again.reason == "REQUEST_ID_USED"
    closed = await admin.call(pb.CloseTableRequest(table=table, reason="cheating", request_id="c"))
    assert closed.table.state == lobby_pb2.TABLE_STATE_FINISHED
    assert await admin.call(pb.CloseTableRequest(table=table, reason="cheating", request_id="c")) == closed
    assert [action for action, _, _ in await audit(admin, table)] == [
        "FreezeTable",
        "UnfreezeTable",
        "KickSeat",
        "KickSeat",
        "CloseTable",
        "CloseTable",
    ]


async def test_a_closed_match_is_kept(running_server: Running, admin: AdminClient) -> None:
    """Its players find it among the finished matches."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    table = await seated(owner, players)
    await admin.call(pb.CloseTableRequest(table=table, request_id="c"))
    await running_server.restart()
    player = running_server.client()
    await player.come_back(players[0].account, players[0].device_secret)
    matches = (await player.call(replay_pb2.ListMatchesRequest())).matches
    assert [match.end_reason for match in matches] == [events_pb2.MATCH_END_REASON_CLOSED_BY_OPERATORS]


async def test_reports_are_read_by_operators(running_server: Running, admin: AdminClient) -> None:
    """What was said, by whom, and why it was reported."""
    owner, other = await running_server.player("owner"), await running_server.player("other")
    table = await seated(owner, [owner, other])
    said = chat_pb2.SendChatRequest(table=table, scope=chat_pb2.CHAT_SCOPE_TABLE, text="rude words")
    said.request_id = new_id()
    message = (await owner.call(said)).message
    await other.call(chat_pb2.ReportMessageRequest(table=table, scope=message.scope, message=message.id, reason="rude"))
    reports = (await admin.call(pb.ListReportsRequest())).reports
    assert [(report.reporter, report.reason, report.said.sender, report.said.content) for report in reports] == [
        (other.account, "rude", owner.account, "rude words")
    ]

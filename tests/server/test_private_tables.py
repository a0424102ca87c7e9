"""Private tables: there for who sits at them or knows their join code, and for nobody else."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji.table.v1 import chat_pb2, table_pb2
from gouji_server.tables import Limits, Refused, TableSpec, registry
from gouji_server.tables.directory import Directory
from gouji_server.tables.join_codes import LENGTH, SYMBOLS, draw_code, read_code
from gouji_server.tables.names import keyless_name, table_name
from gouji_server.tables.summaries import read_summary, write_summary
from tests.server.players import House, Reader, at_home, person
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.table_time import SeededEntropy

if TYPE_CHECKING:
    from tests.server.running import Running

CODE = grpc.StatusCode
NOWHERE = "tables/aaaaaaaaaaaaaaaa"
NOT_FOUND = (CODE.NOT_FOUND, "TABLE_NOT_FOUND")


async def make_private(client: RawClient, **fields: Any) -> pb.CreateTableResponse:
    made: pb.CreateTableResponse = await client.call(pb.CreateTableRequest(request_id=new_id(), private=True, **fields))
    return made


def chat_requests(table: str) -> list[Any]:
    """Requests of everything about what is said, in every scope."""
    of_scope = [
        (
            chat_pb2.SendChatRequest(request_id=new_id(), table=table, scope=scope, phrase="hello"),
            chat_pb2.ListChatMessagesRequest(table=table, scope=scope),
            chat_pb2.ReportMessageRequest(table=table, scope=scope, message=1),
        )
        for scope in chat_pb2.ChatScope.values()[1:]
    ]
    return [request for requests in of_scope for request in requests]


def named_tables() -> set[str]:
    """Requests of all single calls that name a table."""
    services = [*pb.DESCRIPTOR.services_by_name.values(), *table_pb2.DESCRIPTOR.services_by_name.values()]
    return {
        method.input_type.name
        for service in services
        for method in service.methods
        if not method.server_streaming and not method.client_streaming
        if not {"name", "table"}.isdisjoint(method.input_type.fields_by_name)
    }


async def why(call: Any) -> tuple[grpc.StatusCode, str]:
    failed = await refusal(call)
    return failed.code, failed.reason


def test_codes_are_drawn_fairly_from_31_symbols_and_never_one_that_is_taken() -> None:
    """Each code has six of the symbols, each about as often as any other; a taken one is drawn again."""
    entropy = SeededEntropy(3)
    codes = [draw_code(entropy, lambda _: False) for _ in range(3000)]
    assert len(SYMBOLS) == 31
    assert all(re.fullmatch(f"[{SYMBOLS}]{{6}}", code) for code in codes)
    counts = Counter("".join(codes))
    assert len(counts) == 31
    assert max(counts.values()) < 1.3 * min(counts.values())
    first, second = (draw_code(SeededEntropy(5), lambda _: False) for _ in range(2))
    assert first == second
    assert draw_code(SeededEntropy(5), {first}.__contains__) != first


def test_a_code_is_read_as_people_write_it() -> None:
    """Small letters, spaces and hyphens do not matter; what cannot be a code is none."""
    assert read_code(" abc-2 3d ") == "ABC23D"
    for said in ("", "ABC23", "ABC23DE", "ABC230", "ABC23I", "ＡBC23D", "A" * 10_000):
        assert read_code(said) is None
    assert len("ABC23D") == LENGTH


def test_a_summary_keeps_the_code_outside_of_the_lobby_facts() -> None:
    """The journal's summary gives facts and code back, old ones without a code too, and takes nothing for them else."""
    info = pb.Table(name="tables/x", title="t", private=True)
    assert read_summary(write_summary(info, "ABC234")) == (info, "ABC234")
    assert read_summary(info.SerializeToString()) == (info, "")
    for spoiled in (b"\0", b"\0\x06ABC", b"\xff\xff", b"\0\x02\xff\xff"):
        facts = read_summary(spoiled)
        assert facts is None or not facts[0].name


def test_a_code_opens_one_open_table_and_nothing_when_that_is_over() -> None:
    """The directory finds by the newest code only, and forgets it with the end of the table."""
    directory = Directory(Limits())
    info = pb.Table(name="tables/x", private=True, state=pb.TABLE_STATE_WAITING)
    directory.note(info, "ABC234")
    assert directory.find("ABC234") == "tables/x"
    directory.note(info, "XYZ789")
    assert (directory.find("ABC234"), directory.find("XYZ789")) == ("", "tables/x")
    other = pb.Table(name="tables/y", private=True, state=pb.TABLE_STATE_WAITING)
    directory.note(other, "XYZ789")
    assert directory.find("XYZ789") == "tables/x"
    directory.note(other, "")
    assert directory.find("XYZ789") == "tables/x"
    directory.note(pb.Table(name="tables/x", private=True, state=pb.TABLE_STATE_FINISHED), "XYZ789")
    assert directory.find("XYZ789") == ""


def test_a_table_name_cannot_be_worked_out_without_the_key() -> None:
    """With maker and request id known, another key names another table; the same key names the same one."""
    names = {table_name("accounts/a", "one", key) for key in (b"", b"k1", b"k2")}
    assert len(names) == 3
    assert table_name("accounts/a", "one", b"k1") in names
    assert all(re.fullmatch("tables/[a-z2-7]{16}", name) for name in names)


async def test_requests_from_before_names_were_secret_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has got a key answers an old request with its old table, listed or not, and makes no second one."""
    at = House(limits=at_home(closed_tables_listed=1, idle_seconds=10))
    await at.tables.start()
    with monkeypatch.context() as before:
        before.setattr(registry, "table_name", lambda account, request_id, _: keyless_name(account, request_id))
        made = {word: await at.tables.create(person(0), TableSpec(), word) for word in ("gone", "over", "open")}
    for word in ("gone", "over"):
        await (await at.tables.open(made[word].name)).leave(person(0), "l")
    await at.restart()
    at.tables._name_key = b"secret"
    assert [at.tables.listed(table.name) is not None for table in made.values()].count(False) == 1
    for word, table in made.items():
        assert await at.tables.create(person(0), TableSpec(), word) == table
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await at.tables.create(person(0), TableSpec(title="another"), "open")
    new = await at.tables.create(person(0), TableSpec(), "new")
    assert new.name == table_name(person(0).account, "new", b"secret")
    assert await at.tables.create(person(0), TableSpec(), "new") == new


async def test_the_code_comes_back_with_the_same_request_and_after_a_restart() -> None:
    """Making again under the same id tells table and code as at first; a restart still finds the table by its code."""
    at = House()
    await at.tables.start()
    spec = TableSpec(private=True)
    table, code = await at.tables.create_with_code(person(0), spec, "new")
    assert table.private
    assert await at.tables.create_with_code(person(0), spec, "new") == (table, code)
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await at.tables.create_with_code(person(0), TableSpec(), "new")
    await at.restart()
    assert at.tables.find(code) == table.name
    handle = await at.tables.open(table.name)
    assert await handle.join_code(person(0)) == code
    assert await at.tables.create_with_code(person(0), spec, "new") == (table, code)


async def test_a_reset_code_shuts_the_old_one_and_tells_followers_nothing() -> None:
    """Only the new code opens the table; a follower gets no message, and the id gets its code again after a restart."""
    at = House()
    await at.tables.start()
    table, old = await at.tables.create_with_code(person(0), TableSpec(private=True), "new")
    handle = await at.tables.open(table.name)
    guest = Reader(at, handle, person(7))
    await handle.subscribe(person(7), None, guest.outbox, code=old)
    await guest.read()
    before = len(guest.updates)
    new = await handle.reset_join_code(person(0), "reset")
    assert new != old
    await guest.read()
    assert len(guest.updates) == before
    await handle.join(person(1), None, "j", new)
    assert await guest.read() == 1
    for code in (old, ""):
        with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
            await handle.join(person(2), None, "j", code)
    assert (at.tables.find(old), at.tables.find(new)) == ("", table.name)
    await at.restart()
    handle = await at.tables.open(table.name)
    assert await handle.reset_join_code(person(0), "reset") == new
    assert await handle.join_code(person(1)) == new


async def test_who_loses_the_seat_stops_following_unless_the_code_was_given() -> None:
    """Leaving a private table ends the eyes that came with the seat; those that came with the code stay."""
    at = House()
    await at.tables.start()
    table, code = await at.tables.create_with_code(person(0), TableSpec(private=True), "new")
    handle = await at.tables.open(table.name)
    for number, shown in ((1, ""), (2, code)):
        await handle.join(person(number), None, "j", code)
        reader = Reader(at, handle, person(number))
        await handle.subscribe(person(number), None, reader.outbox, code=shown)
        await handle.leave(person(number), "l")
        await reader.read()
        assert (reader.outbox.follower(handle.name) is None) == (not shown)


async def test_a_private_table_is_nowhere_for_strangers(running_server: Running) -> None:
    """It is in no list, and each call by its name is answered to a stranger as for a table that never was."""
    owner, stranger = await running_server.player(), await running_server.player()
    made = await make_private(owner)
    name = made.table.name
    assert re.fullmatch(f"[{SYMBOLS}]{{6}}", made.join_code)
    for state in (0, 1):
        listed = await owner.call(pb.ListTablesRequest(state=state))  # type: ignore[arg-type]
        assert name not in [table.name for table in listed.tables]

    def calls(table: str) -> list[Any]:
        return [
            pb.GetTableRequest(name=table),
            pb.GetTableRequest(name=table, join_code="222222"),
            pb.GetJoinCodeRequest(name=table),
            pb.ResetJoinCodeRequest(request_id=new_id(), name=table),
            pb.JoinTableRequest(request_id=new_id(), name=table),
            pb.JoinTableRequest(request_id=new_id(), name=table, join_code="222222"),
            pb.LeaveTableRequest(request_id=new_id(), name=table),
            pb.SetReadyRequest(request_id=new_id(), name=table, ready=True),
            pb.AddBotRequest(request_id=new_id(), name=table),
            pb.ChooseOppositeRequest(request_id=new_id(), name=table, seat=0),
            table_pb2.GetViewRequest(table=table),
            table_pb2.GetViewRequest(table=table, join_code="222222"),
            table_pb2.ListLegalPlaysRequest(table=table),
            table_pb2.CheckPlayRequest(table=table, action=table_pb2.Action(verb=2)),  # type: ignore[arg-type]
            table_pb2.AskCountRequest(request_id=new_id(), table=table, seat=0),
            table_pb2.FeelRequest(request_id=new_id(), table=table),
            table_pb2.VoteDissolutionRequest(request_id=new_id(), table=table, agrees=True),
            table_pb2.SetAutopilotRequest(request_id=new_id(), table=table, on=True),
            table_pb2.SetAutoDeclineRequest(request_id=new_id(), table=table, on=True),
            table_pb2.ContributeEntropyRequest(request_id=new_id(), table=table, deal=1, entropy=b"x" * 32),
            table_pb2.ContributeEntropyRequest(request_id=new_id(), table=table),
            table_pb2.GrantPeekRequest(request_id=new_id(), table=table, ally=2, on=True),
            table_pb2.GetHintRequest(table=table),
            *chat_requests(table),
            pb.UpdateTableRequest(
                request_id=new_id(), table=pb.Table(name=table, title="t"), update_mask=FieldMask(paths=["title"])
            ),
            pb.KickPlayerRequest(request_id=new_id(), name=table, seat=0),
            pb.RematchRequest(request_id=new_id(), name=table),
            table_pb2.SubmitActionRequest(
                request_id=new_id(),
                table=table,
                decision=1,
                action=table_pb2.Action(verb=2),  # type: ignore[arg-type]
            ),
        ]

    assert {type(call).DESCRIPTOR.name for call in calls(name)} == named_tables()
    for hidden, missing in zip(calls(name), calls(NOWHERE), strict=True):
        told, wanted = await refusal(stranger.call(hidden)), await refusal(stranger.call(missing))
        assert (told.code, told.reason) == NOT_FOUND, hidden
        assert told.raw == wanted.raw, hidden
    watched = stranger.tables.WatchTable(table_pb2.WatchTableRequest(table=name), metadata=stranger.metadata)
    assert await why(watched.read()) == NOT_FOUND


async def test_with_the_code_one_finds_joins_and_watches(running_server: Running) -> None:
    """The code finds the table however it is written, seats who gives it, and lets one watch without a seat."""
    owner, friend, watcher = [await running_server.player() for _ in range(3)]
    made = await make_private(owner)
    name, code = made.table.name, made.join_code
    found = await friend.call(pb.FindTableRequest(join_code=f"{code[:3].lower()}-{code[3:]}"))
    assert found.table == made.table
    assert code not in str(found)
    joined = await friend.call(pb.JoinTableRequest(request_id=new_id(), name=name, join_code=code))
    assert joined.seat == 1
    assert (await friend.call(pb.GetTableRequest(name=name))).table == joined.table
    assert (await friend.call(pb.GetJoinCodeRequest(name=name))).join_code == code
    assert await why(friend.call(pb.ResetJoinCodeRequest(request_id=new_id(), name=name))) == (
        CODE.PERMISSION_DENIED,
        "NOT_OWNER",
    )
    view = await watcher.call(table_pb2.GetViewRequest(table=name, join_code=code))
    assert view.view.table_info == joined.table
    watched = watcher.tables.WatchTable(
        table_pb2.WatchTableRequest(table=name, join_code=code), metadata=watcher.metadata
    )
    first: Any = await watched.read()
    assert first.updates[0].table_info.private
    assert code.encode() not in first.SerializeToString()
    watched.cancel()


async def test_tries_are_limited_and_wrong_codes_say_nothing(running_server: Running) -> None:
    """A wrong code, one that was reset and one whose table is over get one answer; the eleventh try has to wait."""
    owner, guesser = await running_server.player(), await running_server.player()
    made = await make_private(owner)
    reset = await owner.call(pb.ResetJoinCodeRequest(request_id=new_id(), name=made.table.name))
    over = await make_private(owner)
    await owner.call(pb.LeaveTableRequest(request_id=new_id(), name=over.table.name))
    answers = set()
    for code in ("222222", made.join_code, over.join_code):
        failed = await refusal(guesser.call(pb.FindTableRequest(join_code=code)))
        assert (failed.code, failed.reason) == NOT_FOUND
        answers.add(failed.raw)
    assert len(answers) == 1
    assert (await refusal(guesser.call(pb.FindTableRequest(join_code="oil")))).fields == ("join_code",)
    for _ in range(6):
        await guesser.call(pb.FindTableRequest(join_code=reset.join_code))
    limited = await refusal(guesser.call(pb.FindTableRequest(join_code=reset.join_code)))
    assert (limited.code, limited.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_JOIN_CODES")
    assert limited.retry == pytest.approx(10, abs=0.01)
    by_name = pb.JoinTableRequest(request_id=new_id(), name=made.table.name, join_code=reset.join_code)
    assert (await why(guesser.call(by_name)))[1] == "TOO_MANY_JOIN_CODES"
    running_server.clock.advance(10)
    assert (await guesser.call(by_name)).seat == 1


async def test_tries_from_one_address_are_limited_whoever_makes_them(running_server: Running) -> None:
    """Sixty tries from one address, spread over accounts, leave none for another account there."""
    for _ in range(6):
        client = await running_server.player()
        for _ in range(10):
            assert await why(client.call(pb.FindTableRequest(join_code="222222"))) == NOT_FOUND
    last = await running_server.player()
    assert (await why(last.call(pb.FindTableRequest(join_code="222222"))))[1] == "TOO_MANY_JOIN_CODES"


async def test_a_table_that_is_not_private_has_no_code(running_server: Running) -> None:
    """Asking for the code of an open table, or for another, is refused in words."""
    owner = await running_server.player()
    made = await owner.call(pb.CreateTableRequest(request_id=new_id()))
    assert made.join_code == ""
    for request in (
        pb.GetJoinCodeRequest(name=made.table.name),
        pb.ResetJoinCodeRequest(request_id=new_id(), name=made.table.name),
    ):
        assert await why(owner.call(request)) == (CODE.FAILED_PRECONDITION, "NOT_PRIVATE")


async def test_no_log_line_holds_a_join_code(running_server: Running, capsys: pytest.CaptureFixture[str]) -> None:
    """Making, finding, joining and watching a private table log no code."""
    owner, friend = await running_server.player(), await running_server.player()
    made = await make_private(owner)
    await friend.call(pb.FindTableRequest(join_code=made.join_code))
    await friend.call(pb.JoinTableRequest(request_id=new_id(), name=made.table.name, join_code=made.join_code))
    new = await owner.call(pb.ResetJoinCodeRequest(request_id=new_id(), name=made.table.name))
    logged = capsys.readouterr().out
    assert all(method in logged for method in ("CreateTable", "FindTable", "JoinTable", "ResetJoinCode"))
    assert made.join_code not in logged
    assert new.join_code not in logged

"""Block lists: whom an account wants nothing to do with, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from sqlalchemy import insert

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.records import AccountRecord, BlockRecords, Database, NotBlocked
from gouji_server.records.blocks import MAX_BLOCKED
from gouji_server.records.models import AccountRow
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import seated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.running import Running


async def block(client: RawClient, other: str) -> None:
    await client.call(pb.BlockAccountRequest(name=other))


async def blocked(client: RawClient, **page: Any) -> list[str]:
    answer: pb.ListBlockedAccountsResponse = await client.call(pb.ListBlockedAccountsRequest(**page))
    return [entry.account.display_name for entry in answer.blocked_accounts]


async def test_blocked_accounts_are_listed(running_server: Running) -> None:
    """The list tells whom and since when, the last one first; twice is once, and unblocking takes one off."""
    client = await running_server.player()
    one, two = await running_server.player("one"), await running_server.player("two")
    await block(client, one.account)
    running_server.clock.advance(10)
    await block(client, two.account)
    await block(client, one.account)
    answer = await client.call(pb.ListBlockedAccountsRequest())
    now = running_server.clock.now()
    told = [(entry.account.display_name, entry.block_time.seconds) for entry in answer.blocked_accounts]
    assert told == [("two", now), ("one", now - 10)]
    assert await blocked(client, page_size=1) == ["two"]
    assert await blocked(one) == []
    await client.call(pb.UnblockAccountRequest(name=two.account))
    await client.call(pb.UnblockAccountRequest(name=two.account))
    await running_server.restart()
    later = running_server.client()
    later.session = client.session
    assert await blocked(later) == ["one"]


async def test_whom_one_cannot_block(running_server: Running) -> None:
    """Oneself, and whom there is not."""
    client = await running_server.player()
    for name in ("accounts/me", client.account):
        assert (await refusal(block(client, name))).fields == ("name",)
    assert (await refusal(block(client, "accounts/nobody"))).reason == "ACCOUNT_NOT_FOUND"


async def test_a_blocked_account_does_not_sit_down(running_server: Running) -> None:
    """At a waiting table of who blocked it; it may at others' tables, and again when it is blocked no more."""
    owner, other, third = [await running_server.player(f"p{n}") for n in range(3)]
    table = await seated(owner, [])
    join = lobby_pb2.JoinTableRequest(request_id=new_id(), name=table)
    await block(owner, other.account)
    failed = await refusal(other.call(join))
    assert (failed.code, failed.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_WELCOME")
    assert "block" not in failed.message
    await third.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table))
    await other.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=await seated(third, [])))
    # Who blocks somebody may still go to that one's tables.
    await owner.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=await seated(other, [])))
    await owner.call(pb.UnblockAccountRequest(name=other.account))
    await other.call(join)


async def test_who_sits_keeps_the_seat(running_server: Running) -> None:
    """A block comes too late for a seat that is taken: the same request is answered as before."""
    owner, other = await running_server.player(), await running_server.player()
    table = await seated(owner, [])
    join = lobby_pb2.JoinTableRequest(request_id=new_id(), name=table)
    answer = await other.call(join)
    await block(owner, other.account)
    assert await other.call(join) == answer


async def test_a_private_table_is_not_betrayed_by_a_block(running_server: Running) -> None:
    """A blocked account without the code is told that there is no such table, as anybody is."""
    owner, other = await running_server.player(), await running_server.player()
    made = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), private=True))
    await block(owner, other.account)
    join = lobby_pb2.JoinTableRequest(request_id=new_id(), name=made.table.name)
    assert (await refusal(other.call(join))).reason == "TABLE_NOT_FOUND"
    join.join_code = made.join_code
    assert (await refusal(other.call(join))).reason == "NOT_WELCOME"


async def played(owner: RawClient, others: list[RawClient], **made: Any) -> str:
    """Have a match of some people and bots played and ended by agreement; return the table."""
    answer: lobby_pb2.CreateTableResponse = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), **made))
    name, code = answer.table.name, answer.join_code
    for other in others:
        await other.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=name, join_code=code))
    for _ in range(5 - len(others)):
        await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=name))
    for client in (owner, *others):
        await client.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=name, ready=True))
    for client in (owner, *others):
        await client.call(table_pb2.VoteDissolutionRequest(request_id=new_id(), table=name, agrees=True))
    return name


@pytest.mark.parametrize("private", [False, True])
async def test_a_rematch_keeps_no_seat_for_who_is_blocked(running_server: Running, private: bool) -> None:
    """Whom its maker has blocked gets no seat there, nor is one kept, while others get theirs; the other way round
    who blocked its maker may play."""
    maker, other, third = [await running_server.player(f"p{n}") for n in range(3)]
    old = await played(maker, [other, third], private=private)
    await block(maker, other.account)
    await block(third, maker.account)
    rematch = lobby_pb2.RematchRequest(request_id=new_id(), name=old)
    made = await maker.call(rematch)
    assert [player.reserved_for for player in made.table.players] == ["", "", third.account, "", "", ""]
    failed = await refusal(other.call(rematch))
    assert failed.reason == ("TABLE_NOT_FOUND" if private else "NOT_WELCOME")
    assert (await third.call(rematch)).seat == 2
    assert await maker.call(rematch) == made
    await maker.call(pb.UnblockAccountRequest(name=other.account))
    if not private:
        assert (await other.call(rematch)).seat == 1


async def test_a_rematch_made_before_the_block_seats_nobody_blocked(running_server: Running) -> None:
    """A block counts for a seat that is kept already, but not for one that is taken."""
    maker, other, third = [await running_server.player(f"p{n}") for n in range(3)]
    rematch = lobby_pb2.RematchRequest(request_id=new_id(), name=await played(maker, [other, third]))
    await maker.call(rematch)
    seated_already = await third.call(rematch)
    for blocked_one in (other, third):
        await block(maker, blocked_one.account)
    assert (await refusal(other.call(rematch))).reason == "NOT_WELCOME"
    assert await third.call(rematch) == seated_already


async def test_a_block_and_a_ban_are_answered_alike(running_server: Running) -> None:
    """Who gets no seat cannot tell from the answer whether it was banned from the table or is blocked."""
    owner, other, third = [await running_server.player(f"p{n}") for n in range(3)]
    table = await seated(owner, [])
    sat = await third.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table))
    await owner.call(lobby_pb2.KickPlayerRequest(request_id=new_id(), name=table, seat=sat.seat, ban=True))
    await block(owner, other.account)
    answers = []
    for client in (other, third):
        failed = await refusal(client.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table)))
        answers.append((failed.code, failed.reason, failed.message, failed.fields))
    assert answers[0] == answers[1]


async def test_blocks_are_bounded_and_asked_both_ways(tmp_path: Path) -> None:
    """An account blocks so many and no more; of many others those are found who block it or whom it blocks."""
    database = await Database.open(tmp_path / "records.sqlite3")
    try:
        async with database.transaction() as connection:
            rows = [{"id": f"a{n}", "display_name": "x", "created": 0.0} for n in range(MAX_BLOCKED + 3)]
            await connection.execute(insert(AccountRow), rows)
        records = BlockRecords(database)
        for number in range(1, MAX_BLOCKED + 1):
            assert await records.add("a0", f"a{number}", float(number)) is None
        assert await records.add("a0", "a501", 1.0) is NotBlocked.TOO_MANY
        assert await records.add("a0", "a500", 1.0) is None
        assert await records.add("a502", "a0", 1.0) is None
        assert await records.between("a0", ["a1", "a501", "a502", "a0"]) == {"a1", "a502"}
        assert (await records.has("a0", "a1"), await records.has("a1", "a0")) == (True, False)
        assert [found[0] for found in (await records.of("a0"))[:1]] == [AccountRecord("a500", "x", 0.0)]
    finally:
        await database.close()


@pytest.mark.parametrize("request_", [pb.BlockAccountRequest(name="x"), pb.UnblockAccountRequest()], ids=repr)
async def test_bad_shapes_are_named(running_server: Running, request_: Any) -> None:
    """What is no account's name is refused as such."""
    assert (await refusal((await running_server.player()).call(request_))).fields == ("name",)

"""Share links: by which people watch a private table, or look at a match that is not open to all, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy import insert

from gouji.lobby.v1 import lobby_pb2
from gouji.replay.v1 import replay_pb2
from gouji.session.v1 import session_pb2
from gouji.sharing.v1 import sharing_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.records import Database
from gouji_server.records.models import AccountRow
from gouji_server.records.share_links import MOST_OF_ACCOUNT, MOST_OF_TARGET, ShareLinkRecords
from gouji_server.sharing import ShareLinks
from gouji_server.tables import Refused
from tests.server.raw_client import new_id, refusal
from tests.server.table_time import SeededEntropy
from tests.server.test_replay_service import ended, kept
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.server.raw_client import RawClient
    from tests.server.running import Running

CODE = grpc.StatusCode
NO_TABLE = (CODE.NOT_FOUND, "TABLE_NOT_FOUND")
NO_MATCH = (CODE.NOT_FOUND, "MATCH_NOT_FOUND")
NOWHERE = "tables/aaaaaaaaaaaaaaaa"


async def private_table(owner: RawClient, **fields: Any) -> str:
    made = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), private=True, **fields))
    name: str = made.table.name
    return name


async def shared(client: RawClient, parent: str, **fields: Any) -> pb.CreateShareLinkResponse:
    made: pb.CreateShareLinkResponse = await client.call(
        pb.CreateShareLinkRequest(request_id=new_id(), parent=parent, **fields)
    )
    return made


async def why(call: Any) -> tuple[grpc.StatusCode, str]:
    failed = await refusal(call)
    return failed.code, failed.reason


def looks(table: str, link: str) -> list[Any]:
    """The single calls by which somebody without a seat looks at a table."""
    return [
        lobby_pb2.GetTableRequest(name=table, share_link=link),
        table_pb2.GetViewRequest(table=table, share_link=link),
    ]


async def test_a_link_opens_its_private_table_to_a_guest(start_server: Callable[..., Running]) -> None:
    """With the token every way to look is open, a Play stream too; without it, with another's or a made-up one the
    table does not exist, and no message of the table holds the token."""
    async with start_server(join_code_burst=100) as running:
        await _look_in_every_way(await running.player("owner"), await running.player("guest"))


async def _look_in_every_way(owner: RawClient, guest: RawClient) -> None:
    table, other = await private_table(owner), await private_table(owner, no_spectators=False)
    link, wrong = await shared(owner, table), await shared(owner, other)
    assert len(link.token) >= 22
    assert link.share_link.name.startswith(f"{table}/shareLinks/")
    for request in looks(table, link.token):
        answer = await guest.call(request)
        assert link.token.encode() not in answer.SerializeToString()
    stream = guest.watch(table, share_link=link.token)
    first = await stream.read()
    assert first.updates[0].table_info.name == table
    assert not first.updates[0].HasField("seat")
    stream.cancel()
    play: Any = guest.tables.Play(metadata=guest.metadata)
    subscribe = table_pb2.Subscribe(request_id=new_id(), table=table, share_link=link.token)
    await play.write(table_pb2.PlayRequest(subscribe=subscribe))
    assert (await play.read()).updates[0].table == table
    play.cancel()
    for token in ("", wrong.token, "x" * 32, link.token[:-1]):
        for request in looks(table, token):
            assert await why(guest.call(request)) == NO_TABLE
        assert await why(guest.watch(table, share_link=token).read()) == NO_TABLE


async def test_a_link_gives_no_seat(running_server: Running) -> None:
    """Its holder cannot sit down by it, is told no join code, and may not share the table."""
    owner, guest = await running_server.player("owner"), await running_server.player("guest")
    table = await private_table(owner)
    token = (await shared(owner, table)).token
    for request in (
        lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, join_code=token),
        lobby_pb2.GetJoinCodeRequest(name=table),
        pb.CreateShareLinkRequest(request_id=new_id(), parent=table),
        pb.ListShareLinksRequest(parent=table),
    ):
        assert await why(guest.call(request)) == NO_TABLE


async def test_revoking_a_link_ends_its_streams_at_once(running_server: Running) -> None:
    """A stream opened by the link ends when it is revoked, one that a seat opened goes on; the token opens nothing."""
    owner, guest = await running_server.player("owner"), await running_server.player("guest")
    table = await private_table(owner)
    link = await shared(owner, table)
    watching, own = guest.watch(table, share_link=link.token), owner.watch(table)
    await watching.read()
    await own.read()
    await owner.call(pb.RevokeShareLinkRequest(name=link.share_link.name))
    assert await watching.read() is grpc.aio.EOF
    await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=table))
    assert (await own.read()).updates
    assert await why(guest.call(looks(table, link.token)[0])) == NO_TABLE
    again = await why(owner.call(pb.RevokeShareLinkRequest(name=link.share_link.name)))
    assert again == (CODE.NOT_FOUND, "SHARE_LINK_NOT_FOUND")
    own.cancel()


async def test_who_may_list_and_revoke(running_server: Running) -> None:
    """Who sits there sees and revokes its own links, the owner everybody's; pages hold them all."""
    owner, other = await running_server.player("owner"), await running_server.player("other")
    table = await private_table(owner)
    code = (await owner.call(lobby_pb2.GetJoinCodeRequest(name=table))).join_code
    await other.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, join_code=code))
    mine, theirs = await shared(owner, table), await shared(other, table)
    listed = (await other.call(pb.ListShareLinksRequest(parent=table))).share_links
    assert [link.name for link in listed] == [theirs.share_link.name]
    pages = []
    request = pb.ListShareLinksRequest(parent=table, page_size=1)
    while True:
        answer = await owner.call(request)
        pages += [link.name for link in answer.share_links]
        if not answer.next_page_token:
            break
        request.page_token = answer.next_page_token
    assert sorted(pages) == sorted([mine.share_link.name, theirs.share_link.name])
    refused = await why(other.call(pb.RevokeShareLinkRequest(name=mine.share_link.name)))
    assert refused == (CODE.NOT_FOUND, "SHARE_LINK_NOT_FOUND")
    await other.call(lobby_pb2.LeaveTableRequest(request_id=new_id(), name=table))
    await owner.call(pb.RevokeShareLinkRequest(name=theirs.share_link.name))
    assert len((await owner.call(pb.ListShareLinksRequest(parent=table))).share_links) == 1


async def test_the_same_request_makes_one_link(running_server: Running) -> None:
    """A repeated request gets the same link and token, after a restart too; with another body it is refused."""
    owner = await running_server.player("owner")
    table, other = await private_table(owner), await private_table(owner)
    request = pb.CreateShareLinkRequest(request_id=new_id(), parent=table)
    first = await owner.call(request)
    assert await owner.call(request) == first
    request.parent = other
    assert await why(owner.call(request)) == (CODE.ALREADY_EXISTS, "REQUEST_ID_USED")
    await running_server.restart()
    back = running_server.client()
    back.session = owner.session
    request.parent = table
    assert await back.call(request) == first
    assert await back.call(looks(table, first.token)[0])


async def test_what_cannot_be_shared(running_server: Running) -> None:
    """Tables without spectators, that are over or never were, and times out of bounds, are refused with the reason."""
    owner = await running_server.player("owner")
    closed = await private_table(owner, no_spectators=True)
    assert await why(shared(owner, closed)) == (CODE.PERMISSION_DENIED, "NO_SPECTATORS")
    assert await why(shared(owner, NOWHERE)) == NO_TABLE
    assert await why(shared(owner, "matches/nothing")) == NO_MATCH
    over = await ended(owner)
    assert await why(shared(owner, over)) == (CODE.FAILED_PRECONDITION, "TABLE_CLOSED")
    open_table = await private_table(owner)
    for seconds in (1, 1 << 40):
        refused = await refusal(shared(owner, open_table, expire_time=Timestamp(seconds=seconds)))
        assert (refused.code, refused.reason) == (CODE.INVALID_ARGUMENT, "BAD_REQUEST")
        assert refused.fields == ("expire_time",)


async def test_links_that_open_nothing_are_counted(start_server: Callable[..., Running]) -> None:
    """Who tries too many tokens has to wait, at tables that never were as at those there are."""
    for there in (True, False):
        async with start_server(join_code_burst=3) as running:
            owner, guest = await running.player("owner"), await running.player("guest")
            table = await private_table(owner) if there else NOWHERE
            for _ in range(3):
                assert await why(guest.call(looks(table, "x" * 32)[1])) == NO_TABLE
            refused = await refusal(guest.call(looks(table, "x" * 32)[1]))
            assert (refused.code, refused.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_JOIN_CODES")
            assert refused.retry


async def test_a_link_opens_a_match_that_is_not_open_to_all(running_server: Running) -> None:
    """Who played a match shares it: a guest gets it, its record and its steps by the token, and nothing without."""
    owner, guest = await running_server.player("owner"), await running_server.player("guest")
    match = (await kept(owner, await ended(owner, private=True))).name
    other = (await kept(owner, await ended(owner, private=True))).name
    token, wrong = (await shared(owner, match)).token, (await shared(owner, other)).token
    assert await why(shared(guest, match)) == NO_MATCH
    got = await guest.call(replay_pb2.GetMatchRequest(name=match, share_link=token))
    assert got.match.name == match
    assert (await guest.call(replay_pb2.GetMatchRecordRequest(name=match, share_link=token))).record
    assert (await guest.replay(match, share_link=token).read()).steps
    for said in ("", wrong, "x" * 32):
        assert await why(guest.call(replay_pb2.GetMatchRequest(name=match, share_link=said))) == NO_MATCH
        assert await why(guest.call(replay_pb2.GetMatchRecordRequest(name=match, share_link=said))) == NO_MATCH
        assert await why(guest.replay(match, share_link=said).read()) == NO_MATCH
    public = (await kept(owner, await ended(owner))).name
    assert await why(shared(guest, public)) == (CODE.PERMISSION_DENIED, "NOT_PLAYED")


async def test_the_links_of_a_deleted_account_open_nothing(running_server: Running) -> None:
    """Who deletes an account takes its links away."""
    owner, other, guest = [await running_server.player(name) for name in ("owner", "other", "guest")]
    table = await private_table(owner)
    code = (await owner.call(lobby_pb2.GetJoinCodeRequest(name=table))).join_code
    await other.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, join_code=code))
    token = (await shared(other, table)).token
    await guest.call(looks(table, token)[0])
    await other.call(session_pb2.DeleteAccountRequest(name=other.account))
    assert await why(guest.call(looks(table, token)[0])) == NO_TABLE


async def _links(path: Path, clock: VirtualClock, cut: list[int]) -> tuple[Database, ShareLinks]:
    database = await Database.open(path / "records.sqlite3")
    async with database.transaction() as connection:
        for name in ("a", "b"):
            await connection.execute(insert(AccountRow).values(id=name, display_name=name, created=0))
    records = ShareLinkRecords(database)
    return database, ShareLinks(records, bytes(32), clock, SeededEntropy(1), lambda: cut.append(1))


async def test_a_link_lapses_with_what_it_opened(tmp_path: Path) -> None:
    """At its time a link is void, what it granted is no more, and who holds it is told to look."""
    clock, cut = VirtualClock(), list[int]()
    database, links = await _links(tmp_path, clock, cut)
    _, token = await links.create("accounts/a", "tables/t", clock.now() + 60, "one")
    grant = await links.grant("tables/t", token)
    assert grant is not None
    assert grant.live
    assert await links.grant("tables/u", token) is None
    clock.advance(59)
    assert grant.live
    clock.advance(2)
    assert (grant.live, cut) == (False, [1])
    assert await links.grant("tables/t", token) is None
    assert await links.of("tables/t", None) == []
    links.close()
    await database.close()


@pytest.mark.parametrize(("most", "one_target"), [(MOST_OF_TARGET, True), (MOST_OF_ACCOUNT, False)])
async def test_share_links_are_bounded(tmp_path: Path, most: int, one_target: bool) -> None:
    """A table has so many links and an account so many: another is refused until one is revoked."""
    clock = VirtualClock()
    database, links = await _links(tmp_path, clock, [])

    def target(number: int) -> str:
        return "tables/t" if one_target else f"tables/t{number}"

    made = [(await links.create("accounts/a", target(at), None, f"id{at}"))[0] for at in range(most)]
    with pytest.raises(Refused) as refused:
        await links.create("accounts/a", target(most), None, "more")
    assert refused.value.reason == "TOO_MANY_SHARE_LINKS"
    await links.revoke(made[0].target, made[0].id, "accounts/a")
    await links.create("accounts/a", target(most), None, "more")
    links.close()
    await database.close()


async def test_the_records_hold_no_token(tmp_path: Path) -> None:
    """Nothing of the records' files is a token: who reads them opens nothing."""
    database, links = await _links(tmp_path, VirtualClock(), [])
    _, token = await links.create("accounts/a", "tables/t", None, "one")
    await database.close()
    assert _found(tmp_path, b"share_links")
    assert not _found(tmp_path, token.encode())


def _found(path: Path, said: bytes) -> bool:
    return any(said in file.read_bytes() for file in path.iterdir())

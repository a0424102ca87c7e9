"""What people say at tables: who may say it, who hears it and when, and that the table's story does not notice."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import chat_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.records.reports import MAX_REPORTS, ReportRecords
from gouji_server.social.phrases import PHRASES
from gouji_server.tables import Refused, TableSpec
from tests.server.matches_kept import play_out
from tests.server.players import House, Reader, at_home, person, play_on
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import PlayStream, seated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gouji_server.tables import TableHandle
    from tests.server.running import Running

TEAM, TABLE, SPECTATORS = pb.CHAT_SCOPE_TEAM, pb.CHAT_SCOPE_TABLE, pb.CHAT_SCOPE_SPECTATORS
DELAY = 30.0
WATCHER = person(9)


def line(handle: TableHandle, text: str, scope: pb.ChatScope.ValueType = TABLE, request_id: str = "") -> Any:
    return pb.SendChatRequest(request_id=request_id or text, table=handle.name, scope=scope, text=text)


class Ear(Reader):
    """A reader that keeps what was said apart from the story."""

    def take(self, message: bytes) -> None:
        super().take(message)
        self.heard = getattr(self, "heard", [])
        self.heard += [said.text for said in table_pb2.PlayResponse.FromString(message).chat]


async def ear(house: House, handle: TableHandle, number: int) -> Ear:
    made = Ear(house, handle, person(number))
    made.heard = []
    await made.follow()
    await made.read()
    return made


async def test_each_scope_is_heard_by_those_it_is_for() -> None:
    """In a match the table's talk comes to all, a team's to its three, the watchers' to who watches; nobody's place in
    the story moves, and the journal does not grow."""
    house = House()
    handle = await house.match(TableSpec(deals=1, team_chat=True))
    ears = {number: await ear(house, handle, number) for number in (0, 1, 2, 4, 9)}
    places = {number: one.place for number, one in ears.items()}
    entries = len(await house.journal.read(handle.name))
    await handle.say(person(0), line(handle, "to all"))
    await handle.say(person(2), line(handle, "to even", TEAM))
    await handle.say(person(1), line(handle, "to odd", TEAM))
    await handle.say(WATCHER, line(handle, "to watchers", SPECTATORS))
    for one in ears.values():
        await one.read()
    assert {number: one.heard for number, one in ears.items()} == {
        0: ["to all", "to even"],
        1: ["to all", "to odd"],
        2: ["to all", "to even"],
        4: ["to all", "to even"],
        9: ["to all", "to watchers"],
    }
    assert {number: one.place for number, one in ears.items()} == places
    assert len(await house.journal.read(handle.name)) == entries


@pytest.mark.parametrize(
    ("spec", "who", "scope", "reason"),
    [
        (TableSpec(), 0, TEAM, "NO_TEAM_CHAT"),
        (TableSpec(rule_set="hokkaido", team_chat=True), 0, TEAM, "NO_TEAM_CHAT"),
        (TableSpec(), 9, TABLE, "NOT_SEATED"),
        (TableSpec(team_chat=True), 9, TEAM, "NOT_SEATED"),
        (TableSpec(), 0, SPECTATORS, "NOT_A_SPECTATOR"),
        (TableSpec(spectators=False), 9, SPECTATORS, "NO_SPECTATORS"),
    ],
)
async def test_who_may_not_speak_is_refused(
    spec: TableSpec, who: int, scope: pb.ChatScope.ValueType, reason: str
) -> None:
    """A team talks only where the table and its rules have one, watchers only among themselves, seats never there."""
    house = House()
    handle = await house.match(spec)
    with pytest.raises(Refused) as refused:
        await handle.say(person(who), line(handle, "x", scope))
    assert refused.value.reason == reason


async def test_watchers_hear_the_table_with_its_delay_and_seats_never_hear_watchers() -> None:
    """What is said in the match comes to who watches when the steps of that time do; what was said before it, at once.
    A seat hears watchers only when the match is over, and only on asking."""
    house = House()
    handle = await house.new_table(TableSpec(deals=1, spectator_delay_seconds=DELAY))
    watcher = await ear(house, handle, 9)
    await handle.say(person(0), line(handle, "before"))
    await watcher.read()
    assert watcher.heard == ["before"]
    for number in range(6):
        await handle.set_ready(person(number), True, "ready")
    await play_on(house, handle, random.Random(1), moves=3)
    await handle.say(person(0), line(handle, "now"))
    await handle.say(WATCHER, line(handle, "hm", SPECTATORS))
    late = await ear(house, handle, 8)
    for seconds, heard in ((0.0, ["before", "hm"]), (DELAY - 0.01, ["before", "hm"]), (0.01, ["before", "hm", "now"])):
        await house.clock.run(seconds)
        for one in (watcher, late):
            await one.read()
            assert sorted(one.heard) == sorted(heard)
        told = [said.text for said in await handle.heard(person(8), TABLE)]
        assert told == [text for text in heard if text != "hm"]
    with pytest.raises(Refused, match="NOT_FOR_YOU"):
        await handle.heard(person(0), SPECTATORS)
    await play_out(house, handle, random.Random(1))
    assert [said.text for said in await handle.heard(person(0), SPECTATORS)] == ["hm"]
    with pytest.raises(Refused, match="TABLE_CLOSED"):
        await handle.say(person(0), line(handle, "gg"))


async def test_the_last_of_it_comes_with_following_and_the_oldest_is_forgotten() -> None:
    """Each scope keeps so many; who begins to follow, or was too slow, gets them; numbers go on."""
    house = House(limits=at_home(chat_ring=3))
    handle = await house.new_table()
    for number in range(5):
        await handle.say(person(number), line(handle, f"line {number}"))
    late = await ear(house, handle, 0)
    assert late.heard == ["line 2", "line 3", "line 4"]
    assert [said.id for said in await handle.heard(person(0), TABLE)] == [3, 4, 5]


async def test_a_request_id_says_it_once() -> None:
    """The same request again gets the same message and is not heard twice; another body is refused; only so many ids
    are remembered."""
    house = House(limits=at_home(chat_requests=2))
    handle = await house.new_table()
    one = await ear(house, handle, 1)
    first = await handle.say(person(0), line(handle, "hello", request_id="a"))
    assert await handle.say(person(0), line(handle, "hello", request_id="a")) == first
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await handle.say(person(0), line(handle, "bye", request_id="a"))
    await one.read()
    assert one.heard == ["hello"]
    for word in ("b", "c"):
        await handle.say(person(0), line(handle, word))
    assert (await handle.say(person(0), line(handle, "hello", request_id="a"))).id == 4


async def say(client: RawClient, table: str, **content: Any) -> pb.ChatMessage:
    request = pb.SendChatRequest(request_id=new_id(), table=table, scope=TABLE, **content)
    return (await client.call(request)).message  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": " "}, "text"),
        ({"text": "a\nb"}, "text"),
        ({"text": "x" * 201}, "text"),
        ({"text": "\u202e"}, "text"),
        ({"emote": 0}, "emote"),
        ({"emote": 99}, "emote"),
        ({"phrase": "nothing"}, "phrase"),
        ({"text": "x", "target_seat": 1}, "target_seat"),
        ({"emote": 1, "target_seat": 6}, "target_seat"),
        ({}, "content"),
        ({"text": "x", "scope": 7}, "scope"),
    ],
)
async def test_what_cannot_be_said_is_refused_with_its_field(
    running_server: Running, content: dict[str, Any], field: str
) -> None:
    """A bad shape names the field and reaches no table."""
    client = await running_server.player()
    fields: dict[str, Any] = {"request_id": new_id(), "table": "tables/none", "scope": TABLE} | content
    request = pb.SendChatRequest(**fields)
    assert (await refusal(client.call(request))).fields == (field,)


async def test_talk_over_connections(running_server: Running) -> None:
    """By call and on a stream: text, phrases and emotes come to the others' streams, WatchTable too, with who said it;
    faster than the pace is refused with the time to wait, and after it is not."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(2)]
    table = await seated(owner, [])
    for player in players:
        await player.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table))
    stream = PlayStream(players[1])
    await stream.subscribe(table)
    watch = players[1].watch(table)
    await watch.read()
    await say(players[0], table, text="  hello  ")
    await say(players[0], table, emote=pb.EMOTE_EGG, target_seat=1)
    chat = pb.SendChatRequest(request_id=new_id(), table=table, scope=TABLE, phrase="hurry_up")
    other = PlayStream(players[0])
    await other.send(chat=chat)
    assert not (await other.result(chat.request_id)).HasField("error")
    heard: list[pb.ChatMessage] = []
    watched: list[pb.ChatMessage] = []
    while len(heard) < 3:
        heard += (await stream.call.read()).chat
    while len(watched) < 3:
        watched += (await watch.read()).chat
    assert heard == watched
    assert [said.WhichOneof("content") for said in heard] == ["text", "emote", "phrase"]
    assert heard[0].text == "hello"
    assert {(said.sender, said.display_name, said.seat) for said in heard} == {(players[0].account, "p0", 0)}
    for _ in range(2):
        await say(players[0], table, text="more")
    failed = await refusal(say(players[0], table, text="too much"))
    assert (failed.code, failed.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "CHAT_TOO_FAST")
    assert failed.retry is not None
    running_server.clock.advance(failed.retry)
    await say(players[0], table, text="again")
    listed = await players[1].call(pb.ListChatMessagesRequest(table=table, scope=TABLE, page_size=4))
    assert [said.id for said in listed.messages] == [6, 5, 4, 3]
    rest = await players[1].call(
        pb.ListChatMessagesRequest(table=table, scope=TABLE, page_size=4, page_token=listed.next_page_token)
    )
    assert ([said.id for said in rest.messages], rest.next_page_token) == ([2, 1], "")


async def test_phrases_are_listed_in_both_languages(running_server: Running) -> None:
    """All phrases come in pages, each with its texts."""
    client = await running_server.player()
    first = await client.call(pb.ListPhrasesRequest(page_size=10))
    second = await client.call(pb.ListPhrasesRequest(page_size=10, page_token=first.next_page_token))
    told = {phrase.id: (phrase.text_en, phrase.text_zh) for phrase in (*first.phrases, *second.phrases)}
    assert told == PHRASES
    assert not second.next_page_token


async def test_muted_and_blocked_people_are_not_heard(running_server: Running) -> None:
    """From the moment on, on streams that are open, in what is listed, and in what comes with following; until it is
    taken back. Others hear them, and they are told nothing."""
    people = [await running_server.player(f"p{n}") for n in range(3)]
    table = await seated(people[0], people)
    streams = [PlayStream(client) for client in people]
    for stream in streams:
        await stream.subscribe(table)
    await people[0].call(session_pb2.MuteAccountRequest(name=people[1].account))
    await people[0].call(session_pb2.BlockAccountRequest(name=people[2].account))
    for number, client in enumerate(people):
        await say(client, table, text=f"from {number}")
    heard: dict[int, list[str]] = {0: [], 1: [], 2: []}
    for number, wanted in ((0, 1), (1, 3), (2, 3)):
        while len(heard[number]) < wanted:
            heard[number] += [said.text for said in (await streams[number].call.read()).chat]
    everything = ["from 0", "from 1", "from 2"]
    assert heard == {0: ["from 0"], 1: everything, 2: everything}

    async def listed() -> list[str]:
        answer = await people[0].call(pb.ListChatMessagesRequest(table=table, scope=TABLE))
        return [said.text for said in answer.messages]

    assert await listed() == ["from 0"]
    (muted,) = (await people[0].call(session_pb2.ListMutedAccountsRequest())).muted_accounts
    assert muted.account.name == people[1].account
    await people[0].call(session_pb2.UnmuteAccountRequest(name=people[1].account))
    assert await listed() == ["from 1", "from 0"]
    await say(people[1], table, text="hello again")
    assert [said.text for said in (await streams[0].call.read()).chat] == ["hello again"]


async def test_reports_keep_what_was_said_around_for_a_time(start_server: Callable[..., Running]) -> None:
    """A report holds the message and up to ten before and after, as the reporter heard them; after the retention it is
    gone; what a deleted account said is taken out; too many are refused, and what nobody said is not found."""
    async with start_server(chat_retention_days=2) as running:
        people = [await running.player(f"p{n}") for n in range(2)]
        table = await seated(people[0], people)
        for number in range(24):
            running.clock.advance(4)
            await say(people[number % 2], table, text=f"line {number}")
        report = pb.ReportMessageRequest(table=table, scope=TABLE, message=12, reason=" rude ")
        await people[0].call(report)
        records = ReportRecords(running.server.records)
        (kept,) = await records.page(None, 10)
        assert (kept.said["content"], kept.reason, kept.scope) == ("line 11", "rude", "TABLE")
        assert [one["content"] for one in kept.around] == [f"line {n}" for n in range(1, 22) if n != 11]
        assert kept.sender == people[1].account.removeprefix("accounts/")
        missing = await refusal(people[0].call(pb.ReportMessageRequest(table=table, scope=TABLE, message=99)))
        assert (missing.code, missing.reason) == (grpc.StatusCode.NOT_FOUND, "MESSAGE_NOT_FOUND")
        for _ in range(9):
            await people[0].call(report)
        assert (await refusal(people[0].call(report))).reason == "TOO_MANY_REPORTS"
        await people[1].call(session_pb2.DeleteAccountRequest(name=people[1].account))
        (first, *_) = await records.page(None, 10)
        text = json.dumps([first.said, *first.around])
        assert "line 10" in text
        assert "line 11" not in text
        assert '"p1"' not in text
        running.clock.advance(2 * 86_400 + 1)
        await running.restart()
        assert await ReportRecords(running.server.records).page(None, 10) == []


async def test_no_more_reports_are_kept_than_so_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound the oldest go."""
    from gouji_server.records import Database, reports

    assert MAX_REPORTS == 10_000
    monkeypatch.setattr(reports, "MAX_REPORTS", 3)
    database = await Database.open(tmp_path / "records.sqlite3")
    records = ReportRecords(database)
    for number in range(5):
        await records.add(reports.Report(f"r{number}", float(number), "a", "b", "tables/t", "TABLE", "", {}, ()))
    assert [report.id for report in await records.page(None, 10)] == ["r4", "r3", "r2"]
    await database.close()


async def test_a_private_tables_talk_is_not_there_for_strangers(running_server: Running) -> None:
    """Without seat or code a private table is none, for those who speak, listen or report."""
    owner, stranger = [await running_server.player(name) for name in ("owner", "stranger")]
    made = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id(), private=True))
    table = made.table.name
    await say(owner, table, text="secret")
    for request in (
        pb.SendChatRequest(request_id=new_id(), table=table, scope=SPECTATORS, text="x"),
        pb.ListChatMessagesRequest(table=table, scope=TABLE),
        pb.ReportMessageRequest(table=table, scope=TABLE, message=1),
    ):
        assert (await refusal(stranger.call(request))).reason == "TABLE_NOT_FOUND"
        request.join_code = made.join_code
    listed = await stranger.call(pb.ListChatMessagesRequest(table=table, scope=TABLE, join_code=made.join_code))
    assert [said.text for said in listed.messages] == ["secret"]

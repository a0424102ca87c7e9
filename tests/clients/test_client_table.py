"""The lobby, and acting at a table."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from typing import TYPE_CHECKING

import grpc
import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_client import GoujiError, NewTable, ProtocolBroken, Refused, connect
from gouji_client.lobby import free_seats, seat_of
from gouji_client.testing import DropStream, FakeServer, LoseResult
from gouji_client.wire import action_to_wire, cards_from_wire, rules_of
from tests.clients.watching import AT_ONCE, assert_no_version_twice_or_skipped, play_to_the_end, sit_down

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji_client import Client, Table, TableView

HANDS = ["3455AA2s", "4466KK", "5577QQ", "667788", "8899TT", "99JJb2"]


async def answer_until_lead(table: Table) -> TableView:
    """Say no to the revolution and return the view in which seat 0 is to lead."""
    await table.until(lambda view: view.asked)
    await table.act("no")
    return await table.until(
        lambda view: view.asked and view.question is not None and view.question.kind == gr.Kind.LEAD
    )


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A client that sits at a fake table of short hands, to lead."""
    async with (
        FakeServer(hands=HANDS, opponents=["no"]) as server,
        connect(server.address, backoff=AT_ONCE, rng=random.Random(1)) as connected,
    ):
        await sit_down(connected, server.table)
        yield connected


@pytest.fixture
async def table(client: Client) -> Table:
    """The table of that client, when seat 0 is to lead."""
    table = client.table("fake")
    await answer_until_lead(table)
    return table


async def test_the_lobby_shows_rule_sets_and_tables() -> None:
    """Rule sets come with their options; tables with their seats; a table is found by its name."""
    async with FakeServer(seats=[0, 2]) as server, connect(server.address) as client:
        await client.sign_in("Mei")
        rule_sets = await client.lobby.rule_sets()
        assert [rules.name for rules in rule_sets] == [f"ruleSets/{name}" for name in gr.PRESETS]
        assert {option.field for option in rule_sets[0].options} >= {"burn", "points"}
        tables = [table async for table in client.lobby.tables(with_free_seat=True)]
        assert [table.name for table in tables] == [server.table]
        assert free_seats(tables[0]) == [0, 2]
        assert await client.lobby.get(server.table) == tables[0]
        with pytest.raises(Refused) as caught:
            await client.lobby.get("tables/none")
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")


async def test_a_seat_is_taken_kept_and_given_up() -> None:
    """Joining gives a seat, joining again the same one; a taken seat is refused; leaving frees it."""
    async with FakeServer(seats=[0, 2]) as server, connect(server.address) as client, connect(server.address) as other:
        await client.sign_in("Mei")
        await other.sign_in("Lan")
        assert await client.lobby.join(server.table, 2) == 2
        assert await client.lobby.join(server.table) == 2
        with pytest.raises(Refused, match="SEAT_TAKEN"):
            await other.lobby.join(server.table, 2)
        assert await other.lobby.join(server.table) == 0
        assert seat_of(await client.lobby.get(server.table), client.account.name) == 2
        await client.lobby.leave(server.table)
        assert seat_of(await client.lobby.get(server.table), client.account.name) is None


async def test_a_table_is_made_as_wanted_and_filled() -> None:
    """A new table has the deals and title wanted, seats its maker, and takes built-in bots."""
    async with FakeServer(seats=[0, 1]) as server, connect(server.address) as client:
        await client.sign_in("Mei")
        made = await client.lobby.create(NewTable(title="practice", deals=2, seat=1))
        assert (made.title, made.deals, made.owner) == ("practice", 2, client.account.name)
        assert seat_of(made, client.account.name) == 1
        assert await client.lobby.add_bot(made.name, "random") == 0
        with pytest.raises(Refused, match="SEAT_TAKEN"):
            await client.lobby.add_bot(made.name, "random", 0)
        with pytest.raises(Refused, match="policy"):
            await client.lobby.add_bot(made.name, "genius")


def test_a_new_table_is_asked_for_in_the_wires_words() -> None:
    """Every wish becomes its field; what is not wished stays unset."""
    plain = NewTable().to_request()
    assert (plain.rule_set, plain.deals, plain.seat, plain.without_seat) == ("ruleSets/qingdao", 0, 0, False)
    assert not plain.HasField("decision_time")
    wished = NewTable(decision_seconds=2.5, with_seat=False, spectators=False).to_request()
    assert (wished.decision_time.seconds, wished.decision_time.nanos) == (2, 500_000_000)
    assert wished.without_seat
    assert wished.no_spectators
    assert not wished.HasField("seat")
    assert plain.request_id != wished.request_id


async def test_an_action_may_be_text_or_packed(table: Table) -> None:
    """A play is written as in a record or given packed; the newest question is answered; `n` moves on."""
    before = table.view
    after = await table.act("play 55")
    assert after > before.at.n
    await table.act(gr.play_action(gr.parse_play("3")))
    assert [gr.format_play(played.play) for played in table.view.plays] == ["55", "3"]
    with pytest.raises(Refused) as caught:
        await table.act("play 4", decision=before.decision)
    assert caught.value.stale


async def test_real_cards_can_be_chosen(client: Client) -> None:
    """Who names real cards puts down just those."""
    table = client.table("fake")
    view = await answer_until_lead(table)
    aces = tuple(card for card in view.hand if gr.rank_of(card) == 11)
    await table.act("play A", aces[-1:])
    assert table.view.plays[0].cards == aces[-1:]


@pytest.mark.parametrize(
    ("action", "rule", "reason"),
    [
        ("play 7", "R16", "CARDS_NOT_HELD"),
        ("play 34", "R10", "NOT_A_PLAY"),
        ("pass", "R20", "WRONG_VERB"),
        ("burn AA", "R30", "WRONG_VERB"),
    ],
)
async def test_an_illegal_action_is_refused_with_its_rule(table: Table, action: str, rule: str, reason: str) -> None:
    """What breaks a rule is refused with the rule's number and a text in both languages, and nothing changes."""
    before = table.view
    with pytest.raises(Refused) as caught:
        await table.act(action)
    refused = caught.value
    assert (refused.rule, refused.reason) == (rule, reason)
    assert refused.text_en
    assert any("\u4e00" <= char <= "\u9fff" for char in refused.text_zh)
    assert not refused.stale
    assert table.view == before


async def test_a_text_that_is_no_action_is_said(table: Table) -> None:
    """A slip of the pen is a ValueError that names the piece, before anything is sent."""
    for text, piece in (("jump", "jump"), ("play 5x", "x"), ("play", "play")):
        with pytest.raises(ValueError, match=piece):
            await table.act(text)
    with pytest.raises(ValueError, match="not the cards"):
        await table.act("play A", table.view.hand[:1])


async def test_the_server_tells_what_is_legal(table: Table) -> None:
    """The server's list is what the client's own rules say; `check` raises what `act` would."""
    legal = await table.legal_plays()
    own = table.view.to_seat_view().legal_actions()
    assert [gr.play_action(play) for play in legal.plays] == list(own.plays)
    assert (legal.decision, legal.verbs) == (table.view.decision, (gr.Verb.PLAY,))
    await table.check("play 55")
    with pytest.raises(Refused) as caught:
        await table.check("pass")
    assert caught.value.rule == "R20"


async def test_a_view_can_be_had_without_following(client: Client) -> None:
    """`get_view` asks once and follows nothing; a table that is not followed has no newest view."""
    await client.table("fake").get_view()
    other = client.table("tables/fake")
    assert other is client.table("fake")
    view = await other.get_view()
    assert (view.seat, view.name) == (0, "tables/fake")
    assert not other.is_followed
    with pytest.raises(GoujiError, match="follow"):
        _ = other.view


async def test_following_ends_when_asked(table: Table) -> None:
    """`unfollow` ends the iterations and forgets the view; following again starts anew."""
    seen = asyncio.create_task(table.until(lambda view: view.over))
    await asyncio.sleep(0)
    table.unfollow()
    table.unfollow()
    with pytest.raises(GoujiError, match="closed before"):
        await seen
    assert not table.is_followed
    assert (await table.follow()).asked


async def test_an_unknown_table_cannot_be_followed(client: Client) -> None:
    """Following what does not exist raises the server's refusal, and acting on it too."""
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await client.table("none").follow()
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await client.table("none").get_view()


async def test_two_answers_at_once_are_each_told_their_own_result(table: Table) -> None:
    """Results find their senders: of two answers to one question one is carried out and one is stale."""
    results = await asyncio.gather(table.act("play 55"), table.act("play 4"), return_exceptions=True)
    assert isinstance(results[0], int)
    assert isinstance(results[1], Refused)
    assert results[1].stale


async def test_a_caller_who_stops_waiting_leaves_nothing_behind() -> None:
    """An answer whose sender was cancelled is not sent again after a lost connection."""
    async with (
        FakeServer(hands=HANDS, opponents=["no"], faults=[LoseResult(at=12)]) as server,
        connect(server.address, backoff=AT_ONCE) as client,
    ):
        table = await sit_down(client, server.table)
        await answer_until_lead(table)
        acting = asyncio.create_task(table.act("play 55"))
        await asyncio.sleep(0)
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)
        assert not list(client._stream._actions)
        await play_to_the_end(table, random.Random(1))


def test_what_the_wire_cannot_mean_is_said() -> None:
    """Cards and rule sets that this client does not know are named, not guessed."""
    with pytest.raises(ProtocolBroken, match="55"):
        cards_from_wire([1, 55])
    with pytest.raises(GoujiError, match="mars"):
        rules_of(lobby_pb2.Table(name="tables/x", rule_set="ruleSets/mars"))
    with pytest.raises(ValueError, match="takes no cards"):
        action_to_wire(gr.PASS, [gr.Card.CLUB_3])


@pytest.mark.parametrize("suit", range(4))
def test_showing_a_suit_is_told_by_its_number(suit: int) -> None:
    """Suits 0..3 of the rules are 1..4 on the wire."""
    assert action_to_wire(gr.show_action(suit)).suit == suit + 1


async def test_a_count_is_asked_for_and_a_match_is_ended_by_agreement() -> None:
    """R80, R17: the SDK asks out of turn, everybody hears it, and the last vote closes the table."""
    rules = gr.preset("qingdao").replace(report="asked")
    async with FakeServer(seed=1, rules=rules) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        await table.until(lambda view: view.asked)
        told = []
        async with aclosing(table.updates()) as updates:
            await anext(updates)
            assert await table.ask_count(3) is None  # more than ten (R80)
            with pytest.raises(Refused, match="ASK_ANOTHER"):
                await table.ask_count(0)
            # There is nothing to be against: nobody is told.
            assert await table.vote_dissolution(agrees=False) == table.view.at.n
            await table.vote_dissolution()
            async for update in updates:
                told += [event.WhichOneof("event") for event in update.events]
        expected = ["count_told", "dissolution_voted", "match_dissolved", "deal_revealed", "match_ended"]
        assert told == [*expected, "table_closed"]
        assert table.view.over
        assert not table.view.asked
        assert table.view.state is not None
        assert list(table.view.state.for_ending) == [0]


async def test_a_count_asked_for_is_returned() -> None:
    """R80: who asks gets the number that all hear: of ten or fewer the number, of more that there are more."""
    rules = gr.preset("qingdao").replace(report="asked")
    hands = [*HANDS[:4], "8899TTJJQQK", HANDS[5]]
    async with (
        FakeServer(hands=hands, rules=rules, opponents=["no"]) as server,
        connect(server.address, backoff=AT_ONCE) as client,
    ):
        table = await sit_down(client, server.table)
        await answer_until_lead(table)
        assert [await table.ask_count(seat) for seat in (1, 2, 4)] == [6, 6, None]


async def test_the_seat_of_a_client_follows_the_draw() -> None:
    """R9: after the draw the view is that of the new seat, everybody's name is where they sit, and the client plays the
    match from there to its end; one that was cut off before the draw comes back to the new seat."""
    rules = gr.preset("competition")
    fake = FakeServer(seed=5, rules=rules, faults=[DropStream(at=2)])
    async with fake as server, connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("tester")
        table = client.table(server.table)
        assert await client.lobby.join(server.table) == 0
        assert (await table.follow()).seat == 0
        await table.set_ready()
        view = await table.until(lambda view: view.asked)
        assert view.info.players[view.seat or 0].account == client.account.name
        assert view.seat == view.at.seat
        assert view.seat != 0
        assert view.hand == tuple(server._table.deal.cards(view.seat or 0) if server._table.deal else ())
        seen = await play_to_the_end(table, random.Random(3))
        assert seen[-1].view.over
        assert_no_version_twice_or_skipped(seen)


async def test_a_client_chooses_its_opposite() -> None:
    """R9: the chooser's view moves with it, whoever has to make room moves, and refusals have their reasons."""
    rules = gr.preset("qingdao").replace(seating="choose_opposite")
    async with (
        FakeServer(seats=(0, 1, 2), rules=rules) as server,
        connect(server.address, backoff=AT_ONCE) as one,
        connect(server.address, backoff=AT_ONCE) as two,
        connect(server.address, backoff=AT_ONCE) as three,
    ):
        for client in (one, two, three):
            await client.sign_in("tester")
            await client.lobby.join(server.table)
        table = one.table(server.table)
        await table.follow()
        await two.table(server.table).follow()
        assert await one.lobby.choose_opposite(server.table, 1) == 4
        view = await table.until(lambda view: view.info.players[1].opposite_chosen)
        assert (view.seat, view.info.players[4].account, view.info.players[0].bot) == (4, one.account.name, "random")
        for chooser, wanted, reason in ((one, 4, "CHOOSE_ANOTHER"), (three, 1, "OPPOSITE_TAKEN")):
            with pytest.raises(Refused, match=reason):
                await chooser.lobby.choose_opposite(server.table, wanted)
        assert await two.lobby.choose_opposite(server.table, 2) == 5
        assert (await two.table(server.table).until(lambda view: view.seat == 5)).info.players[2].opposite_chosen
        assert not (await table.get_view()).info.players[4].opposite_chosen
        for client in (one, two, three):
            await client.lobby.set_ready(server.table)
        view = await table.until(lambda view: view.asked)
        assert (view.seat, len(view.hand)) == (4, 36)


async def test_what_a_client_feels_stays_in_its_view() -> None:
    """R82: the answer is in the view until the next deal, and a new reader has it too."""
    rules = gr.preset("qingdao").replace(feel_chances=3)
    async with FakeServer(seed=2, rules=rules) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        await table.until(lambda view: view.asked)
        felt = await table.feel()
        assert felt == (31, 36)
        view = await table.until(lambda view: bool(view.felt))
        assert view.felt == (felt,)
        assert (await table.get_view()).felt == (felt,)
        assert await table.feel() == felt
        await table.feel()
        with pytest.raises(Refused, match="NO_CHANCES_LEFT"):
            await table.feel()
        assert (await table.get_view()).felt == (felt,) * 3


async def test_a_seat_is_handed_to_the_server_and_taken_back() -> None:
    """The view tells whose seat the server plays and who is connected; taking it back gives the next question to the
    client again."""
    async with FakeServer(seed=1, deals=9) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        view = await table.until(lambda view: view.asked)
        assert view.seat is not None
        assert not view.on_autopilot(view.seat)
        assert view.is_connected(view.seat)
        version = await table.set_autopilot()
        assert version == view.at.n + 1
        view = await table.until(lambda view: view.over)
        assert view.on_autopilot(0)
        assert (view.on_autopilot(6), view.is_connected(6)) == (False, True)


async def test_windows_are_declined_for_a_client_that_wants_it() -> None:
    """The own view alone tells of the setting, and with it no window is the client's to answer."""
    async with FakeServer(seed=1, deals=9) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        view = await table.until(lambda view: view.asked)
        assert not view.auto_decline
        assert await table.set_auto_decline(always=True) == view.at.n
        view = await table.until(lambda view: view.auto_decline)
        await table.set_auto_decline(on=False)
        await table.until(lambda view: not view.auto_decline)

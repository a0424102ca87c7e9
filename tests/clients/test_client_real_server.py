"""The client against the real server, over real loopback connections."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, get_args

import pytest

import gouji_rules as gr
from gouji.table.v1 import events_pb2
from gouji_client import Bot, Client, NewTable, PolicyBot, Refused, connect, play_match
from gouji_client.testing import told
from gouji_rules.records.model import LineKind
from gouji_rules.rule_set import PRESET_NAMES
from tests.clients.cutting_proxy import CuttingProxy
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE, assert_no_version_twice_or_skipped, play_to_the_end

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from gouji_client import MatchResult, Update


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RealServer]:
    """A real server."""
    async with RealServer(tmp_path) as running:
        yield running


async def signed_in(address: str, name: str) -> Client:
    client = await connect(address, backoff=AT_ONCE, rng=random.Random(name))
    await client.sign_in(name)
    return client


async def six_at_a_table(address: str, deals: int) -> tuple[list[Client], str]:
    """Sign six clients in and make a table for them."""
    clients = [await signed_in(address, f"bot {seat}") for seat in range(6)]
    made = await clients[0].lobby.create(NewTable(title="six", deals=deals))
    return clients, made.name


async def play_six(clients: list[Client], table: str, bots: list[Bot]) -> list[MatchResult]:
    """Play six bots at one table to the end and close their clients."""
    played = (
        play_match(client, bot, table=table, seat=seat)
        for seat, (client, bot) in enumerate(zip(clients, bots, strict=True))
    )
    results = await asyncio.gather(*played)
    for client in clients:
        await client.close()
    return results


def assert_all_heard_the_same(results: list[MatchResult], deals: int) -> None:
    assert [result.seat for result in results] == list(range(6))
    for result in results:
        assert (result.complete, result.faults, len(result.deals)) == (True, 0, deals)
        assert result.deals == results[0].deals
        assert result.scores == results[0].scores
        assert result.close_reason == events_pb2.CLOSE_REASON_MATCH_OVER
    for deal in results[0].deals:
        assert not list(gr.check_record(deal.record))


async def test_six_bots_play_a_match(server: RealServer) -> None:
    """Six bots sign in over connections of their own, play a match to the end, and all tell the same result."""
    clients, table = await six_at_a_table(server.address, deals=2)
    bots: list[Bot] = [PolicyBot("random" if seat % 2 else "simple", seed=seat) for seat in range(6)]
    assert_all_heard_the_same(await play_six(clients, table, bots), deals=2)


@pytest.mark.parametrize("policy", ["simple", "random"])
@pytest.mark.parametrize("preset", PRESET_NAMES)
async def test_built_in_bots_finish_a_match_by_every_preset(server: RealServer, preset: str, policy: str) -> None:
    """A bot on a connection of its own and five of the server's play a match by the preset, with tribute where it has
    any, to the end: no fault on either side, and every record is good."""
    async with connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("guest")
        new = NewTable(rule_set=preset, deals=2)
        result = await play_match(client, PolicyBot(policy, seed=7), table=new, fill=policy)
        table = await client.lobby.get(result.table)
    assert (result.complete, result.faults, table.deals) == (True, 0, 2)
    assert result.close_reason == events_pb2.CLOSE_REASON_MATCH_OVER
    assert 1 <= len(result.deals) <= 2
    assert sum(player.bot == policy for player in table.players) == 5
    assert table.players[result.seat if result.seat is not None else 0].account
    for deal in result.deals:
        assert not list(gr.check_record(deal.record))


async def test_a_match_is_as_long_as_its_rules_say(server: RealServer) -> None:
    """R68: a table made without a number of deals takes that of its rules, and three where they leave it open."""
    async with connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("guest")
        made = [
            await client.lobby.create(NewTable(rule_set=preset)) for preset in ("chinagames", "competition", "shandong")
        ]
    assert [table.deals for table in made] == [5, 3, 3]


class CutOff(PolicyBot):
    """Loses its connection in every tenth choice."""

    def __init__(self, proxy: CuttingProxy, seed: int) -> None:
        super().__init__("random", seed=seed)
        self.proxy = proxy
        self.asked = 0
        self.numbers: list[int] = []

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the policy's choice, perhaps after a cut."""
        self.asked += 1
        if self.asked % 10 == 0:
            self.proxy.cut()
        return super().choose(view)

    def on_event(self, event: events_pb2.TableEvent) -> None:
        """Note its number."""
        self.numbers.append(event.n)


async def test_a_bot_that_is_cut_off_comes_back_in_mid_deal(server: RealServer) -> None:
    """One of six loses its connection again and again; it misses nothing, repeats nothing, and the match is whole."""
    async with CuttingProxy(server.address) as proxy:
        clients, table = await six_at_a_table(server.address, deals=1)
        await clients[4].close()
        clients[4] = await signed_in(proxy.address, "bot 4")
        unlucky = CutOff(proxy, seed=4)
        bots: list[Bot] = [PolicyBot("random", seed=seat) for seat in range(6)]
        bots[4] = unlucky
        results = await play_six(clients, table, bots)
        assert proxy.accepted > 2
    assert_all_heard_the_same(results, deals=1)
    assert unlucky.numbers == list(range(unlucky.numbers[0], unlucky.numbers[-1] + 1))


async def test_a_restarted_server_is_found_again(server: RealServer) -> None:
    """The server stops in mid-deal and starts on the same files: the clients resume without a gap and finish."""
    async with CuttingProxy(server.address) as proxy:
        client = await signed_in(proxy.address, "Mei")
        made = await client.lobby.create(NewTable(deals=1))
        for seat in range(1, 6):
            await client.lobby.add_bot(made.name, "random", seat)
        table = client.table(made.name)
        await table.set_ready()
        await table.until(lambda view: view.asked and len(view.plays) >= 0)
        playing = asyncio.create_task(play_to_the_end(table, random.Random(1)))
        for plays in (10, 30):
            await table.until(lambda view, wanted=plays: len(view.plays) >= wanted or view.over)  # type: ignore[misc]
            await server.stop()
            await server.start()
            proxy.to = server.address
        seen = await playing
        await client.close()
    assert_no_version_twice_or_skipped(seen)
    assert seen[-1].view.over


async def test_a_spectator_follows_without_a_hand(server: RealServer) -> None:
    """A client without a seat gets every event and no hand, and cannot act."""
    clients, table = await six_at_a_table(server.address, deals=1)
    watcher = await signed_in(server.address, "eye")
    seen: list[Update] = []

    async def watch() -> None:
        seen.extend([update async for update in watcher.table(table).updates()])

    watching = asyncio.create_task(watch())
    await play_six(clients, table, [PolicyBot("simple", seed=seat) for seat in range(6)])
    await watching
    assert_no_version_twice_or_skipped(seen)
    assert all(update.view.seat is None and not update.view.hand for update in seen)
    with pytest.raises(Refused, match="NOT_SEATED"):
        await watcher.table(table).act("pass", decision=5)
    await watcher.close()


async def test_views_actions_and_refusals_are_the_servers_own(server: RealServer) -> None:
    """What the client's rules call legal is what the server lists; what breaks a rule is refused with its number."""
    client = await signed_in(server.address, "Mei")
    made = await client.lobby.create(NewTable(deals=1))
    table = client.table(made.name)
    for seat in range(1, 6):
        await client.lobby.add_bot(made.name, "random", seat)
    await table.set_ready()
    rng = random.Random(1)
    for _ in range(12):
        view = await table.until(lambda view: view.asked or view.over)
        if view.over:
            break
        seat_view = view.to_seat_view()
        own = seat_view.legal_actions()
        legal = await table.legal_plays()
        if legal.decision == view.decision:
            assert sorted(legal.plays) == sorted(gr.play_of(action) for action in own.plays)
            assert set(legal.verbs) == {gr.verb_of(action) for action in own}
            with pytest.raises(Refused) as caught:
                await table.check("play 3456")
            assert caught.value.rule == "R10"
        await table.act(own[rng.randrange(len(own))], decision=view.decision)
    await client.close()


async def test_the_fake_server_would_have_told_the_same(server: RealServer) -> None:
    """A match of the real server, replayed from its record: the fake server's words for every event and state agree."""
    clients, table = await six_at_a_table(server.address, deals=1)
    watcher = await signed_in(server.address, "eye")
    seen: list[Update] = []
    follows = asyncio.Event()

    async def watch() -> None:
        async for update in watcher.table(table).updates():
            seen.append(update)
            follows.set()

    watching = asyncio.create_task(watch())
    await follows.wait()
    results = await play_six(clients, table, [PolicyBot("random", seed=seat + 20) for seat in range(6)])
    await watching
    await watcher.close()
    steps = [update for update in seen if update.view.state is not None and update.restart is None]
    cards = [event.played.play.cards for update in steps for event in update.events if event.HasField("played")]
    assert_replay_tells(results[0].deals[0].record, steps, [tuple(map(gr.Card, played)) for played in cards])


def assert_replay_tells(record_text: str, steps: list[Update], cards: list[tuple[gr.Card, ...]]) -> None:
    """Replay a record and hold each step of the wire to what the fake server makes of it."""
    record = gr.read_record(record_text)
    assert record.seed is not None
    deal = gr.Deal.start(record.rules, record.seed)
    told_events = [told.event_message(event) for event in deal.start_events]
    told_states = [deal.public_view()]
    for line in record.lines:
        if line.kind is not LineKind.ACTION:
            continue
        action = gr.parse_action(line.said)
        played = cards[0] if cards and gr.play_of(action) == gr.play_of_cards(cards[0]) else None
        events = deal.apply(line.seat, action, played if played and holds(deal.cards(line.seat), played) else None)
        if any(isinstance(event, gr.Played) for event in events):
            cards.pop(0)
        if events:
            told_events += [told.event_message(event) for event in events]
            told_states.append(deal.public_view())
    wire = [event for update in steps for event in update.events]
    of_deal = {kind.__name__ for kind in get_args(gr.Event)}
    kept = [event for event in wire if kind_of(event) in of_deal]
    assert [bare(event) for event in kept] == [bare(event) for event in told_events]
    states = [update.view.state for update in steps]
    for state, public in zip(states, told_states, strict=True):
        assert state is not None
        made = told.state_message(public, state.question.decision, state.scores)
        for seat in made.seats:
            seat.connected = True  # no matter of the deal: all six follow to the end
        assert made == state


def kind_of(event: events_pb2.TableEvent) -> str:
    return "".join(word.title() for word in (event.WhichOneof("event") or "").split("_"))


def bare(event: events_pb2.TableEvent) -> events_pb2.TableEvent:
    """Return an event without its number and time."""
    made = events_pb2.TableEvent()
    made.CopyFrom(event)
    made.ClearField("n")
    made.ClearField("time")
    return made


def holds(hand: tuple[gr.Card, ...], cards: tuple[gr.Card, ...]) -> bool:
    return all(cards.count(card) <= hand.count(card) for card in cards)

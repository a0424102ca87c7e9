"""A server killed at any moment loses nothing that it acknowledged and does nothing twice.

Real servers are killed with SIGKILL at random points of running matches and started again on the same files; the same
clients resume by themselves and finish. Then the journal, what every client was told, and a replay of the journal by
the rules alone must agree.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_bots import policies
from gouji_client import Backoff, Client, NewTable, Refused, connect
from gouji_rules.actions import kill_action
from gouji_rules.fairness import Proof
from gouji_rules.records import check_record, record_of_deal, write_record
from gouji_server.journal import SqliteJournal
from gouji_server.tables import inputs
from tests.server.processes import KillableServer, Nursery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator
    from pathlib import Path

    from gouji.table.v1 import events_pb2
    from gouji_client import FeltHand, Table
    from gouji_rules.rule_set import OptionValue

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(300)]

TURNS = ("played", "passed")

IMPATIENT = Backoff(first=0.02, ceiling=0.1, patience=60)


@dataclass
class Ledger:
    """What the clients of one table saw: what was acknowledged, and the events that each was told, by number."""

    acknowledged: list[tuple[int, int, gr.Action]] = field(default_factory=list)
    told: list[dict[int, events_pb2.TableEvent]] = field(default_factory=list)
    counts: list[tuple[int, int, int | None]] = field(default_factory=list)
    """Who asked whom for its count out of turn (R80), and the number of the event."""
    felt: list[tuple[int, FeltHand]] = field(default_factory=list)
    """Who felt its opposite's hand (R82), and what it was told."""


class Storm:
    """Kills the server `kills` times, each after a random number of things that clients did, at a random moment then:
    just before something is sent, just after an answer came, or some milliseconds later."""

    def __init__(self, server: KillableServer, kills: int, dice: random.Random, spacing: tuple[int, int]) -> None:
        self.server = server
        self._left = kills
        self._dice = dice
        self._spacing = spacing
        self._countdown = dice.randint(*spacing)
        self._restarting: asyncio.Task[None] | None = None

    def point(self) -> None:
        """Pass a point at which the server may be killed."""
        if self._restarting is not None or not self._left:
            return
        self._countdown -= 1
        if self._countdown <= 0:
            self._left -= 1
            self._restarting = asyncio.create_task(self._strike())

    async def _strike(self) -> None:
        if self._dice.random() < 0.5:
            # A moment that has nothing to do with what any client has sent or received.
            await self.server.live_for(self._dice.uniform(0, 0.02))
        self.server.kill()
        assert await self.server.wait() == -9
        await self.server.start()
        self._countdown = self._dice.randint(*self._spacing)
        self._restarting = None

    async def over(self) -> None:
        """Wait until a server that was killed last is back."""
        if self._restarting is not None:
            await self._restarting


async def play(client: Client, table_name: str, ledger: Ledger, storm: Storm, dice: random.Random) -> None:
    """Play a seat to the end of the match, noting what is acknowledged and what is told."""
    table = client.table(table_name)
    told: dict[int, events_pb2.TableEvent] = {}
    ledger.told.append(told)
    answered = -1
    async for update in table.updates():
        for event in update.events:
            assert told.setdefault(event.n, event) == event, "one number told two things"
        storm.point()
        view = update.view
        if view.at != table.view.at or not view.asked or view.decision == answered:
            continue
        answered = view.decision
        action = policies["random"](view.to_seat_view(), dice)
        storm.point()
        await table.act(action, decision=view.decision)
        assert view.seat is not None
        ledger.acknowledged.append((view.seat, view.decision, action))
        storm.point()
        if dice.random() < 0.1:
            await ask_around(table, view.seat, ledger, dice)
            storm.point()
    assert table.view.felt == tuple(felt for seat, felt in ledger.felt if seat == table.view.seat)


async def ask_around(table: Table, seat: int, ledger: Ledger, dice: random.Random) -> None:
    """Ask some other seat how many cards it holds (R80), and feel the hand opposite (R82)."""
    of = (seat + dice.randint(1, 5)) % 6
    try:
        ledger.counts.append((seat, of, await table.ask_count(of)))
        ledger.felt.append((seat, await table.feel()))
    except Refused as refused:
        reasons = ("NO_REPORT", "NO_FEELING", "NO_CARDS", "NO_CHANCES_LEFT", "NO_DEAL", "TABLE_CLOSED", "TOO_MUCH_SAID")
        assert refused.reason in reasons  # noqa: PT017


async def watch(client: Client, table_name: str, ledger: Ledger) -> None:
    """Follow a table as a spectator to its end."""
    told: dict[int, events_pb2.TableEvent] = {}
    ledger.told.append(told)
    async for update in client.table(table_name).updates():
        for event in update.events:
            assert told.setdefault(event.n, event) == event


@asynccontextmanager
async def crowd(address: str, count: int) -> AsyncIterator[list[Client]]:
    """Connect and sign in so many clients."""
    async with asyncio.TaskGroup() as group:
        made = [group.create_task(_signed_in(address, f"p{number}")) for number in range(count)]
    clients = [task.result() for task in made]
    try:
        yield clients
    finally:
        for client in clients:
            await client.close()


async def _signed_in(address: str, name: str) -> Client:
    client = await connect(address, backoff=IMPATIENT)
    await client.sign_in(name)
    return client


async def begin(clients: list[Client], deals: int) -> str:
    """Make a table where seats are drawn, counts asked for and hands felt, and seat six clients, all ready."""
    options: dict[str, OptionValue] = {"seating": "draw", "report": "asked", "feel_chances": 3}
    table = await clients[0].lobby.create(NewTable(deals=deals, options=options))
    for seat, client in enumerate(clients[1:6], start=1):
        await client.lobby.join(table.name, seat)
    for client in clients[:6]:
        await client.lobby.set_ready(table.name)
    return table.name


async def journal_of(server: KillableServer, table: str) -> list[inputs.Input]:
    """Read what is in the journal of a server that has stopped."""
    journal = await SqliteJournal.open(server.data_dir / "journal.sqlite3")
    try:
        return [inputs.decode(entry.kind, entry.body) for entry in await journal.read(table)]
    finally:
        await journal.close()


PLAIN = {
    gr.verb_of(action): action
    for action in (
        *(gr.PASS, gr.YIELD, gr.WIND, gr.DECLINE, gr.NO, gr.REVOLT, gr.KEEP_HEAD, gr.DROP_HEAD),
        *(gr.CALL_OPEN, gr.CALL_BLIND, gr.REFUSE, gr.ACCEPT, gr.WAIVE, gr.SWAP),
    )
}
WITH_CARDS = {
    gr.Verb.PLAY: gr.play_action,
    gr.Verb.BURN: gr.burn_action,
    gr.Verb.KILL: kill_action,
    gr.Verb.GIVE: gr.give_action,
}


def action_of(move: inputs.Moved) -> gr.Action:
    """Read a journal's move in the rules' own words."""
    verb = gr.Verb(move.verb)
    if verb is gr.Verb.SHOW:
        return gr.show_action(move.suit)
    if verb not in WITH_CARDS:
        return PLAIN[verb]
    return WITH_CARDS[verb](gr.play_of_cards([gr.Card(card) for card in move.cards]))


def replayed(journal: list[inputs.Input]) -> list[str]:
    """Fold a journal by the rules alone; return the record of every deal that counts (R50: not of a void one)."""
    created = journal[0]
    assert isinstance(created, inputs.Created)
    match = gr.Match(gr.preset(created.rules).replace(**created.options), created.deals)
    records: list[str] = []
    deal: gr.Deal | None = None
    proof: Proof | None = None
    promised = ""
    given: dict[int, bytes] = {}
    for entry in journal:
        if isinstance(entry, inputs.DealStarting):
            secret = bytes.fromhex(entry.secret or promised)
            proof = Proof(gr.commitment(secret), secret, tuple(sorted(given.items())))
            deal = match.start_deal(proof.seed)
        elif isinstance(entry, inputs.DealPromised):
            promised, given = entry.secret, {}
            continue
        elif isinstance(entry, inputs.EntropyGiven):
            given[entry.seat] = bytes.fromhex(entry.entropy)
            continue
        elif isinstance(entry, inputs.HandFelt):
            assert deal is not None
            deal.feel(entry.seat)
            continue
        elif isinstance(entry, inputs.Moved):
            assert deal is not None
            deal.apply(entry.seat, action_of(entry), [gr.Card(card) for card in entry.cards] or None)
        else:
            continue
        if deal.over:
            if not deal.result.void:
                records.append(write_record(replace(record_of_deal(deal), proof=proof)))
            match.finish(deal)
    assert match.over
    return records


def hold_together(ledger: Ledger, journal: list[inputs.Input]) -> None:
    """Hold that acknowledgements, journal, events and replay say the same."""
    # A built-in bot's moves have no request id, and nobody waits for their acknowledgement.
    moves = [entry for entry in journal if isinstance(entry, inputs.Moved) and entry.request_id]
    written = Counter((move.seat, move.decision, action_of(move)) for move in moves)
    assert written == Counter(ledger.acknowledged), "acknowledged and written differ"
    assert set(written.values()) == {1}
    asked = Counter((entry.seat, entry.of) for entry in journal if isinstance(entry, inputs.CountAsked))
    assert asked == Counter((seat, of) for seat, of, _ in ledger.counts), "questions acknowledged and written differ"
    felt = Counter(entry.seat for entry in journal if isinstance(entry, inputs.HandFelt))
    assert felt == Counter(seat for seat, _ in ledger.felt), "hands felt, acknowledged and written differ"

    story: dict[int, events_pb2.TableEvent] = {}
    for told in ledger.told:
        for n, event in told.items():
            assert story.setdefault(n, event) == event, "two clients were told different things"
    last = max(story)
    assert story[last].WhichOneof("event") == "table_closed"
    assert sorted(story) == list(range(min(story), last + 1)), "all clients together missed an event"
    hold_told(ledger.acknowledged, story)
    counts = [event.count_told for event in story.values() if event.HasField("count_told")]
    heard = Counter((said.asker, said.seat, said.count if said.HasField("count") else None) for said in counts)
    assert not Counter(ledger.counts) - heard, "a count was answered that nobody heard"

    revealed = [story[n].deal_revealed.record for n in sorted(story) if story[n].HasField("deal_revealed")]
    records = [record for record in revealed if record]
    assert records == replayed(journal)
    for record in records:
        assert check_record(record) == []


def hold_told(acknowledged: list[tuple[int, int, gr.Action]], story: dict[int, events_pb2.TableEvent]) -> None:
    """Hold that every acknowledged play and pass is told once: it is the first turn told after its question."""
    plays = passes = 0
    for seat, decision, action in acknowledged:
        event = story[next(n for n in count(decision + 1) if story[n].WhichOneof("event") in TURNS)]
        if gr.verb_of(action) == gr.Verb.PLAY:
            plays += 1
            assert (event.WhichOneof("event"), event.played.play.seat) == ("played", seat)
        elif gr.verb_of(action) == gr.Verb.PASS:
            passes += 1
            assert (event.WhichOneof("event"), event.passed.seat) == ("passed", seat)
    assert plays
    assert passes


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """Start servers quickly."""
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
async def server(nursery: Nursery, tmp_path: Path) -> AsyncIterator[KillableServer]:
    """A server that a test may kill."""
    server = KillableServer(nursery, tmp_path)
    await server.start()
    yield server
    await server.stop()


@pytest.mark.parametrize("seed", [1, 2])
async def test_matches_survive_kills(server: KillableServer, seed: int) -> None:
    """Three matches and a spectator at each, eleven kills: whatever was acknowledged is there once, and all agree."""
    storm = Storm(server, kills=11, dice=random.Random(seed), spacing=(20, 120))
    async with crowd(server.address, 21) as clients:
        tables = [await begin(clients[7 * n : 7 * n + 6], deals=1) for n in range(3)]
        ledgers = [Ledger() for _ in tables]
        async with asyncio.TaskGroup() as group:
            for number, (table, ledger) in enumerate(zip(tables, ledgers, strict=True)):
                group.create_task(watch(clients[7 * number + 6], table, ledger))
                for seat in range(6):
                    dice = random.Random(seed * 100 + number * 6 + seat)
                    group.create_task(play(clients[7 * number + seat], table, ledger, storm, dice))
        await storm.over()
        for table in tables:
            assert (await clients[0].lobby.get(table)).state == lobby_pb2.TABLE_STATE_FINISHED
    assert server.kills == 11
    assert await server.stop() == 0
    assert all(ledger.counts and ledger.felt for ledger in ledgers)
    for table, ledger in zip(tables, ledgers, strict=True):
        hold_together(ledger, await journal_of(server, table))


async def test_built_in_bots_survive_kills(server: KillableServer) -> None:
    """A person among five built-in bots, four kills: the bots take their places again and the match ends well."""
    storm = Storm(server, kills=4, dice=random.Random(3), spacing=(8, 40))
    ledger = Ledger()
    async with crowd(server.address, 1) as (client,):
        table = (await client.lobby.create(NewTable(deals=1))).name
        for seat in range(1, 6):
            await client.lobby.add_bot(table, "random", seat)
        await client.lobby.set_ready(table)
        await play(client, table, ledger, storm, random.Random(3))
        await storm.over()
    assert server.kills == 4
    assert await server.stop() == 0
    hold_together(ledger, await journal_of(server, table))


async def test_lobby_changes_survive_kills(server: KillableServer) -> None:
    """Seats taken, given up, filled and readied around kills are each in the journal once, in order."""
    dice = random.Random(4)

    async def around_a_kill(change: Awaitable[object]) -> None:
        """Have a change made while the server is killed, before, during or after it."""
        storm = Storm(server, kills=1, dice=dice, spacing=(1, 1))
        if dice.random() < 0.5:
            storm.point()
        await change
        storm.point()
        await storm.over()

    async with crowd(server.address, 3) as (one, two, three):
        table = (await one.lobby.create(NewTable(seat=0))).name
        await around_a_kill(two.lobby.join(table, 3))
        await around_a_kill(one.lobby.add_bot(table, "simple", 1))
        await around_a_kill(three.lobby.join(table))
        await around_a_kill(two.lobby.leave(table))
        await around_a_kill(one.lobby.set_ready(table))
        await around_a_kill(two.lobby.join(table, 5))
        names = [client.account.name for client in (one, two, three)]
        info = await one.lobby.get(table)
    assert server.kills == 6
    assert [player.account or player.bot for player in info.players] == [names[0], "simple", names[2], "", "", names[1]]
    assert [player.ready for player in info.players] == [True, True, False, False, False, False]
    assert await server.stop() == 0
    kinds = [type(entry) for entry in await journal_of(server, table)]
    assert kinds == [
        inputs.Created,
        inputs.Joined,
        inputs.BotAdded,
        inputs.Joined,
        inputs.Left,
        inputs.ReadySet,
        inputs.Joined,
    ]


async def test_kills_while_starting_harm_nothing(server: KillableServer) -> None:
    """A server killed again and again while it recovers has in the end what it had in the beginning."""
    dice = random.Random(5)
    async with crowd(server.address, 6) as clients:
        table = await begin(clients, deals=1)
        while (before := await clients[0].table(table).get_view()).deal_started is None:
            pass  # a deal that is promised begins a moment later
        server.kill()
        await server.wait()
        for _ in range(5):
            await server.start(ready=False)
            await server.live_for(dice.uniform(0, 0.4))
            server.kill()
            await server.wait()
        await server.start()
        assert await clients[0].table(table).get_view() == before
    assert server.kills == 6

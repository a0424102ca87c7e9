"""People at tables, for tests of the tables room: they follow by outbox, as a stream would, and answer questions."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gouji_rules as gr
from gouji.table.v1 import state_pb2, table_pb2
from gouji_bots import choose_cards, policies
from gouji_server.tables import Caller, Choice, Limits, Refused, Tables, TableSpec
from tests.server.memory_journal import MemoryJournal
from tests.server.table_time import SeededEntropy, TableTime, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.journal import Journal
    from gouji_server.tables import HouseBots, Metrics, Outbox, TableHandle


def person(number: int) -> Caller:
    """Give the caller of a number."""
    return Caller(f"accounts/p{number}", f"Player {number}")


AT_HOME = Limits(
    seat_lease_seconds=0,
    presence_seconds=0,
    away_seconds=0,
    expiries_in_a_row=0,
    lag_seconds=0,
    suspend_seconds=0,
)
"""For tests of other things: nobody counts as away, though few follow and fewer hurry."""


def at_home(**limits: Any) -> Limits:
    """Return limits of one's own under which nobody counts as away either."""
    return replace(AT_HOME, **limits)


class HomeBots:
    """Built-in bots that think in this process, at once."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.policies: Collection[str] = tuple(policies)
        self.seconds = seconds

    def delay(self) -> float:
        return self.seconds

    async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Choice:
        dice = random.Random(seed)
        action = policies[policy](view, dice)
        return Choice(action, bytes(choose_cards(view.cards, action, dice)))


class House:
    """A server's tables on a journal, in virtual time."""

    def __init__(
        self,
        journal: Journal | None = None,
        *,
        limits: Limits | None = None,
        bots: HouseBots | None = None,
        clock: TableTime | None = None,
        metrics: Metrics | None = None,
        seed: int = 0,
    ) -> None:
        self.journal = journal or MemoryJournal()
        self.clock = clock or TableTime()
        self.entropy = SeededEntropy(seed)
        self.bots = bots or HomeBots()
        self.limits = limits or AT_HOME
        self.metrics = metrics
        self.finished: Callable[[str], None] | None = None
        self.tables = self._make()

    def _make(self) -> Tables:
        return Tables(
            self.journal,
            clock=self.clock,
            entropy=self.entropy,
            house_bots=self.bots,
            limits=self.limits,
            metrics=self.metrics,
            finished=self.finished,
        )

    async def restart(self) -> None:
        """Stop, and start again on the same journal."""
        await self.tables.close()
        await settle()
        self.tables = self._make()
        await self.tables.start()

    async def new_table(
        self, spec: TableSpec | None = None, *, people: int = 6, request_id: str = "new"
    ) -> TableHandle:
        """Make a table of person 0 and seat people 1 and so on; nobody is ready."""
        made = await self.tables.create(person(0), spec or TableSpec(), request_id)
        handle = await self.tables.open(made.name)
        for number in range(1, people):
            await handle.join(person(number), None, f"join-{number}")
        return handle

    async def match(self, spec: TableSpec | None = None, *, people: int = 6, bot: str = "simple") -> TableHandle:
        """Make a table and begin its match: so many people, bots in the other seats."""
        handle = await self.new_table(spec, people=people)
        for number in range(people, 6):
            await handle.add_bot(person(0), bot, None, f"bot-{number}")
        for number in range(people):
            await handle.set_ready(person(number), True, f"ready-{number}")
        return handle


class Reader:
    """One stream following one table: keeps what a client keeps, and holds that the story has no gap.

    ``updates`` are all that came, ``place`` the last place, ``state``, ``seat`` and ``info`` the newest of each,
    ``plays`` of the running deal.
    """

    def __init__(self, house: House, handle: TableHandle, caller: Caller) -> None:
        self.house = house
        self.handle = handle
        self.caller = caller
        self.outbox: Outbox = house.tables.outbox()
        self.updates: list[table_pb2.TableUpdate] = []
        self.raw: list[bytes] = []
        self.results: list[table_pb2.CommandResult] = []
        self.place: table_pb2.Place | None = None
        self.state: state_pb2.DealState | None = None
        self.seat: state_pb2.SeatPart | None = None
        self.info: lobby_pb2.Table | None = None
        self.plays: list[state_pb2.PlayedCards] = []
        self.snapshots: list[int] = []
        self.closed = False

    async def follow(self, *, resume: bool = False) -> None:
        """Begin to follow, from the place reached or anew."""
        self.outbox = self.house.tables.outbox()
        self.handle = await self.house.tables.open(self.handle.name)
        await self.handle.subscribe(self.caller, self.place if resume else None, self.outbox)

    async def read(self) -> int:
        """Take what waits; return how many updates came."""
        await settle()
        before = len(self.updates)
        while self.outbox.waiting_bytes or self.outbox._lagging:
            if not self.outbox.waiting_bytes:
                self.outbox._ask_for_snapshots()
                await settle()
                continue
            message = await self.outbox.drain()
            assert message is not None
            self.take(message)
        return len(self.updates) - before

    def take(self, message: bytes) -> None:
        """Take one message of the stream."""
        response = table_pb2.PlayResponse.FromString(message)
        assert not response.HasField("heartbeat")
        self.raw.append(message)
        self.results.extend(response.results)
        for update in response.updates:
            self._take_update(update)

    def _take_update(self, update: table_pb2.TableUpdate) -> None:
        assert update.table == self.handle.name
        if update.HasField("snapshot"):
            self.snapshots.append(update.snapshot.reason)
            self._begin(update)
        else:
            self._continue(update)
        self.updates.append(update)
        if update.HasField("table_info"):
            self.info = update.table_info
        if update.HasField("state"):
            self.state = update.state
        if update.HasField("seat"):
            self.seat = update.seat
        p = update.p if update.HasField("seat") else (self.place.p if self.place else 0)
        self.place = table_pb2.Place(epoch=update.epoch, n=update.n, p=p)

    def _begin(self, update: table_pb2.TableUpdate) -> None:
        assert not update.events
        self.plays = list(update.snapshot.plays)
        self.state = None
        self.seat = None
        self.place = None

    def _continue(self, update: table_pb2.TableUpdate) -> None:
        place = self.place
        assert place is not None, "events before a snapshot"
        assert update.epoch == place.epoch
        assert not self.closed, "an event after TableClosed"
        assert [event.n for event in update.events] == list(range(place.n + 1, update.n + 1))
        assert update.events or update.HasField("seat")
        if update.HasField("seat"):
            assert update.p == place.p + 1
        else:
            assert update.p == 0
        for event in update.events:
            self._take_event(event)

    def _take_event(self, event: object) -> None:
        kind = event.WhichOneof("event")  # type: ignore[attr-defined]
        if kind == "deal_started":
            self.plays = []
        elif kind == "played":
            self.plays.append(event.played.play)  # type: ignore[attr-defined]
        elif kind == "table_closed":
            self.closed = True

    @property
    def asked(self) -> bool:
        """Whether this reader's seat is asked and has not answered."""
        if self.state is None or self.seat is None or self.seat.answered:
            return False
        return self.seat.seat in self.state.question.seats

    async def fresh(self) -> table_pb2.TableUpdate:
        """Ask for a snapshot now."""
        return table_pb2.TableUpdate.FromString(await self.handle.view(self.caller))


def request(
    table: str, decision: int, verb: int, cards: bytes | tuple[int, ...] = (), *, request_id: str, suit: int = 0
) -> table_pb2.SubmitActionRequest:
    """Make a command."""
    action = table_pb2.Action(verb=verb, cards=list(cards), suit=suit)  # type: ignore[arg-type]
    return table_pb2.SubmitActionRequest(request_id=request_id, table=table, decision=decision, action=action)


def live_deal(house: House, handle: TableHandle) -> gr.Deal:
    """Look into the actor: the running deal."""
    story = house.tables._actors[handle.name]._story
    assert story is not None
    assert story.state.deal is not None
    return story.state.deal


def choose(view: gr.SeatView, dice: random.Random, policy: str = "random") -> tuple[int, bytes, int]:
    """Have a bot choose: verb, cards, suit 1 to 4 or 0."""
    action = policies[policy](view, dice)
    cards = bytes(choose_cards(view.cards, action, dice))
    return gr.verb_of(action), cards, gr.suit_shown(action) + 1


async def play_on(
    house: House, handle: TableHandle, dice: random.Random, *, moves: int = 1_000_000, policy: str = "random"
) -> int:
    """Have the people asked answer, in random order, until the match is over or so many moves were made."""
    made = 0
    while made < moves:
        await settle(3)
        story = house.tables._actors[handle.name]._story
        assert story is not None
        state = story.state
        if state.closed or state.deal is None:
            return made
        seats = [seat for seat in range(6) if state.waiting_for >> seat & 1 and state.seats.players[seat].account]
        if not seats:
            return made
        seat = dice.choice(seats)
        verb, cards, suit = choose(state.deal.view(seat), dice, policy)
        account = Caller(state.seats.players[seat].account, "")
        asked = request(handle.name, state.decision, verb, cards, request_id=f"m{state.decision}-{seat}", suit=suit)
        await handle.act(account, asked)
        made += 1
    return made


__all__ = [
    "HomeBots",
    "House",
    "Reader",
    "Refused",
    "choose",
    "live_deal",
    "person",
    "play_on",
    "request",
]

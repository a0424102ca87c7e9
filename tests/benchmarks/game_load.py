"""Clients at our server's tables, six seats each, playing real games of the preset qingdao.

Each client has a connection of its own with one `Play` stream, on which it sits at one table or at several. It decodes
every message it gets, answers what its seats are asked by `policy.choose`, and gives entropy for each deal as the SDK
does. As in the peers' workload, a table goes on when all six seats hold the last step. A move is an accepted play or
pass; answers to the questions that go to several seats at once are counted apart.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc

from gouji.lobby.v1 import lobby_pb2, lobby_pb2_grpc
from gouji.session.v1 import session_pb2, session_pb2_grpc
from gouji.table.v1 import events_pb2, state_pb2, table_pb2, table_pb2_grpc
from tests.benchmarks.load import Load, Pace, Tally
from tests.benchmarks.policy import choose
from tests.benchmarks.processes import ServerError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterable

    LobbyStub = lobby_pb2_grpc.LobbyServiceAsyncStub

SEATS = 6
DEALS = 100  # of a match: the most there may be
OPENING = 40  # tables that are opened at once
OPEN_SECONDS = 60.0
CHANNEL_OPTIONS = (("grpc.use_local_subchannel_pool", 1),)  # a connection a channel
MOVES = {state_pb2.QUESTION_KIND_LEAD, state_pb2.QUESTION_KIND_FOLLOW}
VERBS = {
    state_pb2.VERB_PLAY: "play",
    state_pb2.VERB_PASS: "pass",
    state_pb2.VERB_DECLINE: "window answer",
    state_pb2.VERB_NO: "revolution answer",
    state_pb2.VERB_DROP_HEAD: "head choice",
}


class Client:
    """An account's connection and its stream."""

    def __init__(self, address: str, load: GameLoad, index: int) -> None:
        self.load = load
        self.index = index
        self.channel = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
        self.seats: dict[str, Seat] = {}  # by table
        self.call: Any = None
        self.sent: dict[str, str] = {}  # commands without a result yet, and how they count
        self.serial = 0
        self.writing = asyncio.Lock()  # a stream takes one message at a time

    async def sign_in(self) -> None:
        """Become a guest and open the stream."""
        session = session_pb2_grpc.SessionServiceStub(self.channel)
        answer = await session.SignIn(
            session_pb2.SignInRequest(
                request_id=f"bench-{time.time_ns()}-{self.index}",
                new_guest=session_pb2.NewGuest(display_name=f"bench {self.index}"),
            )
        )
        self.open((("authorization", f"Bearer {answer.session.access_token}"),))

    def open(self, metadata: tuple[tuple[str, str], ...]) -> None:
        """Open the stream as who signed in."""
        self.metadata = metadata
        play: Any = self.channel.stream_stream(
            "/gouji.table.v1.TableService/Play",
            request_serializer=table_pb2.PlayRequest.SerializeToString,
            response_deserializer=table_pb2.PlayResponse.FromString,
        )
        self.call = play(metadata=self.metadata)
        self.load.tasks.append(asyncio.create_task(self.read()))

    def request_id(self) -> str:
        """Return a request id that this client has not used."""
        self.serial += 1
        return f"b{self.index}-{self.serial}"

    async def command(self, request: table_pb2.PlayRequest) -> None:
        """Send a command."""
        async with self.writing:
            try:
                await self.call.write(request)
            except asyncio.InvalidStateError:
                raise await self.ended() from None

    async def ended(self) -> ServerError:
        """Say why the stream has ended."""
        code, details = await self.call.code(), await self.call.details()
        return ServerError(f"client {self.index}: its stream ended with {code}: {details}")

    async def read(self) -> None:
        """Take messages until the stream ends."""
        while True:
            response = await self.call.read()
            if response is grpc.aio.EOF:
                raise await self.ended()
            for result in response.results:
                self.settle(result)
            self.load.tally.counts["message"] += 1
            for update in response.updates:
                if seat := self.seats.get(update.table):  # else of a table that is over
                    await seat.take(update)

    def settle(self, result: table_pb2.CommandResult) -> None:
        """Count a command; a refusal is a fault of the load or the server, and ends the run."""
        counted = self.sent.pop(result.request_id)
        if result.HasField("error"):
            error = result.error
            raise ServerError(f"a {counted} was refused: {error.reason} {error.rule} {error.text.en}")
        self.load.tally.counts[counted] += 1


class Seat:
    """A client's seat at one table, and what it knows there."""

    def __init__(self, client: Client, table: GameTable, number: int) -> None:
        self.client = client
        self.table = table
        self.number = number
        self.n = -1
        self.decided = 0  # the last question that this seat has answered
        self.hand: Any = ()
        client.seats[table.name] = self

    async def subscribe(self) -> None:
        """Follow the table."""
        request_id = self.client.request_id()
        self.client.sent[request_id] = "subscription"
        subscribe = table_pb2.Subscribe(request_id=request_id, table=self.table.name)
        await self.client.command(table_pb2.PlayRequest(subscribe=subscribe))

    async def take(self, update: table_pb2.TableUpdate) -> None:
        """Hold an update, and go on where it is this seat's to do so."""
        table = self.table
        if update.HasField("seat"):
            self.hand = update.seat.hand
        table.hold(self, update)
        if table.complete():
            await table.step()
        elif self.client.load.at_once and table.asks(self):
            await self.answer()

    async def answer(self) -> None:
        """Answer the open question, unless that is done."""
        table = self.table
        decision = table.state.question.decision
        if decision <= self.decided:
            return
        self.decided = decision
        table.rested.clear()
        action = choose(table.state, self.number, self.hand)
        request_id = self.client.request_id()
        self.client.sent[request_id] = VERBS[action.verb]
        act = table_pb2.SubmitActionRequest(request_id=request_id, table=table.name, decision=decision, action=action)
        await self.client.command(table_pb2.PlayRequest(act=act))

    async def give_entropy(self, deal: int) -> None:
        """Have a part in the shuffle of the deal that is promised."""
        request = table_pb2.ContributeEntropyRequest(
            request_id=self.client.request_id(), table=self.table.name, deal=deal, entropy=os.urandom(32)
        )
        stub = table_pb2_grpc.TableServiceStub(self.client.channel)
        await stub.ContributeEntropy(request, metadata=self.client.metadata)


class GameTable:
    """A table and the six clients that sit at it."""

    def __init__(self, clients: list[Client], load: GameLoad) -> None:
        self.clients = clients
        self.load = load
        self.name = ""
        self.seats: list[Seat] = []
        self.state = state_pb2.DealState()
        self.n = -1
        self.holding = 0
        self.closed = False
        self.handled = -1  # the step after which this table last went on
        self.sent_at = 0.0
        self.move_n = 0
        self.due = 0.0
        self.timer: asyncio.TimerHandle | None = None
        self.rested = asyncio.Event()

    async def begin(self) -> None:
        """Make a table, sit down, follow it, be ready: the match begins."""
        owner = self.clients[0]
        create = lobby_pb2.CreateTableRequest(request_id=owner.request_id(), deals=DEALS)
        made = await lobby_pb2_grpc.LobbyServiceStub(owner.channel).CreateTable(create, metadata=owner.metadata)
        for seat in self.seats:
            del seat.client.seats[self.name]
        self.name, self.n, self.handled, self.closed = made.table.name, -1, -1, False
        self.seats = [Seat(client, self, number) for number, client in enumerate(self.clients)]
        for number, client in enumerate(self.clients):
            if number:
                join = lobby_pb2.JoinTableRequest(request_id=client.request_id(), name=self.name, seat=number)
                await lobby_pb2_grpc.LobbyServiceStub(client.channel).JoinTable(join, metadata=client.metadata)
            await self.seats[number].subscribe()
        for client in self.clients:
            ready = lobby_pb2.SetReadyRequest(request_id=client.request_id(), name=self.name, ready=True)
            await lobby_pb2_grpc.LobbyServiceStub(client.channel).SetReady(ready, metadata=client.metadata)

    def hold(self, seat: Seat, update: table_pb2.TableUpdate) -> None:
        """Take note that a seat holds an update; the first that brings something new is everybody's state."""
        if update.n > self.n:
            self.n, self.holding = update.n, 0
            if update.HasField("state"):
                self.state = update.state
            for event in update.events:
                self.note(event)
        if seat.n < update.n == self.n:
            self.holding += 1
            if self.holding == SEATS and self.sent_at and self.n >= self.move_n:
                self.load.tally.latencies.append(time.perf_counter() - self.sent_at)
                self.sent_at = 0.0
        seat.n = max(seat.n, update.n)

    def note(self, event: events_pb2.TableEvent) -> None:
        """Count what belongs to the picture of a game."""
        kind = event.WhichOneof("event")
        if kind in {"deal_ended", "window_closed"}:
            self.load.tally.counts[kind] += 1
        elif kind == "table_closed":
            self.closed = True
        elif kind == "deal_promised":
            for seat in self.seats:
                self.load.tasks.append(asyncio.create_task(seat.give_entropy(event.deal_promised.deal)))

    def asks(self, seat: Seat) -> bool:
        """Whether the last step is held by a seat and asks something of it."""
        return seat.n == self.n and seat.number in self.state.question.seats and not self.closed

    def complete(self) -> bool:
        """Whether all six hold the last step and the table has not gone on from it."""
        return self.holding == SEATS and self.handled < self.n

    async def step(self) -> None:
        """All six hold the step: go on, at a new table if this one is closed."""
        self.handled = self.n
        if self.closed:
            self.load.tasks.append(asyncio.create_task(self.begin()))
        elif self.state.question.kind:
            await self.go_on(time.perf_counter())

    async def go_on(self, now: float) -> None:
        """Answer the question now, or at the table's next tick if it asks for a move."""
        pace = self.load.pace
        if pace is None:
            self.rested.set()
        elif pace.gap is None or self.state.question.kind not in MOVES:
            await self.answer()
        else:
            self.rested.clear()
            self.due += pace.gap
            self.timer = asyncio.get_running_loop().call_later(self.due - now, self.tick)

    def tick(self) -> None:
        """Answer now that the table's time has come."""
        self.timer = None
        self.load.tasks.append(asyncio.create_task(self.answer()))

    def stop(self) -> None:
        """Rest, if the table only waits for its time."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.rested.set()

    async def answer(self) -> None:
        """Have every seat that is asked answer."""
        question = self.state.question
        if question.kind in MOVES:
            self.sent_at, self.move_n = time.perf_counter(), question.decision + 1
        for seat in question.seats:
            await self.seats[seat].answer()


class GameLoad(Load):
    """Clients at all tables of our server."""

    def __init__(self, label: str, pid: int) -> None:
        self.label = label
        self.pid = pid
        self.address = ""
        self.clients: list[Client] = []
        self.tables: list[GameTable] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.pace: Pace | None = None
        self.tally = Tally()

    @property
    def at_once(self) -> bool:
        """Whether clients answer before the others at their table hold the step."""
        return self.pace is not None and self.pace.at_once

    async def open(self, address: str, tables: int, per_client: int, per_account: int) -> None:
        """Sign all clients in and begin a match at each table; returns when all six of each wait to be let go on.

        Six clients sit at ``per_client`` tables; ``per_account`` clients are one account with so many connections.
        """
        self.address = address
        await self.sign_in(math.ceil(tables / per_client) * SEATS, per_account)
        await self.begin(tables, per_client)

    async def sign_in(self, count: int, per_account: int = 1) -> None:
        """Make clients with a connection and a stream each; no two of six that follow one another are one account."""
        made = [Client(self.address, self, len(self.clients) + index) for index in range(count)]
        self.clients += made
        first_of = [
            made[index // (SEATS * per_account) * (SEATS * per_account) + index % SEATS] for index in range(count)
        ]
        await some_at_once(client.sign_in() for client, first in zip(made, first_of, strict=True) if client is first)
        for client, first in zip(made, first_of, strict=True):
            if client is not first:
                client.open(first.metadata)

    async def begin(self, tables: int, per_client: int) -> None:
        """Have the clients begin a match at each table."""
        made = []
        for number in range(tables):
            first = number // per_client * SEATS
            made.append(GameTable(self.clients[first : first + SEATS], self))
        self.tables += made
        await some_at_once(table.begin() for table in made)
        for table in made:
            await self.wait_for(table)

    async def wait_for(self, table: GameTable) -> None:
        """Wait until a table rests; raises what went wrong with any of the tasks meanwhile."""
        rested = asyncio.create_task(table.rested.wait())
        try:
            while not rested.done():
                await asyncio.wait([rested, *self.tasks], return_when=asyncio.FIRST_COMPLETED)
                self.check()
        finally:
            rested.cancel()

    def check(self) -> None:
        """Raise what went wrong with a task; forget those that are done."""
        for task in self.tasks:
            if task.done():
                task.result()
        self.tasks = [task for task in self.tasks if not task.done()]

    async def run(self, pace: Pace) -> None:
        """Begin to play, or go on."""
        self.tally = Tally()
        self.pace = pace
        self.check()
        now = time.perf_counter()
        for index, table in enumerate(self.tables):
            table.due = now - (pace.gap or 0) * (1 - index / len(self.tables))
            await table.go_on(now)

    async def rest(self) -> Tally:
        """Stop asking for more and wait for what is under way."""
        self.pace = None
        for table in self.tables:
            table.stop()
        for table in self.tables:
            await self.wait_for(table)
        while any(client.sent for client in self.clients):
            await asyncio.sleep(0.001)
            self.check()
        return self.tally

    async def close(self) -> None:
        """Hang up."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await asyncio.gather(*(client.channel.close() for client in self.clients))


async def some_at_once(calls: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run many coroutines, some at a time. Raises the first problem, what the server refused as ServerError."""
    turns = asyncio.Semaphore(OPENING)

    async def one(call: Coroutine[Any, Any, None]) -> None:
        async with turns:
            await call

    try:
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(one(call))
    except ExceptionGroup as problems:
        first = problems.exceptions[0]
        if isinstance(first, grpc.aio.AioRpcError):
            raise ServerError(f"{first.code().name}: {first.details()}") from first
        raise first from None


@asynccontextmanager
async def game_load(
    address: str,
    pid: int,
    tables: int,
    *,
    label: str = "gouji",
    per_client: int = 1,
    per_account: int = 1,
    open_seconds: float = OPEN_SECONDS,
) -> AsyncIterator[GameLoad]:
    """Sit clients down at tables of the server at an address, as `GameLoad.open` says; hang up on leaving."""
    load = GameLoad(label, pid)
    try:
        try:
            async with asyncio.timeout(open_seconds):
                await load.open(address, tables, per_client, per_account)
        except TimeoutError:
            raise ServerError(f"the tables did not begin within {open_seconds:g} s") from None
        yield load
    finally:
        await load.close()

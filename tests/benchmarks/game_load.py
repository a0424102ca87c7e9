"""Six clients at each of our server's tables, playing real games of the preset qingdao.

Each client has a connection of its own with one `Play` stream, decodes every message it gets, and answers what its seat
is asked by `policy.choose`. As in the peer's workload, a table goes on when all six clients hold the last step. A move
is an accepted play or pass; answers to the questions that go to several seats at once are counted apart.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc

from gouji.lobby.v1 import lobby_pb2, lobby_pb2_grpc
from gouji.session.v1 import session_pb2, session_pb2_grpc
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from tests.benchmarks.load import Load, Pace, Tally
from tests.benchmarks.policy import choose
from tests.benchmarks.processes import ServerError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    LobbyStub = lobby_pb2_grpc.LobbyServiceAsyncStub

SEATS = 6
DEALS = 100  # of a match: the most there may be
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
    """One seat's client: its connection, its stream, what it knows."""

    def __init__(self, address: str, load: GameLoad, index: int) -> None:
        self.load = load
        self.index = index
        self.channel = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
        self.table: GameTable | None = None
        self.seat = -1
        self.n = -1
        self.decided = 0  # the last question that this client has answered
        self.hand: Any = ()
        self.call: Any = None
        self.sent: dict[str, str] = {}  # commands without a result yet, and how they count
        self.serial = 0

    async def sign_in(self) -> None:
        """Become a guest and open the stream."""
        session = session_pb2_grpc.SessionServiceStub(self.channel)
        answer = await session.SignIn(
            session_pb2.SignInRequest(
                request_id=f"bench-{time.time_ns()}-{self.index}",
                new_guest=session_pb2.NewGuest(display_name=f"bench {self.index}"),
            )
        )
        self.metadata = (("authorization", f"Bearer {answer.session.access_token}"),)
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

    async def subscribe(self) -> None:
        """Follow the table that this client sits at."""
        assert self.table is not None
        request_id = self.request_id()
        self.sent[request_id] = "subscription"
        subscribe = table_pb2.Subscribe(request_id=request_id, table=self.table.name)
        await self.call.write(table_pb2.PlayRequest(subscribe=subscribe))

    async def answer(self) -> None:
        """Answer the open question, unless that is done."""
        table = self.table
        assert table is not None
        decision = table.state.question.decision
        if decision <= self.decided:
            return
        self.decided = decision
        table.rested.clear()
        action = choose(table.state, self.seat, self.hand)
        request_id = self.request_id()
        self.sent[request_id] = VERBS[action.verb]
        act = table_pb2.SubmitActionRequest(request_id=request_id, table=table.name, decision=decision, action=action)
        await self.call.write(table_pb2.PlayRequest(act=act))

    async def read(self) -> None:
        """Take messages until the stream ends."""
        while True:
            response = await self.call.read()
            if response is grpc.aio.EOF:
                code, details = await self.call.code(), await self.call.details()
                raise ServerError(f"client {self.index}: its stream ended with {code}: {details}")
            table = self.table
            for result in response.results:
                self.settle(result)
            for update in response.updates:
                assert table is not None
                if update.HasField("seat"):
                    self.hand = update.seat.hand
                table.hold(self, update)
            self.load.tally.counts["message"] += 1
            if table is None:
                continue
            if table.complete():
                await table.step()
            elif self.load.at_once and table.asks(self):
                await self.answer()

    def settle(self, result: table_pb2.CommandResult) -> None:
        """Count a command; a refusal is a fault of the load or the server, and ends the run."""
        counted = self.sent.pop(result.request_id)
        if result.HasField("error"):
            error = result.error
            where = "" if self.table is None else f" at {self.table.name}: {self.table.state.question}"
            raise ServerError(f"a {counted} was refused: {error.reason} {error.rule} {error.text.en}{where}")
        self.load.tally.counts[counted] += 1


class GameTable:
    """A table and its six clients."""

    def __init__(self, clients: list[Client], load: GameLoad) -> None:
        self.clients = clients
        self.load = load
        self.name = ""
        self.state = state_pb2.DealState()
        self.n = -1
        self.holding = 0
        self.closed = False
        self.handled = -1  # the step after which this table last went on
        self.sent_at = 0.0
        self.move_n = 0
        self.due = 0.0
        self.rested = asyncio.Event()

    async def begin(self) -> None:
        """Make a table, sit down, follow it, be ready: the match begins."""
        owner = self.clients[0]
        create = lobby_pb2.CreateTableRequest(request_id=owner.request_id(), deals=DEALS)
        made = await lobby_pb2_grpc.LobbyServiceStub(owner.channel).CreateTable(create, metadata=owner.metadata)
        self.name, self.n, self.handled, self.closed = made.table.name, -1, -1, False
        for seat, client in enumerate(self.clients):
            client.table, client.seat, client.n, client.decided = self, seat, -1, 0
            if seat:
                join = lobby_pb2.JoinTableRequest(request_id=client.request_id(), name=self.name, seat=seat)
                await lobby_pb2_grpc.LobbyServiceStub(client.channel).JoinTable(join, metadata=client.metadata)
            await client.subscribe()
        for client in self.clients:
            ready = lobby_pb2.SetReadyRequest(request_id=client.request_id(), name=self.name, ready=True)
            await lobby_pb2_grpc.LobbyServiceStub(client.channel).SetReady(ready, metadata=client.metadata)

    def hold(self, client: Client, update: table_pb2.TableUpdate) -> None:
        """Take note that a client holds an update; the first that brings something new is everybody's state."""
        if update.table != self.name:
            return
        if update.n > self.n:
            self.n, self.holding = update.n, 0
            if update.HasField("state"):
                self.state = update.state
            for event in update.events:
                self.note(event)
        if client.n < update.n == self.n:
            self.holding += 1
            if self.holding == SEATS and self.sent_at and self.n >= self.move_n:
                self.load.tally.latencies.append(time.perf_counter() - self.sent_at)
                self.sent_at = 0.0
        client.n = max(client.n, update.n)

    def note(self, event: events_pb2.TableEvent) -> None:
        """Count what belongs to the picture of a game."""
        kind = event.WhichOneof("event")
        if kind in {"deal_ended", "window_closed"}:
            self.load.tally.counts[kind] += 1
        elif kind == "table_closed":
            self.closed = True

    def asks(self, client: Client) -> bool:
        """Whether the last step is held by a client and asks something of its seat."""
        return client.n == self.n and client.seat in self.state.question.seats and not self.closed

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
            self.due = max(self.due + pace.gap, now)
            self.load.tasks.append(asyncio.create_task(self.answer_later(self.due - now)))

    async def answer_later(self, wait: float) -> None:
        """Answer at the table's next tick, if the load still runs then."""
        await asyncio.sleep(wait)
        if self.load.pace is None:
            self.rested.set()
        else:
            await self.answer()

    async def answer(self) -> None:
        """Have every seat that is asked answer."""
        question = self.state.question
        if question.kind in MOVES:
            self.sent_at, self.move_n = time.perf_counter(), question.decision + 1
        for seat in question.seats:
            await self.clients[seat].answer()


class GameLoad(Load):
    """Clients at all tables of our server."""

    def __init__(self, label: str, pid: int) -> None:
        self.label = label
        self.pid = pid
        self.tables: list[GameTable] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.pace: Pace | None = None
        self.tally = Tally()

    @property
    def at_once(self) -> bool:
        """Whether clients answer before the others at their table hold the step."""
        return self.pace is not None and self.pace.at_once

    async def open(self, address: str, tables: int) -> None:
        """Sign all clients in and begin a match at each table; returns when all six of each wait to be let go on."""
        for number in range(tables):
            clients = [Client(address, self, number * SEATS + seat) for seat in range(SEATS)]
            table = GameTable(clients, self)
            self.tables.append(table)
            for client in clients:
                await client.sign_in()
            await table.begin()
        for table in self.tables:
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
            await self.wait_for(table)
        while any(client.sent for table in self.tables for client in table.clients):
            await asyncio.sleep(0.001)
            self.check()
        return self.tally

    async def close(self) -> None:
        """Hang up."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        clients = [client for table in self.tables for client in table.clients]
        await asyncio.gather(*(client.channel.close() for client in clients))


@asynccontextmanager
async def game_load(address: str, pid: int, tables: int) -> AsyncIterator[GameLoad]:
    """Sit clients down at tables of the server at an address; hang up on leaving."""
    load = GameLoad("gouji", pid)
    try:
        try:
            async with asyncio.timeout(60):
                await load.open(address, tables)
        except TimeoutError:
            raise ServerError("the tables did not begin within 60 s") from None
        except grpc.aio.AioRpcError as error:
            raise ServerError(f"{error.code().name}: {error.details()}") from error
        yield load
    finally:
        await load.close()

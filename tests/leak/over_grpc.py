"""Play a script over real loopback connections: streams, calls and their failures, down to the bytes on the wire."""

from __future__ import annotations

import asyncio
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import table_pb2
from gouji_server.config import Config
from gouji_server.main import Server
from tests.leak.every_call import NOT_ASKED, NOT_BY_SEATS, About, ask, services
from tests.leak.observed import Observed
from tests.leak.stories import Act, AskCount, Feel, Lapse, Probe, Script
from tests.leak.worlds import World, live_in
from tests.server.players import HomeBots
from tests.server.raw_client import RawClient
from tests.server.table_time import SeededEntropy
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.leak.stories import Step

SECONDS = 20
NEVER = 1e9
"""Seconds after which a bot that plays for who is away answers: what it would say is no part of the script."""
SERVICE = "/gouji.table.v1.TableService/"


async def play(patch: pytest.MonkeyPatch, script: Script, world: World) -> Observed:
    """Play a script in one of its worlds; return what the observer and a spectator received."""
    live_in(patch, script, world)
    with tempfile.TemporaryDirectory() as folder:
        clock = VirtualClock()
        _lay_key(Path(folder) / "data")
        config = Config(
            data_dir=Path(folder) / "data",
            port=0,
            metrics_port=0,
            stop_grace_seconds=0.1,
            lag_allowance_seconds=0,
            heartbeat_seconds=SECONDS * 1000,
            entropy_wait_seconds=0,
        )
        server = await Server.start(config, clock=clock, entropy=SeededEntropy(7), house_bots=HomeBots(NEVER))
        clients = [RawClient(server.address) for _ in range(7)]
        try:
            room = _Room(clients, script, clock)
            await room.sit_down()
            for at, step in enumerate(world.steps):
                await room.do(step, str(at))
            await room.note_figures(server.metrics_port)
            await room.note_every_call()  # after the figures: they count when a stream is cut off
            await room.end()
            return room.observed
        finally:
            for client in clients:
                await client.channel.close()
            await server.stop()


def _lay_key(folder: Path) -> None:
    """Have every world's server sign its page tokens with one key."""
    folder.mkdir(mode=0o700)
    key = folder / "tokens.key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)


class _Ear:
    """One stream, listened to: its messages as they came, and how far it has come."""

    def __init__(self, call: Any, kind: Any, note: Callable[[bytes], None], moved: asyncio.Condition) -> None:
        self.call = call
        self.kind = kind
        self.n = self.p = 0
        self.results = 0
        self.version = 0
        self.state: Any = None
        self._note = note
        self._moved = moved
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while (message := await self.call.read()) is not grpc.aio.EOF:
            self._note(message)
            response = self.kind.FromString(message)
            for update in response.updates:
                self.n = max(self.n, update.n)
                self.p = max(self.p, update.p)
                if update.HasField("state"):
                    self.state = update.state
            for result in getattr(response, "results", ()):
                assert not result.error.reason, result
                self.results += 1
                self.version = result.version
            async with self._moved:
                self._moved.notify_all()


class _Room:
    """Six players and a spectator at a table; the observer and the spectator are listened to."""

    def __init__(self, clients: list[RawClient], script: Script, clock: VirtualClock) -> None:
        self.clients = clients
        self.rules = script.rules
        self.observer = script.observer
        self.clock = clock
        self.observed = Observed()
        self.moved = asyncio.Condition()
        self.table = ""
        self.ears: dict[tuple[str, str], _Ear] = {}

    async def sit_down(self) -> None:
        """Sign in, take the seats in order, and have the match begin; the listeners follow from before it does."""
        for number, client in enumerate(self.clients):
            await client.sign_in(f"player {number}", request_id=f"sign-in-{number}-0123456789abcdef0123456789")
        create = lobby_pb2.CreateTableRequest(request_id="create", rule_set=f"ruleSets/{self.rules.name}")
        for option, value in gr.option_values.settings_of(self.rules):
            create.options.add(field=option, value=value)
        create.decision_time.FromSeconds(SECONDS)
        self.table = (await self.clients[0].call(create)).table.name
        for number in range(1, 6):
            await self.clients[number].call(lobby_pb2.JoinTableRequest(request_id="join", name=self.table))
        for who, client in (("seat", self.clients[self.observer]), ("spectator", self.clients[6])):
            await self._listen(who, client)
        for number in range(6):
            await self.clients[number].call(lobby_pb2.SetReadyRequest(request_id="ready", name=self.table, ready=True))
        await self._until(lambda: all(ear.state is not None for ear in self.ears.values()))
        n = max(ear.n for ear in self.ears.values())
        await self._until(lambda: all(ear.n >= n for ear in self.ears.values()))

    async def _listen(self, who: str, client: RawClient) -> None:
        play: Any = client.channel.stream_stream(SERVICE + "Play")(metadata=client.metadata)
        subscribe = table_pb2.Subscribe(request_id="follow", table=self.table)
        await play.write(table_pb2.PlayRequest(subscribe=subscribe).SerializeToString())
        request = table_pb2.WatchTableRequest(table=self.table).SerializeToString()
        to_watch: Any = client.channel.unary_stream(SERVICE + "WatchTable")
        watch = to_watch(request, metadata=client.metadata)
        kinds = (("Play", play, table_pb2.PlayResponse), ("WatchTable", watch, table_pb2.WatchTableResponse))
        for channel, call, kind in kinds:

            def note(message: bytes, channel: str = channel) -> None:
                self.observed.note(who, channel, message)

            self.ears[who, channel] = _Ear(call, kind, note, self.moved)
            await self._until(lambda: all(ear.n > 0 for ear in self.ears.values()))

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with self.moved:
            await asyncio.wait_for(self.moved.wait_for(holds), 90)

    @property
    def decision(self) -> int:
        state = self.ears["spectator", "Play"].state
        decision: int = state.question.decision
        return decision

    async def do(self, step: Step, tag: str) -> None:
        """Do one step and wait until everyone who is told has been told."""
        if isinstance(step, Probe):
            await self._probe(step, tag)
            return
        own, before = self.ears["seat", "Play"], [(ear.n, ear.p) for ear in self.ears.values()]
        if isinstance(step, Lapse):
            self.clock.advance(SECONDS)
            await self._until(lambda: all(ear.n > n for ear, (n, _) in zip(self.ears.values(), before, strict=True)))
            version = max(ear.n for ear in self.ears.values())
        elif isinstance(step, AskCount | Feel):
            version = await self._ask_out_of_turn(step, tag)
        elif step.seat == self.observer:
            results, n, p = own.results, own.n, own.p
            await own.call.write(table_pb2.PlayRequest(act=self._request(step, tag)).SerializeToString())
            await self._until(lambda: own.results > results and (own.p > p or own.version > n))
            version = own.version
        else:
            version = (await self.clients[step.seat].call(self._request(step, tag))).version
        watch = self.ears["seat", "WatchTable"]
        await self._until(lambda: all(ear.n >= version for ear in self.ears.values()) and own.p == watch.p)

    async def _ask_out_of_turn(self, step: AskCount | Feel, tag: str) -> int:
        request: Any = table_pb2.FeelRequest(request_id=tag, table=self.table)
        if isinstance(step, AskCount):
            request = table_pb2.AskCountRequest(request_id=tag, table=self.table, seat=step.of)
        answer = await self.clients[step.asker].call(request)
        if step.asker == self.observer:
            self.observed.note("seat", type(request).__name__, answer.SerializeToString(deterministic=True))
        version: int = answer.version
        return version

    def _request(self, step: Act | Probe, tag: str, *, decision: int | None = None) -> table_pb2.SubmitActionRequest:
        suit: Any = step.suit if isinstance(step, Act) else 0
        action = table_pb2.Action(verb=step.verb, cards=list(step.cards), suit=suit)  # type: ignore[arg-type]
        return table_pb2.SubmitActionRequest(
            request_id=tag, table=self.table, decision=self.decision if decision is None else decision, action=action
        )

    async def _probe(self, step: Probe, tag: str) -> None:
        who = "seat" if step.seat >= 0 else "spectator"
        client = self.clients[step.seat if step.seat >= 0 else 6]
        method, request = self._question(step, tag)
        call: Any = client.channel.unary_unary(SERVICE + method)(request.SerializeToString(), metadata=client.metadata)
        try:
            said = await call
            assert step.kind != "bad", f"accepted: {step}"
        except grpc.aio.AioRpcError as error:
            said = repr((error.code(), error.details(), sorted(map(tuple, error.trailing_metadata() or ())))).encode()
        self.observed.note(who, method, said)
        await self._look_for_replays(who, client)

    async def _look_for_replays(self, who: str, client: RawClient) -> None:
        """Ask for what is told of finished matches: of one that runs it has to be nothing."""
        listed = await client.call(replay_pb2.ListMatchesRequest(table=self.table))
        assert not listed.matches
        self.observed.note(who, "ListMatches", listed.SerializeToString())
        watch: Any = client.channel.unary_stream("/gouji.replay.v1.ReplayService/WatchReplay")
        name = self.table.replace("tables/", "matches/")
        call = watch(replay_pb2.WatchReplayRequest(name=name).SerializeToString(), metadata=client.metadata)
        try:
            await call.read()
            raise AssertionError("a running match is watched")
        except grpc.aio.AioRpcError as error:
            trailers = sorted(map(tuple, error.trailing_metadata() or ()))
            self.observed.note(who, "WatchReplay", repr((error.code(), error.details(), trailers)).encode())

    def _question(self, step: Probe, tag: str) -> tuple[str, Any]:
        action = table_pb2.Action(verb=step.verb, cards=list(step.cards))  # type: ignore[arg-type]
        if step.kind == "view":
            return "GetView", table_pb2.GetViewRequest(table=self.table)
        if step.kind == "legal":
            return "ListLegalPlays", table_pb2.ListLegalPlaysRequest(table=self.table, page_size=20)
        if step.kind == "check":
            return "CheckPlay", table_pb2.CheckPlayRequest(table=self.table, action=action)
        return "SubmitAction", self._request(step, tag, decision=self.decision - 1 if step.stale else None)

    async def note_figures(self, port: int | None) -> None:
        """Note the server's public figures, but those that are times or sizes of memory."""
        assert port is not None

        def fetch() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                text: str = answer.read().decode()
            return text

        lines = (await asyncio.to_thread(fetch)).splitlines()
        kept = [line for line in lines if line.startswith("gouji") and "seconds" not in line and "_created" not in line]
        self.observed.note("operator", "metrics", "\n".join(kept).encode())

    async def note_every_call(self) -> None:
        """Ask the observer's and a spectator's every method about the running match, and note what they are told."""
        for who, client in (("seat", self.clients[self.observer]), ("spectator", self.clients[6])):
            for service, method in services():
                if method.name not in (NOT_ASKED if who == "spectator" else NOT_ASKED | NOT_BY_SEATS):
                    about = About(self.table, client.account, (self.observer + 1) % 6, f"{who}-{method.name}")
                    for answer in await ask(client, service, method, about):
                        self.observed.note(who, f"{method.name} at the end", answer)

    async def end(self) -> None:
        """Hang up."""
        for ear in self.ears.values():
            ear.task.cancel()
            ear.call.cancel()
        await asyncio.gather(*(ear.task for ear in self.ears.values()), return_exceptions=True)

"""The fake server itself: put together, started, stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.replay.v1 import replay_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import events_pb2, table_pb2
from gouji_client.arguments import well_formed
from gouji_client.clock import SystemClock
from gouji_client.errors import BadInput
from gouji_client.testing.fake_lobby import FakeLobby
from gouji_client.testing.fake_matchmaking import FakeMatchmaking
from gouji_client.testing.fake_replays import FakeReplays
from gouji_client.testing.fake_session import FakeAccounts
from gouji_client.testing.fake_setting import NAME, Setting
from gouji_client.testing.fake_table import FakeTable
from gouji_client.testing.fake_tables import FakeTables
from gouji_client.testing.faults import FaultScript
from gouji_client.testing.following import Troubles
from gouji_client.testing.gate import Gate
from gouji_client.testing.hall import Hall
from gouji_client.testing.services import function_name, handlers_of
from gouji_rules import Deal, RuleSet, preset

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

    from gouji_client.clock import Clock
    from gouji_client.testing.faults import Fault
    from gouji_client.testing.opponents import OpponentLike


STOP_GRACE = 2.0
"""Seconds that calls have to end when the server stops; they take no more than a moment."""


class FakeServer:
    """A gRPC server on a loopback port of its own with a table, for tests; clients may make others.

    `seats` are for clients, the others are played by `opponents`: a policy's name, a policy
    `(SeatView, Random) -> Action`, or a script such as `["play 5555", "pass"]`; or a mapping of seats to these. Who
    follows a script answers as an expired clock does where the script has nothing legal.

    `rules` are played, those of the preset qingdao if none are given. `deals` are played, from `seed`; or the first
    from `hands`, six in the notation of records (they may be short), with seat `lead` leading. The match begins as soon
    as all clients' seats are taken and ready. The same seed and the same answers give the same match.

    `faults` are ordered from the module's classes. `heartbeat` seconds of silence are broken by a heartbeat,
    `token_seconds` is an access token's life; `clock` and `sleep` (for `Delay`) may be the test's own. Clients older
    than the `minimum_client_versions`, such as `{"python": "0.2"}`, are refused.

    Use it in `async with`, or call `start()` and `stop()`. Then `address` and `table` say where to go. Raises
    `BadInput` for seats, hands and opponents without sense.
    """

    table = NAME
    """The name of the table that is there from the start."""

    def __init__(
        self,
        *,
        seats: Iterable[int] = (0,),
        opponents: Mapping[int, OpponentLike] | OpponentLike = "random",
        deals: int = 1,
        seed: int = 0,
        hands: Sequence[str] | None = None,
        lead: int = 0,
        rules: RuleSet | None = None,
        faults: Iterable[Fault] = (),
        heartbeat: float | None = 10.0,
        token_seconds: float = 3600.0,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        minimum_client_versions: Mapping[str, str] | None = None,
    ) -> None:
        chosen = tuple(seats)
        if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(range(6)):
            raise BadInput(f"clients' seats are one or more of 0 to 5, not {chosen}")
        setting = Setting(
            seats=chosen,
            opponents=opponents,
            deals=deals,
            seed=seed,
            hands=tuple(hands) if hands is not None else None,
            lead=lead,
            rules=rules or preset("qingdao"),
        )
        if setting.hands is not None:
            with well_formed("the hands"):
                Deal.from_hands(setting.rules, setting.hands, lead)
        minimums = dict(minimum_client_versions or {})
        self._accounts = FakeAccounts(clock or SystemClock(), token_seconds, minimums)
        self._gate = Gate(self._accounts, minimums)
        self._table = FakeTable(setting)
        self._hall = Hall(self._table, clock or SystemClock())
        self._tables = FakeTables(self._accounts, self._hall, Troubles(FaultScript(tuple(faults)), sleep), heartbeat)
        replays = FakeReplays(self._accounts, self._hall, clock or SystemClock())

        def changed() -> None:
            replays.note()
            self._tables.wake_all()

        self._hall.on_change = changed
        self._accounts.on_end = self._tables.wake_all
        self._lobby = FakeLobby(self._accounts, self._hall)
        self._services: tuple[tuple[ServiceDescriptor, object], ...] = (
            (session_pb2.DESCRIPTOR.services_by_name["SessionService"], self._accounts),
            (lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"], self._lobby),
            (table_pb2.DESCRIPTOR.services_by_name["TableService"], self._tables),
            (
                matchmaking_pb2.DESCRIPTOR.services_by_name["MatchmakingService"],
                FakeMatchmaking(self._accounts, self._hall, clock or SystemClock()),
            ),
            (replay_pb2.DESCRIPTOR.services_by_name["ReplayService"], replays),
        )
        self._server: grpc.aio.Server | None = None
        self._port = 0

    async def start(self) -> Self:
        """Listen on a free loopback port."""
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        for service, answering in self._services:
            server.add_generic_rpc_handlers((handlers_of(service, answering, self._gate),))
        self._port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        self._server = server
        return self

    async def stop(self) -> None:
        """Stop listening and break every stream. Twice is no error."""
        if self._server is not None:
            server, self._server = self._server, None
            # Streams end by themselves first: gRPC logs a handler that it has to cancel as a failure.
            self._tables.end_all()
            await server.stop(grace=STOP_GRACE)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # ── what a test may look at ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self._port}"

    def answers_method(self, method: MethodDescriptor) -> bool:
        """Whether it answers a method of the API; the others are refused as UNIMPLEMENTED."""
        answering = next((answer for service, answer in self._services if service is method.containing_service), None)
        return hasattr(answering, function_name(method))

    @property
    def version(self) -> int:
        """The table's `n`."""
        return self._table.n

    def play_for(self, seat: int) -> None:
        """Begin to play a client's seat, as a server does for who let the clock run out; its bot is slow."""
        self._table.change_pilot(seat, None, on=True, reason=events_pb2.AUTOPILOT_REASON_EXPIRIES)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self._table.over

    @property
    def scores(self) -> tuple[int, ...]:
        """The match's scores so far, by team."""
        return tuple(self._table.match.scores)

    @property
    def records(self) -> tuple[str, ...]:
        """The record files of the deals that are over."""
        return tuple(self._table.records)

    @property
    def answers(self) -> tuple[tuple[int, str], ...]:
        """Every answer so far, the opponents' too: seat and action as a record writes it."""
        return tuple(self._table.answers)

    @property
    def streams_opened(self) -> int:
        """How many streams clients have opened."""
        return self._tables.streams_opened

    @property
    def renewals(self) -> int:
        """How often a stream's token was renewed in band."""
        return self._tables.renewals

    @property
    def refreshes(self) -> int:
        """How often a refresh token was traded in."""
        return self._accounts.refreshes

    @property
    def sign_ins(self) -> int:
        """How often somebody signed in."""
        return self._accounts.sign_ins

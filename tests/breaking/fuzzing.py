"""Messages on every method of every public service, from every kind of caller: `make break MESSAGES=100000`.

What must hold after each: the status is a planned one, its text and details tell nothing of the server's inside, the
server counted no fault of its own, and what was refused changed no file and no view of the match.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from gouji.lobby.v1 import lobby_pb2
from gouji.rules.v1 import rules_pb2
from gouji.session.v1 import session_pb2
from gouji.table.v1 import state_pb2, table_pb2
from gouji_server import logs
from tests.breaking.mutations import Mutator
from tests.leak.every_call import About, request_for, services
from tests.server.conftest import settings
from tests.server.message_strategies import ODD_TEXTS
from tests.server.raw_client import RawClient, new_id
from tests.server.raw_seat import Seat, begun
from tests.server.running import Running
from tests.server.test_bot_accounts import new_bot, new_token, signed_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

UNPLANNED = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
BAD_CODES = {code.value[0] for code in UNPLANNED}
INSIDE = (b"Traceback", b'File "', b".py", b"Error(", b"gouji_server", b"sqlite", b"SELECT ")
"""What a text of the server's inside would hold."""
ENDS_SESSIONS = {"DeleteAccount", "RevokeSession", "SignOutEverywhere", "DeleteBotAccount", "RevokeBotToken"}
OF_CLIENT = "Internal error from Core"
ANSWER_SECONDS = 30
"""A call without an answer by then hangs."""
TRIES = 3
"""How often a refused message that seemed to change something is sent again: bots may have moved meanwhile."""
RENEWED_AFTER = 2000
"""Messages of one cast: then its matches are left behind and others begun."""

Metadata = tuple[tuple[str, str], ...]


class Found(AssertionError):
    """The server did what it must not."""


@dataclass(slots=True)
class Report:
    """What was sent and how it ended."""

    sent: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    callers: Counter[str] = field(default_factory=Counter)
    views_compared: int = 0


class Cast:
    """A running match and everybody who may call about it."""

    def __init__(self, seats: list[Seat], stranger: RawClient, waiting: str, callers: dict[str, Metadata]) -> None:
        self.seats = seats
        self.stranger = stranger
        self.waiting = waiting
        self.callers = callers

    @property
    def table(self) -> str:
        return self.seats[0].table

    @property
    def texts(self) -> list[str]:
        """Strings that mean something to this server."""
        known = [self.table, self.waiting, f"matches/{self.table.partition('/')[2]}", self.stranger.account]
        return [*ODD_TEXTS, *known, *known, *known, self.stranger.session.access_token, new_id()]

    async def views(self) -> list[bytes]:
        """Everything that can be seen at the table, by every seat and a stranger."""
        request = table_pb2.GetViewRequest(table=self.table)
        clients = [*(seat.client for seat in self.seats), self.stranger]
        return [(await client.call(request)).SerializeToString(deterministic=True) for client in clients]


class Fuzz:
    """A server and a run of messages from one seed."""

    def __init__(self, running: Running, seed: int) -> None:
        self.running = running
        self.dice = random.Random(seed)
        self.report = Report()
        self.cast: Cast
        self._following: list[Seat] = []
        self.now = ""
        self._views: tuple[tuple[int, ...], list[bytes]] | None = None
        self._files: list[sqlite3.Connection] = []

    async def run(self, messages: int) -> Report:
        """Send so many messages, one after another. Raises Found."""
        methods = list(services())
        with contextlib.ExitStack() as files:
            for name in ("journal.sqlite3", "records.sqlite3"):
                path = self.running.config.data_dir / name
                self._files.append(
                    files.enter_context(contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)))
                )
            for number in range(messages):
                service, method = methods[number % len(methods)]
                self.now = method.name
                try:
                    async with asyncio.timeout(2 * ANSWER_SECONDS):
                        if number % RENEWED_AFTER == 0:
                            await self._renew()
                        await self._one(service, method)
                except TimeoutError:
                    raise Found(f"after message {number}, to {method.name}, something hangs: {self.now}") from None
                if number % 10_000 == 9_999:
                    print(f"{number + 1} messages", flush=True)
            await self._compare_views()
        return self.report

    async def _renew(self) -> None:
        """Begin another match with other people. All share a connection, and what it carries at once is limited."""
        running = self.running
        self._views = None
        for seat in self._following:
            seat.stream.call.cancel()
        players = [await running.player(f"p{n}") for n in range(6)]
        stranger = await running.player("stranger")
        options = [
            rules_pb2.OptionSetting(field="report", value="asked"),
            rules_pb2.OptionSetting(field="feel_chances", value="3"),
        ]
        seats = await begun(stranger, players, options=options)
        waiting = (await stranger.call(lobby_pb2.CreateTableRequest(request_id=new_id()))).table.name
        token = await new_token(stranger, await new_bot(stranger), session_pb2.BOT_SCOPE_WATCH)
        bot = await signed_in(running, token.token)
        callers: dict[str, Metadata] = {
            "nobody": (),
            "forger": (("authorization", "Bearer eyJhbGciOiJub25lIn0.e30."),),
            "stranger": stranger.metadata,
            "bot": bot.metadata,
        }
        callers |= {f"seat {number}": seat.client.metadata for number, seat in enumerate(seats)}
        self._following = seats
        self.cast = Cast(seats, stranger, waiting, callers)

    async def _one(self, service: ServiceDescriptor, method: MethodDescriptor) -> None:
        who = self.dice.choice(list(self.cast.callers))
        metadata = self.cast.callers[who]
        if method.name in ENDS_SESSIONS and metadata:
            metadata = (await self.running.player("gone")).metadata
        mutator = Mutator(self.dice, self.cast.texts)
        if method.client_streaming:
            apt = None
            if self.dice.random() < 0.7:
                who, metadata, apt = await self._apt(table_pb2.SubmitActionRequest)
            commands = self._commands(mutator, apt)
            code, said = await self._play(commands, metadata)
            raw = b" ".join(commands)
        else:
            about = About(self.dice.choice([self.cast.table, self.cast.waiting]), self.cast.stranger.account)
            request = request_for(service, method, about)
            if "action" in method.input_type.fields_by_name and self.dice.random() < 0.7:
                who, metadata, request = await self._apt(type(request))
            raw = mutator.raw(request)
            code, said = await self._refused_changes_nothing(service, method, raw, metadata)
        self.report.sent += 1
        self.report.methods[method.name] += 1
        self.report.callers[who.partition(" ")[0]] += 1
        self.report.codes[code.name] += 1
        case = f"{method.name} by {who}: {raw.hex()}"
        if code in UNPLANNED:
            raise Found(f"{code.name} {said!r}\n{case}")
        if code is not grpc.StatusCode.OK and any(word in said for word in INSIDE):
            raise Found(f"tells of the inside: {said!r}\n{case}")
        if self.report.sent % 25 == 0:
            await self._compare_views()

    async def _refused_changes_nothing(
        self, service: ServiceDescriptor, method: MethodDescriptor, raw: bytes, metadata: Metadata
    ) -> tuple[grpc.StatusCode, bytes]:
        code, said = grpc.StatusCode.OK, b""
        for _ in range(TRIES):
            before = self._versions()
            code, said = await self._call(service, method, raw, metadata)
            if code is grpc.StatusCode.OK or self._versions() == before:
                return code, said
        raise Found(f"{method.name}, refused with {code.name}, wrote to a file\n{said!r}\n{raw.hex()}")

    def _versions(self) -> tuple[int, ...]:
        """What SQLite says has been committed to journal and records: other numbers after any commit of the server."""
        return tuple(file.execute("PRAGMA data_version").fetchone()[0] for file in self._files)

    async def _compare_views(self) -> None:
        """Hold that the views of the match are the same where no file changed."""
        self.now = "comparing views"
        before = self._versions()
        views = await self.cast.views()
        if self._views is not None and self._views[0] == before:
            self.report.views_compared += 1
            if self._views[1] != views:
                raise Found("the views changed, and no file did")
        self._views = (before, views)

    async def _call(
        self, service: ServiceDescriptor, method: MethodDescriptor, raw: bytes, metadata: Metadata
    ) -> tuple[grpc.StatusCode, bytes]:
        """Call a method; return its status and all that came with it."""
        path = f"/{service.full_name}/{method.name}"
        channel = self.cast.stranger.channel
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if method.server_streaming:
                    watch: Any = channel.unary_stream(path)
                    stream = watch(raw, metadata=metadata)
                    try:
                        await stream.read()
                    finally:
                        stream.cancel()
                else:
                    call: Any = channel.unary_unary(path)
                    await call(raw, metadata=metadata)
        except TimeoutError:
            raise Found(f"no answer from {method.name}: {raw.hex()}") from None
        except grpc.aio.AioRpcError as error:
            trailers = error.trailing_metadata() or ()
            return error.code(), repr((error.details(), [(k, v) for k, v in trailers])).encode()
        return grpc.StatusCode.OK, b""

    async def _apt(self, kind: Any) -> tuple[str, Metadata, Any]:
        """Make a request that is good at this moment of the match, and of the seat that is asked."""
        self.now = "making an apt request"
        asked = await self._asked()
        if not asked:
            await self._renew()
            asked = await self._asked()
        number = self.dice.choice(asked)
        seat = self.cast.seats[number]
        apt = await seat.next_request(await seat.look())
        request = apt if kind is type(apt) else kind(table=self.cast.table, action=apt.action)
        return f"seat {number}", seat.client.metadata, request

    async def _asked(self) -> list[int]:
        """The seats of which an answer is wanted: none when the match is over."""
        stories = [await seat.look() for seat in self.cast.seats]
        return [number for number, story in enumerate(stories) if story.asked]

    def _commands(self, mutator: Mutator, apt: Any = None) -> list[bytes]:
        """Make some commands for a Play stream, near to good ones."""
        table = self.dice.choice([self.cast.table, self.cast.waiting])
        good = [
            table_pb2.PlayRequest(subscribe=table_pb2.Subscribe(request_id=new_id(), table=table)),
            table_pb2.PlayRequest(
                act=apt
                or table_pb2.SubmitActionRequest(
                    request_id=new_id(), table=table, decision=5, action=table_pb2.Action(verb=state_pb2.VERB_PASS)
                )
            ),
        ]
        return [mutator.raw(self.dice.choice(good)) for _ in range(self.dice.randint(1, 4))]

    async def _play(self, commands: list[bytes], metadata: Metadata) -> tuple[grpc.StatusCode, bytes]:
        """Send commands on a Play stream: each gets one result, and the stream is good afterwards."""
        method: Any = self.cast.stranger.channel.stream_stream(
            "/gouji.table.v1.TableService/Play", response_deserializer=table_pb2.PlayResponse.FromString
        )
        last = new_id()
        end = table_pb2.PlayRequest(unsubscribe=table_pb2.Unsubscribe(request_id=last, table=self.cast.table))
        results: list[table_pb2.CommandResult] = []
        answered = asyncio.Event()

        async def requests() -> AsyncIterator[bytes]:
            for message in (*commands, end.SerializeToString()):
                yield message
            await answered.wait()

        call = method(requests(), metadata=metadata)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                while len(results) <= len(commands):
                    response = await call.read()
                    if response is grpc.aio.EOF:
                        return await self._ended(call, metadata)
                    results += response.results
        except TimeoutError:
            raise Found(f"a command without a result among {[raw.hex() for raw in commands]}") from None
        except grpc.aio.AioRpcError:
            return await self._ended(call, metadata)
        finally:
            answered.set()
            call.cancel()
        bad = [result for result in results if result.error.code in BAD_CODES]
        if bad:
            raise Found(f"{bad} to {[raw.hex() for raw in commands]}")
        for result in results:
            self.report.codes[f"Play {result.error.reason or 'done'}"] += 1
        return grpc.StatusCode.OK, b""

    async def _ended(self, call: Any, metadata: Metadata) -> tuple[grpc.StatusCode, bytes]:
        """How a Play stream ended. A client that writes while its stream is refused makes an error of its own of it:
        then how one ends on which nothing is written."""
        if await call.details() == OF_CLIENT:
            call = self.cast.stranger.tables.Play(metadata=metadata)
            with contextlib.suppress(grpc.aio.AioRpcError):
                assert await call.read() is grpc.aio.EOF, "a stream that ended is good when opened again"
        return await call.code(), repr(await call.details()).encode()


async def fuzz(messages: int, seed: int, folder: Path) -> Report:
    """Start a server, send so many messages, hold what must hold. Raises Found."""
    config = settings(
        folder, sign_in_burst=10**6, max_tables_per_account=10**6, max_streams_per_account=10**4, call_limit_factor=0,
        join_code_burst=10**6, password_tries_burst=10**6,
    )  # fmt: skip
    async with Running(config) as running:
        return await Fuzz(running, seed).run(messages)


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.breaking.fuzzing", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logs.set_up("warning", "text")
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(fuzz(options.messages, options.seed, Path(folder)))
    print(
        f"seed {options.seed}: {report.sent} messages to {len(report.methods)} methods, views {report.views_compared}"
    )
    print(f"callers: {dict(report.callers)}")
    print(f"ended: {dict(report.codes.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Putting a server together, running it, and stopping it without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hmac
import signal
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self

import structlog
from pydantic import ValidationError
from pydantic_settings import CliApp

from gouji_server import logs
from gouji_server.accounts import Accounts
from gouji_server.admin.audit import AuditLog
from gouji_server.admin.draining import Draining
from gouji_server.api import lobby, matchmaking, replay, session, sharing, table
from gouji_server.api.admin import AdminService, Office
from gouji_server.api.admin_calls import AdminCalls
from gouji_server.api.admin_listener import KEY as ADMIN_KEY
from gouji_server.api.admin_listener import AdminListener
from gouji_server.api.calls import Calls
from gouji_server.api.chat import ChatCalls
from gouji_server.api.client_versions import ClientGate
from gouji_server.api.join_codes import CodeTries
from gouji_server.api.limits import CallLimits
from gouji_server.api.listener import Listener, must_be_free
from gouji_server.api.origins import Origins
from gouji_server.api.pages import Pages
from gouji_server.api.streams import Streams
from gouji_server.api.table_lists import TableLists
from gouji_server.client_minimums import read_minimums
from gouji_server.config import Config
from gouji_server.data_directory import DataDirectory, StartError
from gouji_server.journal import JournalError, SqliteJournal
from gouji_server.matchmaking import Matchmaker, Parties
from gouji_server.matchmaking.store import TicketStore
from gouji_server.matchmaking.tickets import EvenRatings
from gouji_server.metrics import Metrics, MetricsServer
from gouji_server.records import Database, MatchRecords, RecordsFailed
from gouji_server.records.audit import AuditRecords
from gouji_server.records.reports import ReportRecords
from gouji_server.records.share_links import ShareLinkRecords
from gouji_server.records.tickets import TicketRecords
from gouji_server.replays import MatchKeeper, Replays
from gouji_server.sharing import ShareLinks
from gouji_server.social.reports import Reports
from gouji_server.social.silences import Silences
from gouji_server.tables import Limits, SystemClock, SystemEntropy, Tables, WorkerBots
from gouji_server.tables.operating import Operating
from gouji_server.tables.refusals import stopping

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence

    from gouji_server.tables import Clock, Entropy, HouseBots

USAGE_ERROR = 2
"""Exit status of a server that was not allowed to start."""
FAILED = 1
"""Exit status of a server that had to stop."""

ANSWER_SECONDS = 0.5
"""How long a server that stops lets tables answer what has come."""

LOOK_SECONDS = 2.0
"""How often a server looks whether its data directory is still there."""

COLLECTOR_THRESHOLDS = (20_000, 20, 50)
"""Messages and steps are freed by their counts; cycles are few, so looking for them often is wasted."""

log = structlog.get_logger("gouji.server")


class Server:
    """A running server. `address` is where it listens, `metrics_port` where its figures are (None: nowhere)."""

    def __init__(
        self,
        listener: Listener,
        streams: Streams,
        grace: float,
        metrics_port: int | None,
        directory: DataDirectory,
        records: Database,
        rooms: AsyncExitStack,
        draining: Draining,
        admin: AdminListener,
        waiting: Callable[[], int],
    ) -> None:
        self._listener = listener
        self._streams = streams
        self._grace = grace
        self._rooms = rooms
        self._admin = admin
        self._waiting = waiting
        self.draining = draining
        self.admin_target = admin.target
        self.address = listener.address
        self.port = listener.port
        self.metrics_port = metrics_port
        self.directory = directory
        self.records = records

    @classmethod
    async def start(
        cls,
        config: Config,
        *,
        clock: Clock | None = None,
        entropy: Entropy | None = None,
        house_bots: HouseBots | None = None,
    ) -> Self:
        """Start a server. Raises StartError, with a line for people, if it cannot be.

        Clock, entropy and built-in bots are the system's and a worker process's unless given.
        """
        async with AsyncExitStack() as rooms:
            rooms.enter_context(_unreadable_files_told())
            clock = clock or SystemClock()
            entropy = entropy or SystemEntropy()
            metrics = Metrics()
            directory = rooms.enter_context(DataDirectory.open(config.data_dir))
            key = directory.key("tokens.key")
            records = await _records(directory, rooms)
            matches = MatchRecords(records, clock)
            tables = await _tables(config, directory, key, matches, metrics, clock, entropy, house_bots, rooms)
            accounts = await _accounts(records, key, clock, entropy, config, rooms)
            streams = Streams(config, accounts.sessions.ended)
            metrics.watch_tables(tables.awake)
            metrics.watch_backlog(tables.backlog_bytes)
            metrics.watch_streams(lambda: len(streams))
            # Before the figures' port: who starts a second server is told of the port that matters.
            must_be_free(config.host, config.port)
            metrics_port = _serve_metrics(config, metrics, rooms)
            minimums = read_minimums(config.minimum_client_versions)
            call_limits = CallLimits(clock, config.call_limit_factor)
            operating = Operating(tables)
            draining = Draining(clock, operating)
            rooms.callback(draining.close)
            gate = ClientGate(minimums, config.named_clients_only)
            calls = Calls(accounts, metrics, gate, call_limits, draining.check)
            pages = Pages(key)
            code_tries = CodeTries(config, clock)
            silences = Silences(accounts.blocks, accounts.mutes, tables.silence)
            reports = await _reports(records, silences, clock, entropy, config, rooms)
            replays = Replays(matches)
            links = ShareLinks(ShareLinkRecords(records), key, clock, entropy, tables.cut_off)
            rooms.callback(links.close)
            shared = sharing.SharedBy(links, code_tries)
            room = table.TableRoom(
                tables=tables,
                pages=pages,
                streams=streams,
                metrics=metrics,
                clock=clock,
                heartbeat_seconds=config.heartbeat_seconds,
                max_tables_per_stream=config.max_tables_per_stream,
                code_tries=code_tries,
                chat=ChatCalls(tables, pages, code_tries, reports, clock),
                silences=silences,
                limits=call_limits,
                links=shared,
            )
            lists = TableLists(tables, pages, accounts.blocks, streams, clock, config.heartbeat_seconds)
            matchmaker = await _matchmaker(records, tables, accounts, clock, rooms)
            matching = matchmaking.MatchmakingService(
                matchmaker, Parties(entropy), code_tries, streams, clock, config.heartbeat_seconds
            )
            services = {
                session.SERVICE: session.SessionService(accounts, pages, minimums, clock).handlers(calls),
                lobby.SERVICE: lobby.LobbyService(
                    tables, pages, code_tries, accounts.blocks, lists, Origins(key), shared
                ).handlers(calls),
                table.SERVICE: table.TableService(room, accounts).handlers(calls),
                replay.SERVICE: replay.ReplayService(replays, pages, streams, clock, shared).handlers(calls),
                sharing.SERVICE: sharing.SharingService(links, tables, replays, pages, clock).handlers(calls),
                matchmaking.SERVICE: matching.handlers(calls),
            }
            listener = await Listener.start(config, services)
            draining.when_begun(_refuser(listener, matchmaker))
            office = Office(
                operating=operating,
                bans=accounts.bans,
                audit=AuditLog(AuditRecords(records), clock),
                reports=reports,
                draining=draining,
                pages=pages,
                clock=clock,
                streams=lambda: len(streams),
                cancel_tickets=matchmaker.cancel_of,
                version=session.server_version(),
                address=listener.address,
            )
            handlers = AdminService(office).handlers(AdminCalls(metrics))
            try:
                admin = await AdminListener.start(config, directory.path, handlers, directory.key(ADMIN_KEY))
            except BaseException:
                await listener.stop(0)
                raise
            return cls(
                listener,
                streams,
                config.stop_grace_seconds,
                metrics_port,
                directory,
                records,
                rooms.pop_all(),
                draining,
                admin,
                tables.mailbox_messages,
            )
        raise AssertionError("an exit stack swallows nothing")

    async def stop(self) -> None:
        """Stop: take nothing new, answer what has come, end the streams with a hint to come back, let calls end, close.

        Commands that were durable and whose answers were not sent any more get the same answers after the restart.
        """
        await self.draining.begin(0)
        self.draining.close()
        await self._answer_what_waits()
        self._streams.end_all(stopping)
        await self._listener.stop(self._grace)
        await self._admin.stop()
        await self._rooms.aclose()

    async def _answer_what_waits(self) -> None:
        """Let tables answer the commands that wait: they take milliseconds, and not for ever."""
        loop = asyncio.get_running_loop()
        until = loop.time() + ANSWER_SECONDS
        while self._waiting() and loop.time() < until:  # noqa: ASYNC110 - tables have no event for it
            await asyncio.sleep(ANSWER_SECONDS / 100)


def _refuser(listener: Listener, matchmaker: Matchmaker) -> Callable[[], Awaitable[None]]:
    async def refuse() -> None:
        """Tell health checks and the matchmaker that nothing new is to be begun."""
        await listener.refuse()
        matchmaker.pause()

    return refuse


def limits(config: Config) -> Limits:
    """Return the tables' limits that the settings ask for."""
    return Limits(
        entropy_seconds=config.entropy_wait_seconds,
        commands_in_flight=config.max_commands_in_flight,
        open_tables_per_account=config.max_tables_per_account,
        seat_lease_seconds=config.seat_lease_seconds,
        lag_seconds=config.lag_allowance_seconds,
        spectator_delay_seconds=config.spectator_delay_seconds,
    )


@contextlib.contextmanager
def _unreadable_files_told() -> Iterator[None]:
    """Have a start that fails for what is in the files say so in one line."""
    try:
        yield
    except RecordsFailed as error:
        raise StartError("the records cannot be read: restore a backup") from error
    except JournalError as error:
        raise StartError(str(error)) from error


async def _records(directory: DataDirectory, rooms: AsyncExitStack) -> Database:
    database = await Database.open(directory.file("records.sqlite3"))
    rooms.push_async_callback(database.close)
    return database


async def _accounts(
    records: Database, key: bytes, clock: Clock, entropy: Entropy, config: Config, rooms: AsyncExitStack
) -> Accounts:
    accounts = Accounts(records, key, clock, entropy, config)
    rooms.push_async_callback(accounts.close)
    await accounts.start()
    return accounts


async def _reports(
    records: Database, silences: Silences, clock: Clock, entropy: Entropy, config: Config, rooms: AsyncExitStack
) -> Reports:
    reports = Reports(ReportRecords(records), silences, clock, entropy, config.chat_retention_days)
    await reports.start()
    rooms.push_async_callback(reports.close)
    return reports


async def _matchmaker(
    records: Database, tables: Tables, accounts: Accounts, clock: Clock, rooms: AsyncExitStack
) -> Matchmaker:
    matchmaker = Matchmaker(tables, TicketStore(TicketRecords(records)), accounts.blocks, EvenRatings(), clock)
    await matchmaker.start()
    rooms.push_async_callback(matchmaker.close)
    return matchmaker


async def _tables(
    config: Config,
    directory: DataDirectory,
    key: bytes,
    matches: MatchRecords,
    metrics: Metrics,
    clock: Clock,
    entropy: Entropy,
    house_bots: HouseBots | None,
    rooms: AsyncExitStack,
) -> Tables:
    try:
        journal = await SqliteJournal.open(directory.path / "journal.sqlite3", observer=metrics)
    except JournalError as error:
        raise StartError(str(error)) from error
    rooms.push_async_callback(journal.close)
    if house_bots is None:
        house_bots = workers = WorkerBots(entropy, (config.bot_least_seconds, config.bot_most_seconds))
        rooms.push_async_callback(workers.close)
    name_key = hmac.digest(key, b"gouji table names", "sha256")
    keeper = MatchKeeper(journal, matches, clock, entropy, limits(config), metrics)
    tables = Tables(
        journal,
        clock=clock,
        entropy=entropy,
        house_bots=house_bots,
        limits=limits(config),
        metrics=metrics,
        finished=keeper.note,
        name_key=name_key,
    )
    rooms.push_async_callback(tables.close)
    rooms.push_async_callback(keeper.close)
    await tables.start()
    try:
        await keeper.start()
    except RecordsFailed as error:
        raise StartError("the records cannot be read") from error
    return tables


def _serve_metrics(config: Config, metrics: Metrics, rooms: AsyncExitStack) -> int | None:
    if config.metrics_port is None:
        return None
    try:
        server = MetricsServer.start(metrics, config.metrics_host, config.metrics_port)
    except OSError as error:
        raise StartError(
            f"the figures cannot be served on {config.metrics_host}:{config.metrics_port}: {error.strerror}; "
            f"give another metrics port, 0 for a free one, or none"
        ) from error
    rooms.push_async_callback(server.stop)
    return server.port


async def run(config: Config, on_ready: Callable[[Server], None] | None = None) -> int:
    """Run a server until SIGTERM or SIGINT; return the exit status. Raises StartError if it cannot start.

    The line `gouji: serving on HOST:PORT` on standard output says that it is ready; `on_ready` is called then.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = await Server.start(config)
    server.draining.when_over(stop.set)
    _calm_collector()
    _say(f"gouji: serving on {server.address}")
    if server.metrics_port is not None:
        _say(f"gouji: figures on http://{config.metrics_host}:{server.metrics_port}/metrics")
    if config.admin_port is not None:
        _say(f"gouji: operators on {server.admin_target}")
    if on_ready is not None:
        on_ready(server)
    log.info(
        "started",
        address=server.address,
        data_dir=str(config.data_dir),
        metrics_port=server.metrics_port,
        admin=server.admin_target,
    )
    status = await _until_stopped(stop, server.directory)
    for number in (signal.SIGTERM, signal.SIGINT):
        # A second signal does not wait for the rest.
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)
    log.info("stopping")
    await server.stop()
    log.info("stopped")
    return status


async def _until_stopped(stop: asyncio.Event, directory: DataDirectory) -> int:
    """Wait for the word to stop; return the exit status. Without its directory nothing that is written lasts."""
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), LOOK_SECONDS)
            return 0
        if not directory.intact():
            log.error("data_directory_gone", data_dir=str(directory.path))
            sys.stderr.write(f"gouji: the data directory {directory.path} is gone: stopping, nothing can be kept\n")
            return FAILED


def serve(config: Config, on_ready: Callable[[Server], None] | None = None) -> int:
    """Run a server until it is told to stop; return the exit status. `on_ready` is called when it serves."""
    logs.set_up(config.log_level, config.log_format)
    try:
        return _event_loop_run(run(config, on_ready))
    except StartError as error:
        sys.stderr.write(f"gouji: {error}\n")
        return USAGE_ERROR


def main(arguments: Sequence[str] | None = None) -> int:
    """Read settings from flags and environment and run a server; return the exit status."""
    try:
        config = CliApp.run(Config, cli_args=list(sys.argv[1:] if arguments is None else arguments))
    except ValidationError as error:
        for problem in error.errors():
            field = ".".join(str(part) for part in problem["loc"])
            text = problem["msg"].removeprefix("Value error, ")
            sys.stderr.write(f"gouji: {field}: {text}\n" if field else f"gouji: {text}\n")
        return USAGE_ERROR
    return serve(config)


def _event_loop_run(running: Coroutine[Any, Any, int]) -> int:
    try:
        import uvloop
    except ImportError:  # not made for this system
        return asyncio.run(running)
    return uvloop.run(running)


def _calm_collector() -> None:
    """Have the cyclic collector look seldom, and never at what is loaded now: a full pass stops every table."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)


def _say(line: str) -> None:
    # Whoever started the server may be gone; that is no reason to stop.
    with contextlib.suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

"""The matchmaker: one queue of tickets, looked through whenever something changed and once a second.

All that changes tickets goes through one lock and is in the records before it is told, so that no ticket is lost or
matched twice, whatever is cancelled, closed or restarted meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import structlog
from google.rpc import code_pb2

from gouji_rules.rule_set import PRESET_NAMES
from gouji_server.matchmaking.tickets import Apart, State, Ticket, find_for, in_order, pairs_of
from gouji_server.tables import Refused, refusals
from gouji_server.tables.lobby_state import FINISHED, WAITING
from gouji_server.tables.making import MatchedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.matchmaking.tickets import Found, Rating, Wishes
    from gouji_server.tables.clock import Clock, Timer

BOT = "simple"


@dataclass(frozen=True, slots=True)
class MatchmakingLimits:
    """Bounds. Times are in seconds."""

    tickets: int = 10_000
    """Tickets that wait or are called. Beyond: RESOURCE_EXHAUSTED, `TOO_MANY_TICKETS`."""
    over_kept: int = 10_000
    """Tickets that are over and can still be asked for. Beyond: the oldest are forgotten."""
    ticket_seconds: float = 1800.0
    """A ticket that was not called for so long has expired."""
    ready_seconds: float = 30.0
    """Time that people have to be ready when they are called."""
    look_seconds: float = 1.0
    """How often the queue is looked through while somebody waits."""


class TicketRecords(Protocol):
    """Where tickets are kept."""

    async def save(self, tickets: Collection[Ticket], forgotten: Collection[str] = ()) -> None:
        """Write tickets and forget others, by id; all or none."""

    async def load(self) -> list[Ticket]:
        """Return all tickets that were not forgotten."""


class Tables(Protocol):
    """What the matchmaker needs of the tables."""

    async def make_matched(self, match: str, wanted: MatchedTable) -> lobby_pb2.Table:
        """Make a table under an id, once. Raises Refused."""

    def listed(self, name: str) -> lobby_pb2.Table | None:
        """Return the lobby facts of a table, None for one that is not listed."""

    def listen(self, listener: Callable[[str], None]) -> None:
        """Have a listener told the name of each table whose lobby facts change."""

    def unlisten(self, listener: Callable[[str], None]) -> None:
        """Have it told no more."""


class Blocks(Protocol):
    """Who wants nothing to do with whom."""

    async def between(self, account: str, others: Collection[str]) -> frozenset[str]:
        """Return those of others who have blocked an account, or whom it has blocked."""


class Matchmaker:
    """See the module."""

    def __init__(
        self,
        tables: Tables,
        records: TicketRecords,
        blocks: Blocks,
        ratings: Rating,
        clock: Clock,
        limits: MatchmakingLimits | None = None,
    ) -> None:
        self.limits = limits or MatchmakingLimits()
        self._tables = tables
        self._records = records
        self._blocks = blocks
        self._ratings = ratings
        self._clock = clock
        self._lock = asyncio.Lock()
        self._open: dict[str, Ticket] = {}
        self._over: OrderedDict[str, Ticket] = OrderedDict()
        self._of: dict[str, str] = {}
        self._waits: dict[str, deque[float]] = {name: deque(maxlen=20) for name in PRESET_NAMES}
        self._watchers: dict[str, set[asyncio.Future[None]]] = {}
        self._looks: set[asyncio.Task[None]] = set()
        self._timer: Timer | None = None
        self._closing = False
        self._paused = False
        self._log = structlog.get_logger(__name__)

    # ── life ──

    async def start(self) -> None:
        """Take up the tickets of the records: those that are over can still be asked for. Raises RecordsFailed."""
        for ticket in sorted(await self._records.load(), key=lambda ticket: ticket.created):
            if ticket.state.over:
                self._over[ticket.id] = ticket
                continue
            self._open[ticket.id] = ticket
            self._of.update(dict.fromkeys(ticket.accounts, ticket.id))
        self._tables.listen(self._table_changed)
        if self._open:
            self._look_soon()

    async def close(self) -> None:
        """Look no more; tickets stay in the records."""
        self._closing = True
        self._tables.unlisten(self._table_changed)
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.gather(*self._looks, return_exceptions=True)

    def pause(self) -> None:
        """Call nobody any more: the server is about to stop. Tickets stay in the records."""
        self._paused = True

    # ── what people do ──

    async def create(self, caller: str, accounts: tuple[str, ...], wishes: Wishes, request_id: str) -> Ticket:
        """Queue people; again under the same id it is the same ticket. Raises Refused."""
        name = sha256(b"\0".join((b"gouji/ticket/1", caller.encode(), request_id.encode()))).hexdigest()[:24]
        body = repr((accounts, wishes))
        async with self._lock:
            known = self._open.get(name) or self._over.get(name)
            if known is not None:
                if known.body != body:
                    raise refusals.used_id()
                return known
            if any(account in self._of for account in accounts):
                raise Refused(
                    code_pb2.FAILED_PRECONDITION,
                    "TICKET_WAITS",
                    "you, or one of your party, wait already: cancel that ticket first",
                    "你或队友已在排队：请先取消",
                )
            if len(self._open) >= self.limits.tickets:
                raise Refused(
                    code_pb2.RESOURCE_EXHAUSTED,
                    "TOO_MANY_TICKETS",
                    "too many wait already",
                    "排队的人太多",
                    retry_seconds=30,
                )
            now = self._clock.now()
            rating = sum([await self._ratings.rating(account) for account in accounts]) / len(accounts)
            ticket = Ticket(name, accounts, wishes, rating, now, now + self.limits.ticket_seconds, body)
            await self._records.save([ticket])
            self._open[name] = ticket
            self._of.update(dict.fromkeys(accounts, name))
        self._look_soon()
        return ticket

    def get(self, name: str, account: str) -> Ticket:
        """Return a ticket of somebody's. Raises Refused NOT_FOUND for any other."""
        ticket = self._open.get(name) or self._over.get(name)
        if ticket is None or account not in ticket.accounts:
            raise Refused(code_pb2.NOT_FOUND, "TICKET_NOT_FOUND", "there is no such ticket of yours", "你没有这张票")
        return ticket

    async def cancel(self, name: str, account: str) -> Ticket:
        """Give a ticket up; one that is over stays as it is. Raises Refused."""
        async with self._lock:
            ticket = self.get(name, account)
            if not ticket.state.over:
                await self._end([ticket], State.CANCELLED)
            return ticket

    async def cancel_of(self, account: str) -> None:
        """Give up every ticket that an account waits with, alone or in a party."""
        async with self._lock:
            waiting = [ticket for ticket in self._open.values() if account in ticket.accounts]
            if waiting:
                await self._end(waiting, State.CANCELLED)

    def changed(self, name: str) -> asyncio.Future[None]:
        """Return what is done at the next change of a ticket."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiters = self._watchers.setdefault(name, set())
        waiters.add(waiter)

        def forget(_: object) -> None:
            waiters.discard(waiter)
            if not waiters and self._watchers.get(name) is waiters:
                del self._watchers[name]

        waiter.add_done_callback(forget)
        return waiter

    def queue(self, rule_set: str) -> tuple[int, float | None]:
        """Return how many people wait for a rule set, and what the last ones waited on average."""
        people = sum(
            len(ticket.accounts)
            for ticket in self._open.values()
            if ticket.state is State.QUEUED and rule_set in ticket.wishes.rule_sets
        )
        waits = self._waits.get(rule_set, ())
        return people, sum(waits) / len(waits) if len(waits) >= 3 else None

    # ── looking ──

    def _look_soon(self) -> None:
        if self._closing:
            return
        task = asyncio.get_running_loop().create_task(self._look())
        self._looks.add(task)
        task.add_done_callback(self._looks.discard)

    async def _look(self) -> None:
        """Settle what is due and call whoever fits together; look again later while somebody waits."""
        try:
            async with self._lock:
                if self._closing:
                    return
                await self._settle()
                if not self._paused:
                    await self._call_all()
        except asyncio.CancelledError:
            raise
        except Exception:  # noqa: BLE001 - the next look tries again
            self._log.exception("matchmaking_fault")
        if self._open and not self._closing:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._clock.call_at(self._clock.now() + self.limits.look_seconds, self._look_soon)

    async def _settle(self) -> None:
        """Expire what waited too long; end or queue again what was called, as its table says."""
        now = self._clock.now()
        late = [ticket for ticket in self._open.values() if ticket.state is State.QUEUED and now >= ticket.expires]
        if late:
            await self._end(late, State.EXPIRED)
        called: dict[str, list[Ticket]] = {}
        for ticket in self._open.values():
            if ticket.state is State.CALLED:
                called.setdefault(ticket.table, []).append(ticket)
        for table, tickets in called.items():
            info = self._tables.listed(table)
            if info is None:
                await self._queue_again(tickets)  # it was never made
            elif info.state == FINISHED:
                ready = {player.account for player in info.players if player.account and player.ready}
                there = [ticket for ticket in tickets if ready.issuperset(ticket.accounts)]
                if all(player.ready for player in info.players):  # it began, and is over already
                    await self._end(tickets, State.MATCHED)
                    continue
                await self._end([ticket for ticket in tickets if ticket not in there], State.EXPIRED)
                await self._queue_again(there)
            elif info.state != WAITING:
                await self._end(tickets, State.MATCHED)

    async def _call_all(self) -> None:
        apart = Apart()
        queued = in_order(self._open.values())
        for ticket in queued:
            await asyncio.sleep(0)  # others get their turn: there may be thousands
            while (
                ticket.state is State.QUEUED
                and (found := find_for(ticket, queued, self._clock.now(), apart)) is not None
            ):
                blocked = await self._blocked(found)
                if blocked:
                    apart.note(blocked)
                elif any(each.state is not State.QUEUED for each in found.tickets):
                    continue  # given up meanwhile
                elif not await self._call(found):
                    return

    async def _blocked(self, found: Found) -> list[frozenset[str]]:
        """Return the pairs, of different tickets, of whom one has blocked the other."""
        accounts = [account for ticket in found.tickets for account in ticket.accounts]
        allies = {pair for ticket in found.tickets for pair in pairs_of(ticket.accounts)}
        blocked = []
        for at, account in enumerate(accounts):
            others = accounts[at + 1 :]
            if others:
                blocked += [frozenset((account, other)) for other in await self._blocks.between(account, others)]
        return [pair for pair in blocked if pair not in allies]

    async def _call(self, found: Found) -> bool:
        """Make a table and call people to it. Return False if none can be made now: they stay in the queue."""
        now = self._clock.now()
        tickets = found.tickets
        match = sha256(repr((now, [ticket.id for ticket in tickets])).encode()).hexdigest()[:24]
        seats = found.seats()
        bots = {seat: BOT for seat in range(6) if seat not in seats}
        wanted = MatchedTable(found.rule_set, seats, self.limits.ready_seconds, bots)
        try:
            table = await self._tables.make_matched(match, wanted)
        except Refused as refused:
            self._log.warning("match_not_made", reason=refused.reason)
            return False
        before = [(ticket, ticket.state) for ticket in tickets]
        for ticket in tickets:
            ticket.state, ticket.match, ticket.table = State.CALLED, match, table.name
            ticket.ready_until = now + self.limits.ready_seconds
        try:
            await self._records.save(tickets)
        except BaseException:
            for ticket, state in before:
                ticket.state, ticket.table, ticket.match = state, "", ""
            raise
        for ticket in tickets:
            self._waits[found.rule_set].append(now - ticket.created)
        self._tell(tickets)
        return True

    async def _queue_again(self, tickets: Collection[Ticket]) -> None:
        if not tickets:
            return
        now = self._clock.now()
        for ticket in tickets:
            ticket.state, ticket.first, ticket.table, ticket.match, ticket.ready_until = State.QUEUED, True, "", "", 0.0
            ticket.expires = max(ticket.expires, now + self.limits.ready_seconds)
        await self._records.save(tickets)
        self._tell(tickets)

    async def _end(self, tickets: Collection[Ticket], state: State) -> None:
        if not tickets:
            return
        before = {ticket.id: ticket.state for ticket in tickets}
        for ticket in tickets:
            ticket.state = state
        beyond = max(len(self._over) + len(tickets) - self.limits.over_kept, 0)
        try:
            await self._records.save(tickets, list(islice(self._over, beyond)))
        except BaseException:
            for ticket in tickets:
                ticket.state = before[ticket.id]
            raise
        for ticket in tickets:
            del self._open[ticket.id]
            self._over[ticket.id] = ticket
            for account in ticket.accounts:
                self._of.pop(account, None)
        while len(self._over) > self.limits.over_kept:
            self._over.popitem(last=False)
        self._tell(tickets)

    def _tell(self, tickets: Iterable[Ticket]) -> None:
        for ticket in tickets:
            for waiter in list(self._watchers.get(ticket.id, ())):
                if not waiter.done():
                    waiter.set_result(None)

    def _table_changed(self, name: str) -> None:
        if any(ticket.table == name for ticket in self._open.values()):
            self._look_soon()

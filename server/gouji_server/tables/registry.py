"""All tables of this server: made, woken, put to sleep, listed."""

from __future__ import annotations

import asyncio
import builtins
import re
from typing import TYPE_CHECKING

import structlog

from gouji.lobby.v1 import lobby_pb2
from gouji_server.journal import Fenced, JournalFailed
from gouji_server.tables import deciding, hinting, making, refusals
from gouji_server.tables.actor import Actor
from gouji_server.tables.directory import Directory
from gouji_server.tables.handle import TableHandle
from gouji_server.tables.house_bots import BotFailed
from gouji_server.tables.join_codes import draw_code
from gouji_server.tables.limits import Limits
from gouji_server.tables.messages import Abandon, Desert, Look, Turn
from gouji_server.tables.names import keyless_name, table_name
from gouji_server.tables.observing import NullMetrics
from gouji_server.tables.outbox import Outbox
from gouji_server.tables.requests import created_body
from gouji_server.tables.spectating import before_delay
from gouji_server.tables.story import Story
from gouji_server.tables.summaries import read_summary
from gouji_server.tables.table import FINISHED, FROZEN
from gouji_server.tables.world import World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    import gouji_rules as gr
    from gouji_server.journal import Journal
    from gouji_server.tables import inputs
    from gouji_server.tables.clock import Clock, Entropy, Timer
    from gouji_server.tables.deciding import Caller, TableSpec
    from gouji_server.tables.house_bots import Choice, HouseBots
    from gouji_server.tables.observing import Metrics
    from gouji_server.tables.requests import Answer

_NAME = re.compile(r"tables/[a-z2-7]{16}").fullmatch
_OVER = frozenset({FINISHED, FROZEN})
MOST_REMATCHES = 16
"""Tables that are made one after another of one that is over."""
_LOOKS = 24
"""How often within `waiting_seconds` a table that has waited that long is looked at."""


class Tables:
    """See the module. Call :meth:`start` before anything else, :meth:`close` at the end."""

    def __init__(
        self,
        journal: Journal,
        *,
        clock: Clock,
        entropy: Entropy,
        house_bots: HouseBots,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
        name_key: bytes = b"",
        finished: Callable[[str], None] | None = None,
    ) -> None:
        """Names of tables are made with `name_key`, a secret: who knows what a maker said cannot work them out.

        ``finished`` is told the name of every table that is over, at least once after each start.
        """
        self._name_key = name_key
        self.limits = limits or Limits()
        self._directory = Directory(self.limits)
        self._finished = finished
        self._world = World(
            journal,
            clock,
            entropy,
            house_bots,
            self.limits,
            metrics or NullMetrics(),
            self._note,
        )
        self._actors: dict[str, Actor] = {}
        self._outboxes: set[Outbox] = set()
        self._making: list[str] = []
        """Owners of the tables whose first entry is under way: they count against the limits already."""
        self._looked_at: dict[str, float] = {}
        self._hinting = 0
        self._closing = False
        self._sweeper: Timer | None = None
        self._log = structlog.get_logger(__name__)

    # ── life ──

    async def start(self) -> None:
        """Read what tables there are, and wake those that go on by themselves. Raises JournalFailed."""
        unreadable = []
        for name, summary in await self._world.journal.summaries():
            facts = read_summary(summary)
            if facts is None or facts[0].name != name:
                self._log.error("summary_unreadable", table=name)
                unreadable.append(name)
                continue
            shown = before_delay(facts[0], self._world.clock.now())
            self._note(*facts, shown)
            if shown is not None:
                self.actor(facts[0].name)  # it knows what those without a seat may be told, and when
        for info in self._directory.playing():
            if not (info.HasField("suspend_time") or info.HasField("hold_time")):
                self.actor(info.name)
        for info in self._directory.waiting():
            if info.HasField("reserved_until"):
                self.actor(info.name)  # its seats are kept for a time
        for name in unreadable:
            if _NAME(name):
                self.actor(name)  # its entries tell what the summary does not
        self._sweep_later()

    def _note(self, info: lobby_pb2.Table, code: str = "", shown: lobby_pb2.Table | None = None) -> None:
        self._directory.note(info, code, shown)
        if info.state == FINISHED and self._finished is not None:
            self._finished(info.name)

    async def close(self) -> None:
        """Let every table finish its turn, refuse what comes later, and forget them all."""
        self._closing = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        await asyncio.gather(*(actor.stop() for actor in list(self._actors.values())))

    def awake(self) -> int:
        """Count the tables in memory."""
        return len(self._actors)

    def backlog_bytes(self) -> int:
        """Count the bytes that wait in all outboxes made by :meth:`outbox`."""
        return sum(outbox.waiting_bytes for outbox in self._outboxes)

    def mailbox_messages(self) -> int:
        """Count the messages that wait in all mailboxes."""
        return sum(actor.waiting for actor in self._actors.values())

    def outbox(self, *, one_table: bool = False) -> Outbox:
        """Make the outbox of a stream; it counts until it is closed."""
        made = Outbox(self._world.clock, self.limits, one_table=one_table, on_close=self._outboxes.discard)
        self._outboxes.add(made)
        return made

    @property
    def policies(self) -> Collection[str]:
        """The names of the built-in bots."""
        return self._world.bots.policies

    @property
    def metrics(self) -> Metrics:
        """Where commands are counted."""
        return self._world.metrics

    def now_ms(self) -> int:
        """The time in milliseconds."""
        return int(self._world.clock.now() * 1000)

    def silence(self, account: str, hidden: frozenset[str]) -> None:
        """An account does not want to hear some senders on its streams from now on."""
        for actor in self._actors.values():
            actor.followers.silence(account, hidden)

    def cut_off(self) -> None:
        """Share links have ended: let those go who watch by them."""
        for actor in self._actors.values():
            actor.followers.cut_off()

    async def hint(self, view: gr.SeatView) -> Choice:
        """Have a built-in bot answer a question. Raises Refused when too many are being answered, or the bot fails."""
        if self._hinting >= hinting.MOST_AT_ONCE:
            raise refusals.hints_busy()
        self._hinting += 1
        try:
            world = self._world
            return await world.bots.choose(hinting.POLICY, view, world.entropy.token_bytes(16))
        except BotFailed:
            raise refusals.hints_busy() from None
        finally:
            self._hinting -= 1

    # ── finding tables ──

    @property
    def directory(self) -> Directory:
        """All tables as they are now; for operators."""
        return self._directory

    def listed(self, name: str) -> lobby_pb2.Table | None:
        """Return a table's lobby facts, None if it is not listed; shared, so not to be changed."""
        return self._directory.get(name)

    def shown(self, name: str, account: str = "") -> lobby_pb2.Table | None:
        """Return what an account may know of a table's lobby facts (empty: one that does not sit there)."""
        return self._directory.shown(name, account)

    def list(
        self,
        *,
        page_size: int = 0,
        page_token: str = "",
        state: lobby_pb2.TableState.ValueType = lobby_pb2.TABLE_STATE_UNSPECIFIED,
        with_free_seat: bool = False,
        matches: Callable[[lobby_pb2.Table], bool] | None = None,
    ) -> tuple[builtins.list[lobby_pb2.Table], str]:
        """Return a page of tables, newest first, and the token of the next page. Raises Refused."""
        return self._directory.page(page_size, page_token, state, with_free_seat=with_free_seat, matches=matches)

    def newest(
        self, matches: Callable[[lobby_pb2.Table], bool], most: int, after: tuple[int, str] | None = None
    ) -> tuple[builtins.list[lobby_pb2.Table], bool]:
        """Return the newest tables that match, newest first, and whether there are more: see `Directory.newest`."""
        return self._directory.newest(matches, most, after)

    def listen(self, listener: Callable[[str], None]) -> None:
        """Have a listener told the name of each table whose lobby facts change, until :meth:`unlisten`."""
        self._directory.listen(listener)

    def unlisten(self, listener: Callable[[str], None]) -> None:
        """Have it told no more."""
        self._directory.unlisten(listener)

    async def open(self, name: str) -> TableHandle:
        """Return a table. Raises TableNotFound, or Refused while its journal cannot be read."""
        if not _NAME(name):
            raise refusals.TableNotFound
        if self._directory.get(name) is None:
            await asyncio.shield(self.actor(name).ready)
        return TableHandle(self, name)

    # ── making tables ──

    def find(self, code: str) -> str:
        """Return the name of the table that a join code opens, empty for none."""
        return self._directory.find(code)

    def new_code(self) -> str:
        """Draw a join code that opens no table yet."""
        return draw_code(self._world.entropy, lambda code: bool(self._directory.find(code)))

    async def create(self, caller: Caller, spec: TableSpec, request_id: str) -> lobby_pb2.Table:
        """Make a table. Raises Refused."""
        return (await self.create_with_code(caller, spec, request_id))[0]

    async def create_with_code(self, caller: Caller, spec: TableSpec, request_id: str) -> tuple[lobby_pb2.Table, str]:
        """Make a table; return it and its join code, empty for one that is not private. Raises Refused."""
        self._check_open()
        world = self._world
        now_ms = int(world.clock.now() * 1000)
        epoch = int.from_bytes(world.entropy.token_bytes(6), "big") + 1
        code = self.new_code() if spec.private else ""
        created = deciding.decide_create(caller, spec, request_id, now_ms, epoch, code)
        name = await self._name_for(caller, request_id)
        made = await self._make_new(name, caller, created)
        return (made, code) if made is not None else await self._made_before(name, created)

    async def _name_for(self, caller: Caller, request_id: str) -> str:
        """Name the table of a request, as it was named before there was a key if it was made then."""
        name = table_name(caller.account, request_id, self._name_key)
        if not self._name_key or self._is_known(name):
            return name
        old = keyless_name(caller.account, request_id)
        if not self._directory.get(old):
            try:
                await asyncio.shield(self.actor(old).ready)
            except refusals.TableNotFound:
                return name
        return old

    def _is_known(self, name: str) -> bool:
        return self._directory.get(name) is not None or name in self._actors

    async def _make_new(self, name: str, caller: Caller, created: inputs.Created) -> lobby_pb2.Table | None:
        """Make a table where there is none of that name; return None if it is there already. Raises Refused."""
        if self._is_known(name) or await self._full(name, caller):
            return None
        self._making.append(caller.account)
        try:
            return await self._make(name, created)
        finally:
            self._making.remove(caller.account)

    async def _full(self, name: str, caller: Caller) -> bool:
        """Whether there is no room for a new table and this one is none: made long ago, it stands in no list any more.

        Raises Refused where it is new.
        """
        try:
            self._check_room(caller)
        except refusals.Refused as full:
            try:
                await asyncio.shield(self.actor(name).ready)
            except refusals.TableNotFound:
                raise full from None
            return True
        return False

    async def rematch(
        self,
        caller: Caller,
        name: str,
        request_id: str,
        *,
        shunned: Collection[str] = (),
        admit: Callable[[TableHandle], Awaitable[None]] | None = None,
    ) -> tuple[lobby_pb2.Table, int]:
        """Play a table's match again, at another table that the first who asks makes; return it and the caller's seat.

        A table that is made keeps no seats for accounts in `shunned`. `admit` raises for whom a table is not to seat.
        Raises Refused.
        """
        self._check_open()
        deciding.check_request_id(request_id)
        now_ms = int(self._world.clock.now() * 1000)
        epoch = int.from_bytes(self._world.entropy.token_bytes(6), "big") + 1
        code = self.new_code()
        seconds = self.limits.reserved_seconds

        def read(story: Story) -> inputs.Created:
            making.check_rematch(story.state, caller.account)
            return making.rematch_of(story.state, caller, code, now_ms, epoch, seconds, shunned)

        future: asyncio.Future[inputs.Created] = asyncio.get_running_loop().create_future()
        self.actor(name).post(Look(read, future))
        created = await future
        for turn in range(MOST_REMATCHES):
            again = TableHandle(self, making.rematch_name(name, turn, self._name_key))
            found = await self._make_new(again.name, caller, created) or await again.info()
            if found.state not in _OVER:
                break
            answered = await again.joined(caller, request_id)
            if answered is not None:
                return answered
        else:
            raise refusals.match_over()
        if admit is not None:
            await admit(again)
        return await again.join(caller, None, request_id)

    def rematch_of(self, name: str) -> lobby_pb2.Table | None:
        """Return the lobby facts of the newest rematch of a table, None if there is none."""
        newest = None
        for turn in range(MOST_REMATCHES):
            found = self._directory.get(making.rematch_name(name, turn, self._name_key))
            newest = found or newest  # those that left the lists are passed over
        return newest

    async def make_matched(self, match: str, wanted: making.MatchedTable) -> lobby_pb2.Table:
        """Make a table of the matchmaker's under the id of what it put together, once. Raises Refused."""
        self._check_open()
        name = making.matched_name(match, self._name_key)
        epoch = int.from_bytes(self._world.entropy.token_bytes(6), "big") + 1
        created = making.matched_of(
            wanted, int(self._world.clock.now() * 1000), epoch, self.limits.spectator_delay_seconds
        )
        made = self._directory.get(name) or await self._make(name, created)
        if made is None:
            await asyncio.shield(self.actor(name).ready)
            made = self._directory.get(name)
        if made is None:
            raise refusals.TableNotFound
        return made

    def _check_room(self, caller: Caller) -> None:
        directory, limits = self._directory, self.limits
        if directory.open_of(caller.account) + self._making.count(caller.account) >= limits.open_tables_per_account:
            raise refusals.Refused(
                refusals.RESOURCE_EXHAUSTED,
                "TOO_MANY_TABLES_OF_ACCOUNT",
                f"you have {limits.open_tables_per_account} tables that are not over",
                f"你已有{limits.open_tables_per_account}张未结束的桌子",
            )
        if directory.open_tables + len(self._making) >= limits.open_tables:
            raise refusals.Refused(
                refusals.RESOURCE_EXHAUSTED, "TOO_MANY_TABLES", "the server has too many tables", "服务器上的桌子太多"
            )

    async def _make(self, name: str, created: inputs.Created) -> lobby_pb2.Table | None:
        """Write the first entry; return None if the table is there already."""
        story = Story(name, self.limits)
        turn = Turn(0, created.time)
        turn.make(story, created)
        info = story.state.info()
        try:
            await self._world.journal.append(name, 0, turn.entries, story.state.summary())
        except Fenced:
            return None
        except JournalFailed:
            raise refusals.unavailable() from None
        self._log.info("table_created", table=name, rule_set=created.rules, deals=created.deals)
        self._directory.note(info, created.code)
        if name not in self._actors and not self._closing:
            self._add(Actor(name, self._world, story))
        return info

    async def _made_before(self, name: str, created: inputs.Created) -> tuple[lobby_pb2.Table, str]:
        """The request id was used: the same body gets the table that it made."""
        body = created_body(created)

        def read(story: Story) -> Answer:
            made = story.state.made
            if made.body != body:
                raise refusals.used_id()
            return made

        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.actor(name).post(Look(read, future))
        made = await future
        return lobby_pb2.Table.FromString(made.table), made.code

    # ── waking and sleeping ──

    def _check_open(self) -> None:
        if self._closing:
            raise refusals.stopping()

    def actor_awake(self, name: str) -> Actor | None:
        """Return a table's actor, None if it sleeps."""
        return self._actors.get(name)

    def actor(self, name: str) -> Actor:
        """Return a table's actor, made if it sleeps. Raises Refused when the server stops."""
        actor = self._actors.get(name)
        if actor is None:
            self._check_open()
            actor = self._add(Actor(name, self._world))
        return actor

    def _add(self, actor: Actor) -> Actor:
        self._actors[actor.name] = actor
        actor.task.add_done_callback(lambda task: self._ended(actor, task))
        return actor

    def _ended(self, actor: Actor, task: asyncio.Task[None]) -> None:
        if self._actors.get(actor.name) is actor:
            del self._actors[actor.name]
        if not task.cancelled():
            task.exception()  # the actor has logged it

    def _sweep_later(self) -> None:
        if not self._closing:
            clock = self._world.clock
            self._sweeper = clock.call_at(clock.now() + self.limits.idle_seconds, self._sweep)

    def _sweep(self) -> None:
        """Put idle tables to sleep; close those that have waited for players for too long."""
        now = self._world.clock.now()
        for actor in list(self._actors.values()):
            if actor.idle and now - actor.last_touch >= self.limits.idle_seconds:
                del self._actors[actor.name]  # whoever comes from now on wakes another
                actor.retire()
        self._close_abandoned(now)
        self._close_deserted(now)
        if self.limits.seat_lease_seconds:
            for info in self._directory.waiting():
                if info.name not in self._actors and any(player.account for player in info.players):
                    self.actor(info.name)  # who sits there has to mind the seat
        self._sweep_later()

    def _close_deserted(self, now: float) -> None:
        """End the matches that have stood still for too long."""
        patience = self.limits.dissolve_seconds
        for info in self._directory.playing():
            if info.HasField("suspend_time") and now - info.suspend_time.ToMilliseconds() / 1000 >= patience:
                self.actor(info.name).post(Desert(patience))

    def _close_abandoned(self, now: float) -> None:
        """Look at the tables that were made long ago and still wait: each once in a while, since that may wake it."""
        patience = self.limits.waiting_seconds
        before, self._looked_at = self._looked_at, {}
        for info in self._directory.waiting():
            if info.create_time.ToMilliseconds() / 1000 > now - patience:
                break
            last = before.get(info.name, 0.0)
            if now - last >= patience / _LOOKS:
                self.actor(info.name).post(Abandon(patience))
                last = now
            self._looked_at[info.name] = last

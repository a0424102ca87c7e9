"""One table at work: one task, one bounded mailbox, and nobody else touches the table's state.

A turn takes all messages that wait, applies what they ask for, makes it durable with one append, and only then answers
and publishes. If the append is refused or fails, the state is thrown away and read again from the journal: what was
not made durable was never told.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import TYPE_CHECKING

import structlog

from gouji_server.journal import Fenced, JournalDamaged, JournalFailed
from gouji_server.tables import inputs, refusals
from gouji_server.tables.absence import Absence
from gouji_server.tables.deal_starts import start_deal
from gouji_server.tables.following import Followers
from gouji_server.tables.house_seats import HouseSeats
from gouji_server.tables.messages import Turn
from gouji_server.tables.seat_leases import SeatLeases
from gouji_server.tables.story import Diverged, Story, recover
from gouji_server.tables.subscriptions import Subscription, Subscriptions
from gouji_server.tables.table import FROZEN
from gouji_server.tables.table_clock import TableClock
from gouji_server.tables.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_server.journal import Entry
    from gouji_server.tables.messages import Message


class Actor:
    """See the module. ``story`` is given for a table just made; else it is read from the journal."""

    def __init__(self, name: str, world: World, story: Story | None = None) -> None:
        self.name = name
        self.world = world
        self.missing = False
        self.last_touch = world.clock.now()
        self.log = structlog.get_logger(__name__).bind(table=name)
        self._story = story
        self._mailbox: list[Message] = []
        self._nudged = True  # so that the first turn sees to deals, clock and bots
        self._freezing = False
        self._stopping = False
        self._unreadable = False
        self._busy = True
        self._waiter: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = self._loop.create_future()
        self.followers = Followers(self)
        if story is not None:
            self.followers.begin(story)
        self._clock = TableClock(self)
        self._house = HouseSeats(self)
        self._leases = SeatLeases(self)
        self._absence = Absence(self)
        # A context of its own: the task must not log under the account and method of whoever happened to wake it.
        self.task = self._loop.create_task(self._run(), name=name, context=Context())

    # ── the mailbox ──

    def post(self, message: Message) -> None:
        """Put a message into the mailbox; one for which there is no room is refused at once."""
        if self._stopping or self.task.done():
            message.tell(refusals.TableNotFound() if self.missing else refusals.stopping())
        elif self._unreadable:
            message.tell(refusals.unavailable())
        elif len(self._mailbox) >= self.world.limits.mailbox:
            message.tell(refusals.busy())
        else:
            self._mailbox.append(message)
            self.wake()

    def post_inner(self, message: Message) -> None:
        """Put a message of the table's own into the mailbox, full or not: there are few."""
        if not self._stopping:
            self._mailbox.append(message)
            self.wake()

    def nudge(self) -> None:
        """Have a turn made, even without a message."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """Have the task look at what there is to do."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    @property
    def idle(self) -> bool:
        """Whether nothing is waited for: the table may be dropped from memory."""
        return (
            not self._busy
            and not self._nudged
            and not self._mailbox
            and not self.followers.waiting
            and not self._clock.running
            and not self._leases.running
            and not self._house.thinking
            and not self._absence.running
            and self._story is not None
            and not self._story.state.wants_deal
        )

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return len(self._mailbox)

    def retire(self) -> None:
        """Finish the turn, refuse what waits, and end."""
        self._stopping = True
        self.wake()

    async def stop(self) -> None:
        """Do so, and return when it is done."""
        self.retire()
        await asyncio.wait([self.task])

    # ── the task ──

    async def _run(self) -> None:
        batch: list[Message] = []
        try:
            if self._story is None and not await self._read():
                return
            self._tell_ready(None)
            while not self._stopping:
                if not (self._mailbox or self._nudged or self.followers.lagging):
                    await self._sleep()
                    continue
                self._nudged = False
                batch, self._mailbox = self._mailbox, []
                await self._make_turn(batch)
                batch = []
        except BaseException as error:
            if not isinstance(error, asyncio.CancelledError):
                self.log.exception("actor_died")
                self.world.metrics.fault()
            raise
        finally:
            self._end(batch)

    async def _sleep(self) -> None:
        self._waiter = self._loop.create_future()
        self._busy = False
        try:
            await self._waiter
        finally:
            self._waiter = None
            self._busy = True

    def _end(self, batch: list[Message]) -> None:
        self._clock.stop()
        self._leases.stop()
        self._house.stop()
        self._absence.stop()
        refused = refusals.TableNotFound() if self.missing else refusals.stopping()
        self._tell_ready(refused)
        for message in [*batch, *self._mailbox]:
            message.tell(refused)
        self._mailbox.clear()
        self.followers.end(refused)
        # Actor and parts hold each other, and the cyclic collector looks seldom: the large part goes now.
        self._story = None

    def _tell_ready(self, refused: refusals.Refused | None) -> None:
        if refused is None and self.ready.done() and self.ready.exception() is not None:
            self.ready = self._loop.create_future()  # it could not be read for a time
        if self.ready.done():
            return
        if refused is None:
            self.ready.set_result(None)
        else:
            self.ready.set_exception(refused)
            self.ready.exception()  # whoever waits has it; nobody need wait

    # ── a turn ──

    async def _make_turn(self, batch: list[Message]) -> None:
        story = self._story
        if story is None:
            return
        now = self.world.clock.now()
        if batch:
            self.last_touch = now
        turn = Turn(story.seq, int(now * 1000))
        if not self._take_all(batch, story, turn):
            await self._start_over(batch)
            return
        if turn.entries:
            summary = story.state.summary() if turn.info_changed else None
            try:
                await self.world.journal.append(self.name, turn.before, turn.entries, summary)
            except (Fenced, JournalFailed) as error:
                self.log.warning("append_failed", seq=turn.before, error=type(error).__name__)
                await self._start_over(batch)
                return
            self._publish(story, turn)
        for message, outcome in turn.outcomes:
            message.tell(outcome)
        self._serve_looks(story, turn)
        self.followers.serve_lagging(story)
        self._clock.set(story)
        self._leases.set(story)
        if turn.entries:
            self._house.ask(story)

    def _take_all(self, batch: list[Message], story: Story, turn: Turn) -> bool:
        """Apply a batch. Return False after a fault of the server: the state can be trusted no more."""
        at = 0
        try:
            if self._freezing:
                turn.make(story, inputs.Frozen(turn.now_ms))
            self._clock.compensate(story, turn)
            for message in batch:
                self._take(message, story, turn)
                at += 1
            if self._clock.lapse(story, turn):
                self._absence.changed()
            self._absence.look(story, turn)
            self._leases.lapse(story, turn)
            if start_deal(self.world, self._clock, story, turn):
                self._absence.changed()
                self.nudge()
        except Exception:
            if self._freezing:
                raise
            incident = refusals.new_incident()
            self.log.exception("table_fault", seq=story.seq, incident=incident)
            self.world.metrics.fault()
            if at < len(batch):
                batch.pop(at).tell(refusals.fault(incident))
            self._freezing = True
            return False
        self._freezing = False
        return True

    def _take(self, message: Message, story: Story, turn: Turn) -> None:
        """Take a message. One that cannot even be judged has changed nothing: it alone fails, and not the table."""
        try:
            message.take(story, turn)
        except Exception:
            if turn.making:
                raise
            incident = refusals.new_incident()
            self.log.exception("command_fault", seq=story.seq, incident=incident)
            self.world.metrics.fault()
            message.tell(refusals.fault(incident))

    def _publish(self, story: Story, turn: Turn) -> None:
        """Everything of the turn is durable: send it to who follows."""
        self.followers.publish(story, turn.steps, info_changed=turn.info_changed)
        if turn.info_changed:
            self._note_end(story)

    def _note_end(self, story: Story) -> None:
        state = story.state
        if state.state == FROZEN:
            self.log.error("table_frozen", seq=story.seq, version=state.n)
            self.world.metrics.frozen()
        elif state.closed:
            self.log.info("table_closed", version=state.n)

    def _serve_looks(self, story: Story, turn: Turn) -> None:
        for look in turn.looks:
            try:
                look.look(story)
            except Exception:
                incident = refusals.new_incident()
                self.log.exception("look_fault", incident=incident)
                self.world.metrics.fault()
                look.tell(refusals.fault(incident))

    # ── following ──

    @property
    def subscriptions(self) -> Subscriptions:
        """Who follows."""
        return self.followers.subscriptions

    def seat_followed(self) -> None:
        """One who sits here follows."""
        self._absence.changed()
        self.nudge()

    def unfollowed(self, subscription: Subscription) -> None:
        """A follower is gone."""
        self.last_touch = self.world.clock.now()
        self._leases.note(subscription.account)
        if subscription.seat >= 0:
            self.seat_followed()

    def heard(self, account: str, *, of_hand: bool = False) -> None:
        """Note that an account called about the table, or about what it could answer."""
        self._leases.note(account)
        if self._story is not None:
            self._absence.heard(self._story.state, account, of_hand=of_hand)

    # ── starting over ──

    async def _start_over(self, batch: list[Message]) -> None:
        """Throw the state away, refuse what was asked, and read the journal again."""
        self._story = None
        self._clock.stop()
        self._leases.stop()
        self._house.stop()
        self._absence.stop()
        self._absence.changed()
        for message in batch:
            message.tell(refusals.unavailable())
        if not await self._read():
            self._stopping = True
            return
        self._nudged = True

    async def _read(self) -> bool:
        """Read the table from its journal; return False if there is none, or the server stops."""
        while not self._stopping:
            entries: Sequence[Entry]
            damage: JournalDamaged | None = None
            try:
                entries = await self.world.journal.read(self.name)
            except JournalFailed as error:
                if not self._unreadable:
                    self.log.error("journal_unreadable", error=str(error))  # noqa: TRY400 - the text says it all
                await self._pause()
                continue
            except JournalDamaged as error:
                entries, damage = error.entries, error
            if not entries and damage is None:
                self.missing = True
                return False
            try:
                now_ms = int(self.world.clock.now() * 1000)
                story, diverged = await recover(self.name, entries, self.world.limits, now_ms, whole=damage is None)
            except Diverged:
                if not self._unreadable:
                    self.log.exception("table_unreadable")
                    self.world.metrics.frozen()
                await self._pause()
                continue
            self._unreadable = False
            if damage is not None:
                self.log.error("journal_damaged", seq=story.seq, error=str(damage))
            elif diverged is not None:
                cause = diverged.__cause__  # by its name alone: its text may hold what an entry says
                why = "digest" if cause is None else type(cause).__name__
                self.log.error("journal_diverges", seq=diverged.seq, kind=diverged.kind, error=why)
            if damage is not None or diverged is not None:
                self.world.metrics.frozen()
            self._story = story
            self._tell_ready(None)
            self._clock.woke()
            self.followers.catch_up(story)
            self._clock.set(story)
            self._leases.set(story)
            self._house.ask(story)
            return True
        return False

    async def _pause(self) -> None:
        """Wait before the journal is read again; meanwhile whoever asks is told to try later."""
        self._unreadable = True
        refused = refusals.unavailable()
        self._tell_ready(refused)
        for message in self._mailbox:
            message.tell(refused)
        self._mailbox.clear()
        self._waiter = self._loop.create_future()
        clock = self.world.clock
        timer = clock.call_at(clock.now() + self.world.limits.retry_seconds, self.wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

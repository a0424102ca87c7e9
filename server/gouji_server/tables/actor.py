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

from gouji.table.v1 import table_pb2
from gouji_server.journal import Fenced, JournalFailed
from gouji_server.tables import inputs, refusals
from gouji_server.tables.absence import Absence
from gouji_server.tables.deal_starts import start_deal
from gouji_server.tables.house_seats import HouseSeats
from gouji_server.tables.messages import Turn
from gouji_server.tables.seat_leases import SeatLeases
from gouji_server.tables.steps import UPDATES_TAG, Step, chunk
from gouji_server.tables.story import Diverged, Story, recover
from gouji_server.tables.subscriptions import Subscription, Subscriptions
from gouji_server.tables.table import FROZEN
from gouji_server.tables.table_clock import TableClock
from gouji_server.tables.world import World

if TYPE_CHECKING:
    from gouji_server.tables.lobby_state import Audience
    from gouji_server.tables.messages import Message
    from gouji_server.tables.outbox import Outbox

REASON_UNKNOWN = table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
REASON_SLOW = table_pb2.SNAPSHOT_REASON_SLOW_READER
REASON_FIRST = table_pb2.SNAPSHOT_REASON_FIRST


class Actor:
    """See the module. ``story`` is given for a table just made; else it is read from the journal."""

    def __init__(self, name: str, world: World, story: Story | None = None) -> None:
        self.name = name
        self.world = world
        self.missing = False
        self.last_touch = world.clock.now()
        self.subscriptions = Subscriptions(world.limits)
        self.log = structlog.get_logger(__name__).bind(table=name)
        self._story = story
        self._mailbox: list[Message] = []
        self._lagging: dict[Subscription, None] = {}
        self._published = 0 if story is None else story.seq
        self._epoch = 0 if story is None else story.state.epoch
        self._nudged = True  # so that the first turn sees to deals, clock and bots
        self._freezing = False
        self._stopping = False
        self._unreadable = False
        self._busy = True
        self._waiter: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = self._loop.create_future()
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
            and not self._lagging
            and not len(self.subscriptions)
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
                if not (self._mailbox or self._nudged or self._lagging):
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
        for subscription in self.subscriptions:
            subscription.outbox.finish(refused)

    def _tell_ready(self, refused: refusals.Refused | None) -> None:
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
        self._serve_lagging(story)
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
        if turn.info_changed:
            self._refresh(story)
        for step in turn.steps:
            self._send(step)
        self._published = story.seq
        if turn.info_changed:
            self.world.note(story.state.info(), story.state.code)
            self._close(story)

    def _send(self, step: Step) -> None:
        """Send a step to who follows, and let those go who may not see the next one."""
        self.subscriptions.publish(step)
        self._dismiss(step.audience)

    def _dismiss(self, audience: Audience | None) -> None:
        """Let those go who may not follow any more."""
        if audience is not None:
            for subscription in self.subscriptions:
                if not audience.admits(subscription.account, invited=subscription.invited):
                    self._drop(subscription)

    def _refresh(self, story: Story) -> None:
        """Seats changed: give each follower the eyes of its seat."""
        for subscription in self.subscriptions:
            subscription.seat = story.state.seats.seat_of(subscription.account)

    def _close(self, story: Story) -> None:
        """Let all go when the table is closed."""
        state = story.state
        if state.state == FROZEN:
            self.log.error("table_frozen", seq=story.seq, version=state.n)
            self.world.metrics.frozen()
        elif state.closed:
            self.log.info("table_closed", version=state.n)
        else:
            return
        for subscription in self.subscriptions:
            self._see_out(subscription)

    def _see_out(self, subscription: Subscription) -> None:
        """The table is closed: let a follower go once it has the end of the story."""
        if not subscription.lagging:
            self._drop(subscription)

    def _drop(self, subscription: Subscription) -> None:
        self.subscriptions.remove(subscription)
        self._lagging.pop(subscription, None)
        subscription.outbox.unfollow(subscription)

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

    def follow(self, story: Story, subscription: Subscription, after: table_pb2.Place | None) -> int:
        """Begin to follow: put the tail, or a snapshot, into the outbox; return the table's n. Raises Refused."""
        state = story.state
        if subscription.outbox.ended:
            raise refusals.stopping()
        subscription.seat = seat = state.seats.seat_of(subscription.account)
        if seat < 0 and not state.spectators:
            raise refusals.no_spectators()
        outbox = subscription.outbox
        before = outbox.follower(self.name)
        if isinstance(before, Subscription):
            self.subscriptions.remove(before)
        try:
            self.subscriptions.admit(subscription.account, seat)
        except refusals.Refused:
            if isinstance(before, Subscription):
                self.subscriptions.add(before)
            raise
        outbox.follow(subscription)
        opening = self._opening(story, seat, after)
        if opening:
            outbox.put(subscription, opening)
        self.subscriptions.add(subscription)
        if state.closed:
            self._see_out(subscription)
        elif seat >= 0:
            self._absence.changed()
            self.nudge()
        return state.n

    def _opening(self, story: Story, seat: int, after: table_pb2.Place | None) -> bytes:
        """Return the chunks with which a reader begins, joined: an outbox takes them whole or not at all."""
        if after is None:
            return chunk(UPDATES_TAG, story.snapshot(seat, REASON_FIRST))
        tail = story.ring.tail(seat, after.n, after.p) if after.epoch == story.state.epoch else REASON_UNKNOWN
        if isinstance(tail, list):
            return b"".join(tail)
        self._count_resync(tail)
        return chunk(UPDATES_TAG, story.snapshot(seat, tail))

    def lag(self, subscription: Subscription) -> None:
        """A slow reader is ready again: it gets a snapshot in the next turn."""
        self._lagging[subscription] = None
        self.wake()

    def unfollow(self, subscription: Subscription) -> None:
        """End a subscription, from the stream's side."""
        self.subscriptions.remove(subscription)
        self._lagging.pop(subscription, None)
        self.last_touch = self.world.clock.now()
        self._leases.note(subscription.account)
        if subscription.seat >= 0:
            self._absence.changed()
            self.nudge()

    def heard(self, account: str, *, of_hand: bool = False) -> None:
        """Note that an account called about the table, or about what it could answer."""
        self._leases.note(account)
        if self._story is not None:
            self._absence.heard(self._story.state, account, of_hand=of_hand)

    def _serve_lagging(self, story: Story) -> None:
        lagging, self._lagging = self._lagging, {}
        for subscription in lagging:
            self._resync(story, subscription, REASON_SLOW)

    def _resync(self, story: Story, subscription: Subscription, reason: table_pb2.SnapshotReason.ValueType) -> None:
        self._count_resync(reason)
        subscription.lagging = False
        subscription.outbox.put(subscription, chunk(UPDATES_TAG, story.snapshot(subscription.seat, reason)))
        if story.state.closed:
            self._see_out(subscription)

    def _count_resync(self, reason: table_pb2.SnapshotReason.ValueType) -> None:
        name = table_pb2.SnapshotReason.Name(reason).removeprefix("SNAPSHOT_REASON_")
        self.world.metrics.resync(name)

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
            try:
                entries = await self.world.journal.read(self.name)
            except JournalFailed as error:
                if not self._unreadable:
                    self.log.error("journal_unreadable", error=str(error))  # noqa: TRY400 - the text says it all
                await self._pause()
                continue
            if not entries:
                self.missing = True
                return False
            try:
                story, diverged = await recover(self.name, entries, self.world.limits)
            except Diverged:
                if not self._unreadable:
                    self.log.exception("table_unreadable")
                    self.world.metrics.frozen()
                await self._pause()
                continue
            self._unreadable = False
            if diverged is not None:
                cause = diverged.__cause__  # by its name alone: its text may hold what an entry says
                why = "digest" if cause is None else type(cause).__name__
                self.log.error("journal_diverges", seq=diverged.seq, kind=diverged.kind, error=why)
                self.world.metrics.frozen()
            self.world.note(story.state.info(), story.state.code)
            self._story = story
            self._clock.woke()
            self._catch_up(story)
            self._clock.set(story)
            self._leases.set(story)
            self._house.ask(story)
            return True
        return False

    async def _pause(self) -> None:
        """Wait before the journal is read again; meanwhile whoever asks is told to try later."""
        self._unreadable = True
        refused = refusals.unavailable()
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

    def _catch_up(self, story: Story) -> None:
        """Send followers what became durable without their being told."""
        state = story.state
        steps = [step for step in story.ring.steps if step.seq > self._published]
        contiguous = not steps or steps[0].seq == self._published + 1
        self._refresh(story)
        if state.epoch == self._epoch and contiguous and story.seq >= self._published:
            for step in steps:
                self._send(step)
        else:
            self._dismiss(state.audience)
            for subscription in self.subscriptions:
                self._resync(story, subscription, REASON_UNKNOWN)
        self._epoch = state.epoch
        self._published = story.seq
        if state.closed:
            for subscription in self.subscriptions:
                self._see_out(subscription)


def follower(actor: Actor, account: str, outbox: Outbox) -> Subscription:
    """Make a subscription, not yet in effect, of `outbox` to a table."""
    return Subscription(actor.name, account, outbox, actor.lag, actor.unfollow)

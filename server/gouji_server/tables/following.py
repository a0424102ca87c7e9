"""Who follows one table, and what each is sent: seats at once, people without a seat when they may know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from gouji.table.v1 import table_pb2
from gouji_server.tables import refusals
from gouji_server.tables.chat import TABLE, TEAM, Chat, Said, joined, may_hear
from gouji_server.tables.spectating import Spectating
from gouji_server.tables.steps import SPECTATOR, UPDATES_TAG, chunk
from gouji_server.tables.subscriptions import Subscription, Subscriptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1 import chat_pb2
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.lobby_state import Audience
    from gouji_server.tables.outbox import Outbox
    from gouji_server.tables.steps import Step
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState

    Reason: TypeAlias = table_pb2.SnapshotReason.ValueType

REASON_UNKNOWN = table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
REASON_SLOW = table_pb2.SNAPSHOT_REASON_SLOW_READER
REASON_FIRST = table_pb2.SNAPSHOT_REASON_FIRST


class Followers:
    """The followers of an actor's table. ``spectating``: what those without a seat know, None where they know all."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._world = actor.world
        self._lagging: dict[Subscription, None] = {}
        self._published = 0
        self._epoch = 0
        self._noted: tuple[lobby_pb2.Table, str] | None = None
        self._shown = 0
        self.subscriptions = Subscriptions(actor.world.limits)
        self.chat = Chat(actor.name, actor.world.limits)
        self.spectating: Spectating | None = None

    @property
    def lagging(self) -> bool:
        """Whether a slow reader is ready for its snapshot."""
        return bool(self._lagging)

    @property
    def waiting(self) -> bool:
        """Whether there are any, or something is still to be told to those without a seat."""
        later = self.spectating is not None and self.spectating.waiting
        return later or bool(self._lagging) or bool(len(self.subscriptions))

    # ── the table's story ──

    def begin(self, story: Story) -> None:
        """Take a table that was just made."""
        self._published = story.seq
        self._epoch = story.state.epoch
        if story.state.spectator_delay_ms:
            self._spectate(story.snapshot(SPECTATOR, REASON_FIRST))

    def publish(self, story: Story, steps: Sequence[Step], *, info_changed: bool) -> None:
        """Send steps that are durable to who follows."""
        if info_changed:
            self._refresh(story)
        self._send(story, steps)
        self._published = story.seq
        if info_changed:
            self._note(story)
            if story.state.closed:
                self._see_all_out()

    def catch_up(self, story: Story) -> None:
        """The journal was read: send followers what became durable without their being told."""
        state = story.state
        steps = [step for step in story.ring.steps if step.seq > self._published]
        contiguous = not steps or steps[0].seq == self._published + 1
        goes_on = state.epoch == self._epoch and contiguous and story.seq >= self._published
        self._refresh(story)
        if self.spectating is None:
            self._take_shown(story)
        elif not goes_on:
            self._jump(self.spectating, story)
        if goes_on:
            self._send(story, steps)
        else:
            self._dismiss(state.audience)
            for subscription in self.subscriptions:
                if not self._told_later(subscription):
                    self._resync(story, subscription, REASON_UNKNOWN)
        self._epoch = state.epoch
        self._published = story.seq
        self._note(story)
        if state.closed:
            self._see_all_out()

    def end(self, refused: refusals.Refused) -> None:
        """The table lets go of all who follow it."""
        if self.spectating is not None:
            self.spectating.stop()
        for subscription in self.subscriptions:
            subscription.outbox.finish(refused)

    def _take_shown(self, story: Story) -> None:
        """Begin with what a table may show now to those without a seat, and with what waits."""
        if story.shown is None:
            return
        snapshot, late = story.shown
        story.shown = None
        spectating = self._spectate(snapshot)
        for step in late:
            spectating.add(step)
        spectating.settle(lambda: story.snapshot(SPECTATOR, REASON_SLOW))
        if spectating.epoch != story.state.epoch:  # frozen where the journal cannot be followed
            self._jump(spectating, story)

    def _jump(self, spectating: Spectating, story: Story) -> None:
        delay = story.state.spectator_delay_ms if story.state.match is not None else 0
        spectating.jump(story.state.time + delay, story.snapshot(SPECTATOR, REASON_UNKNOWN))

    def _spectate(self, snapshot: bytes) -> Spectating:
        spectating = Spectating(snapshot, self._world.clock, self._world.limits, self._tell_spectators)
        self.spectating = spectating
        return spectating

    def _send(self, story: Story, steps: Sequence[Step]) -> None:
        """Send steps to who follows, and let those go who may not see the next one."""
        for step in steps:
            spectating = self.spectating
            if spectating is None:
                self.subscriptions.publish(step)
                if step.base:
                    self._spectate(step.base)
            else:
                self.subscriptions.publish(step, to_spectators=False)
                spectating.add(step)
            self._dismiss(step.audience)
        if self.spectating is not None:
            self.spectating.settle(lambda: story.snapshot(SPECTATOR, REASON_SLOW))

    def say(self, state: TableState, caller: Caller, said: chat_pb2.SendChatRequest) -> chat_pb2.ChatMessage:
        """Have all who may hear it hear what somebody says, who may look at the table; return it. Raises Refused."""
        closed = state.closed if self.spectating is None else self.spectating.closed
        made, new = self.chat.say(state, caller, said, self._now_ms(), told_closed=closed)
        if new:
            for subscription in self.subscriptions:
                if subscription.seat >= 0 and may_hear(state, subscription.seat, *made.ring):
                    self._put_said(subscription, made)
            if made.message.scope != TEAM:
                self._let_spectators_hear(made)
        return made.message

    def _let_spectators_hear(self, said: Said) -> None:
        if self.spectating is not None and said.message.scope == TABLE:
            self.spectating.hear(said)
            return
        for subscription in self.subscriptions:
            if subscription.seat < 0:
                self._put_said(subscription, said)

    def _put_said(self, subscription: Subscription, said: Said) -> None:
        if said.message.sender not in subscription.hidden:
            subscription.outbox.put(subscription, said.chunk)

    def _put_chat(self, story: Story, subscription: Subscription) -> None:
        """Send the last of what was said to one who begins, or begins anew."""
        heard = joined(self.chat.heard_by(story.state, subscription.account, self._now_ms()), subscription.hidden)
        if heard:
            subscription.outbox.put(subscription, heard)

    def _now_ms(self) -> int:
        return int(self._world.clock.now() * 1000)

    def silence(self, account: str, hidden: frozenset[str]) -> None:
        """An account does not want to hear some senders from now on."""
        for subscription in self.subscriptions:
            if subscription.account == account:
                subscription.hidden = hidden

    def _tell_spectators(self, said: bytes | Said | None) -> None:
        """Send a step, or something said, to those without a seat; None: a snapshot."""
        spectating = self.spectating
        if spectating is None:
            return
        if isinstance(said, Said):
            for subscription in self.subscriptions:
                if subscription.seat < 0:
                    self._put_said(subscription, said)
            return
        for subscription in self.subscriptions:
            if subscription.seat < 0 and said is not None:
                subscription.outbox.put(subscription, said)
            elif subscription.seat < 0:
                self._put_snapshot(subscription, REASON_UNKNOWN, spectating.snapshot(REASON_UNKNOWN))
        if spectating.changes != self._shown:
            self._tell_world()
        if spectating.closed:
            self._see_all_out()

    def _note(self, story: Story) -> None:
        self._noted = (story.state.info(), story.state.code)
        self._tell_world()

    def _tell_world(self) -> None:
        """Have lists tell what the table is like, and to those without a seat what they may know of it."""
        if self._noted is not None:
            shown = None if self.spectating is None else self.spectating.info
            self._shown = 0 if self.spectating is None else self.spectating.changes
            self._world.note(*self._noted, shown)

    def _dismiss(self, audience: Audience | None) -> None:
        """Let those go who may not follow any more."""
        if audience is not None:
            for subscription in self.subscriptions:
                grant = subscription.grant
                invited = subscription.invited and (grant is None or grant.live)
                if not audience.admits(subscription.account, invited=invited):
                    self._drop(subscription)

    def cut_off(self) -> None:
        """Let those go who watched by a share link that is void. A Play stream ends: nothing else would tell it."""
        for subscription in self.subscriptions:
            grant = subscription.grant
            if grant is not None and not grant.live and subscription.seat < 0:
                self._drop(subscription)
                subscription.outbox.finish(refusals.link_ended())

    def _refresh(self, story: Story) -> None:
        """Seats changed: give each follower the eyes of its seat."""
        for subscription in self.subscriptions:
            subscription.seat = story.state.seats.seat_of(subscription.account)

    def _see_all_out(self) -> None:
        """The table is closed: let all go that have the end of the story, or get it with their snapshot."""
        for subscription in self.subscriptions:
            self._see_out(subscription)

    def _see_out(self, subscription: Subscription) -> None:
        ended = not self._told_later(subscription) or (self.spectating is not None and self.spectating.closed)
        if ended and not subscription.lagging:
            self._drop(subscription)

    def _told_later(self, subscription: Subscription) -> bool:
        return subscription.seat < 0 and self.spectating is not None

    def _drop(self, subscription: Subscription) -> None:
        self.subscriptions.remove(subscription)
        self._lagging.pop(subscription, None)
        subscription.outbox.unfollow(subscription)

    # ── a follower ──

    def follow(self, story: Story, subscription: Subscription, after: table_pb2.Place | None) -> int:
        """Begin to follow: put the tail, or a snapshot, into the outbox; return the n it may know. Raises Refused."""
        state = story.state
        if subscription.outbox.ended:
            raise refusals.stopping()
        subscription.seat = seat = state.seats.seat_of(subscription.account)
        if seat < 0 and not state.spectators:
            raise refusals.no_spectators()
        outbox = subscription.outbox
        before = outbox.follower(self._actor.name)
        if isinstance(before, Subscription):
            self.subscriptions.remove(before)
        try:
            self.subscriptions.admit(subscription.account, seat, state.most_spectators)
        except refusals.Refused:
            if isinstance(before, Subscription):
                self.subscriptions.add(before)
            raise
        outbox.follow(subscription)
        opening = self._opening(story, seat, after)
        if opening:
            outbox.put(subscription, opening)
        self._put_chat(story, subscription)
        self.subscriptions.add(subscription)
        if state.closed:
            self._see_out(subscription)
        elif seat >= 0:
            self._actor.seat_followed()
        return self.version(story, seat)

    def version(self, story: Story, seat: int) -> int:
        """Return the number of the last event that a seat, or somebody without one (-1), may know of."""
        return story.state.n if seat >= 0 or self.spectating is None else self.spectating.n

    def snapshot(self, story: Story, seat: int, reason: Reason) -> bytes:
        """Return the TableUpdate of a snapshot for a seat, or for somebody without one (-1)."""
        if seat < 0 and self.spectating is not None:
            return self.spectating.snapshot(reason)
        return story.snapshot(seat, reason)

    def info(self, story: Story, account: str) -> lobby_pb2.Table:
        """Return the lobby facts that an account may know; not to be changed."""
        if self.spectating is not None and story.state.seats.seat_of(account) < 0:
            return self.spectating.info
        return story.state.info()

    def _opening(self, story: Story, seat: int, after: table_pb2.Place | None) -> bytes:
        """Return the chunks with which a reader begins, joined: an outbox takes them whole or not at all."""
        if after is None:
            return chunk(UPDATES_TAG, self.snapshot(story, seat, REASON_FIRST))
        if seat < 0 and self.spectating is not None:
            tail = self.spectating.tail(after)
        else:
            same = after.epoch == story.state.epoch
            tail = story.ring.tail(seat, after.n, after.p) if same else REASON_UNKNOWN
        if isinstance(tail, list):
            return b"".join(tail)
        self._count_resync(tail)
        return chunk(UPDATES_TAG, self.snapshot(story, seat, tail))

    def lag(self, subscription: Subscription) -> None:
        """A slow reader is ready again: it gets a snapshot in the next turn."""
        self._lagging[subscription] = None
        self._actor.wake()

    def unfollow(self, subscription: Subscription) -> None:
        """End a subscription, from the stream's side."""
        self.subscriptions.remove(subscription)
        self._lagging.pop(subscription, None)
        self._actor.unfollowed(subscription)

    def serve_lagging(self, story: Story) -> None:
        """Give the slow readers their snapshots."""
        lagging, self._lagging = self._lagging, {}
        for subscription in lagging:
            self._resync(story, subscription, REASON_SLOW)

    def _resync(self, story: Story, subscription: Subscription, reason: Reason) -> None:
        self._put_snapshot(subscription, reason, self.snapshot(story, subscription.seat, reason))
        self._put_chat(story, subscription)
        if story.state.closed:
            self._see_out(subscription)

    def _put_snapshot(self, subscription: Subscription, reason: Reason, snapshot: bytes) -> None:
        self._count_resync(reason)
        subscription.lagging = False
        self._lagging.pop(subscription, None)
        subscription.outbox.put(subscription, chunk(UPDATES_TAG, snapshot))

    def _count_resync(self, reason: Reason) -> None:
        name = table_pb2.SnapshotReason.Name(reason).removeprefix("SNAPSHOT_REASON_")
        self._world.metrics.resync(name)

    def follower(self, account: str, outbox: Outbox) -> Subscription:
        """Make a subscription of `outbox`, not yet in effect."""
        return Subscription(self._actor.name, account, outbox, self.lag, self.unfollow)

"""Seats that are lost by staying away before the match: reservations that nobody claims, seats that nobody minds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables import inputs
from gouji_server.tables.lobby_state import WAITING

if TYPE_CHECKING:
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.clock import Timer
    from gouji_server.tables.messages import Turn
    from gouji_server.tables.story import Story


_ROUNDING = 0.001
"""Seconds: a timer that fires a hair early must not be set for the same moment again."""


class SeatLeases:
    """Who was last there when, kept in memory alone; when a seat is lost is an input like any other.

    A person minds its seat by following the table on a stream, or by calling anything about it. After a restart
    everybody was there just now.
    """

    __slots__ = ("_actor", "_due", "_seen", "_timer")

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._seen: dict[str, float] = {}
        self._timer: Timer | None = None
        self._due = 0.0

    @property
    def running(self) -> bool:
        """Whether somebody may lose a seat by the clock."""
        return self._timer is not None

    def note(self, account: str) -> None:
        """Somebody is there."""
        if account in self._seen:
            self._seen[account] = self._actor.world.clock.now()

    def lapse(self, story: Story, turn: Turn) -> None:
        """Take the seats that are lost now."""
        state = story.state
        if state.state != WAITING:
            return
        if state.reserved_until and turn.now_ms + 1 >= state.reserved_until:
            turn.make(story, inputs.ReservationsLapsed(turn.now_ms))
        lease = self._actor.world.limits.seat_lease_seconds
        if not lease:
            return
        now = self._actor.world.clock.now() + _ROUNDING
        following = self._following()
        for account in list(state.seats.accounts):
            seen = self._seen.get(account, now)
            if account not in following and now >= seen + lease and state.state == WAITING:
                turn.make(story, inputs.SeatLapsed(turn.now_ms, account))

    def set(self, story: Story) -> None:
        """See to it that the actor looks when the next seat may be lost."""
        state = story.state
        if state.state != WAITING:
            self._seen.clear()
            self.stop()
            return
        now = self._actor.world.clock.now()
        self._seen = {account: self._seen.get(account, now) for account in state.seats.accounts}
        due = state.reserved_until / 1000 if state.reserved_until else 0.0
        lease = self._actor.world.limits.seat_lease_seconds
        if lease:
            following = self._following()
            ends = [seen + lease for account, seen in self._seen.items() if account not in following]
            due = min((*ends, due)) if due and ends else min(ends, default=due)
        if not due:
            self.stop()
        elif self._timer is None or due != self._due:
            self.stop()
            self._due = due
            self._timer = self._actor.world.clock.call_at(due, self._fire)

    def stop(self) -> None:
        """Have nothing happen by the clock."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _following(self) -> frozenset[str]:
        return frozenset(subscription.account for subscription in self._actor.subscriptions)

    def _fire(self) -> None:
        self._timer = None
        self._actor.nudge()

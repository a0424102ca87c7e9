"""Watches who follows a table: tells who is gone, and has a bot play for who is gone long or lets the clock run out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import events_pb2
from gouji_server.tables import inputs
from gouji_server.tables.lobby_state import PLAYING
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.clock import Timer
    from gouji_server.tables.messages import Turn
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState

EXPIRIES = events_pb2.AUTOPILOT_REASON_EXPIRIES
AWAY = events_pb2.AUTOPILOT_REASON_AWAY
RETURNED = events_pb2.AUTOPILOT_REASON_RETURNED

_NEVER = float("inf")


class Absence:
    """What one table knows of its followers. It looks when something changed and when something is due, and at no other
    time: a move costs nothing here."""

    __slots__ = ("_actor", "_changed", "_due_ms", "_gone", "_heard", "_rung", "_timer")

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._changed = True
        self._due_ms = _NEVER
        self._gone: dict[int, int] = {}
        """Since when the player of a seat follows the table no more (milliseconds)."""
        self._heard: dict[str, int] = {}
        """When each account with a seat called last (milliseconds)."""
        self._rung = 0
        self._timer: Timer | None = None

    @property
    def running(self) -> bool:
        """Whether something will happen if nobody comes."""
        return self._timer is not None

    def changed(self) -> None:
        """Somebody with a seat follows the table now, or no longer does, or let a decision lapse: look in this turn."""
        self._changed = True

    def heard(self, state: TableState, account: str, *, of_hand: bool = False) -> None:
        """An account called about the table: who calls is not away, even without following it.

        ``of_hand``: the call answers, or asks what it could answer. It does not count while answers are hidden, since
        all hear how long after it its caller is taken to be away (R36, R50).
        """
        seat = state.seats.seat_of(account)
        if seat < 0:
            return
        if state.autopilot >> seat & 1:  # it may take its seat back, and is looked for again then
            self._changed = True
        if of_hand and state.asked_together:
            return
        if len(self._heard) > SEATS:
            self._heard = {other: at for other, at in self._heard.items() if other in state.seats.accounts}
        self._heard[account] = int(self._actor.world.clock.now() * 1000)

    def look(self, story: Story, turn: Turn) -> None:
        """Make happen what is due."""
        # Timers run by a clock that nobody sets: where the wall clock was set back, the timer is right.
        now_ms, self._rung = max(turn.now_ms, self._rung), 0
        if not self._changed and now_ms < self._due_ms:
            return
        if story.state.state != PLAYING:
            self.stop()
            return
        if story.state.held:  # looked at when the match goes on
            self._changed = True
            self.stop()
            return
        self._changed = False
        present = self._present(story.state)
        if story.state.suspended:
            if not present:
                self.stop()
                return
            least = int(self._actor.world.limits.compensation_seconds * 1000)
            turn.make(story, inputs.Resumed(turn.now_ms, least))
        due = _NEVER
        for player in story.state.seats.players:
            if player.account:
                due = min(due, self._look_at(player.seat, present >> player.seat & 1, story, turn, now_ms))
        due = min(due, self._look_at_all(present, story, turn, now_ms))
        self._set(due)

    def _look_at_all(self, present: int, story: Story, turn: Turn, now_ms: int) -> float:
        """Suspend a match of people who have all been gone for long; return when to look again."""
        people = [player.seat for player in story.state.seats.players if player.account]
        seconds = self._actor.world.limits.suspend_seconds
        if present or not people or not seconds:
            return _NEVER
        alone = max(max(self._gone[seat], self._heard_of(seat, story.state)) for seat in people) + seconds * 1000
        if now_ms < alone:
            return alone
        turn.make(story, inputs.Suspended(turn.now_ms))
        return _NEVER

    def stop(self) -> None:
        """Have nothing happen by itself."""
        self._due_ms = _NEVER
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _present(self, state: TableState) -> int:
        """Mask of the seats whose player follows the table."""
        mask = 0
        for subscription in self._actor.subscriptions:
            seat = state.seats.seat_of(subscription.account)  # who sat down in this turn is not told its seat yet
            if seat >= 0:
                mask |= 1 << seat
        return mask

    def _heard_of(self, seat: int, state: TableState) -> int:
        return self._heard.get(state.seats.players[seat].account, 0)

    def _look_at(self, seat: int, present: int, story: Story, turn: Turn, now_ms: int) -> float:
        """Look at one seat; return when to look again."""
        state, limits = story.state, self._actor.world.limits
        absent, piloted = state.absent >> seat & 1, state.autopilot >> seat & 1
        if limits.expiries_in_a_row and state.expired[seat] >= limits.expiries_in_a_row and not piloted:
            turn.make(story, inputs.AutopilotSet(turn.now_ms, seat, True, EXPIRIES))
            piloted = 1
        if present:
            self._gone.pop(seat, None)
            if absent:
                turn.make(story, inputs.PresenceNoted(turn.now_ms, seat, True))
            if piloted and state.autopilot_reasons[seat] == AWAY:
                turn.make(story, inputs.AutopilotSet(turn.now_ms, seat, False, RETURNED))
            return _NEVER
        gone = self._gone.setdefault(seat, now_ms)
        due = _NEVER
        if not absent and limits.presence_seconds and state.gone_told[seat] < limits.gone_a_deal:
            told = gone + limits.presence_seconds * 1000
            if now_ms >= told:
                turn.make(story, inputs.PresenceNoted(turn.now_ms, seat, False))
            else:
                due = told
        if not piloted and limits.away_seconds:
            away = max(gone, self._heard_of(seat, state)) + limits.away_seconds * 1000
            if now_ms >= away:
                turn.make(story, inputs.AutopilotSet(turn.now_ms, seat, True, AWAY))
            else:
                due = min(due, away)
        return due

    def _set(self, due_ms: float) -> None:
        self.stop()
        if due_ms < _NEVER:
            self._due_ms = due_ms
            self._timer = self._actor.world.clock.call_at(due_ms / 1000, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._rung = round(self._due_ms)
        self._changed = True
        self._actor.nudge()

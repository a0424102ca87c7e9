"""A table's own clock: when the open decision lapses, when the next deal is due."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gouji_bots import choose_cards
from gouji_rules import Card
from gouji_server.tables import inputs
from gouji_server.tables.convert import SEATS_IN

if TYPE_CHECKING:
    import gouji_rules as gr
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.clock import Entropy, Timer
    from gouji_server.tables.messages import Turn
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState


class TableClock:
    """One timer, left running while decisions come and go: when it fires, the actor makes a turn and looks."""

    __slots__ = ("_actor", "_due", "_now_ms", "_rung", "_timer", "_woken")

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._timer: Timer | None = None
        self._due = 0.0
        self._now_ms = 0
        """The time of this turn, as told by the timer that rang if the wall clock is behind it."""
        self._rung = 0
        """What the timer that has just fired was set for (milliseconds)."""
        self._woken = False

    @property
    def running(self) -> bool:
        """Whether something will happen by the clock."""
        return self._timer is not None

    def woke(self) -> None:
        """The table came from the journal: the server was down, for all that is known."""
        self._woken = True

    def compensate(self, story: Story, turn: Turn) -> None:
        """After an outage, give whom the open question asks the time back that it cost.

        The outage is counted from what was last told to all, and not from the journal's last entry: that may be an
        answer in a window, of which the new deadline must not tell.
        """
        if not self._woken:
            return
        self._woken = False
        state = story.state
        if not state.deadline or state.deal is None or state.closed:
            return
        least = int(self._actor.world.limits.compensation_seconds * 1000)
        by_ms = turn.now_ms + max(least, state.deadline - state.told_at) - state.deadline
        if by_ms:
            turn.make(story, inputs.Compensated(turn.now_ms, state.decision, by_ms))

    def lapses_at(self, state: TableState) -> int:
        """When the open decision, which has a deadline, lapses (milliseconds): an answer may be under way at it."""
        return state.deadline + int(self._actor.world.limits.lag_seconds * 1000)

    def lapse(self, story: Story, turn: Turn) -> bool:
        """If the open decision has lapsed, give each seat that has not answered its default; return whether it had."""
        state = story.state
        # Timers run by a clock that nobody sets: where the wall clock was set back, the timer is right.
        now_ms, self._rung = max(turn.now_ms, self._rung), 0
        self._now_ms = now_ms
        if not state.deadline:
            return False
        due = self.lapses_at(state)
        if now_ms < due or state.deal is None or state.closed:
            return False
        cards = b""
        for seat in SEATS_IN[state.waiting_for]:
            cards += default_cards(state.deal, seat, self._actor.world.entropy)[1]
        turn.make(story, inputs.Lapsed(turn.now_ms, state.decision, cards.hex()))
        return True

    def deal_due(self, story: Story, now_ms: int) -> bool:
        """Whether the pause before the next deal is over, and nobody is waited for who may give entropy for it."""
        state = story.state
        if state.promise is None and state.deal is None:
            return True
        return max(now_ms, self._now_ms) >= self._deal_at(state)

    def _deal_at(self, state: TableState) -> int:
        """When the next deal begins (milliseconds)."""
        limits = self._actor.world.limits
        pause = int(limits.pause_seconds * 1000)
        promise = state.promise
        if promise is None:
            return state.time + pause
        made = promise.begins - int(limits.entropy_seconds * 1000)
        people = {player.seat for player in state.seats.players if player.account}
        waits = made if people <= promise.given.keys() else promise.begins
        return max(waits, made + pause if state.deal is not None else made)

    def set(self, story: Story) -> None:
        """See to it that the actor looks when something is due."""
        state = story.state
        due = self.lapses_at(state) / 1000 if state.deadline else 0.0
        if state.wants_deal:
            due = self._deal_at(state) / 1000
        if not due:
            self.stop()
            return
        if self._timer is None or due < self._due:
            self.stop()
            self._due = due
            self._timer = self._actor.world.clock.call_at(due, self._fire)

    def stop(self) -> None:
        """Have nothing happen by the clock."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fire(self) -> None:
        self._timer = None
        self._rung = round(self._due * 1000)
        self._actor.nudge()


def default_cards(deal: gr.Deal, seat: int, entropy: Entropy) -> tuple[gr.Action, bytes]:
    """Return a seat's default action with real cards drawn at random from its hand, so that nothing held leaks."""
    action = deal.default_action(seat)
    dice = random.Random(entropy.token_bytes(16))  # noqa: S311 - seeded by the server's entropy
    return action, bytes(choose_cards([Card(card) for card in deal.cards(seat)], action, dice))

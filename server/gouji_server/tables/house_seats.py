"""The built-in bots at one table, those that play for people too: asked when their seat is, answering after a delay."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_server.tables import inputs
from gouji_server.tables.convert import SEATS_IN
from gouji_server.tables.house_bots import BotFailed, Choice
from gouji_server.tables.table_clock import default_cards

if TYPE_CHECKING:
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.clock import Timer
    from gouji_server.tables.messages import Turn
    from gouji_server.tables.story import Story

AUTOPILOT = "simple"
"""The bot that plays for people who are away."""

DECLINED = Choice(gr.DECLINE)
"""The answer of a seat that has the server decline for it, whatever it holds."""

_ATTEMPTS = 2
"""A worker that another table's bot brought down is no fault of this one."""


class HouseSeats:
    """The bots of one table that are thinking."""

    __slots__ = ("_actor", "_decision", "_thinking")

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._decision = 0
        self._thinking: dict[int, Thinking] = {}

    @property
    def thinking(self) -> bool:
        """Whether a bot's answer is waited for."""
        return bool(self._thinking)

    def ask(self, story: Story) -> None:
        """Ask every bot whose seat is asked and that was not asked yet."""
        state = story.state
        if state.decision != self._decision or state.closed or state.stands_still:
            self.stop()
            self._decision = state.decision
        house = state.house | state.declining
        for seat in [seat for seat in self._thinking if not house >> seat & 1]:  # its player took it back
            self._thinking.pop(seat).stop()
        if state.deal is None or state.closed or state.stands_still:
            return
        for seat in SEATS_IN[state.waiting_for & house]:
            if seat in self._thinking:
                continue
            if state.declining >> seat & 1:
                self._thinking[seat] = Thinking(self._actor, seat, state.decision, DECLINED)
            else:
                policy = state.seats.players[seat].bot or AUTOPILOT
                self._thinking[seat] = Thinking(self._actor, seat, state.decision)
                self._thinking[seat].think(policy, state.deal.view(seat))

    def stop(self) -> None:
        """Want no more answers."""
        thinking, self._thinking = self._thinking, {}
        for one in thinking.values():
            one.stop()


class Thinking:
    """One bot at one question. Its answer comes at its delay, or when the bot is done if that is later, or by default
    when the bot is too slow."""

    __slots__ = ("_actor", "_choice", "_decision", "_delayed", "_seat", "_task", "_timer")

    def __init__(self, actor: Actor, seat: int, decision: int, choice: Choice | None = None) -> None:
        world = actor.world
        self._actor = actor
        self._seat = seat
        self._decision = decision
        self._choice = choice
        self._delayed = True
        self._task: asyncio.Task[None] | None = None
        due = world.clock.now() + world.bots.delay()
        self._timer: Timer = world.clock.call_at(due, self._delay_over)

    def think(self, policy: str, view: gr.SeatView) -> None:
        """Have a bot choose the answer, where there is none yet."""
        self._task = asyncio.get_running_loop().create_task(self._think(policy, view))

    def stop(self) -> None:
        """The answer is not wanted any more."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    async def _think(self, policy: str, view: gr.SeatView) -> None:
        world = self._actor.world
        for _ in range(_ATTEMPTS):
            try:
                self._choice = await world.bots.choose(policy, view, world.entropy.token_bytes(16))
            except BotFailed:
                continue
            break
        if not self._delayed:
            self._answer()

    def _delay_over(self) -> None:
        self._delayed = False
        if self._task is None or self._task.done():
            self._answer()
        else:
            world = self._actor.world
            self._timer = world.clock.call_at(world.clock.now() + world.limits.bot_seconds, self._too_slow)

    def _too_slow(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._answer()

    def _answer(self) -> None:
        self._timer.cancel()
        self._actor.post_inner(BotAnswer(self._actor, self._seat, self._decision, self._choice))


class BotAnswer:
    """A bot's answer on its way into the mailbox; without a choice it is the default."""

    __slots__ = ("_actor", "_choice", "_decision", "_seat")

    def __init__(self, actor: Actor, seat: int, decision: int, choice: Choice | None) -> None:
        self._actor = actor
        self._seat = seat
        self._decision = decision
        self._choice = choice

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`~gouji_server.tables.messages.Message`."""
        state = story.state
        if self._decision != state.decision or not state.waiting_for >> self._seat & 1 or state.deal is None:
            return
        if state.stands_still or not (state.house | state.declining) >> self._seat & 1:  # its player took the seat back
            return
        if self._choice is not None:
            try:
                turn.make(story, self._moved(self._choice, turn.now_ms))
            except gr.RuleViolation as violation:
                self._actor.log.warning("bot_refused", seat=self._seat, rule=violation.rule, reason=violation.code)
            else:
                return
        action, cards = default_cards(state.deal, self._seat, self._actor.world.entropy)
        turn.make(story, self._moved(Choice(action, cards), turn.now_ms))

    def tell(self, outcome: object) -> None:
        """Nobody is told."""

    def _moved(self, choice: Choice, now_ms: int) -> inputs.Moved:
        verb = gr.verb_of(choice.action)
        suit = max(gr.suit_shown(choice.action), 0)
        return inputs.Moved(self._seat, verb, suit, now_ms, self._decision, -1, "", choice.cards)

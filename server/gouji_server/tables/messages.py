"""What comes into a table's mailbox.

Every message is taken in turn with others, and told its outcome once all that the turn changed is durable. A message
that changes something makes inputs of the table; one that looks is answered from what is durable.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import structlog

import gouji_rules as gr
from gouji_server.tables import inputs
from gouji_server.tables.deciding import decide_move
from gouji_server.tables.refusals import Refused, by_rule
from gouji_server.tables.requests import Answer
from gouji_server.tables.table import WAITING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from gouji.table.v1 import table_pb2
    from gouji_server.journal import Entry
    from gouji_server.tables.observing import Metrics
    from gouji_server.tables.outbox import Outbox
    from gouji_server.tables.steps import Step
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState

T = TypeVar("T")

STREAM_METHOD = "Play.act"
MAX_LOGGED = 64
"""Characters of a request's field in a log line."""

_log = structlog.get_logger(__name__)
_levels = logging.getLogger(__name__)


class Message(Protocol):
    """Something that waits for its table's turn."""

    def take(self, story: Story, turn: Turn) -> None:
        """Make what it asks for happen, and leave the outcome in the turn."""

    def tell(self, outcome: object) -> None:
        """Give the asker the outcome, a Refused included. Called once, when it may be known."""


class Turn:
    """What one turn of a table did: entries for the journal, steps for readers, outcomes for askers."""

    __slots__ = ("before", "entries", "info_changed", "looks", "making", "now_ms", "outcomes", "steps")

    def __init__(self, before: int, now_ms: int) -> None:
        self.before = before
        self.now_ms = now_ms
        self.entries: list[Entry] = []
        self.steps: list[Step] = []
        self.outcomes: list[tuple[Message, object]] = []
        self.looks: list[Look[object]] = []
        self.info_changed = False
        self.making = False
        """Whether an input was being made when something failed: then the state cannot be trusted."""

    def make(self, story: Story, happening: inputs.Input) -> None:
        """Make an input happen. Raises gouji_rules.RuleViolation for a move that the rules refuse: nothing changed."""
        self.making = True
        try:
            entry, step = story.make(happening)
        except gr.RuleViolation:
            self.making = False
            raise
        self.making = False
        self.entries.append(entry)
        self.steps.append(step)
        if step.info_changed:
            self.info_changed = True

    def refuse(self, message: Message, refused: Refused) -> None:
        """Have a message refused when the turn is durable."""
        refused.__traceback__ = None  # it would keep this turn alive
        self.outcomes.append((message, refused))


class Move:
    """An answer to a question, by a unary call (`future`) or on a stream (`outbox`)."""

    __slots__ = ("account", "future", "metrics", "outbox", "request", "seat")

    def __init__(
        self,
        account: str,
        request: table_pb2.SubmitActionRequest,
        *,
        future: asyncio.Future[int] | None = None,
        outbox: Outbox | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.account = account
        self.request = request
        self.future = future
        self.outbox = outbox
        self.metrics = metrics
        self.seat = -1

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`Message`."""
        try:
            decision = decide_move(story.state, self.account, self.request, turn.now_ms)
            if isinstance(decision, Answer):
                turn.outcomes.append((self, decision.version))
                return
            self.seat = decision.seat
            turn.make(story, decision)
        except Refused as refused:
            turn.refuse(self, refused)
        except gr.RuleViolation as violation:
            turn.refuse(self, by_rule(violation))
        else:
            turn.outcomes.append((self, story.state.n))

    def tell(self, outcome: object) -> None:
        """See :class:`Message`."""
        if self.outbox is None:
            _settle(self.future, outcome)
            return
        if isinstance(outcome, Refused):
            self.outbox.refuse(self.request.request_id, outcome)
            status = outcome.status
        else:
            self.outbox.answer(self.request.request_id, outcome)  # type: ignore[arg-type]
            status = "OK"
        if self.metrics is not None:
            self.metrics.command(STREAM_METHOD, status)
        if _levels.isEnabledFor(logging.DEBUG):
            self._note(outcome, status)

    def _note(self, outcome: object, status: str) -> None:
        """Log who was answered what: never the verb or the cards."""
        request = self.request
        _log.debug(
            "command",
            method=STREAM_METHOD,
            account=self.account,
            table=request.table[:MAX_LOGGED],
            seat=self.seat,
            request_id=request.request_id[:MAX_LOGGED],
            decision=request.decision,
            version=outcome if isinstance(outcome, int) else None,
            status=status,
        )


class Change:
    """A change that is no answer to a question. The outcome is an :class:`~gouji_server.tables.requests.Answer`."""

    __slots__ = ("_decide", "_future")

    def __init__(
        self, decide: Callable[[TableState, int], inputs.Input | Answer], future: asyncio.Future[Answer]
    ) -> None:
        self._decide = decide
        self._future = future

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`Message`."""
        try:
            decision = self._decide(story.state, turn.now_ms)
            if not isinstance(decision, Answer):
                turn.make(story, decision)
                decision = story.state.requests.newest
        except Refused as refused:
            turn.refuse(self, refused)
        except gr.RuleViolation as violation:
            turn.refuse(self, by_rule(violation))
        else:
            turn.outcomes.append((self, decision))

    def tell(self, outcome: object) -> None:
        """See :class:`Message`."""
        _settle(self._future, outcome)


class Look(Generic[T]):
    """A look at the table as it is when all that came before is durable."""

    __slots__ = ("_future", "_read")

    def __init__(self, read: Callable[[Story], T], future: asyncio.Future[T]) -> None:
        self._read = read
        self._future = future

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`Message`."""
        turn.looks.append(self)  # type: ignore[arg-type]

    def look(self, story: Story) -> None:
        """Read, and tell what was seen."""
        try:
            outcome: object = self._read(story)
        except Refused as refused:
            outcome = refused
        self.tell(outcome)

    def tell(self, outcome: object) -> None:
        """See :class:`Message`."""
        _settle(self._future, outcome)


class Abandon:
    """Closes a table at which nobody has done anything for `seconds` while it waited for players."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`Message`."""
        state = story.state
        if state.state == WAITING and turn.now_ms - state.time >= self._seconds * 1000:
            turn.make(story, inputs.Abandoned(turn.now_ms))

    def tell(self, outcome: object) -> None:
        """Nobody is told."""


class Desert:
    """Ends the match of a table that has been suspended for `seconds`."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def take(self, story: Story, turn: Turn) -> None:
        """See :class:`Message`."""
        state = story.state
        if state.suspended and not state.held and turn.now_ms - state.suspended >= self._seconds * 1000:
            turn.make(story, inputs.Deserted(turn.now_ms))

    def tell(self, outcome: object) -> None:
        """Nobody is told."""


def _settle(future: asyncio.Future[T] | None, outcome: object) -> None:
    if future is None or future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)  # type: ignore[arg-type]

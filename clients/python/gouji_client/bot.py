"""What a bot is: a class with a `choose`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import gouji_bots
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Awaitable

    import gouji_rules as gr
    from gouji.table.v1 import events_pb2
    from gouji_client.result import DealSummary


class Bot:
    """A player. Subclass it and write `choose`; `run_bot` does the rest.

        class Lowest(Bot):
            def choose(self, view):
                return view.legal_actions()[0]

    A bot may keep what it likes in its attributes; it is used for one match at a time.
    """

    name: str = ""
    """The display name it signs in with; the class's name if empty."""

    ask_forced: bool = False
    """Whether `choose` is also called when there is only one legal answer. Otherwise the runner gives it."""

    def choose(self, view: gr.SeatView) -> gr.Action | str | Awaitable[gr.Action | str]:
        """Return the answer to `view.question`: one of `view.legal_actions()`, or as text: `"play 5555"`, `"pass"`.

        `view` is all that the seat may see (R80): `view.hand` (fifteen rank counts), `view.cards`, `view.public` (the
        trick, the standings, every play so far), `view.rules`. `view.can(action)` tells whether an action is legal,
        `view.check(action)` raises the rule that it breaks. May be `async`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no choose(self, view)")

    def on_event(self, event: events_pb2.TableEvent) -> None:
        """Hear what happened at the table, in order; `event.WhichOneof("event")` says what kind. Optional."""

    def on_deal_end(self, deal: DealSummary) -> None:
        """Hear how a deal ended, with its record. Optional."""

    @property
    def display_name(self) -> str:
        """`name`, or the class's name, as long as the server takes."""
        return (self.name or type(self).__name__)[:24]


class PolicyBot(Bot):
    """A built-in policy as a bot: `PolicyBot("simple")`. The same `seed` makes the same choices on the same views."""

    def __init__(self, policy: str = "simple", *, seed: int | None = None) -> None:
        """Raise `BadInput` for a policy that is not built in."""
        if policy not in gouji_bots.policies:
            raise BadInput(f"there is no policy {policy!r}: use {', '.join(gouji_bots.policies)}")
        self.name = policy
        self._policy = gouji_bots.policies[policy]
        self._rng = random.Random(seed)  # noqa: S311 - play, not secrets

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the policy's choice."""
        return self._policy(view, self._rng)

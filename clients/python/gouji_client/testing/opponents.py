"""Who plays the seats that no client plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import gouji_bots
import gouji_rules as gr
from gouji_client.arguments import read_action
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

OpponentLike: TypeAlias = "str | Sequence[str] | Callable[[gr.SeatView, Random], gr.Action]"
"""A policy's name, a policy, or a script: answers as a record writes them, in the order in which they are given."""


class Opponent(Protocol):
    """Somebody who answers for a seat."""

    name: str

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the answer to the view's question."""


class PolicyOpponent:
    """Plays by a policy."""

    def __init__(self, name: str, policy: Callable[[gr.SeatView, Random], gr.Action], rng: Random) -> None:
        self.name = name
        self._policy = policy
        self._rng = rng

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the policy's choice."""
        return self._policy(view, self._rng)


class ScriptedOpponent:
    """Answers by a script; where the script says nothing legal (any more) it answers as an expired clock does.

    So windows and revolutions that a script does not mention are declined by themselves.
    """

    name = "script"

    def __init__(self, script: Sequence[str]) -> None:
        self._left = [read_action(text) for text in script]

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the script's next answer if it is legal now."""
        if self._left and view.can(self._left[0]):
            return self._left.pop(0)
        return view.default_action()


DECLINER: Opponent = ScriptedOpponent(())
"""Declines, in a window."""


def opponent_of(what: OpponentLike, rng: Random) -> Opponent:
    """Return the opponent described. Raises `BadInput` for a policy that is not built in or a script with no sense."""
    if isinstance(what, str):
        if what not in gouji_bots.policies:
            raise BadInput(f"there is no policy {what!r}: use {', '.join(gouji_bots.policies)}")
        return PolicyOpponent(what, gouji_bots.policies[what], rng)
    if callable(what):
        return PolicyOpponent("policy", what, rng)
    return ScriptedOpponent(what)

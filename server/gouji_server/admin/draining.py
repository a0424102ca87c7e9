"""Draining: a server that takes nothing new, lets matches go on for a while, and stops.

What is new is refused by the method's name; what is under way goes on. When no match of people is played any more, or
the patience is over, whoever runs the server is told to stop it. There is no way back but a restart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from google.rpc import code_pb2

from gouji_server.tables import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gouji_server.tables import Clock
    from gouji_server.tables.clock import Timer

NEW = frozenset(
    {"CreateTable", "JoinTable", "Rematch", "SetReady", "CreateParty", "JoinParty", "CreateTicket", "AddBot"}
)
"""The methods by which something new begins."""

LOOK_SECONDS = 1.0
"""How often a draining server looks whether a match still goes on."""

RETRY_SECONDS = 5.0
"""When to try again what is refused while a server drains: on another, or on this one once it is back."""


class Matches(Protocol):
    """What draining needs of the tables."""

    def matches_of_people(self) -> int:
        """Return how many matches with people go on."""


class Draining:
    """See the module. ``since`` and ``deadline`` are Unix seconds; None: the server does not drain."""

    def __init__(self, clock: Clock, matches: Matches) -> None:
        self._clock = clock
        self._matches = matches
        self._timer: Timer | None = None
        self._stop: Callable[[], None] | None = None
        self._refuse: Callable[[], Awaitable[None]] | None = None
        self.since: float | None = None
        self.deadline: float | None = None

    def when_over(self, stop: Callable[[], None]) -> None:
        """Have `stop` called when the server is to stop."""
        self._stop = stop

    def when_begun(self, refuse: Callable[[], Awaitable[None]]) -> None:
        """Have `refuse` awaited when draining begins: health checks are to say so before anything is refused."""
        self._refuse = refuse

    @property
    def matches(self) -> int:
        """How many matches with people go on."""
        return self._matches.matches_of_people()

    @property
    def begun(self) -> bool:
        """Whether the server drains."""
        return self.since is not None

    def check(self, method: str) -> None:
        """Raise Refused where the method would begin something new while the server drains."""
        if self.since is not None and method in NEW:
            raise draining()

    async def begin(self, patience: float) -> None:
        """Take nothing new, and stop in so many seconds at the latest. Again it sets another patience."""
        now = self._clock.now()
        if self.since is None:
            if self._refuse is not None:
                await self._refuse()
            self.since = now
        self.deadline = now + patience
        self._look()

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self.close()
        now = self._clock.now()
        if self.deadline is None:
            return
        if now < self.deadline and self.matches:
            self._timer = self._clock.call_at(min(now + LOOK_SECONDS, self.deadline), self._look)
        elif self._stop is not None:
            self._stop()


def draining() -> Refused:
    """Refuse something new while the server drains."""
    return Refused(
        code_pb2.UNAVAILABLE,
        "DRAINING",
        "the server is about to stop and takes nothing new: try again, on another one or when it is back",
        "服务器即将停止，不再接受新的操作：请稍后重试",
        retry_seconds=RETRY_SECONDS,
    )

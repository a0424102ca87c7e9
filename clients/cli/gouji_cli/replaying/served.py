"""A match that a server keeps, as a film: its deals are fetched when they are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gouji_cli.replaying.film import Frame, Reel
from gouji_cli.scene import DealOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    import gouji_rules as gr
    from gouji.replay.v1 import replay_pb2
    from gouji_client import ReplayStep

    Fetch = Callable[[int, int], list[ReplayStep]]

Eyes = int | Literal["open", "spectator"]
KEPT = 3
"""Deals held in memory: whoever goes back and forth waits for none of them twice."""


class ServedFilm:
    """`fetch` gives the steps of a stretch, the table before it first."""

    def __init__(self, match: replay_pb2.Match, eyes: Eyes, fetch: Fetch) -> None:
        self.title = match.title or match.name
        self.deals = max(len(match.deal_results), 1)
        self.steps = match.steps
        self._match = match
        self._eyes = eyes
        self._fetch = fetch
        self._reels: dict[int, Reel] = {}

    def reel(self, deal: int) -> Reel:
        """See `Film`."""
        if deal not in self._reels:
            while len(self._reels) >= KEPT:
                del self._reels[next(iter(self._reels))]
            self._reels[deal] = self._make(deal)
        return self._reels[deal]

    def _make(self, deal: int) -> Reel:
        results = self._match.deal_results
        first = results[deal].first_step if deal else 1
        last = results[deal + 1].first_step - 1 if deal + 1 < len(results) else 0
        steps = self._fetch(first, last)
        # The table before a later deal is the end of the one before it: where this one goes on from, and no frame.
        told = steps if deal == 0 else steps[1:]
        before = [
            DealOutcome(result.deal, list(result.places), list(result.scores), result.sweep)
            for result in results[:deal]
            if result.places
        ]
        number = results[deal].deal if results else 0
        return Reel(number, [Frame(step.number, step.update, self._hands(step)) for step in told], before)

    def _hands(self, step: ReplayStep) -> tuple[tuple[gr.Card, ...], ...]:
        if isinstance(self._eyes, int):
            return tuple(step.view.hand if seat == self._eyes else () for seat in range(6))
        return step.hands

"""Who lets whom look at its hand (挑牌, R81): at the holder's choice, as long as the rules allow it, for one deal.

Nobody else is told that a seat may look, or that it does. A look is no event, and comes in the looker's own part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.peeking import may_look
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from gouji_rules.state import PublicState

GRANT_PEEK = "GrantPeek"


class Peeks:
    """``granted``: for each holder the mask of the allies that it lets look."""

    __slots__ = ("_seen", "granted")

    def __init__(self) -> None:
        self.granted = [0] * SEATS
        self._seen: list[tuple[tuple[int, bytes], ...]] = [()] * SEATS

    def __bool__(self) -> bool:
        return any(self.granted)

    def reset(self) -> None:
        """Another deal begins: nobody lets anybody look."""
        if self:
            self.granted = [0] * SEATS
            self._seen = [()] * SEATS

    def set(self, holder: int, ally: int, *, on: bool) -> None:
        """Let an ally look, or no longer."""
        self.granted[holder] = self.granted[holder] | 1 << ally if on else self.granted[holder] & ~(1 << ally)

    def seen_by(self, viewer: int) -> tuple[tuple[int, bytes], ...]:
        """Return the hands that a seat looks at, each with its holder."""
        return self._seen[viewer]

    def look(self, public: PublicState, cards: list[bytes]) -> int:
        """Settle what each seat sees now; return the mask of those for whom that changed."""
        changed = 0
        for viewer in range(SEATS):
            seen = tuple(
                (holder, cards[holder])
                for holder in range(SEATS)
                if self.granted[holder] & may_look(public, holder, len(cards[holder])) & 1 << viewer
            )
            if seen != self._seen[viewer]:
                self._seen[viewer] = seen
                changed |= 1 << viewer
        return changed

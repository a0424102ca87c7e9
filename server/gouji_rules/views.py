"""What one seat may see: composed from the public state and that seat's own part, never subtracted (R80)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_rules.cards import Card
    from gouji_rules.question import Question
    from gouji_rules.rule_set import RuleSet
    from gouji_rules.state import PublicState


@dataclass(frozen=True, slots=True)
class SeatView:
    """The public state with a seat's own hand.

    ``hand`` fifteen rank counts; ``cards`` the real cards, ascending (empty where a deal does not track them);
    ``answered``: this seat has answered the open question already.
    """

    rules: RuleSet
    seat: int
    public: PublicState
    hand: tuple[int, ...]
    cards: tuple[Card, ...]
    answered: bool

    @property
    def question(self) -> Question | None:
        """The open question if it is this seat's to answer, else None."""
        public = self.public
        if self.answered or not public.asked >> self.seat & 1:
            return None
        return public.question

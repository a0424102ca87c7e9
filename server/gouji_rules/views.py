"""What one seat may see: composed from the public state and that seat's own part, never subtracted (R80)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules import legality
from gouji_rules.cards import rank_of, suit_of
from gouji_rules.errors import AlreadyAnswered, NotAsked, RuleViolation
from gouji_rules.handover import dealt_counts
from gouji_rules.question import Kind

if TYPE_CHECKING:
    from gouji_rules.actions import Action
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
        return public.question_for(self.seat)

    @property
    def threes(self) -> tuple[int, ...]:
        """The own 3s by suit: clubs, diamonds, hearts, spades (R5); zeros where real cards are not tracked.

        Under hold-three the 4s, which are shown instead.
        """
        shown = int(self.rules.hold_three)
        suits = [suit_of(card) for card in self.cards if rank_of(card) == shown]
        return tuple(suits.count(suit) for suit in range(4))

    def legal_actions(self) -> legality.LegalActions:
        """Every action that this seat may answer with, as a lazy sequence. Raises NotAsked or AlreadyAnswered."""
        return legality.legal_actions(self.rules, self._asked(), self._hand_asked, self.threes)

    def check(self, action: Action) -> None:
        """Raise the RuleViolation that says why this seat may not answer so; return if it may."""
        legality.check(self.rules, self._asked(), self.seat, self._hand_asked, action, self.threes)

    def can(self, action: Action) -> bool:
        """Whether this seat may answer so. Never enumerates."""
        try:
            self.check(action)
        except RuleViolation:
            return False
        return True

    def default_action(self) -> Action:
        """What an expired clock would answer for this seat. Raises NotAsked or AlreadyAnswered."""
        return legality.default_action(self.rules, self._asked(), self._hand_asked)

    @property
    def _hand_asked(self) -> tuple[int, ...]:
        """The hand that counts for the question: about revolution what was dealt, where the rules say so (R50)."""
        public = self.public
        if public.kind == Kind.REVOLT and public.moves and self.rules.revolution_by == "dealt" and any(self.hand):
            return dealt_counts(public, self.seat, self.hand)
        return self.hand

    def _asked(self) -> Question:
        question = self.question
        if question is not None:
            return question
        if self.answered:
            raise AlreadyAnswered("R32", "ALREADY_ANSWERED", "the question is answered already", "这一问已经答过了")
        raise NotAsked("R20", "NOT_ASKED", "this seat is not asked now", "现在没有问到这个座位")

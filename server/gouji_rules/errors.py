"""Why an action is refused: one class per kind of refusal, each naming the rule it comes from (R16).

Texts tell what is public or the caller's own; they never name another seat's cards.
"""

from __future__ import annotations

from typing import NamedTuple

_MOST_REPEATED = 40


def shortened(text: str) -> str:
    """A text that came with a request, short enough for a refusal to repeat it."""
    return text if len(text) <= _MOST_REPEATED else f"{text[:_MOST_REPEATED]}…"


def shown(value: object) -> str:
    """A value that came with a request or a record, as a program writes it, short enough to repeat."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python writes no number of thousands of digits
        return "a number of thousands of digits"


class RuleViolation(Exception):
    """An action that the rules refuse. It has changed nothing (R16).

    ``rule`` is a number of docs/rules.md such as ``"R12"``, ``code`` is machine-readable (UPPER_SNAKE_CASE), the texts
    are for people.
    """

    def __init__(self, rule: str, code: str, text_en: str, text_zh: str) -> None:
        super().__init__(f"{rule}: {text_en}")
        self.rule = rule
        self.code = code
        self.text_en = text_en
        self.text_zh = text_zh

    def __reduce__(self) -> tuple[type[RuleViolation], tuple[str, str, str, str]]:
        """Pickle by the four parts."""
        return type(self), (self.rule, self.code, self.text_en, self.text_zh)


class Wording(NamedTuple):
    """One saying, in English and in Chinese."""

    en: str
    zh: str


class DealError(ValueError):
    """Hands, a lead or tribute owed that no deal can have. ``text_en`` and ``text_zh`` are for people."""

    def __init__(self, text_en: str, text_zh: str) -> None:
        super().__init__(text_en)
        self.text_en = text_en
        self.text_zh = text_zh

    def __reduce__(self) -> tuple[type[DealError], tuple[str, str]]:
        """Pickle by the two texts."""
        return type(self), (self.text_en, self.text_zh)


class PlayError(RuleViolation):
    """A set of cards that is no play (R10)."""


class NotAPlay(PlayError):
    """A play was asked for and these cards are none (R10)."""


class DealOver(RuleViolation):
    """The deal is over: nothing is asked (R8)."""


class NotAsked(RuleViolation):
    """The seat is not asked now (R20, R22, R30)."""


class AlreadyAnswered(RuleViolation):
    """The seat has answered the open question already (R32)."""


class WrongVerb(RuleViolation):
    """The question is another: it cannot be answered with this verb."""


class CardsNotHeld(RuleViolation):
    """The hand does not hold these cards (R10, R16)."""


class WrongCount(RuleViolation):
    """A follow with another number of cards than the top play (R11)."""


class DoesNotBeat(RuleViolation):
    """A follow or burn that does not beat the top play (R12)."""


class BurnNotSound(RuleViolation):
    """A burn whose rest could not be played with a joker in every play but the last (R31)."""


class BurnLeadWithoutJoker(RuleViolation):
    """A burner's lead without a joker that does not empty its hand (R34)."""


class ThreesHeld(RuleViolation):
    """Under hold-three a lead with 3s that is not all of the last cards (R45)."""


class LeadWithoutFour(RuleViolation):
    """The lead after opening without a 4 that the hand holds (R43)."""


class NoYield(RuleViolation):
    """A yield that R24 does not allow."""


class NoWind(RuleViolation):
    """Asking for the wind where R27 does not allow it."""


class MayNotRevolt(RuleViolation):
    """A revolution of a seat that holds a 2 or a joker (R50)."""


class MustRevolt(RuleViolation):
    """A seat without cards, as records allow it, that does not revolt (R50)."""


class NothingToShow(RuleViolation):
    """Showing a suit of which the seat does not hold two 3s (R5)."""


class ReturnNotAllowed(RuleViolation):
    """A card returned, or refused, where R73 does not allow it."""


class NotTold(RuleViolation):
    """Asking for a count, or feeling a hand, where R80 and R82 do not allow it."""


class DealRunning(RuleViolation):
    """Asking for what is open only after the deal (R84)."""

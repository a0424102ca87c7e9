"""What is laid open of a deal when it is over (R84)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_rules.answer_log import Answer
    from gouji_rules.cards import Card


@dataclass(frozen=True, slots=True)
class Reveal:
    """Everything of a deal that is over (R84).

    ``hands`` as dealt, ascending; ``seed``, ``order`` of drawing and ``first_drawer`` are None, empty and -1 for a deal
    made from hands; ``lead`` is the first lead before any revolution; ``answers`` all answers, burn windows included.
    """

    hands: tuple[tuple[Card, ...], ...]
    seed: bytes | None
    order: tuple[Card, ...]
    first_drawer: int
    lead: int
    answers: tuple[Answer, ...]
    record: str

"""What a record says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from gouji_rules.cards import NotationError
from gouji_rules.errors import DealError, RuleViolation, Wording
from gouji_rules.rule_set import RuleSetError

if TYPE_CHECKING:
    from gouji_rules.fairness import Proof
    from gouji_rules.obligations import Obligation
    from gouji_rules.rule_set import OptionValue, RuleSet

FORMAT = "gouji-record/1"
_LONGEST_MESSAGE = 2000


def reason_of(error: Exception) -> Wording:
    """Why something was refused, in both languages; what comes from the language's own library in English alone."""
    if isinstance(error, RuleViolation):
        return Wording(str(error), f"{error.rule}：{error.text_zh}")
    if isinstance(error, DealError | NotationError | RuleSetError):
        return Wording(error.text_en, error.text_zh)
    return Wording(str(error), str(error))


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"


class RecordError(ValueError):
    """A record that cannot be read. ``line`` is the line of the text, 0 where none can be named.

    ``text_en`` and ``text_zh`` say what is wrong, for people.
    """

    def __init__(self, line: int, text_en: str, text_zh: str) -> None:
        self.line = line
        self.text_en = _bounded(text_en)
        self.text_zh = _bounded(text_zh)
        super().__init__(f"line {line}: {self.text_en}" if line else self.text_en)

    def __reduce__(self) -> tuple[type[RecordError], tuple[int, str, str]]:
        """Pickle by the line and the two texts."""
        return type(self), (self.line, self.text_en, self.text_zh)

    @property
    def message(self) -> str:
        """What is wrong, in English."""
        return self.text_en


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a record and the rules differ: the line of the text (0: none) and what is wrong there, for people.

    ``stops``: the replay could not go on from there.
    """

    line: int
    text_en: str
    text_zh: str
    stops: bool = False

    @property
    def message(self) -> str:
        """What is wrong, in English."""
        return self.text_en


class LineKind(IntEnum):
    """Kinds of entries in a record's ``actions``."""

    ACTION = 1
    """``"1 pass"``: an answer."""
    REFUSED = 2
    """``"1 play 444 ! R11"``: an answer that must be refused, by that rule if one is named."""
    OPEN = 3
    """``"2 ? play,pass"``: the seat is asked and exactly these verbs are open to it."""
    NOT_ASKED = 4
    """``"1 ? -"``: the seat is not asked."""
    LEADS = 5
    """``"= 3 leads"``: the seat leads the next trick."""
    FACT = 6
    """``"= 3 shows 7"``: a fact of that moment (:mod:`~gouji_rules.records.facts`)."""
    ASIDE = 7
    """``"1 ask 4"``, ``"1 ask 4 = 7"``, ``"1 feel = 7-12"``: asked out of turn (R80, R82), and what is told."""
    ASIDE_REFUSED = 8
    """``"1 feel ! R82"``: what may not be asked."""
    DISSOLVE = 9
    """``"1 dissolve"``, ``"1 object"``: about ending the match (R17)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of ``actions``.

    ``seat`` is -1 for a fact of no seat; ``text`` as written; ``line`` in the record's text (0: unknown); ``said`` the
    action, fact or question in the record's words; ``rule`` for what is refused, empty if none is named; ``verbs`` mask
    for OPEN; ``told`` what an ASIDE is answered, empty if that is left open.
    """

    kind: LineKind
    seat: int
    text: str
    line: int = field(default=0, compare=False)
    said: str = ""
    rule: str = ""
    verbs: int = 0
    told: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A deal, or a match of several, as a record.

    A deal: its rules, its cards (``hands`` with ``lead``, or ``seed``), what was done and expected. ``hands`` are in
    R-notation, those after buying and tribute, or with ``as_dealt`` those before. ``places`` and ``scores`` are None
    where the record expects nothing of them, and so are ``owed``, the tribute that the deal leaves, and for a seed
    ``dealt`` and ``first_drawer``: the hands that it gives, and who draws first (R3). ``proof`` is what the seed came
    of, where the record tells it. ``key_lines`` are the lines where these stand in a record that was read.

    A match has ``deals``, one record each, and no cards and lines of its own; ``match_length`` is how many deals it
    has (0: as the rules say); ``scores`` are those of the match and ``lot`` the side that won a tied one by lot (R64).
    Its deals' ``obligations`` follow from the deals before; those that a record names are checked. ``dissolved``: its
    players ended it (R17).

    A record that cannot be has ``refused``: the fields of the ``options`` that contradict each other (``rules`` is the
    preset then), or ``("hands",)`` where the pack does not hold them.
    """

    rules: RuleSet
    hands: tuple[str, ...] = ()
    lead: int = 0
    seed: bytes | None = None
    obligations: tuple[Obligation, ...] = ()
    as_dealt: bool = False
    lines: tuple[Line, ...] = ()
    places: tuple[int, ...] | None = None
    scores: tuple[int, ...] | None = None
    key_lines: dict[str, int] = field(default_factory=dict, compare=False)
    deals: tuple[Record, ...] = ()
    match_length: int = 0
    lot: int | None = None
    owed: tuple[Obligation, ...] | None = None
    dealt: tuple[str, ...] | None = None
    first_drawer: int | None = None
    dissolved: bool = False
    refused: tuple[str, ...] = ()
    options: tuple[tuple[str, OptionValue], ...] = ()
    proof: Proof | None = None

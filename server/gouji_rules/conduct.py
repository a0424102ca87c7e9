"""What a rule set means for play, worked out once a rule set, so that no option is read in every move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.answers import Answers, answers_under
from gouji_rules.plays import BIG_MASK, SMALL_MASK, Play

if TYPE_CHECKING:
    from gouji_rules.rule_set import RuleSet

NO_GOUJI: Final = 99

_ALLIES_FIRST: Final = tuple(tuple((seat + step) % 6 for step in (2, 4, 1, 3, 5)) for seat in range(6))
_TURN_ORDER: Final = tuple(tuple((seat + step) % 6 for step in range(1, 6)) for seat in range(6))


class Conduct:
    """The options of play as what the engine asks of them.

    - ``gouji_at``: fewest cards of a play without jokers that make it gouji (R13), by the rank of its body;
    - ``answers``: the tables of answers (R12, R15);
    - ``hold_three``, ``stifles`` (beating the play before the last 3s is noticed), ``stifle_busts`` (R45, R46);
    - ``plain_windows``: windows are those of qingdao (R30); else ``burns``, ``burn_after_pass`` and ``kill_anyone``;
      ``strict`` (R31); ``burn_order``, by owner of the top play (R32, R7);
    - ``melee_at_four``, ``melee_at_once`` (R28); ``closes_after_last`` (R21); ``dead_gouji`` (R26);
    - ``halves_mixed``: a big joker beside a small one counts as small (R12); ``big_stands``: nothing beats a big one;
    - ``opening`` (R40), ``open_leads_four`` (R43); ``federation`` (R7); ``slam`` (R66).
    """

    __slots__ = (
        "answers",
        "big_stands",
        "burn_after_pass",
        "burn_order",
        "burns",
        "closes_after_last",
        "dead_gouji",
        "federation",
        "gouji_at",
        "halves_mixed",
        "hold_three",
        "kill_anyone",
        "melee_at_four",
        "melee_at_once",
        "open_leads_four",
        "opening",
        "plain_windows",
        "slam",
        "stifle_busts",
        "stifles",
        "strict",
    )

    def __init__(self, rules: RuleSet) -> None:
        self.gouji_at: tuple[int, ...] = gouji_thresholds(rules)
        self.answers: Answers = answers_under(rules)
        self.hold_three: bool = rules.hold_three
        self.stifles: bool = rules.hold_three and rules.stifle != "off"
        self.stifle_busts: bool = rules.stifle == "last_place"
        self.burns: bool = rules.burn != "off"
        self.strict: bool = rules.burn == "strict"
        self.burn_after_pass: bool = rules.burn_after_pass
        self.kill_anyone: bool = rules.kill_anyone
        self.plain_windows: bool = self.burns and not self.burn_after_pass and not self.kill_anyone
        self.federation: bool = rules.teams == "federation"
        self.burn_order: tuple[tuple[int, ...], ...] = _ALLIES_FIRST if self.federation else _TURN_ORDER
        self.melee_at_four: bool = rules.melee_at == "active_four"
        self.melee_at_once: bool = rules.melee_at == "at_once"
        self.closes_after_last: bool = rules.pass_after_last != "open"  # noqa: S105
        self.dead_gouji: str = rules.dead_gouji
        self.opening: bool = rules.opening
        self.slam: bool = rules.slam
        self.halves_mixed: bool = rules.mixed_jokers == "as_small"
        self.big_stands: bool = rules.joker_kill == "off"
        self.open_leads_four: bool = rules.open_leads_four

    def counts_big(self, play: Play) -> bool:
        """Whether a play counts a big joker, after `mixed_jokers` (R12)."""
        return bool(play & BIG_MASK) and not (self.halves_mixed and bool(play & SMALL_MASK))

    def is_unbeatable(self, play: Play) -> bool:
        """Whether all know that nothing beats a play (死牌, R23)."""
        return self.big_stands and self.counts_big(play)


_CONDUCTS: Final[dict[RuleSet, Conduct]] = {}


def conduct_under(rules: RuleSet) -> Conduct:
    """The conduct of a rule set; few are kept, since tables seldom play many.

    Looked up by identity first: hashing all options takes as long as a few moves.
    """
    recent = _RECENT.get(id(rules))
    if recent is not None and recent[0] is rules:
        return recent[1]
    found = _CONDUCTS.get(rules)
    if found is None:
        if len(_CONDUCTS) > _MOST_KEPT:
            _CONDUCTS.clear()
        found = _CONDUCTS[rules] = Conduct(rules)
    if len(_RECENT) > _MOST_KEPT:
        _RECENT.clear()
    _RECENT[id(rules)] = (rules, found)
    return found


_RECENT: Final[dict[int, tuple[RuleSet, Conduct]]] = {}
_MOST_KEPT: Final = 256


def gouji_thresholds(rules: RuleSet) -> tuple[int, ...]:
    """Fewest cards of a play without jokers that make it gouji (R13), by the rank of its body."""
    return (*(NO_GOUJI,) * 7, 5, 4, 3, 2, 2, rules.gouji_twos, 0, 0)

"""Who may, and who must, revolt (R49, R50): from the rules and the own hand alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.actions import NO, REVOLT, Action
from gouji_rules.cards import BIG, SMALL, TWO
from gouji_rules.errors import MayNotRevolt, MustRevolt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.rule_set import RuleSet


def may_revolt(rules: RuleSet, hand: Sequence[int]) -> bool:
    """Whether a seat may lay its cards down: no 2 and no joker, under `hold_three_only` no 3 either (R50)."""
    if hand[TWO] or hand[SMALL] or hand[BIG]:
        return False
    return rules.revolution == "may" or not hand[0]


def must_revolt(rules: RuleSet, hand: Sequence[int]) -> bool:
    """Whether a seat has no choice: one without cards, or `buy_none = auto` with no 3 and nothing to pay (R49)."""
    if not any(hand):
        return True
    return rules.buy_none == "auto" and not (hand[0] or hand[TWO] or hand[SMALL] or hand[BIG])


def check_revolt(rules: RuleSet, hand: Sequence[int]) -> None:
    """Raise MayNotRevolt where a seat may not."""
    if may_revolt(rules, hand):
        return
    if rules.revolution == "hold_three_only":
        text_en, text_zh = "only a seat without 3s, 2s and jokers may revolt", "没有 3、钱和大小花才可以革命"
    else:
        text_en, text_zh = "only a seat dealt no 2 and no joker may revolt", "没有大小花和钱才可以革命"
    raise MayNotRevolt("R50", "MAY_NOT_REVOLT", text_en, text_zh)


def check_no(rules: RuleSet, hand: Sequence[int]) -> None:
    """Raise MustRevolt where a seat has to revolt."""
    if not must_revolt(rules, hand):
        return
    if any(hand):
        raise MustRevolt(
            "R49", "MUST_REVOLT", "a seat with no 3 and nothing to buy one with revolts", "没有 3 又无牌可买者自动革命"
        )
    raise MustRevolt("R50", "MUST_REVOLT", "a seat without cards is a revolutionary", "没有牌的座位须革命")


def open_answers(rules: RuleSet, hand: Sequence[int]) -> tuple[Action, ...]:
    """What a seat may answer, the default first."""
    if must_revolt(rules, hand):
        return (REVOLT,)
    return (NO, REVOLT) if may_revolt(rules, hand) else (NO,)

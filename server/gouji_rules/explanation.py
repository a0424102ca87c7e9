"""What a play is, in words, with the rules that say so (R10, R12, R13, R15, R23)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.cards import RANKS, TWO
from gouji_rules.comparison import as_small, is_unbeatable
from gouji_rules.conduct import gouji_thresholds
from gouji_rules.plays import (
    big_of,
    body_of,
    format_play,
    is_gouji,
    low_of,
    naturals_of,
    size,
    small_of,
    twos_of,
)

if TYPE_CHECKING:
    from gouji_rules.plays import Play
    from gouji_rules.rule_set import RuleSet


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing to be said of a play, and the rule of docs/rules.md that says it."""

    rule: str
    en: str
    zh: str


def describe_play(rules: RuleSet, play: Play) -> tuple[Reason, ...]:
    """What a play is: its parts, whether it is gouji and why, and whether nothing can beat it."""
    reasons = [_parts(play)]
    if as_small(play) != play and rules.mixed_jokers == "as_small":
        text_en = f"with both jokers in it each big one counts as small: {format_play(as_small(play))}"
        reasons.append(Reason("R12", text_en, f"大小花同出，大花都按小花算：{format_play(as_small(play))}"))
    reasons.append(_gouji(rules, play))
    if is_unbeatable(rules, play):
        reasons.append(Reason("R23", "nothing beats it: it holds a big joker", "死牌：带大花，无牌可压"))
    return tuple(reasons)


def _parts(play: Play) -> Reason:
    english, chinese = [], []
    rank = RANKS[low_of(play)]
    naturals, twos = naturals_of(play), twos_of(play)
    if naturals:
        english.append(f"{naturals} × {rank}")
        chinese.append(f"{naturals} 张 {rank}")
    if twos:
        english.append(f"{twos} × 2" + (f" counted as {rank}" if naturals else ""))
        chinese.append(f"{twos} 张 2" + (f"（当 {rank} 用）" if naturals else ""))
    for count, english_name, chinese_name in ((small_of(play), "small", "小花"), (big_of(play), "big", "大花")):
        if count:
            english.append(f"{count} {english_name} joker" + ("s" if count > 1 else ""))
            chinese.append(f"{count} 张{chinese_name}")
    cards = size(play)
    said_en = f"{format_play(play)}: {cards} card{'s' if cards > 1 else ''}: {', '.join(english)}"
    return Reason("R10", said_en, f"{format_play(play)}：共 {cards} 张：{'、'.join(chinese)}")


def _gouji(rules: RuleSet, play: Play) -> Reason:
    if small_of(play) or big_of(play):
        return Reason("R13", "a gouji play: it holds a joker", "够级牌：带花")
    rank, body = low_of(play), body_of(play)
    needed = gouji_thresholds(rules)[rank]
    named = RANKS[rank]
    if is_gouji(rules, play):
        text_en = f"a gouji play: {body} × {named}, {needed} {'is' if needed == 1 else 'are'} enough"
        return Reason("R13", text_en, f"够级牌：{body} 张 {named}，满 {needed} 张")
    if needed > TWO:
        text_en = f"no gouji play: a {named} is below the ten, and there is no joker"
        return Reason("R13", text_en, f"不是够级牌：{named} 小于 10，又不带花")
    text_en = f"no gouji play: {needed} × {named} would be needed, and there is no joker"
    return Reason("R13", text_en, f"不是够级牌：{named} 须满 {needed} 张，又不带花")

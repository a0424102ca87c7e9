"""Whether one play beats another, and why (R11, R12, R15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.cards import BIG, RANKS, SMALL
from gouji_rules.plays import (
    BIG_MASK,
    BIG_SHIFT,
    JOKER_MASK,
    LOW_MASK,
    SIZE_MASK,
    SMALL_MASK,
    SMALL_SHIFT,
    Play,
    big_of,
    body_of,
    compose,
    format_play,
    is_gouji,
    low_of,
    naturals_of,
    size,
    small_of,
    twos_of,
)

if TYPE_CHECKING:
    from gouji_rules.rule_set import RuleSet


def beats(rules: RuleSet, top: Play, answer: Play) -> bool:
    """Whether ``answer`` beats ``top`` on the table (R11, R12, R15)."""
    if rules.mixed_jokers == "as_small":
        top = as_small(top)
        answer = as_small(answer)
    if beats_by_card(top, answer):
        return True
    return rules.joker_kill != "off" and kills(top, answer, full=rules.joker_kill == "full")


def beats_by_card(top: Play, answer: Play) -> bool:
    """R11 and R12: as many cards, each strictly stronger than the top play's at its position.

    Sorted, a play is its big jokers, its small ones, then a body of one rank. So no play with a big joker is beaten,
    the answer's big jokers must reach over the top's small ones, and its weakest card must be above the top's weakest.
    """
    return (
        not top & BIG_MASK
        and not (top ^ answer) & SIZE_MASK
        and answer & LOW_MASK > top & LOW_MASK
        and answer >> BIG_SHIFT & 15 >= top >> SMALL_SHIFT & 15
    )


def kills(top: Play, answer: Play, *, full: bool) -> bool:
    """R15: equal bodies, the answer's higher, and its jokers cover every joker of a top play that holds one."""
    if not top & (JOKER_MASK if full else BIG_MASK):
        return False
    body = body_of(top)
    if body_of(answer) != body or (body and low_of(answer) <= low_of(top)):
        return False
    return bool(kill_cover(top, answer, full=full))


def kill_cover(top: Play, answer: Play, *, full: bool) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """How the answer's jokers cover the top's, each as (rank, ranks that cover it); empty if they do not (R15).

    ``full``: a small falls to one big or two small, a big to two big or three small. Else: a big falls to two big, a
    small to one big.
    """
    return cover_jokers(small_of(top), big_of(top), small_of(answer), big_of(answer), full=full)


def cover_jokers(
    small: int, big: int, have_small: int, have_big: int, *, full: bool
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The same for numbers of small and big jokers."""
    for big_by_big in range(big, -1, -1):
        big_by_small = big - big_by_big
        big_left = have_big - 2 * big_by_big
        if big_left < 0 or (big_by_small and not full):
            continue
        small_by_big = min(small, big_left)
        small_by_small = small - small_by_big
        small_needed = 3 * big_by_small + 2 * small_by_small
        if small_needed > have_small or (small_by_small and not full):
            continue
        return (
            *[(BIG, (BIG, BIG))] * big_by_big,
            *[(BIG, (SMALL, SMALL, SMALL))] * big_by_small,
            *[(SMALL, (BIG,))] * small_by_big,
            *[(SMALL, (SMALL, SMALL))] * small_by_small,
        )
    return ()


def as_small(play: Play) -> Play:
    """`mixed_jokers = as_small`: in a play with both kinds each big joker counts as small (R12)."""
    if play & SMALL_MASK and play & BIG_MASK:
        return compose(low_of(play), naturals_of(play), twos_of(play), small_of(play) + big_of(play), 0)
    return play


def counts_big(rules: RuleSet, play: Play) -> bool:
    """Whether a play counts a big joker, after `mixed_jokers`."""
    return bool(play & BIG_MASK) and not (rules.mixed_jokers == "as_small" and play & SMALL_MASK)


def is_unbeatable(rules: RuleSet, play: Play) -> bool:
    """Whether all know that nothing beats a play (死牌, R23)."""
    return rules.joker_kill == "off" and counts_big(rules, play)


@dataclass(frozen=True, slots=True)
class Cover:
    """One card of the play on the table and what the answer has against it, as ranks 0..14."""

    top: int
    answer: tuple[int, ...]
    stronger: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether an answer beats a play and why.

    ``rule`` is the rule that decides (R11, R12 or R15); ``covers`` has one entry per card of the play on the table,
    strongest first, and is empty where the numbers of cards differ (R11).
    """

    beats: bool
    rule: str
    covers: tuple[Cover, ...]
    answer_is_gouji: bool
    text_en: str
    text_zh: str


def strengths(play: Play) -> tuple[int, ...]:
    """The cards of a play as ranks, strongest first, body twos as the body's rank (R12)."""
    return (BIG,) * big_of(play) + (SMALL,) * small_of(play) + (low_of(play),) * body_of(play)


def explain(rules: RuleSet, top: Play, answer: Play) -> Comparison:
    """Whether ``answer`` beats ``top``, card by card, with the rule that decides."""
    gouji = is_gouji(rules, answer)
    shown_top, shown_answer = format_play(top), format_play(answer)
    if rules.mixed_jokers == "as_small":
        top, answer = as_small(top), as_small(answer)
    if beats_by_card(top, answer):
        text_en = f"{shown_answer} beats {shown_top}: as many cards, each stronger"
        return Comparison(
            True, "R12", _pairs(top, answer), gouji, text_en, f"{shown_answer} 大过 {shown_top}：张数相同，张张更大"
        )
    full = rules.joker_kill == "full"
    if rules.joker_kill != "off" and kills(top, answer, full=full):
        covers = [Cover(rank, by, stronger=True) for rank, by in kill_cover(top, answer, full=full)]
        covers += [Cover(low_of(top), (low_of(answer),), stronger=True)] * body_of(top)
        text_en = f"{shown_answer} kills {shown_top}: its jokers cover every joker"
        text_zh = f"{shown_answer} 杀 {shown_top}：花盖住了每一张花"
        if body_of(top):
            text_en += ", its body ranks higher"
            text_zh += "，所带的牌也更大"
        return Comparison(True, "R15", tuple(covers), gouji, text_en, text_zh)
    if size(top) != size(answer):
        cards = "1 card" if size(answer) == 1 else f"{size(answer)} cards"
        text_en = f"{shown_answer} has {cards}, {shown_top} has {size(top)}: a follow has as many"
        text_zh = f"{shown_answer} 是{size(answer)}张，{shown_top} 是{size(top)}张：张数须相同"
        return Comparison(False, "R11", (), gouji, text_en, text_zh)
    pairs = _pairs(top, answer)
    first = next(i for i, pair in enumerate(pairs) if not pair.stronger)
    mine, theirs = RANKS[pairs[first].answer[0]], RANKS[pairs[first].top]
    text_en = f"{shown_answer} does not beat {shown_top}: card {first + 1}, {mine} is not stronger than {theirs}"
    text_zh = f"{shown_answer} 大不过 {shown_top}：第{first + 1}张 {mine} 不大于 {theirs}"
    return Comparison(False, "R12", pairs, gouji, text_en, text_zh)


def _pairs(top: Play, answer: Play) -> tuple[Cover, ...]:
    pairs = zip(strengths(top), strengths(answer), strict=True)
    return tuple(Cover(theirs, (mine,), mine > theirs) for theirs, mine in pairs)

"""R10 to R15, R31, R34 and R45 a second time, straight from docs/rules.md: obvious, sharing nothing with the engine.

Cards are the characters of R-notation, a play is any string of them; hands are strings too. Of a rule set only the
options are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import gouji_rules as gr

if TYPE_CHECKING:
    from gouji_rules import RuleSet

RANKS = "3456789TJQKA2sb"
BODY_RANKS = "3456789TJQKA"
GOUJI_BODY = {"T": 5, "J": 4, "Q": 3, "K": 2, "A": 2}
PLAIN_RULES = gr.preset("qingdao")


def canonical(cards: str) -> str:
    """The same cards, weakest first."""
    return "".join(sorted(cards, key=RANKS.index))


def is_play(cards: str) -> bool:
    """R10: cards of one rank 3..A, twos and jokers, at least one card."""
    ranks = {card for card in cards if card in BODY_RANKS}
    return len(cards) > 0 and len(ranks) <= 1


def body(cards: str) -> str:
    """R10: the cards that are no joker, twos read as the rank they are put down with."""
    natural = [card for card in cards if card in BODY_RANKS]
    plain = [card for card in cards if card not in "sb"]
    return natural[0] * len(plain) if natural else "2" * len(plain)


def jokers(cards: str, mixed_jokers: str = "by_card") -> str:
    """The jokers as they count: under `as_small` a play with both kinds has small ones alone (R12)."""
    found = "".join(card for card in canonical(cards) if card in "sb")
    if mixed_jokers == "as_small" and "s" in found and "b" in found:
        return "s" * len(found)
    return found


@lru_cache(maxsize=20_000)
def strongest_first(cards: str, mixed_jokers: str = "by_card") -> tuple[int, ...]:
    """R12: the strength of every card of a play, body twos counting as the body's rank, from the strongest down."""
    read = body(cards) + jokers(cards, mixed_jokers)
    return tuple(sorted((RANKS.index(card) for card in read), reverse=True))


def is_stronger(top: str, answer: str, rules: RuleSet = PLAIN_RULES) -> bool:
    """R11 and R12: as many cards, each stronger."""
    if len(top) != len(answer):
        return False
    below, above = (strongest_first(cards, rules.mixed_jokers) for cards in (top, answer))
    return all(theirs > mine for mine, theirs in zip(below, above, strict=True))


# What covers a joker in a kill (R15): any one of these sets.
COVERS: dict[str, dict[str, tuple[str, ...]]] = {
    "two_big": {"b": ("bb",), "s": ("b",)},
    "full": {"b": ("bb", "sss"), "s": ("b", "ss")},
}


@lru_cache(maxsize=20_000)
def covers(mine: str, theirs: str, joker_kill: str) -> bool:
    """Whether these jokers cover every one of those, each of mine once; some of mine may be left over (R15)."""
    if not mine:
        return True
    for cover in COVERS[joker_kill][mine[0]]:
        if holds(theirs, cover) and covers(mine[1:], without(theirs, cover), joker_kill):
            return True
    return False


def kills(top: str, answer: str, rules: RuleSet) -> bool:
    """R15: a kill of a play with a joker, whatever the numbers of cards."""
    if rules.joker_kill == "off":
        return False
    mine, theirs = (jokers(cards, rules.mixed_jokers) for cards in (top, answer))
    if not mine or (rules.joker_kill == "two_big" and "b" not in mine):
        return False
    below, above = body(top), body(answer)
    if len(below) != len(above) or (below and RANKS.index(above[0]) <= RANKS.index(below[0])):
        return False
    return covers(mine, theirs, rules.joker_kill)


def beats(top: str, answer: str, rules: RuleSet = PLAIN_RULES) -> bool:
    """Whether the answer beats the top play, as the stronger one or as a kill."""
    return is_stronger(top, answer, rules) or kills(top, answer, rules)


def counts_a_big_joker(cards: str, rules: RuleSet = PLAIN_RULES) -> bool:
    """Whether a play holds a big joker once mixed jokers are counted (R12, R15, R23)."""
    return "b" in jokers(cards, rules.mixed_jokers)


def is_gouji(cards: str, rules: RuleSet = PLAIN_RULES) -> bool:
    """R13: a joker, or a body of enough high cards."""
    if "s" in cards or "b" in cards:
        return True
    read = body(cards)
    if read[0] == "2":
        return len(read) >= rules.gouji_twos
    return len(read) >= GOUJI_BODY.get(read[0], len(read) + 1)


def rest_is_sound(rest: str, rules: RuleSet = PLAIN_RULES) -> bool:
    """R31 `strict`: what remains after a burn lets every play but the last hold a joker."""
    if not rest:
        return True
    held = sum(card in "sb" for card in rest)
    ranks = {card for card in rest if card in BODY_RANKS}
    if rules.hold_three:
        groups = len(ranks - {"3"}) or ("2" in rest)
        return held >= groups if "3" in rest else held >= groups - 1
    groups = len(ranks) or ("2" in rest)
    return held >= groups - 1


def without(hand: str, cards: str) -> str:
    """The hand after the cards have left it; the cards must be in it."""
    left = Counter(hand)
    left.subtract(cards)
    assert min(left.values(), default=0) >= 0, (hand, cards)
    return canonical("".join(left.elements()))


def holds(hand: str, cards: str) -> bool:
    """Whether every one of the cards is in the hand."""
    return not Counter(cards) - Counter(hand)


def sub_multisets(hand: str) -> Iterator[str]:
    """Every choice of cards from the hand, once each, the empty one too."""
    counts = sorted(Counter(hand).items(), key=lambda item: RANKS.index(item[0]))
    for numbers in product(*(range(count + 1) for _, count in counts)):
        yield "".join(rank * number for (rank, _), number in zip(counts, numbers, strict=True))


@lru_cache(maxsize=2_000)
def plays_in(hand: str) -> AbstractSet[str]:
    """Every play the hand can put down (R10): of each rank all choices of its cards, the twos and the jokers."""
    wild = "".join(card for card in hand if card in "2sb")
    found = set(sub_multisets(wild))
    for rank in set(hand) & set(BODY_RANKS):
        found |= set(sub_multisets(rank * hand.count(rank) + wild))
    return frozenset(found - {""})


def answers_in(hand: str, top: str, rules: RuleSet = PLAIN_RULES) -> set[str]:
    """Every play of the hand that beats the top play."""
    return {cards for cards in plays_in(hand) if beats(top, cards, rules)}


def kills_in(hand: str, top: str, rules: RuleSet) -> set[str]:
    """Every play of the hand that kills the top play."""
    return {cards for cards in plays_in(hand) if kills(top, cards, rules)}


def burns_in(hand: str, top: str, rules: RuleSet = PLAIN_RULES) -> set[str]:
    """Every burn of the top play the hand allows (R30, R31)."""
    answers = answers_in(hand, top, rules)
    if rules.burn == "bluff":
        return answers
    return {cards for cards in answers if rest_is_sound(without(hand, cards), rules)}


def holds_threes_back(hand: str, cards: str, rules: RuleSet) -> bool:
    """R45: whether these cards keep what hold-three asks: 3s only as the last play, all of them and alone."""
    return not rules.hold_three or "3" not in cards or (set(hand) == {"3"} and cards == hand)


def leads_in(hand: str, rules: RuleSet = PLAIN_RULES, *, burning: bool = False, four: bool = False) -> set[str]:
    """Every lead of the hand: R34 for a burner, R43 for one that has just opened and holds a 4, R45."""
    leads = {cards for cards in plays_in(hand) if holds_threes_back(hand, cards, rules)}
    if burning:
        leads = {cards for cards in leads if "s" in cards or "b" in cards or len(cards) == len(hand)}
    if four and "4" in hand:
        leads = {cards for cards in leads if "4" in cards}
    return leads


def burn_leads_in(hand: str) -> set[str]:
    """R34: the leads a burner may make, each with a joker unless it empties the hand."""
    return leads_in(hand, burning=True)

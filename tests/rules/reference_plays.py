"""R10 to R13 and R31 a second time, straight from docs/rules.md: slow, obvious, sharing nothing with the engine.

Cards are the characters of R-notation, a play is any string of them; hands are strings too.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product

RANKS = "3456789TJQKA2sb"
BODY_RANKS = "3456789TJQKA"
GOUJI_BODY = {"T": 5, "J": 4, "Q": 3, "K": 2, "A": 2, "2": 1}


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


def strongest_first(cards: str) -> list[int]:
    """R12: the strength of every card of a play, body twos counting as the body's rank, from the strongest down."""
    read = body(cards) + "".join(card for card in cards if card in "sb")
    return sorted((RANKS.index(card) for card in read), reverse=True)


def beats(top: str, answer: str) -> bool:
    """R11 and R12 under `mixed_jokers = by_card`, `joker_kill = off`."""
    if len(top) != len(answer):
        return False
    return all(b > a for a, b in zip(strongest_first(top), strongest_first(answer), strict=True))


def is_gouji(cards: str) -> bool:
    """R13: a joker, or a body of enough high cards."""
    if "s" in cards or "b" in cards:
        return True
    read = body(cards)
    return len(read) >= GOUJI_BODY.get(read[0], len(read) + 1)


def rest_is_sound(rest: str) -> bool:
    """R31 `strict`: what remains after a burn lets every play but the last hold a joker."""
    if not rest:
        return True
    groups = len({card for card in rest if card in BODY_RANKS})
    if groups == 0 and "2" in rest:
        groups = 1
    jokers = sum(card in "sb" for card in rest)
    return jokers >= groups - 1


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


def plays_in(hand: str) -> set[str]:
    """Every play the hand can put down as a lead (R10), by looking at all choices of cards."""
    return {cards for cards in sub_multisets(hand) if is_play(cards)}


def answers_in(hand: str, top: str) -> set[str]:
    """Every play of the hand that beats the top play."""
    return {cards for cards in plays_in(hand) if beats(top, cards)}


def burns_in(hand: str, top: str) -> set[str]:
    """Every burn of the top play the hand allows (R30, R31)."""
    return {cards for cards in answers_in(hand, top) if rest_is_sound(without(hand, cards))}


def burn_leads_in(hand: str) -> set[str]:
    """R34: the leads a burner may make, each with a joker unless it empties the hand."""
    return {cards for cards in plays_in(hand) if "s" in cards or "b" in cards or len(cards) == len(hand)}

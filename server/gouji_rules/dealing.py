"""How a deal begins: the cards drawn or given become hands, and a position before the first step (R1, R3, R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules import tribute
from gouji_rules.cards import RANK_COUNT, RANK_OF_CARD, RANKS, SEATS, pack, pack_counts
from gouji_rules.enumeration import ONE_OF_RANK
from gouji_rules.errors import DealError
from gouji_rules.obligations import Obligation, parse_obligation
from gouji_rules.position import Position
from gouji_rules.state import NO_COUNTS
from gouji_rules.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.rule_set import RuleSet

# A packed hand has more bits than a machine word: it is counted in two halves, which have not.
_HALF: Final = 56
_ONE_OF_CARD: Final = (0, *(ONE_OF_RANK[RANK_OF_CARD[card]] for card in range(1, 55)))
_LOW_PART: Final[list[int]] = [one & (1 << _HALF) - 1 for one in _ONE_OF_CARD]
_HIGH_PART: Final[list[int]] = [one >> _HALF for one in _ONE_OF_CARD]


def before_play(
    rules: RuleSet,
    dealt: tuple[bytes, ...],
    number: int,
    owed: tuple[Obligation, ...],
    steps: tuple[Step, ...],
    *,
    track_cards: bool = True,
) -> Position:
    """A position before the first step. Hands stay empty where something is asked before the cards are drawn."""
    drawn = Step.DRAW not in steps
    hands = packed_hands(dealt) if drawn else [0] * SEATS
    cards = [bytes(sorted(held)) if drawn else b"" for held in dealt] if track_cards else None
    position = Position(rules, hands, cards, number)
    if not drawn:
        position.public.count_shown = NO_COUNTS
    if owed and rules.tribute:
        position.public.obligations = tribute.in_order(owed)
    return position


def read_obligations(given: Sequence[Obligation | str]) -> tuple[Obligation, ...]:
    """Obligations as given, texts of them read. Raises ValueError for a text that is none."""
    return tuple(parse_obligation(owed) if isinstance(owed, str) else owed for owed in given) if given else ()


def dealt_out(order: bytes, first_drawer: int) -> tuple[bytes, ...]:
    """The cards of each seat, drawn one at a time in seat order."""
    return tuple([order[(seat - first_drawer) % SEATS :: SEATS] for seat in range(SEATS)])


def packed_hands(dealt: Sequence[bytes]) -> list[int]:
    """The hands dealt, packed (:func:`~gouji_rules.enumeration.pack_hand`)."""
    hands: list[int] = []
    for held in dealt:
        low = high = 0
        for card in held:
            low += _LOW_PART[card]
            high += _HIGH_PART[card]
        hands.append(low | high << _HALF)
    return hands


def check_hands(rules: RuleSet, hands: list[list[int]], lead: int) -> None:
    """Raise DealError unless these are six hands of fifteen counts that the pack holds, and the lead is a seat.

    A hand without cards is a revolutionary's: there is none where the rules have no revolution.
    """
    if len(hands) != SEATS:
        raise DealError(f"a deal has {SEATS} hands, not {len(hands)}", f"一盘有 {SEATS} 手牌，不是 {len(hands)} 手")
    if not 0 <= lead < SEATS:
        raise DealError(
            f"the lead is a seat from 0 to {SEATS - 1}, not {lead}", f"首发须是座位 0 至 {SEATS - 1}，不能是 {lead}"
        )
    for hand in hands:
        if len(hand) != RANK_COUNT or min(hand) < 0:
            raise DealError(f"a hand is {RANK_COUNT} counts from zero up", f"一手牌是 {RANK_COUNT} 个不小于零的张数")
    if rules.revolution == "off" and not all(map(any, hands)):
        empty = list(map(any, hands)).index(False)
        raise DealError(
            f"seat {empty} has no cards, and these rules have no revolution", f"{empty} 号没有牌，而此规则没有革命"
        )
    for rank, held in enumerate(pack_counts(rules)):
        used = sum(hand[rank] for hand in hands)
        if used > held:
            raise DealError(
                f"the hands hold {used} of rank {RANKS[rank]}, the pack has {held}",
                f"各家手里共有 {used} 张 {RANKS[rank]}，整副牌只有 {held} 张",
            )


def real_cards(rules: RuleSet, hands: list[list[int]]) -> tuple[bytes, ...]:
    """Real cards for rank counts: seat 0 first, each rank from the lowest card up."""
    stock: list[list[int]] = [[] for _ in range(RANK_COUNT)]
    for card in sorted(pack(rules), reverse=True):
        stock[RANK_OF_CARD[card]].append(card)
    return tuple(bytes(stock[rank].pop() for rank in range(RANK_COUNT) for _ in range(hand[rank])) for hand in hands)

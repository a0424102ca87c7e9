"""What a seat may answer about tribute, from the question and its own hand alone (R73)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.actions import ACCEPT, REFUSE, Action, give_action
from gouji_rules.cards import NATURAL_RANKS, RANK_COUNT, RANKS, SMALL, TWO
from gouji_rules.errors import CardsNotHeld, ReturnNotAllowed
from gouji_rules.plays import PLAY_MASK, Play, compose, size
from gouji_rules.question import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.question import Question
    from gouji_rules.rule_set import RuleSet


def one_card(rank: int) -> Play:
    """The play of one card of a rank."""
    if rank < NATURAL_RANKS:
        return compose(rank, 1, 0, 0, 0)
    return compose(0, 0, int(rank == TWO), int(rank == SMALL), int(rank > SMALL))


_GIVES = tuple(give_action(one_card(rank)) for rank in range(RANK_COUNT))


def rank_given(action: Action) -> int:
    """The rank of the one card of a GIVE."""
    return action & 15


def gives(rules: RuleSet, barred: int, hand: Sequence[int]) -> tuple[Action, ...]:
    """The cards that a receiver may pick to return, one action per rank, lowest first; none of a hand of one card."""
    if sum(hand) == 1:
        return ()
    return tuple(
        _GIVES[rank]
        for rank in range(RANK_COUNT)
        if hand[rank] and not barred >> rank & 1 and not _kept(rules, hand, rank)
    )


def _kept(rules: RuleSet, hand: Sequence[int], rank: int) -> bool:
    """A seat's last 3 under hold-three is not returned."""
    return rules.hold_three and rank == 0 and hand[0] == 1


def check_give(rules: RuleSet, question: Question, hand: Sequence[int], action: Action) -> None:
    """Raise the RuleViolation that says why this card may not be returned."""
    play = Play(action & PLAY_MASK)
    rank = rank_given(action)
    if size(play) != 1 or rank >= RANK_COUNT or play != one_card(rank):
        raise ReturnNotAllowed("R73", "RETURN_ONE_CARD", "cards are returned one by one", "还贡一次还一张")
    name = RANKS[rank]
    if not hand[rank]:
        raise CardsNotHeld("R16", "CARDS_NOT_HELD", f"the hand does not hold {name}", f"手中没有 {name}")
    if question.barred >> rank & 1:
        raise ReturnNotAllowed(
            "R73", "RETURN_REFUSED", f"{name} was refused already: pick another rank", f"{name} 已被拒绝，请换一种"
        )
    if _kept(rules, hand, rank):
        raise ReturnNotAllowed("R73", "RETURN_LAST_THREE", "the last 3 is not returned", "憋三时最后一张 3 不能还")


def check_refuse(question: Question, hand: Sequence[int]) -> None:
    """Raise ReturnNotAllowed where a payer may not refuse the card that it is to get back: it holds its rank."""
    rank = question.top & 15
    if question.kind == Kind.REFUSE and hand[rank]:
        raise ReturnNotAllowed(
            "R73",
            "REFUSE_HELD",
            f"only a rank that one does not hold may be refused: {RANKS[rank]} is held",
            f"只能拒绝自己没有的点数：手中有 {RANKS[rank]}",
        )


def takes(question: Question, hand: Sequence[int]) -> tuple[Action, ...]:
    """Accept, and refuse where that is allowed."""
    if question.kind == Kind.REFUSE and hand[question.top & 15]:
        return (ACCEPT,)
    return (ACCEPT, REFUSE)

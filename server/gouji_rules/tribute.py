"""Tribute (进贡, R70-R75): who pays whom before a deal, the choices of both sides, and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules.actions import ACCEPT, SWAP, WAIVE, Action
from gouji_rules.cards import BIG, RANK_COUNT, RANK_OF_CARD, SMALL, TWO, Card
from gouji_rules.events import (
    CardReturned,
    PlacesSwapped,
    ReturnRefused,
    TributePaid,
    TributeRefused,
    TributeWaived,
)
from gouji_rules.handover import hand_over, lowest_of
from gouji_rules.obligations import KINDS, Obligation
from gouji_rules.plays import NO_PLAY, PLAY_MASK, Play
from gouji_rules.position import seats_in
from gouji_rules.question import RETURN_VERBS, SWAP_VERBS, TAKE_VERBS, WAIVE_VERBS, Kind
from gouji_rules.returns import gives, rank_given
from gouji_rules.state import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet

TRIBUTE_RANKS: Final = (BIG, SMALL, TWO)
"""What is paid, largest first; aces never (R70)."""


def in_order(obligations: Iterable[Obligation]) -> tuple[Obligation, ...]:
    """As they are paid: stifle, burn, point, loser; within a kind as incurred (R70)."""
    return tuple(sorted(obligations, key=lambda owed: KINDS.index(owed.kind)))


# ── the swap of places 5 and 6 ───────────────────────────────────────────────────────────────────────────────────────


def losers(obligations: Iterable[Obligation]) -> tuple[int, int]:
    """The seats of places 6 and 5 of the deal before, as the loser tribute tells them; (-1, -1) where it does not."""
    owed = sorted((o for o in obligations if o.kind == "loser"), key=lambda o: -o.count)
    if len(owed) != 2 or owed[0].count == owed[1].count:
        return -1, -1
    return owed[0].payer, owed[1].payer


def ask_swap(pos: Position) -> None:
    """Ask the seats of places 5 and 6, together, whether they swap: only where they are allies (R73)."""
    sixth, fifth = losers(pos.public.obligations)
    if sixth < 0 or not are_allies(pos.rules, sixth, fifth):
        return
    p = pos.public
    p.phase = Phase.SWAP
    p.kind = Kind.SWAP
    p.asked = pos.waiting = 1 << sixth | 1 << fifth
    p.verbs = SWAP_VERBS
    p.turn = -1


def settle_swap(pos: Position) -> None:
    """Both have answered: if both agree each owes what the other did."""
    p = pos.public
    agreed = all(pos.answers[seat] == SWAP for seat in seats_in(p.asked))
    pos.forget_answers()
    _ask_nothing(pos)
    if not agreed:
        return
    sixth, fifth = losers(p.obligations)
    other = {sixth: fifth, fifth: sixth}
    p.obligations = tuple(
        Obligation(other[o.payer], o.receiver, o.kind, o.count) if o.kind == "loser" else o for o in p.obligations
    )
    if pos.events is not None:
        pos.events.append(PlacesSwapped((fifth, sixth)))


def are_allies(rules: RuleSet, one: int, other: int) -> bool:
    """Whether two seats are of one team; in individual play nobody is (R7)."""
    return rules.teams == "federation" and not (one - other) & 1


# ── paying ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def begin(pos: Position) -> None:
    """Pay all that is owed, then return what is to be returned, up to the first question."""
    pos.owed = pos.public.obligations
    pos.back = ()
    go_on(pos)


def go_on(pos: Position) -> None:
    """Pay and return until somebody is to be asked, or all is done and nothing is asked."""
    while pos.owed:
        owed = pos.owed[0]
        if owed.kind == "loser" and are_allies(pos.rules, owed.payer, owed.receiver):
            _ask(pos, Kind.WAIVE, 1 << owed.payer | 1 << owed.receiver, WAIVE_VERBS, owed)
            return
        if _take_or_ask(pos, owed):
            return
    _return_next(pos)


def settle_waiver(pos: Position) -> None:
    """Both allies have answered: loser tribute is waived if both agree (R73)."""
    owed = pos.owed[0]
    waived = all(pos.answers[seat] == WAIVE for seat in seats_in(pos.public.asked))
    pos.forget_answers()
    _ask_nothing(pos)
    if waived:
        pos.owed = pos.owed[1:]
        if pos.events is not None:
            pos.events.append(TributeWaived(owed.payer, owed.receiver, _largest(pos, owed.payer)))
    elif _take_or_ask(pos, owed):
        return
    go_on(pos)


def _largest(pos: Position, seat: int) -> Card | None:
    """The card that a payer shows instead of paying (S0): its largest, whatever it is."""
    if not pos.rules.waiver_shows or pos.cards is None or not pos.cards[seat]:
        return None
    return Card(max(pos.cards[seat], key=lambda card: (RANK_OF_CARD[card], -card)))


def _take_or_ask(pos: Position, owed: Obligation) -> bool:
    """Pay the first of what is owed, or ask its receiver whether it takes it: True if it is asked."""
    if pos.rules.tribute_refusable:
        _ask(pos, Kind.ACCEPT, 1 << owed.receiver, TAKE_VERBS, owed)
        return True
    _pay(pos)
    return False


def answer_tribute(pos: Position, action: Action) -> None:
    """A receiver takes the tribute owed to it, or does not (R73, `tribute_refusable`)."""
    owed = pos.owed[0]
    _ask_nothing(pos)
    if action == ACCEPT:
        _pay(pos)
    else:
        pos.owed = pos.owed[1:]
        if pos.events is not None:
            pos.events.append(TributeRefused(owed.receiver, owed.payer, owed.kind, owed.count))
    go_on(pos)


def _pay(pos: Position) -> None:
    """Pay the first of what is owed as far as the payer has it: largest first, nothing received as tribute (R71).

    The last card of a hand is not paid: a seat without cards could not play.
    """
    owed = pos.owed[0]
    pos.owed = pos.owed[1:]
    ranks, cards = _own_tribute(pos, owed.payer, owed.count)
    paid: tuple[Card, ...] = ()
    if ranks:
        paid = hand_over(pos, owed.payer, owed.receiver, ranks, "tribute", cards)
        if owed.kind == "loser" or (owed.kind == "point" and pos.rules.point_returned):
            pos.back += (Obligation(owed.payer, owed.receiver, owed.kind, len(ranks)),)
    if pos.events is not None:
        pos.events.append(TributePaid(owed.payer, owed.receiver, owed.kind, owed.count, paid))


def _own_tribute(pos: Position, payer: int, count: int) -> tuple[tuple[int, ...], bytes | None]:
    """The ranks, and the real cards where they are tracked, that a payer pays."""
    received = [move for move in pos.public.moves if move.taker == payer and move.why == "tribute"]
    counts = [0] * RANK_COUNT
    for move in received:
        for rank in move.ranks:
            counts[rank] += 1
    hand = pos.hand(payer)
    most = min(count, max(pos.left[payer] - 1, 0))
    ranks = tuple(rank for rank in TRIBUTE_RANKS for _ in range(hand[rank] - counts[rank]))[:most]
    if pos.cards is None:
        return ranks, None
    own = bytearray(pos.cards[payer])
    for move in received:
        for card in move.cards:
            own.remove(card)
    return ranks, lowest_of(own, ranks)


# ── returning ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _return_next(pos: Position) -> None:
    """Ask for the next card that is to come back; nothing is asked when none is."""
    while pos.back:
        back = pos.back[0]
        _ask(pos, Kind.RETURN, 1 << back.receiver, RETURN_VERBS, back)
        if _has_pick(pos):
            return
        pos.back = pos.back[1:]  # nothing that may be returned is left in this hand
        _ask_nothing(pos)


def _has_pick(pos: Position) -> bool:
    p = pos.public
    return bool(gives(pos.rules, p.barred, pos.hand(pos.back[0].receiver)))


def pick_return(pos: Position, seat: int, action: Action) -> None:
    """A receiver picks the card that it returns (R73)."""
    p = pos.public
    back = pos.back[0]
    rank = rank_given(action)
    card = pos.chosen[seat]
    if pos.cards is not None and card is None:
        pos.choose(seat, bytes([next(card for card in pos.cards[seat] if RANK_OF_CARD[card] == rank)]))
    p.top = Play(action & PLAY_MASK)
    p.top_owner = seat
    if pos.rules.return_ == "may_refuse":
        top, barred = p.top, p.barred
        _ask(pos, Kind.REFUSE, 1 << back.payer, TAKE_VERBS, back)
        p.top, p.top_owner, p.barred = top, seat, barred
    elif pos.rules.return_ == "must_match" and not _matches(pos, rank):
        _refuse(pos, rank)
    else:
        _hand_back(pos, rank)


def _matches(pos: Position, rank: int) -> bool:
    """`must_match`: a rank that the payer holds, if the receiver may still pick any such."""
    back = pos.back[0]
    held = pos.hand(back.payer)
    if held[rank]:
        return True
    picks = gives(pos.rules, pos.public.barred, pos.hand(back.receiver))
    return not any(held[rank_given(pick)] for pick in picks)


def answer_return(pos: Position, action: Action) -> None:
    """A payer takes the card that it is to get back, or refuses a rank that it does not hold (R73)."""
    rank = rank_given(Action(pos.public.top))
    if action == ACCEPT:
        _hand_back(pos, rank)
    else:
        _refuse(pos, rank)


def _refuse(pos: Position, rank: int) -> None:
    """The pick is refused: another rank is asked for; when none is left the last pick stands (R73)."""
    p = pos.public
    back = pos.back[0]
    p.barred |= 1 << rank
    card = pos.chosen[back.receiver]
    if pos.events is not None and card is not None:
        pos.events.append(ReturnRefused(back.payer, back.receiver, Card(card[0])))
    if not _has_pick(pos):
        _hand_back(pos, rank)
        return
    pos.choose(back.receiver, None)
    barred = p.barred
    _ask(pos, Kind.RETURN, 1 << back.receiver, RETURN_VERBS, back)
    p.barred = barred


def _hand_back(pos: Position, rank: int) -> None:
    back = pos.back[0]
    card = pos.chosen[back.receiver]
    pos.choose(back.receiver, None)
    _ask_nothing(pos)
    returned = hand_over(pos, back.receiver, back.payer, (rank,), "return", card)
    if pos.events is not None and returned:
        pos.events.append(CardReturned(back.receiver, back.payer, returned[0]))
    rest = () if back.count == 1 else (Obligation(back.payer, back.receiver, back.kind, back.count - 1),)
    pos.back = rest + pos.back[1:]
    _return_next(pos)


def _ask(pos: Position, kind: Kind, seats: int, verbs: int, due: Obligation) -> None:
    p = pos.public
    _ask_nothing(pos)
    p.phase = Phase.TRIBUTE
    p.kind = kind
    p.asked = seats
    p.verbs = verbs
    p.due = due
    if kind == Kind.WAIVE:
        pos.waiting = seats
    else:
        p.turn = seats.bit_length() - 1


def _ask_nothing(pos: Position) -> None:
    p = pos.public
    p.kind = Kind.NONE
    p.asked = p.verbs = p.barred = 0
    p.turn = -1
    p.due = None
    p.top, p.top_owner = NO_PLAY, -1


__all__ = [
    "answer_return",
    "answer_tribute",
    "are_allies",
    "ask_swap",
    "begin",
    "go_on",
    "in_order",
    "losers",
    "pick_return",
    "settle_swap",
    "settle_waiver",
]

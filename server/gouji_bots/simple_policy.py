"""The policy `simple`: sheds low, keeps gouji plays and jokers, minds its allies, burns when that ends the hand.

It looks one play ahead: every answer is judged by what it leaves in hand (`hand.worth`), and compared with passing.
Only one plan goes further: when every lead but the last can hold a joker that nothing beats, it runs to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_bots import hand as hands
from gouji_rules import (
    DECLINE,
    KEEP_HEAD,
    NO,
    PASS,
    REVOLT,
    WIND,
    YIELD,
    Kind,
    Play,
    Verb,
    play_action,
    play_of,
    suit_shown,
    verb_of,
)
from gouji_rules.actions import ACCEPT, WAIVE
from gouji_rules.cards import BIG, NATURAL_RANKS, SMALL, TWO
from gouji_rules.comparison import beats
from gouji_rules.plays import big_of, compose, is_gouji, low_of, naturals_of, small_of

if TYPE_CHECKING:
    from random import Random

    from gouji_rules import Action, PublicState, SeatView

_TEMPO = 1.4
"""What having the top play is worth by itself."""
_AGAINST_ALLY = 1.4
"""What it costs to put a play over an ally's."""
_NEAR = 10
"""Cards in hand that are few: from here on R80 tells the count."""
_NEARLY_OUT = 3
"""Cards with which an ally is nearly out: its play is beaten by nothing but the end of the own hand."""
_STOP = 1.2
"""What it is worth to stop an enemy with few cards, and costs to stop an ally with few."""


def simple_policy(view: SeatView, rng: Random) -> Action:
    """Return a sensible action; `rng` settles nothing but ties."""
    question = view.question
    kind = question.kind if question is not None else Kind.NONE
    if kind == Kind.LEAD:
        chosen = play_action(_lead(view))
        # Rules that bind a lead further (a 4 to be led, 3s to be kept) leave the lowest lead that there is.
        return chosen if view.can(chosen) else view.default_action()
    if kind == Kind.FOLLOW:
        return _follow(view)
    if kind == Kind.WINDOW:
        return _burn_or_decline(view)
    if kind == Kind.RETURN:
        return _return(view)
    if kind in _PLAIN:
        return _PLAIN[kind]
    return _settle(view, rng)


_PLAIN = {Kind.CALL: NO, Kind.WAIVE: WAIVE, Kind.SWAP: NO, Kind.ACCEPT: ACCEPT, Kind.REFUSE: ACCEPT}
"""No calls, no swaps, no tribute between allies; what is offered is taken."""


def _return(view: SeatView) -> Action:
    """Give back what is missed least: the lowest of the ranks held least often, no gouji group broken if possible."""
    gouji = {rank for rank in range(NATURAL_RANKS) if view.hand[rank] >= hands.GOUJI_AT[rank]}

    def loss(action: Action) -> tuple[bool, bool, int, int]:
        rank = low_of(play_of(action)) if naturals_of(play_of(action)) else TWO
        return rank == TWO, rank in gouji, view.hand[rank], rank

    return min(view.legal_actions().plays, key=loss)


def _settle(view: SeatView, rng: Random) -> Action:
    """The questions before the first lead: show where possible, revolt with a poor hand, keep the head (R52)."""
    legal = view.legal_actions()
    shows = [action for action in legal if verb_of(action) == Verb.SHOW]
    if shows:
        return max(shows, key=lambda action: (view.threes[suit_shown(action)], rng.random()))
    if REVOLT in legal and not (NO in legal and _is_strong_without_wilds(view.hand)):
        return REVOLT
    return KEEP_HEAD if KEEP_HEAD in legal else legal[0]


def _is_strong_without_wilds(hand: tuple[int, ...]) -> bool:
    """Whether a hand without twos and jokers may still hope for more than a revolutionary's fourth place."""
    return sum(hand[rank] >= hands.GOUJI_AT[rank] for rank in range(NATURAL_RANKS)) >= len(hands.low_groups(hand))


def _top_jokers(view: SeatView) -> tuple[int, int]:
    """How many small and big jokers of the own hand nothing can beat.

    Big ones always; the small ones too once no big joker is left elsewhere, as the plays so far tell.
    """
    gone = sum(big_of(Play(entry)) for entry in view.public.history)
    elsewhere = view.rules.decks - gone - view.hand[BIG]
    return (view.hand[SMALL] if elsewhere <= 0 else 0), view.hand[BIG]


# ── leading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _lead(view: SeatView) -> Play:
    hand = view.hand
    everything = hands.whole(hand)
    if everything:
        return everything
    small_tops, big_tops = _top_jokers(view)
    must_hold_joker = view.public.must_hold_joker
    if hands.runs_out(hand, small_tops + big_tops) or must_hold_joker:
        return _lead_with_joker(hand, small_tops, keep=not must_hold_joker)
    low = hands.low_groups(hand)
    gouji = [rank for rank in hands.groups(hand) if rank not in low]
    if len(low) <= 1 and (gouji or hand[TWO]) and not view.public.melee:
        # One poor group is no hindrance as the last play: win with what wins first.
        if gouji:
            return compose(gouji[0], hand[gouji[0]], 0, 0, 0)
        return compose(0, 0, hand[TWO], 0, 0)
    rank = (low or gouji or [0])[0]
    return compose(rank, hand[rank], 0, 0, 0)


def _lead_with_joker(hand: tuple[int, ...], small_tops: int, *, keep: bool) -> Play:
    """The lowest group with one joker: the least that nothing beats. With no group left, jokers and twos alone.

    While burning with too few jokers that nothing beats, the smaller one must do (`keep` False).
    """
    small = bool(hand[SMALL]) and (small_tops > 0 or not hand[BIG])
    if not (hand[SMALL] or hand[BIG]):
        return hands.whole(hand)
    if not keep and not small_tops and hand[SMALL] and hands.leads_left(hand) - 1 > hand[BIG]:
        small = True
    ranks = hands.groups(hand)
    rank = ranks[0] if ranks else 0
    return compose(rank, hand[rank] if ranks else 0, 0, int(small), int(not small))


# ── following ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _follow(view: SeatView) -> Action:
    public, hand = view.public, view.hand
    best, gain = Play(0), 0.0
    helps_ally = _is_ally_nearly_out(public, view.seat)
    holds_threes = view.rules.hold_three and hand[0] > 0
    now = hands.worth(hand)
    small_tops, big_tops = _top_jokers(view)
    interest = _interest(view)
    for play in hands.answers(hand, public.top):
        if not beats(view.rules, public.top, play) or (holds_threes and not view.can(play_action(play))):
            continue
        rest = hands.without(hand, play)
        if _goes_out(rest, play, small_tops, big_tops):
            return play_action(play)
        if helps_ally:
            continue
        value = hands.worth(rest) - now + interest
        if not public.melee and is_gouji(view.rules, play) and not is_gouji(view.rules, public.top):
            value -= _breaks(hand, play)
        if value > gain or (not best and value > 0):
            best, gain = play, value
    question = view.question
    verbs = question.verbs if question is not None else 0
    if best:
        return play_action(best)
    if verbs >> Verb.WIND & 1:
        return WIND
    return YIELD if verbs >> Verb.YIELD & 1 else PASS


def _is_ally_nearly_out(public: PublicState, seat: int) -> bool:
    """Whether the top play is an ally's who has so few cards left that it should keep the lead."""
    owner = public.top_owner
    return (owner - seat) % 2 == 0 and 0 < public.count_shown[owner] <= _NEARLY_OUT


def _interest(view: SeatView) -> float:
    """What it is worth to put a play over the top one, whatever it costs in cards."""
    public = view.public
    owner = public.top_owner
    left = public.count_shown[owner]
    near = 0 <= left <= _NEAR
    if (owner - view.seat) % 2:
        if public.top_last:
            return _TEMPO
        return _TEMPO + (_STOP if near else 0.0)
    if public.top_last:
        return -_AGAINST_ALLY  # the wind is ours, or an ally's, without a card
    return _TEMPO - _AGAINST_ALLY - (_STOP if near else 0.0)


def _breaks(hand: tuple[int, ...], play: Play) -> float:
    """What it costs besides to spend a gouji play on a play that is none."""
    return 0.3 * (small_of(play) + big_of(play)) + 0.2 * bool(hand[BIG] and big_of(play))


def _goes_out(rest: list[int], play: Play, small_tops: int, big_tops: int) -> bool:
    """Whether a play ends the hand, or wins for certain and leaves what can be run out from the lead."""
    if not any(rest):
        return True
    unbeatable = big_of(play) > 0 or (small_tops > 0 and small_of(play) > 0)
    tops = min(rest[SMALL], small_tops) + min(rest[BIG], big_tops)
    return unbeatable and hands.runs_out(rest, tops)


# ── burning ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _burn_or_decline(view: SeatView) -> Action:
    """Burn only when the hand can then be run out for certain: a burn that fails busts its seat (R34)."""
    small_tops, big_tops = _top_jokers(view)
    for action in view.legal_actions().plays:
        play = play_of(action)
        rest = hands.without(view.hand, play)
        if _goes_out(rest, play, small_tops, big_tops):
            return action
    return DECLINE

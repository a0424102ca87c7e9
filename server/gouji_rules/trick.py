"""A trick (R20-R28): who is asked, what a play, a pass, a yield and a wind do, and when the trick is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules import burning, finishing, hold_three, opening
from gouji_rules.actions import VERB_SHIFT, Verb
from gouji_rules.cards import as_cards
from gouji_rules.enumeration import UNITS
from gouji_rules.events import Manner, MeleeBegan, Passed, Played, TrickEnded, WindAsked, WindowClosed, Yielded
from gouji_rules.plays import (
    LOW_MASK,
    NATURAL_SHIFT,
    NO_PLAY,
    PLAY_MASK,
    SIZE_SHIFT,
    TWO_SHIFT,
    Play,
)
from gouji_rules.position import FIRST_AFTER, OPPOSITE, OPPOSITE_BIT, Position, take_cards
from gouji_rules.question import FOLLOW_VERBS, LEAD_VERBS, WIND_BIT, YIELD_BIT, Kind
from gouji_rules.state import (
    DEAD_BIT,
    HEADLESS_BIT,
    LAST_BIT,
    MANNER_SHIFT,
    NO_COUNTS,
    SEAT_SHIFT,
    SIZELESS,
    Phase,
    with_seat,
)

if TYPE_CHECKING:
    from gouji_rules.actions import Action
    from gouji_rules.state import PublicState

# The two seats after a seat: those who speak first when it yields (R24).
_NEXT_TWO: Final = tuple(1 << (seat + 1) % 6 | 1 << (seat + 2) % 6 for seat in range(6))

# Members of an enumeration are slow to look up in its class, so the ones of every move are looked up once.
_LEAD: Final = Kind.LEAD
_FOLLOW: Final = Kind.FOLLOW
_BURN: Final = Manner.BURN
_KILL: Final = Manner.KILL
_MANNER_BITS: Final = (0, *((int(manner) & 3) << MANNER_SHIFT for manner in Manner))


def begin_play(pos: Position) -> None:
    """All before the first lead is settled: ask its owner."""
    p = pos.public
    p.phase = Phase.PLAY
    begin_trick(p, p.first_leader)


def begin_trick(p: PublicState, leader: int) -> None:
    """Ask the leader of a new trick."""
    p.trick += 1
    p.leader = p.turn = leader
    p.asked = 1 << leader
    p.kind = _LEAD
    p.verbs = LEAD_VERBS
    p.must_hold_joker = p.burner == leader


def put_down(pos: Position, seat: int, play: Play, manner: Manner) -> None:
    """Put a legal play down: take it from the hand, make it the top play, and ask whoever is next.

    The one long function of the engine: it is most of what a simulated move costs, and calls are dear.
    """
    p = pos.public
    low = play & LOW_MASK
    size = play >> SIZE_SHIFT
    conduct = pos.conduct
    if manner is _BURN:
        burning.start(pos, seat)
    busted = -1
    if conduct.stifles and p.top_owner >= 0:
        busted = hold_three.cover(pos, seat, manner)
    naturals = play >> NATURAL_SHIFT & 31
    if naturals:
        pos.naturals[seat] -= naturals * UNITS[low]
    wild = play >> TWO_SHIFT & 0x1FFF
    if wild:
        pos.wild[seat] -= wild
    left = pos.left[seat] - size
    pos.left[seat] = left
    if left <= pos.report_at:
        p.count_shown = with_seat(p.count_shown, seat, left)
    gouji = wild > 31 or size >= pos.gouji_at[low]
    dead = headless = False
    closed = False
    if not p.melee:
        closed = p.closed
        if p.headless:
            headless = bool(p.headless >> seat & 1)
        if p.chance >= 0:
            dead = gouji and p.chance == seat
            p.headless |= 1 << p.chance
            p.chance = -1
        if gouji and p.dead_left[seat] > 0:
            dead = True
            _count_dead_gouji(p, seat)
        if p.yielder >= 0:
            if p.yielder != seat:
                p.passed |= 1 << p.yielder
            p.yielder = -1
        if p.burner >= 0 and p.burner != seat:
            burning.cover_burner(pos, seat, manner)
    p.top = play
    p.top_owner = seat
    p.top_gouji = gouji
    p.top_dead = dead
    p.top_last = not left
    p.top_headless = headless
    p.must_hold_joker = False
    entry = play & SIZELESS | seat << SEAT_SHIFT | _MANNER_BITS[manner]
    if dead or headless or not left:
        entry |= (DEAD_BIT if dead else 0) | (0 if left else LAST_BIT) | (HEADLESS_BIT if headless else 0)
    p.history.append(entry)
    if pos.cards is not None:
        cards = take_cards(pos, seat, play)
        p.history_cards += cards
        if pos.events is not None:
            shown = as_cards(cards)
            pos.events.append(Played(seat, p.trick, manner, play, shown, gouji, dead, not left, headless))
    elif pos.events is not None:
        pos.events.append(Played(seat, p.trick, manner, play, (), gouji, dead, not left, headless))
    if not left:
        if finishing.finish(pos, seat):
            return
        if conduct.melee_at_once and not p.melee and len(p.finished) >= 2:
            _begin_melee(pos)
        closed = closed and len(p.finished) > 2
    elif busted >= 0 and finishing.end_if_decided(pos, busted):
        return
    if wild >= 512 and conduct.is_unbeatable(play):
        end_trick(pos)  # R23: nothing beats a big joker, so nobody is asked
    elif p.melee:
        p.passed = 0
        p.pending = p.active & ~(1 << seat)
        ask_next(pos, p)
    else:
        _find_answerers(pos, p, seat, closed)


def _count_dead_gouji(p: PublicState, seat: int) -> None:
    """R52: one dead gouji less; with the third the seat is headless."""
    p.dead_left = with_seat(p.dead_left, seat, p.dead_left[seat] - 1)
    if not p.dead_left[seat]:
        p.headless |= 1 << seat


def _find_answerers(pos: Position, p: PublicState, seat: int, closed: bool) -> None:
    """Find who may answer a new top play (R20-R22, R25, R26, R30) and ask the first of them.

    ``closed``: the trick is closed to those who passed, the owner's opposite among them (R21).
    """
    others = p.active & ~(1 << seat)
    fresh = others & ~p.passed
    if not p.top_gouji:
        p.pending = fresh if closed else fresh | OPPOSITE_BIT[seat] & others
    else:
        window = 0
        if p.top_headless and not p.top_dead:
            p.pending = fresh
        else:
            opposite = OPPOSITE_BIT[seat]
            p.pending = 0 if p.top_dead else opposite & (fresh if closed else others) | p.headless & fresh
            window = fresh & ~(opposite | p.headless)
        if not pos.conduct.plain_windows:
            burners, killers = burning.find_window(pos, others, p.passed)
            if burners | killers:
                burning.open_mixed_window(pos, burners, killers)
                return
        elif window:
            burning.open_window(pos, window)
            return
    ask_next(pos, p)


def ask_next(pos: Position, p: PublicState) -> None:
    """Ask the next seat that may answer the top play, or end the trick when none is left (R20, R24)."""
    pending = p.pending
    verbs = FOLLOW_VERBS
    if pending:
        owner = p.top_owner
        seat = FIRST_AFTER[owner][pending]
        if not p.melee:
            if OPPOSITE[owner] == seat and _may_yield(p, seat, pending):
                verbs |= YIELD_BIT
            if p.top_last and _may_ask_for_wind(p, seat, pending):
                verbs |= WIND_BIT
    elif p.yielder >= 0:
        seat = p.yielder
    else:
        end_trick(pos)
        return
    p.kind = _FOLLOW
    p.turn = seat
    p.asked = 1 << seat
    p.verbs = verbs


def _may_yield(p: PublicState, seat: int, pending: int) -> bool:
    """R24, for the opposite of the top play's owner: not on gouji, not passed, once a trick, one after it to speak."""
    return not p.top_gouji and bool(pending & _NEXT_TWO[seat]) and not (p.passed | p.yielded) >> seat & 1


def _may_ask_for_wind(p: PublicState, seat: int, pending: int) -> bool:
    """R27: the next active seat after the finisher, not passed, once a trick, while another may still answer."""
    return FIRST_AFTER[p.top_owner][p.active] == seat and not (p.passed | p.winded) >> seat & 1 and pending != 1 << seat


def do_pass(pos: Position, seat: int) -> None:
    """The seat asked passes (R21)."""
    p = pos.public
    if pos.events is not None:
        pos.events.append(Passed(seat))
    bit = p.asked
    p.passed |= bit
    if p.yielder == seat:
        p.yielder = -1
    else:
        p.pending ^= bit
    ask_next(pos, p)


def do_yield(pos: Position, seat: int) -> None:
    """The seat asked yields to the two after it (R24)."""
    p = pos.public
    if pos.events is not None:
        pos.events.append(Yielded(seat))
    p.yielded |= 1 << seat
    p.yielder = seat
    p.pending &= ~(1 << seat)
    ask_next(pos, p)


def do_wind(pos: Position, seat: int) -> None:
    """The seat asked asks for the wind (R27)."""
    p = pos.public
    if pos.events is not None:
        pos.events.append(WindAsked(seat))
    p.winded |= 1 << seat
    p.pending &= ~(1 << seat)
    ask_next(pos, p)


def answer_window(pos: Position, seat: int, answer: Action) -> None:
    """One hidden answer of a burn window; the last one closes it (R32)."""
    pos.answer(seat, answer)
    pos.waiting &= ~(1 << seat)
    if not pos.waiting:
        close_window(pos)


def close_window(pos: Position) -> None:
    """All have answered: the first burn in R32's order stands, else the opposite and headless seats are asked."""
    burner = burning.burner_of_window(pos)
    pos.waiting = 0
    if burner >= 0:
        answer = pos.answers[burner] or 0
        play = Play(answer & PLAY_MASK)
        chosen = pos.chosen[burner]
        pos.forget_answers()
        pos.choose(burner, chosen)
        put_down(pos, burner, play, _KILL if answer >> VERB_SHIFT == Verb.KILL else _BURN)
        return
    pos.forget_answers()
    if pos.events is not None:
        pos.events.append(WindowClosed())
    ask_next(pos, pos.public)


def end_trick(pos: Position) -> None:
    """The top play stands unbeaten: its owner leads, or the next active seat after a finisher (R20, R27).

    A burn that has failed busts its burner now (R34), unless the melee begins (R28, R37).
    """
    p = pos.public
    owner = p.top_owner
    conduct = pos.conduct
    opens = conduct.opening and opening.opens(pos)
    leader = owner if p.active >> owner & 1 else FIRST_AFTER[owner][p.active]
    if p.chance >= 0:
        p.headless |= 1 << p.chance
        p.chance = -1
    p.passed = p.yielded = p.winded = p.pending = 0
    p.yielder = -1
    p.closed = False
    p.top = NO_PLAY
    p.top_owner = -1
    p.top_gouji = p.top_dead = p.top_last = p.top_headless = False
    melee_begins = not p.melee and (conduct.melee_at_four or len(p.finished) >= 2) and _melee_begins(pos)
    if p.burner >= 0 and not melee_begins and burning.has_failed(pos, leader):
        if finishing.bust(pos, leader):
            return
        leader = FIRST_AFTER[leader][p.active]
        opens = False
        melee_begins = _melee_begins(pos)
    if pos.events is not None:
        pos.events.append(TrickEnded(owner, leader))
    if melee_begins:
        _begin_melee(pos)
    p.must_hold_four = False
    if opens:
        opening.open_seat(pos, leader)
        if conduct.open_leads_four and not p.melee and p.burner != leader:
            opening.owe_four(pos, leader)
    begin_trick(p, leader)


def _melee_begins(pos: Position) -> bool:
    """R28: whether the next trick is the first of the melee."""
    p = pos.public
    if p.melee:
        return False
    return p.active.bit_count() <= MELEE_SEATS if pos.conduct.melee_at_four else len(p.finished) >= 2


MELEE_SEATS: Final = 4
"""At most so many seats are active when the melee begins under `melee_at = active_four`."""


def _begin_melee(pos: Position) -> None:
    """R28: from here on turn order only; what belongs to the gouji rules lapses."""
    p = pos.public
    burning.end_by_melee(pos)
    p.melee = True
    p.closed = p.top_dead = p.top_headless = False
    p.chance = p.yielder = -1
    p.headless = 0
    p.dead_left = NO_COUNTS
    if pos.events is not None:
        pos.events.append(MeleeBegan())

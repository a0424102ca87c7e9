"""The answers of a deal in the order they came in, packed: most take one byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gouji_rules.actions import VERB_SHIFT, Action, Verb
from gouji_rules.cards import as_cards
from gouji_rules.events import Manner
from gouji_rules.plays import PLAY_MASK, SIZE_SHIFT, size_of_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gouji_rules.cards import Card
    from gouji_rules.state import PlayedCards


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a deal, in the order they came in.

    ``cards`` the real cards put down, ascending (empty where none, or not tracked); ``window`` the number of plays
    before the burn window that it answers, -1 for every other question.
    """

    seat: int
    action: Action
    cards: tuple[Card, ...] = ()
    window: int = -1


# An entry begins with verb << 3 | seat. After a verb with a play or a suit comes that in three bytes, a play without
# its size; the first bit tells that its real cards were chosen: they follow, but for a PLAY's, which the history has.
# Seat 6 opens a window: two bytes tell the number of plays before it.
_SEAT_BITS: Final = 3
_SIZELESS: Final = (1 << SIZE_SHIFT) - 1
_CHOSEN: Final = 1 << 23
_OPENS_WINDOW: Final = 6
_WITH_MORE: Final = frozenset({Verb.PLAY, Verb.BURN, Verb.KILL, Verb.GIVE, Verb.SHOW})
_IN_WINDOWS: Final = frozenset({Verb.BURN, Verb.DECLINE, Verb.KILL})


def _with_size(verb: int, more: int) -> int:
    """What three bytes hold, with the size if that is a play."""
    return more if verb == Verb.SHOW else more | size_of_parts(more) << SIZE_SHIFT


class AnswerLog:
    """Answers in order."""

    __slots__ = ("_count", "_packed", "_window")

    def __init__(self) -> None:
        self._packed: bytes = b""
        self._count: int = 0
        self._window: int = -1

    def append(self, answer: Answer) -> None:
        """Add an answer. Raises ValueError for one that no deal has."""
        seat, action, window = answer.seat, answer.action, answer.window
        verb = action >> VERB_SHIFT
        if not 0 <= seat < _OPENS_WINDOW or not 0 < verb < 32 or (window >= 0) != (verb in _IN_WINDOWS):
            raise ValueError(f"{answer} is no answer in a deal")
        entry = b""
        if window >= 0 and window != self._window:
            entry = bytes((_OPENS_WINDOW, window >> 8, window & 255))
            self._window = window
        entry += bytes((verb << _SEAT_BITS | seat,))
        if verb in _WITH_MORE:
            more = action & _SIZELESS
            cards = bytes(answer.cards)
            play = _with_size(verb, more)
            if action & PLAY_MASK != play or (cards and len(cards) != play >> SIZE_SHIFT):
                raise ValueError(f"{answer} is no answer in a deal")
            entry += (more | (_CHOSEN if cards else 0)).to_bytes(3, "big")
            if verb != Verb.PLAY:
                entry += cards
        elif action & PLAY_MASK or answer.cards:
            raise ValueError(f"{answer} is no answer in a deal")
        self._packed += entry
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def read(self, plays: Iterable[PlayedCards]) -> Iterator[Answer]:
        """The answers in order; ``plays`` is the history of the deal, every PLAY among them."""
        in_turn = (played for played in plays if played.manner in (Manner.LEAD, Manner.FOLLOW))
        packed = self._packed
        at = 0
        window = -1
        while at < len(packed):
            head = packed[at]
            seat, verb = head & 7, head >> _SEAT_BITS
            at += 1
            if seat == _OPENS_WINDOW:
                window = packed[at] << 8 | packed[at + 1]
                at += 2
                continue
            more = 0
            cards: tuple[Card, ...] = ()
            if verb in _WITH_MORE:
                read = int.from_bytes(packed[at : at + 3], "big")
                at += 3
                more = _with_size(verb, read & _SIZELESS)
                if verb == Verb.PLAY:
                    played = next(in_turn, None)
                    if played is None:
                        raise ValueError("the answers put more down than was played")
                    cards = played.cards if read & _CHOSEN else ()
                elif read & _CHOSEN:
                    cards = as_cards(packed[at : at + (more >> SIZE_SHIFT)])
                    at += more >> SIZE_SHIFT
            yield Answer(seat, Action(verb << VERB_SHIFT | more), cards, window if verb in _IN_WINDOWS else -1)

    def copy(self) -> AnswerLog:
        """An independent copy."""
        made = AnswerLog()
        made._packed = self._packed
        made._count = self._count
        made._window = self._window
        return made

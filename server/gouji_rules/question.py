"""What is being asked, and of whom. Everything in a question is public."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from gouji_rules.actions import Verb
from gouji_rules.plays import Play


class Kind(IntEnum):
    """Kinds of question; numbered as on the wire."""

    NONE = 0
    LEAD = 1
    FOLLOW = 2
    WINDOW = 3
    REVOLT = 4
    HEAD = 5
    SHOW = 6
    CALL = 7
    RETURN = 8
    REFUSE = 9
    WAIVE = 10
    SWAP = 11
    ACCEPT = 12


@dataclass(frozen=True, slots=True)
class Question:
    """A question open by right (R23): that a seat is asked tells nothing about its cards.

    ``seats`` and ``verbs`` are bit masks (bit s for seat s, bit v for :class:`Verb` v). ``top`` is the play to beat (0
    if none) and ``top_owner`` its seat (-1 if none). ``must_hold_joker``: a burner's lead (R34). ``must_hold_four``:
    the lead of a seat that has just opened (R43); one without a 4 is free of it. In questions about tribute ``top`` is
    the card that ``top_owner`` returns, and ``barred`` the mask of ranks that were refused (R73).
    """

    kind: Kind
    seats: int
    verbs: int
    top: Play = Play(0)
    top_owner: int = -1
    must_hold_joker: bool = False
    barred: int = 0
    must_hold_four: bool = False

    def asks(self, seat: int) -> bool:
        """Whether this seat is asked."""
        return bool(self.seats >> seat & 1)

    @property
    def seat_list(self) -> tuple[int, ...]:
        """The seats asked, ascending."""
        return tuple(seat for seat in range(6) if self.seats >> seat & 1)

    @property
    def verb_list(self) -> tuple[Verb, ...]:
        """The verbs open by right, ascending."""
        return verbs_in(self.verbs)


def verbs_in(mask: int) -> tuple[Verb, ...]:
    """The verbs of a bit mask, ascending."""
    return tuple(verb for verb in Verb if mask >> verb & 1)


LEAD_VERBS: Final = 1 << Verb.PLAY
FOLLOW_VERBS: Final = 1 << Verb.PLAY | 1 << Verb.PASS
YIELD_BIT: Final = 1 << Verb.YIELD
WIND_BIT: Final = 1 << Verb.WIND
BURN_BIT: Final = 1 << Verb.BURN
KILL_BIT: Final = 1 << Verb.KILL
WINDOW_VERBS: Final = 1 << Verb.BURN | 1 << Verb.DECLINE
REVOLT_VERBS: Final = 1 << Verb.REVOLT | 1 << Verb.NO
HEAD_VERBS: Final = 1 << Verb.KEEP_HEAD | 1 << Verb.DROP_HEAD
SHOW_VERBS: Final = 1 << Verb.SHOW | 1 << Verb.NO
BLIND_CALL_VERBS: Final = 1 << Verb.CALL_BLIND | 1 << Verb.NO
OPEN_CALL_VERBS: Final = 1 << Verb.CALL_OPEN | 1 << Verb.NO
RETURN_VERBS: Final = 1 << Verb.GIVE
TAKE_VERBS: Final = 1 << Verb.ACCEPT | 1 << Verb.REFUSE
WAIVE_VERBS: Final = 1 << Verb.WAIVE | 1 << Verb.NO
SWAP_VERBS: Final = 1 << Verb.SWAP | 1 << Verb.NO

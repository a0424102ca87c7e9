"""Who may look at whose hand (挑牌, R81): from public facts and the holder's count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.cards import SEATS
from gouji_rules.state import Phase, Standing

if TYPE_CHECKING:
    from gouji_rules.state import PublicState

FEW = 10
"""With so many cards or fewer a holder may let its allies look."""


def may_look(p: PublicState, holder: int, left: int) -> int:
    """Mask of the seats that ``holder``, with ``left`` cards, may let look at its hand and suggest a play.

    Always at the holder's choice; enemies and spectators never. A revolutionary and a busted seat have no play to be
    suggested to, but a busted ally may still be let in while the holder has few cards.
    """
    peek = p.rules.peek
    if peek == "none" or p.rules.teams != "federation" or p.phase == Phase.OVER or not p.active >> holder & 1:
        return 0
    mask = 0
    for ally in ((holder + 2) % SEATS, (holder + 4) % SEATS):
        finished = peek == "full" and p.standing[ally] == Standing.FINISHED
        if 0 < left <= FEW or finished:
            mask |= 1 << ally
    return mask


def may_look_at(p: PublicState, viewer: int, holder: int, left: int) -> bool:
    """Whether ``holder``, with ``left`` cards, may let ``viewer`` look at its hand."""
    return bool(may_look(p, holder, left) >> viewer & 1)

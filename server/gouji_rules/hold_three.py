"""Stifling (憋三, R46): the play that leaves its owner nothing but 3s is beaten.

What hold-three forbids to lead is in :mod:`~gouji_rules.leads`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules import burning, finishing
from gouji_rules.enumeration import ONE_RANK
from gouji_rules.events import Stifled

if TYPE_CHECKING:
    from gouji_rules.events import Manner
    from gouji_rules.position import Position


def cover(pos: Position, seat: int, manner: Manner) -> int:
    """A seat is about to beat the top play. Who is busted by that, -1 for nobody.

    Under `stifle = tribute` it is noted and stays hidden until the owner is out; under `last_place` the owner is busted
    before anything else about the covering play, and whether that ends the deal is asked after it.
    """
    p = pos.public
    owner = p.top_owner
    left = pos.left[owner]
    if not left or left != pos.naturals[owner] & ONE_RANK:
        return -1
    pos.stifles = (*pos.stifles, (owner, seat))
    if not pos.conduct.stifle_busts:
        return -1
    if p.burner == owner:
        burning.cover_burner(pos, seat, manner)
    p.stifled = (*p.stifled, (owner, seat))
    if pos.events is not None:
        pos.events.append(Stifled(owner, seat, busted=True))
    finishing.put_out(pos, owner)
    return owner

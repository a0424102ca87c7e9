"""Facts told out of turn: a count that was asked for (R80) and a hand that was felt (R82)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.cards import SEATS
from gouji_rules.errors import NotTold
from gouji_rules.events import CountTold, Felt
from gouji_rules.position import OPPOSITE
from gouji_rules.state import Phase

if TYPE_CHECKING:
    from gouji_rules.position import Position

FULL = 10
"""满户: the most cards of which the number is told (R80)."""
MANY = -1
"""What is heard of a seat with more (不够报)."""
BUCKET = 6
"""How finely one feels the thickness of a hand (R82)."""


def count_told(pos: Position, asker: int, of: int) -> CountTold:
    """What all hear when ``asker`` asks ``of`` for its count. Raises NotTold where the rules tell none."""
    if pos.rules.report != "asked":
        raise NotTold("R80", "NO_REPORT", "by these rules counts are not asked for", "本规则不问报牌")
    _need_another(asker, of)
    _need_cards(pos, of, "R80")
    left = pos.left[of]
    return CountTold(asker, of, left if left <= FULL else MANY)


def feel(pos: Position, asker: int) -> tuple[Felt, tuple[int, int]]:
    """Feel the opposite's hand: the public fact, and the least and most cards that it may hold, for the asker alone.

    Raises NotTold where the rules have none of it, where the chances are used up, and where one of the two is out.
    """
    p = pos.public
    chances = pos.rules.feel_chances
    if not chances:
        raise NotTold("R82", "NO_FEELING", "these rules have no feeling of hands", "本规则没有摸班")
    of = OPPOSITE[asker]
    _need_cards(pos, asker, "R82")
    _need_cards(pos, of, "R82")
    if p.felt[asker] >= chances:
        raise NotTold(
            "R82", "NO_CHANCES_LEFT", f"all {chances} chances of this deal are used up", f"本盘 {chances} 次摸班已用完"
        )
    p.felt = (*p.felt[:asker], p.felt[asker] + 1, *p.felt[asker + 1 :])
    least = (pos.left[of] - 1) // BUCKET * BUCKET + 1
    return Felt(asker, of), (least, least + BUCKET - 1)


def _need_another(asker: int, of: int) -> None:
    if not (0 <= asker < SEATS and 0 <= of < SEATS) or asker == of:
        raise NotTold("R80", "ASK_ANOTHER", "one asks another seat", "只能问其他座位")


def _need_cards(pos: Position, seat: int, rule: str) -> None:
    """Whether a seat holds cards in play tells everyone the same."""
    p = pos.public
    if p.phase == Phase.OVER or not p.active >> seat & 1 or not pos.left[seat]:
        raise NotTold(rule, "NO_CARDS", f"seat {seat} holds no cards in play", f"{seat} 号座位手中没有牌")

"""R80 to R82 on the second machine: whose count is told, whose hand may be felt, who may look at whose hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rules.reference_table import SEATS, Table, opposite

if TYPE_CHECKING:
    from collections import Counter

TEN = 10


def are_cards_out(table: Table) -> bool:
    return table.kind not in ("swap", "call blind", "over", "void")


def count_told(table: Table, of: int) -> int | None:
    """R80 `asked`: the count that all hear, -1 for more than ten, None where it is not told."""
    if table.rules.report != "asked" or not are_cards_out(table) or not table.active(of):
        return None
    count = len(table.hands[of])
    return count if count <= TEN else -1


def felt(table: Table, asker: int, so_far: Counter[int]) -> tuple[int, int] | None:
    """R82: between which counts the opposite's hand is told to lie, None where it may not be felt."""
    if so_far[asker] >= table.rules.feel_chances or not are_cards_out(table):
        return None
    if not table.active(asker) or not table.active(opposite(asker)):
        return None
    least = next(low for low in range(1, 400, 6) if len(table.hands[opposite(asker)]) <= low + 5)
    return least, least + 5


def lookers(table: Table, holder: int) -> set[int]:
    """R81: the seats that may look at this one's hand if it lets them."""
    if table.rules.peek == "none" or not table.active(holder) or not are_cards_out(table):
        return set()
    few = len(table.hands[holder]) <= TEN
    out = set(table.finished) if table.rules.peek == "full" else set()
    return {ally for ally in table.allies(holder) if few or ally in out} & set(SEATS)

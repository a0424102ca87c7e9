"""R49 and R50 on the second machine: threes bought before play, and who may or must revolt."""

from __future__ import annotations

from tests.rules.reference_opening import move
from tests.rules.reference_table import SEATS, Table, after, opposite

PAID_WITH = "2sb"  # the order of all four tables: a 2, else a small joker, else a big one


def sellers(table: Table, buyer: int) -> list[tuple[int, bool]]:
    """Who is asked for a 3, in order, and whether it is paid."""
    facing = opposite(buyer)
    enemies = [seat for seat in after(buyer) if seat in table.allies(facing)]
    own = [seat for seat in after(buyer) if seat in table.allies(buyer)]
    nearest = [(seat, True) for seat in after(buyer)]
    if table.rules.buy_from in ("S1", "S4"):
        return [(seat, True) for seat in [facing, *enemies, *own]] + nearest
    if table.rules.buy_from == "S3":
        return [(facing, True)] + [(seat, False) for seat in own] + nearest
    return [(facing, True), *nearest]


def buy_threes(table: Table) -> None:
    """R49: from the first leader on in turn order, every seat without a 3 buys one."""
    for buyer in [table.lead, *after(table.lead)]:
        if "3" in table.hands[buyer]:
            continue
        price = next((card for card in PAID_WITH if card in table.hands[buyer]), "")
        for seller, paid in sellers(table, buyer):
            if price and table.hands[seller].count("3") >= 2:
                move(table, seller, buyer, "3", "buy")
                if paid:
                    move(table, buyer, seller, price, "pay")
                break


def hand_that_counts(table: Table, seat: int) -> str:
    """R50: the cards dealt, under S1 those held; of a short hand that tribute emptied, none."""
    return table.dealt[seat] if table.hands[seat] and table.rules.revolution_by == "dealt" else table.hands[seat]


def must_revolt(table: Table, seat: int) -> bool:
    """R49 `buy_none = auto`, judged when revolution is asked: a revolutionary holds no 2 and no joker (R54)."""
    return table.rules.buy_none == "auto" and not set(hand_that_counts(table, seat)) & set("32sb")


def may_revolt(table: Table, seat: int) -> bool:
    """R50."""
    needed = "32sb" if table.rules.revolution == "hold_three_only" else "2sb"
    return not set(hand_that_counts(table, seat)) & set(needed)


def settle_revolution(table: Table) -> None:
    """R50, R52: nobody, one, or a void deal."""
    up = [seat for seat in SEATS if table.answers[seat] == "revolt"]
    table.answers = {}
    table.kind, table.asked = "", []
    if len(up) >= 2:
        table.kind = "void"
    elif up:
        table.revolted = up[0]

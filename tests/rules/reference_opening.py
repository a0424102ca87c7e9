"""R40 to R44 and R53 on the second machine: who has opened, and the four that the next lead must hold."""

from __future__ import annotations

from tests.rules.reference_plays import without
from tests.rules.reference_table import Table, after, opposite


def is_excluded(table: Table, cards: str) -> bool:
    """R40: plays that do not open."""
    jokers = "s" in cards or "b" in cards
    if table.rules.open_excludes == "big_joker":
        return "b" in cards
    if table.rules.open_excludes == "jokers":
        return jokers
    if table.rules.open_excludes == "jokers_and_singles":
        return jokers or len(cards) == 1
    return jokers or set(cards) == {"2"}


def too_late(table: Table, seat: int) -> bool:
    """R41. The deadline `melee` is kept by gouji plays having no meaning in the melee."""
    if table.rules.open_deadline != "strict" or not table.finished:
        return False
    first = table.finished[0]
    return len(table.finished) >= 2 or seat in (first, opposite(first))


def open_by_live_play(table: Table, seat: int, cards: str, *, dead: bool) -> bool:
    """R40, R44: a gouji play was live and its owner is about to lead. Whether that opened it now."""
    if not table.rules.opening or seat in table.opened:
        return False
    if table.rules.revolution_opens == "three" and table.revolted >= 0 and seat == opposite(table.revolted):
        if dead and len(table.finished) < 2:
            table.live_dead += 1
        if table.live_dead < 3:
            return False
    elif is_excluded(table, cards) or too_late(table, seat):
        return False
    table.opened.add(seat)
    table.told.append(("opened", seat))
    return True


def open_by_revolution(table: Table) -> None:
    """R44, and R53 for S0's hold-three."""
    if not table.rules.opening:
        return
    if table.rules.revolution_opens == "at_once":
        table.opened.add(opposite(table.revolted))
        table.told.append(("opened", opposite(table.revolted)))
    if table.rules.revolution == "hold_three_only" and table.rules.buy_from == "S0":
        table.opened.add(table.revolted)
        table.told.append(("opened", table.revolted))


def buy_four(table: Table, seat: int) -> None:
    """R43, R49: a seat that must lead a 4 and has none buys one, from its opposite or the nearest seat with two."""
    if "4" in table.hands[seat] or set(table.hands[seat]) == {"3"}:
        return
    for seller in [opposite(seat), *after(seat)]:
        if table.active(seller) and table.hands[seller].count("4") >= 2:
            move(table, seller, seat, "4", "buy")
            if "2" in table.hands[seat]:
                move(table, seat, seller, "2", "pay")
            return


def move(table: Table, giver: int, taker: int, cards: str, why: str) -> None:
    """Cards go from hand to hand, seen by all."""
    table.hands[giver] = without(table.hands[giver], cards)
    table.hands[taker] = "".join(sorted(table.hands[taker] + cards, key="3456789TJQKA2sb".index))
    table.moved.append((giver, taker, why, cards))

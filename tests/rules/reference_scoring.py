"""R60 to R66 and R72 to R76 on the second machine: points, and what a deal leaves to be paid before the next."""

from __future__ import annotations

from tests.rules.reference_table import SEATS, Debt, Table, opposite

OPEN, BLIND = "open", "blind"


def is_sweep(table: Table) -> bool:
    """R60; individual play has none (R7)."""
    return table.rules.teams == "federation" and len({seat % 2 for seat in table.finishing_order()[:3]}) == 1


def gap(table: Table) -> bool:
    """R65: place 6 sits two seats from place 1, or place 5 two seats from place 2. A slam's points stand (R66)."""
    if table.rules.teams == "federation" or table.slam >= 0:
        return False
    order = table.finishing_order()
    apart = [(order[0] - order[5]) % 6, (order[1] - order[4]) % 6]
    return table.rules.gap_doubles and any(steps in (2, 4) for steps in apart)


def seat_points(table: Table) -> list[int]:
    """What every seat has earned, before sides are summed and anything is doubled (R35, R61, R64, R66)."""
    points = [0] * 6
    if table.slam >= 0:
        led_first = table.slam == table.first_leader
        for seat in SEATS:
            if seat == table.slam:
                points[seat] = 10 if led_first else 6
            else:
                points[seat] = -2 if led_first or seat == table.first_leader else -1
        return points
    for place, seat in enumerate(table.finishing_order()):
        points[seat] = table.rules.points[place]
    for burned, burner, _ in table.burns:
        points[burner] += table.rules.burn_points[0]
        points[burned] += table.rules.burn_points[1]
    for seat in SEATS:
        if table.rules.opening and seat not in table.opened:
            points[seat] += table.rules.fault_points
    for seat, _ in table.stifles:
        points[seat] += table.rules.fault_points
    return points


def scores(table: Table) -> list[int]:
    """R62, R63, R65."""
    points = seat_points(table)
    if table.rules.teams == "federation":
        points = [sum(points[team::2]) for team in (0, 1)]
        if table.slam < 0 and table.rules.sweep_doubles and is_sweep(table):
            points = [2 * worth for worth in points]
    elif gap(table):
        points = [2 * worth for worth in points]
    if table.rules.record == "positive_only":
        points = [max(worth, 0) for worth in points]
    return points


# ── debts ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def point_price(table: Table, me: int) -> int:
    """R74: how many cards a seat owes its opposite."""
    mine, its = table.calls.get(me, ""), table.calls.get(opposite(me), "")
    i_opened, it_opened = me in table.opened, opposite(me) in table.opened
    for_call = {"": 1, OPEN: 2, BLIND: 4}
    kind = table.rules.point_table
    if kind == "S3":
        return 0 if i_opened else 1
    if kind == "S0":
        backfire = 2 if table.rules.double_backfire else 1
        owed = 0 if i_opened else for_call[its]
        return owed + (backfire * for_call[mine] if mine and it_opened else 0)
    if kind == "S1":
        if i_opened:
            return 0
        return for_call[its] + ({"": 1, OPEN: 4, BLIND: 8}[mine] if it_opened else 0)
    if mine and its:
        if i_opened:
            return 2 if it_opened else 0
        return 4 if it_opened else 2
    if mine:  # I alone called
        if i_opened:
            return 2 if it_opened else 0
        return 3 if it_opened else 1
    if its:  # it alone called
        if i_opened:
            return 0
        return 3 if it_opened else 2
    return 0 if i_opened else 1


def debts_left(table: Table) -> list[Debt]:
    """R72 to R76, the kinds that the rules have, in their order."""
    rules, order = table.rules, table.finishing_order()
    sweep = is_sweep(table)
    if sweep and rules.sweep_tribute in ("match_ends", "redeal"):
        return []
    found = [Debt(stifled, by, "stifle", 1) for stifled, by in table.stifles]
    for burned, burner, counter in table.burns:
        found.append(Debt(burned, burner, "burn", 2 if counter and rules.counter_burn_doubles else 1))
    if rules.opening:
        found += [Debt(seat, opposite(seat), "point", point_price(table, seat)) for seat in SEATS]
    if table.slam >= 0:
        pass
    elif sweep and rules.sweep_tribute == "opposites":
        found += [Debt(seat, opposite(seat), "loser", 1) for seat in order[3:]]
    else:
        found += [Debt(order[5], order[0], "loser", 2), Debt(order[4], order[1], "loser", 1)]
    times = 2 if gap(table) else 1
    return [debt._replace(owed=times * debt.owed) for debt in found if debt.kind in rules.tribute and debt.owed]

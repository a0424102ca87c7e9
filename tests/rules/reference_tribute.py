"""R70 to R73 on the second machine: waiving, refusing, paying and returning before a deal, and the swap."""

from __future__ import annotations

from collections import Counter

from tests.rules.reference_opening import move
from tests.rules.reference_table import Debt, Returning, Table

KINDS = ("stifle", "burn", "point", "loser")


def swappers(table: Table) -> list[int]:
    """R73: the seats of places 6 and 5, if they are allies that may swap."""
    losers = [debt for debt in table.debts if debt.kind == "loser"]
    if not table.rules.swap_places or sorted(debt.owed for debt in losers) != [1, 2]:
        return []
    sixth, fifth = sorted(losers, key=lambda debt: -debt.owed)
    return [sixth.payer, fifth.payer] if fifth.payer in table.allies(sixth.payer) else []


def swap(table: Table) -> None:
    """The two losers change what they owe."""
    one, other = swappers(table)
    table.told.append(("places swapped", other, one))
    changed = {one: other, other: one}
    table.debts = [debt._replace(payer=changed[debt.payer]) if debt.kind == "loser" else debt for debt in table.debts]


# ── paying ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def begin(table: Table) -> None:
    """R70: the kinds in their order, within a kind as they were incurred."""
    table.queue = sorted(table.debts, key=lambda debt: KINDS.index(debt.kind))
    table.received = [Counter() for _ in range(6)]
    table.paid = []
    pay_on(table)


def pay_on(table: Table) -> None:
    """Pay what can be paid without a question; stop at the first question, go on to the returns at the end."""
    while table.queue:
        debt = table.queue[0]
        if debt.kind == "loser" and debt.receiver in table.allies(debt.payer) and not table.waiver_asked:
            table.kind, table.asked = "waive", [debt.payer, debt.receiver]
            return
        if table.rules.tribute_refusable and not table.taking_asked:
            table.kind, table.asked = "take", [debt.receiver]
            return
        pay(table, debt)
        drop_debt(table)
    returned = ("point", "loser") if table.rules.point_returned else ("loser",)
    table.returning = [Returning(debt, count) for debt, count in table.paid if debt.kind in returned and count]
    return_on(table)


def drop_debt(table: Table) -> None:
    table.queue.pop(0)
    table.waiver_asked = table.taking_asked = False


def pay(table: Table, debt: Debt) -> None:
    """R70, R71: big jokers, small jokers, twos of its own, as far as they go, but never the last card of a hand."""
    own = Counter(table.hands[debt.payer]) - table.received[debt.payer]
    cards = ("b" * own["b"] + "s" * own["s"] + "2" * own["2"])[
        : min(debt.owed, max(len(table.hands[debt.payer]) - 1, 0))
    ]
    for card in cards:
        move(table, debt.payer, debt.receiver, card, "tribute")
    table.received[debt.receiver].update(cards)
    table.paid.append((debt, len(cards)))
    table.told.append(("tribute paid", *debt, cards))


def settle_waiver(table: Table) -> None:
    """R73: waived if both allies agree."""
    agreed = all(answer == "waive" for answer in table.answers.values())
    table.answers = {}
    table.waiver_asked = True
    if agreed:
        debt = table.queue[0]
        shown = table.hands[debt.payer][-1] if table.rules.waiver_shows else ""
        table.told.append(("tribute waived", debt.payer, debt.receiver, shown))
        drop_debt(table)
    pay_on(table)


def take_or_not(table: Table, verb: str) -> None:
    """R73 `tribute_refusable`."""
    table.taking_asked = True
    if verb == "refuse":
        table.told.append(("tribute refused", *table.queue[0]))
        drop_debt(table)
    pay_on(table)


# ── returning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def pickable(table: Table) -> set[str]:
    """R73: what the receiver may pick as a return: no refused rank, nor its last card, nor its last 3 to hold."""
    now = table.returning[0]
    hand = table.hands[now.debt.receiver]
    if len(hand) == 1:
        return set()
    ranks = set(hand) - now.refused
    if table.rules.hold_three and hand.count("3") == 1:
        ranks.discard("3")
    return ranks


def return_on(table: Table) -> None:
    """The next card that comes back, or the end of the step."""
    while table.returning and (not table.returning[0].count or not pickable(table)):
        table.returning.pop(0)
    if table.returning:
        table.kind, table.asked = "return", [table.returning[0].debt.receiver]
    else:
        table.kind, table.asked = "", []


def pick(table: Table, rank: str) -> None:
    """The receiver picks a card to give back."""
    now = table.returning[0]
    now.pick = rank
    if table.rules.return_ == "may_refuse":
        table.kind, table.asked = "refuse", [now.debt.payer]
        return
    others = pickable(table) - {rank}
    held = set(table.hands[now.debt.payer])
    if table.rules.return_ == "must_match" and rank not in held and others & held:
        refuse_pick(table)
        return_on(table)
        return
    give_back(table)


def may_refuse_pick(table: Table) -> bool:
    """R73: a payer may refuse a rank that it does not hold."""
    now = table.returning[0]
    return now.pick not in table.hands[now.debt.payer]


def answer_pick(table: Table, verb: str) -> None:
    """R73 `may_refuse`: each rank once; when none is left the last pick stands."""
    if verb == "refuse":
        refuse_pick(table)
    if verb == "refuse" and pickable(table):
        return_on(table)
    else:
        give_back(table)


def refuse_pick(table: Table) -> None:
    now = table.returning[0]
    now.refused.add(now.pick)
    table.told.append(("return refused", now.debt.payer, now.debt.receiver, now.pick))


def give_back(table: Table) -> None:
    now = table.returning[0]
    move(table, now.debt.receiver, now.debt.payer, now.pick, "return")
    now.count -= 1
    table.told.append(("returned", now.debt.receiver, now.debt.payer, now.pick))
    now.refused = set()
    return_on(table)

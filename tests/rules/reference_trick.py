"""R20 to R37 and R45 to R48 on the second machine: who is asked in a trick, with what, and what an answer does."""

from __future__ import annotations

from tests.rules.reference_opening import buy_four, open_by_live_play
from tests.rules.reference_plays import (
    answers_in,
    burns_in,
    canonical,
    counts_a_big_joker,
    is_gouji,
    kills_in,
    leads_in,
    without,
)
from tests.rules.reference_table import SEATS, Table, Top, after, opposite

# ── who may do what about the top play ────────────────────────────────────────────────────────────────────────────────


def top_of(table: Table) -> Top:
    assert table.top is not None
    return table.top


def unbeatable(table: Table) -> bool:
    """R23."""
    return table.rules.joker_kill == "off" and counts_a_big_joker(top_of(table).cards, table.rules)


def as_opposite(table: Table, seat: int) -> bool:
    """Whether the seat may answer the top play as its owner's opposite though it has passed (R21)."""
    top = top_of(table)
    return seat == opposite(top.owner) and (not table.closed or top.last in (1, 2))


def may_answer(table: Table, seat: int) -> bool:
    """Whether the seat is entitled to answer the top play and has not been asked about it yet (R20 to R28)."""
    top = top_of(table)
    if seat == top.owner or not table.active(seat) or seat in table.answered or unbeatable(table):
        return False
    if table.melee:
        return True
    if top.dead:
        return False
    free = seat not in table.passed
    if seat == opposite(top.owner):
        return free or as_opposite(table, seat)
    if top.gouji and not top.headless:
        return free and table.headless(seat)
    return free


def may_burn(table: Table, seat: int) -> bool:
    """R30, by right."""
    top = top_of(table)
    if table.rules.burn == "off" or table.melee or not top.gouji or unbeatable(table):
        return False
    if top.headless and not top.dead:
        return False
    if seat == top.owner or seat == opposite(top.owner) or not table.active(seat) or table.headless(seat):
        return False
    return seat not in table.passed or (table.rules.burn_after_pass and not table.closed)


def may_kill(table: Table, seat: int) -> bool:
    """R15 with `kill_anyone`, by right: any active seat but the opposite, which does it as its answer."""
    top = top_of(table)
    if not table.rules.kill_anyone or table.melee or not counts_a_big_joker(top.cards, table.rules):
        return False
    if seat == top.owner or not table.active(seat):
        return False
    return seat != opposite(top.owner) or (seat in table.passed and not as_opposite(table, seat))


def may_yield(table: Table, seat: int) -> bool:
    """R24."""
    top = top_of(table)
    if table.melee or top.gouji or seat != opposite(top.owner) or seat in table.passed or seat in table.yielded:
        return False
    return any(may_answer(table, other) for other in after(seat)[:2])


def may_wind(table: Table, seat: int) -> bool:
    """R27."""
    top = top_of(table)
    if table.melee or not top.last or seat in table.passed or seat in table.winded:
        return False
    return seat == table.next_active(top.owner) and any(may_answer(table, other) for other in SEATS if other != seat)


def rights(table: Table, seat: int) -> set[str]:
    """The verbs that a seat asked in a trick has by right (R23)."""
    if table.kind == "lead":
        return {"play"}
    if table.kind == "window":
        burn, kill = may_burn(table, seat), may_kill(table, seat)
        return {"decline"} | ({"burn"} if burn else set()) | ({"kill"} if kill else set())
    found = {"play", "pass"}
    if may_yield(table, seat):
        found.add("yield")
    if may_wind(table, seat):
        found.add("wind")
    return found


def cards_for(table: Table, seat: int, verb: str) -> set[str]:
    """The plays with which the verb is open to the seat that is asked."""
    hand = table.hands[seat]
    if table.kind == "lead":
        return leads_in(hand, table.rules, burning=seat == table.burner, four=table.four_due)
    top = top_of(table).cards
    if verb == "burn":
        return burns_in(hand, top, table.rules)
    if verb == "kill":
        return kills_in(hand, top, table.rules)
    return answers_in(hand, top, table.rules)


# ── answers ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def stand_by(table: Table, seat: int, verb: str) -> None:
    """A pass, a yield, or the wind asked for."""
    if verb == "yield":
        table.yielded.add(seat)
        table.told.append(("yielded", seat))
        table.yielding = seat
    elif verb == "wind":
        table.winded.add(seat)
        table.told.append(("asked for the wind", seat))
        table.answered.add(seat)
    else:
        table.answered.add(seat)
        table.passed.add(seat)
        table.told.append(("passed", seat))
        if seat == table.yielding:
            table.yielding = -1
    ask_next(table)


def settle_window(table: Table) -> None:
    """R32: the owner's allies first, each group in turn order; the first who burned or killed stands."""
    owner = top_of(table).owner
    allies = table.allies(owner)
    order = allies + [seat for seat in after(owner) if seat not in allies]
    answers, table.answers = table.answers, {}
    for seat in order:
        verb, _, cards = answers.get(seat, "decline").partition(" ")
        if verb != "decline":
            put_down(table, seat, cards, verb)
            return
    table.window_done = True
    table.told.append(("nobody burned",))
    ask_next(table)


def put_down(table: Table, seat: int, cards: str, manner: str) -> None:
    """A lead, follow, burn or kill reaches the table."""
    note_burn(table, seat, manner)
    stifled = stifle(table, seat)
    gouji = is_gouji(cards, table.rules)
    headless = table.headless(seat)
    dead = False
    if gouji and not table.melee:
        dead = seat == table.chance
        if seat == table.keeper and table.heads_left > 0:
            dead = True
            table.heads_left -= 1
    table.chance = -1
    if table.yielding >= 0 and table.yielding != seat:
        table.passed.add(table.yielding)
    table.yielding = -1
    table.hands[seat] = without(table.hands[seat], cards)
    threes = table.rules.hold_three and set(table.hands[seat]) == {"3"}
    table.top = Top(canonical(cards), seat, gouji, dead, headless, leaves_threes=threes)
    table.answered = set()
    if table.melee:
        table.passed = set()
    table.window_done = False
    table.players.append(seat)
    last = not table.hands[seat]
    table.told.append(("played", seat, table.trick, manner, canonical(cards), dead and not table.melee, last, headless))
    if not table.hands[seat]:
        finish(table, seat)
        if table.over_after(seat):
            return
        melee_at_once(table)
    elif stifled >= 0 and table.over_after(stifled):
        return
    ask_next(table)


def stifle(table: Table, coverer: int) -> int:
    """R46: the play that left its owner nothing but 3s is covered. The seat that is busted for it, else -1."""
    top = table.top
    if top is None or not top.leaves_threes:
        return -1
    table.stifles.append((top.owner, coverer))
    if table.rules.stifle != "last_place":
        return -1
    table.told.append(("stifled", top.owner, coverer, True))
    table.bust(top.owner)
    return top.owner


def note_burn(table: Table, seat: int, manner: str) -> None:
    """R33: a burn begins, or the one that goes on is ended by an answer or a kill."""
    if table.burner >= 0 and manner != "lead":
        answered = "defused" if seat == opposite(table.burner) and manner == "follow" else "answered"
        table.told.append(("burn ended", table.burner, "counter burned" if manner == "burn" else answered))
    if manner == "burn":
        top = top_of(table)
        table.counter_burn = table.burner >= 0 or top.burners_last
        table.burner, table.burned = seat, top.owner
    elif manner != "lead":
        table.burner = -1


def finish(table: Table, seat: int) -> None:
    """A hand is empty: its place, and what that does to the trick (R21, R26, R35, R66)."""
    top = top_of(table)
    table.finished.append(seat)
    table.places[seat] = table.free_places()[0]
    top.last = len(table.finished)
    table.told.append(("finished", seat, table.places[seat]))
    if table.burner == seat:
        table.burns.append((table.burned, seat, table.counter_burn))
        table.told.append(("burn succeeded", seat, table.burned))
        table.burner = -1
        top.burners_last = True
    first = table.players.index(seat)
    if table.rules.slam and set(table.players[first:]) == {seat}:
        table.slam = seat
        table.told.append(("slam", seat))
    table.tell_stifled([seat])
    if table.melee or len(table.finished) > 2:
        return
    table.closed = table.rules.pass_after_last == "closed"
    allowed = {"any_last": True, "gouji_last": top.gouji, "none": False}
    if allowed[table.rules.dead_gouji] and table.active(opposite(seat)):
        table.chance = opposite(seat)


def melee_at_once(table: Table) -> None:
    """R28 `at_once`: the second finisher's last play is already one of the melee."""
    if table.rules.melee_at == "at_once" and len(table.finished) >= 2 and not table.melee:
        table.melee = True
        table.told.append(("melee",))
        table.burner, table.chance = -1, -1
        table.passed, table.closed = set(), False


# ── what comes next ───────────────────────────────────────────────────────────────────────────────────────────────────


def ask_next(table: Table) -> None:
    """What is asked now about the top play, or the end of the trick."""
    top = top_of(table)
    if not table.window_done:
        seats = [seat for seat in after(top.owner) if may_burn(table, seat) or may_kill(table, seat)]
        if seats:
            table.kind, table.asked = "window", seats
            return
        table.window_done = True
    ahead = [seat for seat in after(top.owner) if may_answer(table, seat)]
    if table.yielding in ahead:
        ahead.remove(table.yielding)
        ahead.append(table.yielding)
    if ahead:
        table.kind, table.asked = "follow", ahead[:1]
    elif table.active(top.owner):
        start_trick(table, top.owner, live=top if top.gouji and not table.melee else None)
    else:
        start_trick(table, table.next_active(top.owner))


def melee_begins(table: Table) -> bool:
    """R28, at the start of a trick."""
    if table.rules.melee_at == "active_four":
        return sum(table.active(seat) for seat in SEATS) <= 4
    return len(table.finished) >= 2


def start_trick(table: Table, leader: int, *, live: Top | None = None) -> None:
    """The next lead (R28, R34, R37, R40, R43)."""
    before = table.top
    was_melee = table.melee
    table.top = None
    table.passed, table.yielded, table.winded, table.answered = set(), set(), set(), set()
    table.yielding, table.chance, table.closed = -1, -1, False
    table.melee = melee_begins(table)
    if table.melee:
        if table.burner >= 0:
            table.told.append(("burn ended", table.burner, "melee"))
        table.burner = -1
    owner = leader
    if table.burner == leader and not leads_in(table.hands[leader], table.rules, burning=True):
        table.bust(leader)
        table.tell_stifled([leader])
        if table.over_after(leader):
            return
        leader = table.next_active(leader)
        table.melee = melee_begins(table)
    if before is not None:
        table.told.append(("trick ended", before.owner, leader))
    if table.melee and not was_melee:
        table.told.append(("melee",))
    opens = live is not None and leader == owner and open_by_live_play(table, leader, live.cards, dead=live.dead)
    table.four_due = opens and table.rules.open_leads_four and not table.melee and table.burner != leader
    if table.four_due:
        buy_four(table, leader)
    table.trick += 1
    table.leader = leader
    if table.first_leader < 0:
        table.first_leader = leader
    table.kind, table.asked = "lead", [leader]

"""Random hands, debts and rule sets for two machines to be compared on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from tests.rules.reference_plays import BODY_RANKS, RANKS
from tests.rules.reference_table import SEATS, Debt

if TYPE_CHECKING:
    from random import Random

# Every option that bears on the play, the cards or the points, with values to try.
VALUES: dict[str, tuple[object, ...]] = {
    "decks": (4, 6),
    "removed": ("", "3" * 10 + "4" * 10 + "5" * 4),
    "teams": ("federation", "individual"),
    "show": ("auto", "ask"),
    "mixed_jokers": ("by_card", "as_small"),
    "gouji_twos": (1, 2),
    "joker_kill": ("off", "two_big", "full"),
    "kill_anyone": (False, True),
    "burn": ("strict", "bluff", "off"),
    "burn_points": ((0, 0), (1, -1), (0, -2)),
    "burn_after_pass": (False, True),
    "counter_burn_doubles": (False, True),
    "pass_after_last": ("closed", "open"),
    "dead_gouji": ("any_last", "gouji_last", "none"),
    "melee_at": ("after_second", "active_four", "at_once"),
    "opening": (False, True),
    "open_excludes": ("big_joker", "jokers", "jokers_and_singles", "jokers_and_twos"),
    "open_deadline": ("strict", "melee"),
    "open_leads_four": (False, True),
    "calls": ("none", "open", "both"),
    "double_backfire": (False, True),
    "point_table": ("S0", "S1", "S2", "S3"),
    "point_returned": (False, True),
    "revolution": ("off", "may", "hold_three_only"),
    "revolution_by": ("dealt", "held"),
    "revolution_opens": ("at_once", "three"),
    "hold_three": (False, True),
    "stifle": ("tribute", "last_place"),
    "buy_from": ("S0", "S1", "S3", "S4"),
    "buy_none": ("auto", "may"),
    "points": ((4, 2, 0, 0, -2, -4), (2, 1, 0, 0, -1, -2), (7, 5, 4, 3, 2, 1)),
    "record": ("positive_only", "signed"),
    "sweep_doubles": (False, True),
    "fault_points": (0, -2),
    "tie_by_lot": (False, True),
    "gap_doubles": (False, True),
    "slam": (False, True),
    "tribute": (("loser",), ("burn", "point", "loser"), ("stifle", "burn", "point", "loser"), ("burn",), ("point",)),
    "return": ("free", "may_refuse", "must_match"),
    "tribute_refusable": (False, True),
    "sweep_tribute": ("match_ends", "redeal", "opposites", "by_place"),
    "swap_places": (False, True),
    "waiver_shows": (False, True),
    "report": ("shown", "asked", "asked", "none"),
    "peek": ("full", "ten", "none"),
    "feel_chances": (0, 3, 3),
    "deals": (0, 2, 3),
}


# Options that only meet in rare mixtures, put together: one of these is laid over a mixture now and then.
THEMES: tuple[dict[str, object], ...] = (
    {"joker_kill": "two_big", "kill_anyone": True, "pass_after_last": "closed"},
    {"joker_kill": "full", "kill_anyone": True, "hold_three": True, "stifle": "last_place"},
    {"burn_after_pass": True, "burn": "bluff", "pass_after_last": "closed", "counter_burn_doubles": True},
    {"teams": "individual", "gap_doubles": True, "burn_points": (1, -1), "tribute": ("burn", "loser")},
    {"slam": True, "gap_doubles": True, "teams": "individual"},
    {"opening": True, "open_deadline": "strict", "open_leads_four": True},
    {"opening": True, "revolution_opens": "three", "open_deadline": "melee", "revolution": "may"},
    {"opening": True, "calls": "both", "tribute": ("point", "loser"), "point_returned": True},
    {"hold_three": True, "tribute": ("stifle", "burn", "loser"), "return": "must_match"},
    {"hold_three": True, "tribute": ("loser",), "return": "may_refuse", "tribute_refusable": True},
    {"hold_three": True, "buy_from": "S3", "buy_none": "may", "burn": "strict"},
    {"hold_three": True, "buy_from": "S0", "revolution": "hold_three_only", "opening": True},
    {"melee_at": "active_four", "burn": "bluff", "opening": True, "open_deadline": "melee"},
    {"melee_at": "at_once", "pass_after_last": "open", "dead_gouji": "gouji_last"},
    {"tribute": ("loser",), "sweep_tribute": "opposites"},
    {"tie_by_lot": True, "deals": 2, "points": (1, 0, 0, 0, 0, 1), "sweep_doubles": False},
)


def laid_over(rules: gr.RuleSet, options: dict[str, object]) -> gr.RuleSet:
    """The rules with these options, as far as they go together."""
    try:
        return rules.replace(**options)
    except gr.RuleSetError:
        return rules


def random_rules(rng: Random, name: str) -> gr.RuleSet:
    """A preset with a few options overridden, as far as they go together."""
    rules = gr.preset(name)
    for _ in range(rng.randint(2, 14)):
        option = rng.choice(sorted(VALUES))
        rules = laid_over(rules, {option: rng.choice(VALUES[option])})
    return laid_over(rules, rng.choice(THEMES)) if rng.random() < 0.5 else rules


def random_hands(rng: Random, rules: gr.RuleSet | None = None, most: int = 8) -> list[str]:
    """Six short hands rich in what makes plays gouji, within the pack; under hold-three rich in threes as well."""
    rules = rules or gr.preset("qingdao")
    pack = [RANKS[gr.rank_of(card)] for card in gr.pack(rules)]
    low = rng.sample("3456789TJQ", 3)
    if rules.hold_three:
        low[0] = "3"
    if rules.open_leads_four and rng.random() < 0.7:
        low[1] = "4"
    rich = "KA2sb" if rng.random() < 0.6 else rng.choice(["A2sb", "2sb", "Ksb", "sb", "sb", "QKA"])
    if rng.random() < 0.25:  # tricks of many small plays
        low, rich = rng.sample("3456789TJQ", 7), rng.choice(["K", "A2", "s"])
    left = [card for card in pack if card in low or card in rich]
    if rng.random() < 0.5:  # fewer cards of one rank, more kinds of them
        left = [card for card in left if card in rich or rng.random() < 0.5]
    rng.shuffle(left)
    spare = [card for card in pack if card in BODY_RANKS and card not in low and card not in rich]
    rng.shuffle(spare)
    hands = []
    for _ in SEATS:
        size = rng.randint(1, most)
        hand = "".join(left.pop() for _ in range(min(size, len(left))))
        if rng.random() < 0.4:  # a buyer (R43, R49)
            hand = hand.replace(rng.choice("34"), "")
        # A hand of twos and jokers alone could be paid away before play.
        hands.append(hand if set(hand) & set(BODY_RANKS) else hand + spare.pop())
    return hands


def random_debts(rng: Random, rules: gr.RuleSet) -> list[Debt]:
    """What a deal before might have left, by the rules' kinds."""
    debts: list[Debt] = []
    for kind in rules.tribute:
        if kind == "loser":
            order = rng.sample(SEATS, 6)
            debts += [Debt(order[5], order[0], "loser", 2), Debt(order[4], order[1], "loser", 1)]
        elif kind == "point":
            debts += [
                Debt(seat, (seat + 3) % 6, "point", rng.choice([1, 1, 2, 3, 5])) for seat in SEATS if rng.random() < 0.3
            ]
        else:
            for _ in range(rng.choice([0, 0, 1, 2])):
                payer, receiver = rng.sample(SEATS, 2)
                debts.append(Debt(payer, receiver, kind, 1 if kind == "stifle" else rng.choice([1, 2])))
    return debts


def seed_of_revolutions(rng: Random, rules: gr.RuleSet, tries: int = 300) -> bytes:
    """A seed with which two seats hold no 2 and no joker, if one of `tries` does; else the best of them."""
    best, most = b"", -1
    for _ in range(tries):
        seed = rng.randbytes(32)
        cards = [RANKS[gr.rank_of(card)] for card in gr.shuffled(rules, seed)]
        poor = sum(not set(cards[seat::6]) & set("2sb") for seat in SEATS)
        if poor > most:
            best, most = seed, poor
        if poor >= 2:
            break
    return best

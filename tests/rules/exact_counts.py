"""Tables of exact numbers, like perft in chess: how many plays a hand has, and how many ways a position can go on.

`python -m tests.rules.exact_counts` writes them anew from the engine; the tests count every one of them a second time
on the slow machine of the rules (reference_plays, reference_deal). A change of one rule shows as numbers that change:
look at each before it is written anew.
"""

from __future__ import annotations

import copy
import csv
from pathlib import Path

import gouji_rules as gr
from gouji_rules.comparison import counts_big
from gouji_rules.question import BURN_BIT, FOLLOW_VERBS, KILL_BIT, LEAD_VERBS, WINDOW_VERBS
from tests.rules import reference_plays
from tests.rules.reference_deal import ReferenceDeal

CASES = Path(__file__).parents[1] / "cases"
PLAYS_FILE = CASES / "play_counts.tsv"
WAYS_FILE = CASES / "way_counts.tsv"

RULES: dict[str, gr.RuleSet] = {
    **gr.PRESETS,
    "qingdao, threes held": gr.preset("qingdao").replace(hold_three=True),
    "qingdao, two twos": gr.preset("qingdao").replace(gouji_twos=2),
    "hokkaido, full kills": gr.preset("hokkaido").replace(joker_kill="full"),
    "chinagames, full kills": gr.preset("chinagames").replace(joker_kill="full"),
    "shandong, kills by anyone": gr.preset("shandong").replace(joker_kill="two_big", kill_anyone=True),
}

HANDS = (
    "333",
    "3334",
    "33344s",
    "33445566778899",
    "99922ssb",
    "22222ssbb",
    "444555222sssbbb",
    "3355TTTTTJJJJQQQKKAA22",
    "6667778sTTTTb",
    "KKKAAAA2222ssbb",
    "333TTTTT22sb",
)
TOPS = (
    *("4", "9", "K", "2", "s", "b", "55", "TT", "KK", "22", "2s", "ss", "bs", "bb", "888", "AAA", "s99", "ss9"),
    *("b99", "bs9", "9922", "4444", "99922", "JJJJJ", "ss999", "bs999", "bbs99", "s22222"),
)


def play_counts(hand: str, top: str, rules: gr.RuleSet) -> str:
    """The engine's numbers of one hand: of leads, gouji leads (R13), a burner's (R34), those that open a 4 (R43); or
    under a top play of answers, burns (R31, where the rules have any) and kills out of turn (R15)."""
    counts = gr.parse_ranks(hand)
    if not top:
        free = _legal(rules, counts, gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS))
        gouji = [action for action in free if gr.is_gouji(rules, gr.play_of(action))]
        burning = _legal(rules, counts, gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS, must_hold_joker=True))
        four = _legal(rules, counts, gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS, must_hold_four=True))
        return "/".join(str(len(some)) for some in (free, gouji, burning, four))
    play = gr.parse_play(top)
    follows = _legal(rules, counts, gr.Question(gr.Kind.FOLLOW, 1, FOLLOW_VERBS, play, 1))
    numbers = [len(follows) - 1]
    if gr.is_gouji(rules, play):
        verbs = WINDOW_VERBS | (KILL_BIT if rules.kill_anyone and counts_big(rules, play) else 0)
        window = _legal(rules, counts, gr.Question(gr.Kind.WINDOW, 1, verbs, play, 1))
        made = [gr.verb_of(action) for action in window]
        numbers += [made.count(gr.Verb.BURN), made.count(gr.Verb.KILL)]
        without_burns = _legal(rules, counts, gr.Question(gr.Kind.WINDOW, 1, verbs & ~BURN_BIT, play, 1))
        assert len(without_burns) == len(window) - numbers[1]
    return "/".join(map(str, numbers))


def _legal(rules: gr.RuleSet, hand: list[int], question: gr.Question) -> list[gr.Action]:
    legal = gr.legal_actions(rules, question, hand)
    listed = list(legal)
    assert len(listed) == len(set(listed)) == len(legal)
    return listed


def play_counts_again(hand: str, top: str, rules: gr.RuleSet) -> str:
    """The same from all choices of cards, one by one."""
    if not top:
        free = reference_plays.leads_in(hand, rules)
        gouji = [cards for cards in free if reference_plays.is_gouji(cards, rules)]
        burning = reference_plays.leads_in(hand, rules, burning=True)
        return "/".join(
            str(len(some)) for some in (free, gouji, burning, reference_plays.leads_in(hand, rules, four=True))
        )
    numbers = [len(reference_plays.answers_in(hand, top, rules))]
    if reference_plays.is_gouji(top, rules):
        kills = rules.kill_anyone and reference_plays.counts_a_big_joker(top, rules)
        numbers.append(len(reference_plays.burns_in(hand, top, rules)))
        numbers.append(len(reference_plays.kills_in(hand, top, rules)) if kills else 0)
    return "/".join(map(str, numbers))


# ── ways on from a position ──

POSITIONS: dict[str, tuple[str, ...]] = {
    "low": ("45", "57", "68", "79", "8T", "9J"),
    "last plays": ("TT", "99", "KK", "AA", "5", "QQQ"),
    "burns": ("KK5", "AA79", "s6", "ss7", "2b8", "AA9J"),
    "jokers": ("s4", "b5", "b6", "ss7", "bs8", "b9"),
    "threes": ("34", "33K", "35", "Q", "38s", "3A"),
    "first and second": ("K", "2Q", "s", "2s4", "2A5", "sb5"),
    "bodies": ("TTTTT", "JJJJJ", "QQQQ", "KKKK", "AAAA", "2222"),
    "melee": ("2", "s", "b", "JK", "QA", "K2"),
}
DEPTH = 9
"""Answers deep."""
AGAIN = 6
"""As deep on the slow machine, in the tests."""


def _at_once(rules: gr.RuleSet) -> gr.RuleSet:
    """The rules without revolution, which short hands would bring about."""
    return rules.replace(revolution="off", buy_none="off")


def ways(name: str, rules: gr.RuleSet, depth: int) -> list[int]:
    """How many ways a position can go on, answer by answer from the first lead, of several asked the lowest seat first.

    What is asked before the lead is answered as by the clock.
    """
    deal = gr.Deal.from_hands(_at_once(rules), POSITIONS[name], 0)
    while deal.question is not None and deal.question.kind != gr.Kind.LEAD:
        seat = min(seat for seat in range(6) if deal.is_asked(seat))
        deal.apply(seat, deal.default_action(seat))
    found = [0] * depth
    _walk(deal, found, 0)
    return found


def _walk(deal: gr.Deal, found: list[int], depth: int) -> None:
    if depth == len(found) or deal.over:
        return
    seat = min(seat for seat in range(6) if deal.is_asked(seat))
    legal = deal.legal_actions(seat)
    found[depth] += len(legal)
    if depth + 1 == len(found):
        return
    for action in legal:
        on = deal.copy()
        on.apply(seat, action)
        _walk(on, found, depth + 1)


def ways_again(name: str, rules: gr.RuleSet, depth: int) -> list[int]:
    """The same on the slow machine."""
    deal = ReferenceDeal(_at_once(rules), [reference_plays.canonical(hand) for hand in POSITIONS[name]], 0)
    while deal.kind != "lead":
        seat = min(seat for seat in range(6) if deal.verbs(seat))
        deal.act(seat, "no")
    found = [0] * depth
    _walk_again(deal, found, 0)
    return found


def _walk_again(deal: ReferenceDeal, found: list[int], depth: int) -> None:
    if depth == len(found) or deal.over_or_void:
        return
    seat = min(seat for seat in range(6) if deal.verbs(seat))
    answers: list[tuple[str, str]] = []
    for verb in deal.verbs(seat):
        cards = deal.cards_for(seat, verb)
        answers += [(verb, some) for some in cards] if cards else [(verb, "")]
    found[depth] += len(answers)
    if depth + 1 == len(found):
        return
    for verb, some in answers:
        on = copy.deepcopy(deal)
        on.act(seat, verb, some)
        _walk_again(on, found, depth + 1)


# ── the files ──


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write() -> None:
    """Write both tables anew."""
    with PLAYS_FILE.open("w", encoding="utf-8") as file:
        plays = csv.writer(file, delimiter="\t", lineterminator="\n")
        plays.writerow(["hand", "top", *RULES])
        for hand in HANDS:
            for top in ("", *TOPS):
                plays.writerow([hand, top, *(play_counts(hand, top, rules) for rules in RULES.values())])
    with WAYS_FILE.open("w", encoding="utf-8") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(["position", "rules", *map(str, range(1, DEPTH + 1))])
        for name in POSITIONS:
            for said, rules in RULES.items():
                table.writerow([name, said, *ways(name, rules, DEPTH)])


if __name__ == "__main__":
    write()

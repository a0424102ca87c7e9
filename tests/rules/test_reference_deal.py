"""Deals and matches by every rule set: the engine against the slow machine written from docs/rules.md (R1 to R79)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from tests.rules.random_deals import random_debts, random_hands, random_rules, seed_of_revolutions
from tests.rules.reference_deal import ReferenceDeal
from tests.rules.reference_match import ReferenceMatch
from tests.rules.reference_table import Debt
from tests.rules.side_by_side import SideBySide

SEEDS = st.integers(0, 2**32 - 1)
# A smaller seed is no smaller deal: what fails is told as a record, not shrunk.
UNSHRUNK = settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate), max_examples=max(100, settings().max_examples)
)
PRESETS = list(gr.PRESETS)


def play_and_compare(side: SideBySide, rng: Random, *, listed: float = 1.0) -> None:
    """Answer at random to the end; `listed`: how often every legal play is compared, not the questions alone."""
    while side.running:
        side.compare(plays=rng.random() < listed)
        if rng.random() < 0.3:
            side.try_any_answer(rng)
        if rng.random() < 0.2:
            side.ask_out_of_turn(rng)
        side.random_answer(rng)
    if side.reference.kind == "over":
        side.compare()
    side.compare_the_end()


def short_deal(rng: Random, rules: gr.RuleSet) -> SideBySide:
    """Short hands, half of the deals from before buying and tribute."""
    as_dealt = rng.random() < 0.5
    hands = random_hands(rng, rules, rng.choice([3, 8, 8, 12]))
    debts = random_debts(rng, rules) if as_dealt else []
    return SideBySide(hands, rng.randrange(6), rules, debts, as_dealt=as_dealt)


@pytest.mark.parametrize("name", PRESETS)
@settings(UNSHRUNK)
@given(seed=SEEDS)
def test_every_question_and_every_end_is_the_same(name: str, seed: int) -> None:
    """In random deals of short hands both machines ask the same seats the same, allow the same and end alike."""
    rng = Random(seed)
    play_and_compare(short_deal(rng, gr.preset(name)), rng, listed=0.5)


@settings(UNSHRUNK, max_examples=3 * UNSHRUNK.max_examples)
@given(name=st.sampled_from(PRESETS), seed=SEEDS)
def test_mixtures_of_options_are_the_same(name: str, seed: int) -> None:
    """Presets with up to fourteen options overridden, as far as they go together, are played alike."""
    rng = Random(seed)
    play_and_compare(short_deal(rng, random_rules(rng, name)), rng, listed=0.5)


@pytest.mark.parametrize("name", PRESETS)
@settings(UNSHRUNK, max_examples=3)
@given(seed=SEEDS)
def test_whole_deals_from_their_seeds_are_the_same(name: str, seed: int) -> None:
    """Deals of full hands from a seed: the draw, the first lead, buying, tribute and the play are the same."""
    rng = Random(seed)
    rules = gr.preset(name) if seed % 2 else random_rules(rng, name)
    play_and_compare(SideBySide.from_seed(rules, rng.randbytes(32), random_debts(rng, rules)), rng, listed=0.05)


@settings(UNSHRUNK, max_examples=40)
@given(name=st.sampled_from(PRESETS), seed=SEEDS)
def test_matches_are_the_same(name: str, seed: int) -> None:
    """Scores, what is owed, void deals, the end by number or sweep and the lot are the same over a match."""
    compare_match(name, seed)


def deal_of_match(rng: Random, match: gr.Match, debts: list[Debt]) -> SideBySide:
    """The next deal: most are of short hands, the others from a seed, now and then one that may become void."""
    if rng.random() < 0.95:
        hands = random_hands(rng, match.rules, rng.choice([3, 8, 12]))
        return SideBySide(hands, rng.randrange(6), match.rules, debts, as_dealt=True, number=match.deal_number)
    seed = seed_of_revolutions(rng, match.rules) if rng.random() < 0.5 else rng.randbytes(32)
    return SideBySide.from_seed(match.rules, seed, debts, match=match)


def compare_match(name: str, seed: int) -> ReferenceMatch:
    rng = Random(seed)
    rules = random_rules(rng, name) if rng.random() < 0.5 else gr.preset(name)
    deals = rng.choice([2, 3, 4])
    match, reference = gr.Match(rules, deals), ReferenceMatch(rules, deals)
    while not match.over:
        side = deal_of_match(rng, match, reference.debts)
        eager = rng.random() < 0.3
        while side.running:
            side.compare(plays=False)
            side.random_answer(rng, eager=eager or not side.hands)
        side.compare_the_end()
        step = match.finish(side.engine)
        reference.finish(side.reference, side.engine.seed)
        assert list(step.scores) == list(match.scores) == reference.scores
        assert match.over == reference.over
        assert [Debt(o.payer, o.receiver, o.kind, o.count) for o in match.obligations] == reference.debts
        lot = step.lot.team if step.lot else -1
        assert lot == reference.lot if side.seed or not reference.lots else lot in reference.lots
        assert match.winner == (lot if reference.lots else reference.winner())
        assert match.deal_number == reference.number
    return reference


def words_about(reference: ReferenceDeal) -> set[str]:
    """What is rare and is met in this deal just now."""
    top = reference.top
    met = {
        "burning": reference.burner >= 0,
        "bust": bool(reference.busted),
        "dead": top is not None and top.dead,
        "head kept": reference.heads_left > 0,
        "headless": any(reference.headless(seat) for seat in range(6)),
        "melee": reference.melee,
        "two finished, full rules": len(reference.finished) == 2 and not reference.melee,
        "winded": bool(reference.winded),
        "yielded": bool(reference.yielded),
        "counter-burn": any(counter for _, _, counter in reference.burns),
        "opened": bool(reference.opened),
        "a four is due": reference.four_due,
        "a four bought": any(why == "buy" and card == "4" for _, _, why, card in reference.moved),
        "a three bought": any(why == "buy" and card == "3" for _, _, why, card in reference.moved),
        "stifled": bool(reference.stifles),
        "called": bool(reference.calls),
        "tribute": any(why == "tribute" for _, _, why, _ in reference.moved),
        "returned": any(why == "return" for _, _, why, _ in reference.moved),
        "a return refused": any(now.refused for now in reference.returning),
        "slam": reference.slam >= 0,
        "three dead goujis live": reference.live_dead == 3,
        reference.kind: True,
    }
    return {word for word, so in met.items() if so}


WANTED = {
    "burning",
    "bust",
    "dead",
    "head kept",
    "headless",
    "melee",
    "two finished, full rules",
    "winded",
    "yielded",
    "counter-burn",
    "opened",
    "a four is due",
    "a four bought",
    "a three bought",
    "stifled",
    "called",
    "tribute",
    "returned",
    "a return refused",
    "slam",
    *("swap", "call blind", "call open", "waive", "take", "return", "refuse", "revolt", "head"),
    *("lead", "follow", "window", "over", "void"),
}


def test_the_random_deals_reach_the_rare_places() -> None:
    """The deals compared are rich: all that only some deals come to comes up among a thousand."""
    seen: set[str] = set()
    for seed in range(1000):
        rng = Random(seed)
        side = short_deal(rng, random_rules(rng, PRESETS[seed % 6]))
        while side.running:
            seen |= words_about(side.reference)
            side.random_answer(rng)
        seen |= words_about(side.reference)
        if seen >= WANTED:
            return
    assert seen >= WANTED, WANTED - seen

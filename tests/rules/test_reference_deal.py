"""Deals of qingdao: the engine against the slow machine written from docs/rules.md (R8, R20-R37, R50-R52)."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.side_by_side import SideBySide, random_hands


@given(st.integers(0, 2**32 - 1))
def test_every_question_and_every_end_is_the_same(seed: int) -> None:
    """In random deals of short hands both machines ask the same seats the same, allow the same plays and end alike."""
    rng = Random(seed)
    deal = SideBySide(random_hands(rng), rng.randrange(6))
    while deal.running:
        deal.compare()
        deal.random_answer(rng)
    deal.compare_the_end()


WANTED = {
    "burning",
    "bust",
    "dead",
    "head kept",
    "headless",
    "melee",
    "over",
    "two finished, full rules",
    "void",
    "winded",
    "yielded",
}


def test_the_random_deals_reach_the_rare_places() -> None:
    """The deals compared are rich: busts, dead goujis, kept heads, yields, winds and voids come up among hundreds."""
    seen: set[str] = set()
    for seed in range(600):
        rng = Random(seed)
        deal = SideBySide(random_hands(rng), rng.randrange(6))
        reference = deal.reference
        while deal.running:
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
            }
            seen.update(word for word, so in met.items() if so)
            deal.random_answer(rng)
        seen.add(reference.kind)
        if seen >= WANTED:
            return
    assert seen == WANTED

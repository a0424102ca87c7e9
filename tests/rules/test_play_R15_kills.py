"""R12 `as_small` and R15: jokers that kill jokers, in turn and out of it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.question import FOLLOW_VERBS, KILL_BIT, WINDOW_VERBS
from tests.rules.story import of_kind, told
from tests.rules.test_engine_enumeration import HANDS, subsets

QINGDAO = gr.preset("qingdao")
FULL = QINGDAO.replace(joker_kill="full")
TWO_BIG = QINGDAO.replace(joker_kill="two_big")
ANYONE = QINGDAO.replace(joker_kill="two_big", kill_anyone=True)
EVERY_JOKER_RULE = [
    QINGDAO.replace(mixed_jokers=mixed, joker_kill=kill)
    for mixed, kill in product(("by_card", "as_small"), ("off", "two_big", "full"))
]
TOPS = st.builds(
    lambda rank, naturals, twos, small, big: [naturals if r == rank else 0 for r in range(12)] + [twos, small, big],
    st.integers(0, 11),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 2),
).filter(any)


@pytest.mark.parametrize("rules", EVERY_JOKER_RULE)
@given(hand=HANDS, top_counts=TOPS)
def test_follows_are_what_beats_under_every_joker_rule(
    rules: gr.RuleSet, hand: list[int], top_counts: list[int]
) -> None:
    """The follows listed are exactly the plays of the hand that beat the top play, whatever their number of cards."""
    top = gr.make_play(top_counts)
    question = gr.Question(gr.Kind.FOLLOW, 1, FOLLOW_VERBS, top, 3)
    legal = gr.legal_actions(rules, question, hand)
    listed = [gr.play_of(action) for action in legal if gr.play_of(action)]
    wanted = [play for play in map(gr.make_play, subsets(hand)) if gr.beats(rules, top, play)]
    assert sorted(listed) == sorted(wanted)
    assert len(listed) == legal.play_count == len(set(listed))
    for play in map(gr.make_play, subsets(hand)):
        assert gr.can(rules, question, 0, hand, gr.play_action(play)) is (play in wanted)


@pytest.mark.parametrize("rules", [rules.replace(burn="bluff") for rules in EVERY_JOKER_RULE[1:]])
@given(hand=HANDS, top_counts=TOPS)
def test_windows_list_burns_and_kills(rules: gr.RuleSet, hand: list[int], top_counts: list[int]) -> None:
    """With `bluff` what beats may burn, and the same plays may kill where kills are asked for."""
    top = gr.make_play(top_counts)
    wanted = sorted(play for play in map(gr.make_play, subsets(hand)) if gr.beats(rules, top, play))
    for verbs in (WINDOW_VERBS, WINDOW_VERBS | KILL_BIT):
        legal = gr.legal_actions(rules, gr.Question(gr.Kind.WINDOW, 1, verbs, top, 3), hand)
        for verb in (gr.Verb.BURN, gr.Verb.KILL):
            listed = sorted(gr.play_of(action) for action in legal if gr.verb_of(action) == verb)
            assert listed == (wanted if verbs >> verb & 1 else [])


@pytest.mark.parametrize(
    ("rules", "top", "hand", "count"),
    [
        (QINGDAO, "b", "bbssKK22", 0),
        (FULL, "b", "bbssKK22", 3),
        (FULL, "s", "bbsKK22", 4),
        (FULL, "bb", "bbbbssss", 9),
        (TWO_BIG, "b", "bbssKK22", 3),
        (TWO_BIG, "s9", "bbTT", 2),
        (TWO_BIG, "b99", "bbsTTT2", 4),
        (FULL, "s99", "bssTT", 6),
    ],
)
def test_exact_counts_of_kills(rules: gr.RuleSet, top: str, hand: str, count: int) -> None:
    """How many plays answer fixed tops with jokers: a change of R15 shows as a number."""
    question = gr.Question(gr.Kind.FOLLOW, 1, FOLLOW_VERBS, gr.parse_play(top), 3)
    plays = list(gr.legal_actions(rules, question, gr.parse_ranks(hand)).plays)
    said = [gr.format_action(action) for action in plays]
    assert len(plays) == count, said


def test_a_big_joker_is_asked_about_where_it_can_be_killed() -> None:
    """With joker_kill = off the trick ends at once; else the opposite is asked and may kill (R15, R23)."""
    hands = "b34 345 345 bb34 345 345"
    _, events = told(QINGDAO, hands, "0 play b", "= 0 leads")
    assert not of_kind(events, gr.WindowClosed)
    _, events = told(TWO_BIG, hands, "0 play b", "3 play bb", "0 pass", "= 3 leads")
    told(TWO_BIG, "b34 345 345 bb34 345 345", "0 play b", "3 ? play,pass", "3 pass", "= 0 leads")


def test_as_small_a_big_joker_beside_a_small_one_can_be_beaten() -> None:
    """`bs` counts as two small jokers: two big ones beat it, and the trick does not end at once (R12, R23)."""
    rules = QINGDAO.replace(mixed_jokers="as_small")
    told(rules, "bs34 345 345 bb34 345 345", "0 play bs", "3 ? play,pass", "3 play bs !", "3 play bb", "= 3 leads")


def test_anyone_may_kill_out_of_turn() -> None:
    """A seat that passed may kill in the window but not burn; the opposite is asked after it (R15)."""
    deal, events = told(
        ANYONE,
        "5b334 6K34 345 345 bb345 345",
        "0 play 5",
        "1 play 6",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "0 play b",
        "1 ? decline",
        "3 ? -",
        "4 ? kill,decline",
        "4 burn bb ! R30",
        "4 kill bb",
        "1 pass",
        "= 4 leads",
    )
    assert [e.manner for e in of_kind(events, gr.Played)][-1] == gr.Manner.KILL
    assert deal.public.plays[-1].manner == gr.Manner.KILL
    assert gr.Deal.from_bytes(deal.to_bytes()).public.plays[-1].manner == gr.Manner.KILL


def test_a_killer_is_not_a_burner() -> None:
    """A kill bears no duty: its owner leads freely, and no debt is recorded when it gets out (R15)."""
    deal, events = told(
        ANYONE, "b334 345 345 345 bb34 345", "0 play b", "4 kill bb", "1 pass", "= 4 leads", "4 play 3", lead=0
    )
    assert deal.public.burner == -1
    assert not of_kind(events, gr.BurnSucceeded)


def test_a_kill_ends_a_burn_without_busting_the_burner() -> None:
    """The burner's big joker is killed: the burn is over and the burner goes on (R15, R33)."""
    deal, events = told(
        ANYONE,
        "K2345 345 345 345 bAs34 bb2345",
        "0 play K2",
        "4 burn bA",
        "5 kill bb ! R12",
        "5 kill bb2",
        "2 pass",
        "= 5 leads",
    )
    ends = [event for event in events if isinstance(event, (gr.BurnEnded, gr.Busted))]
    assert ends == [gr.BurnEnded(4, gr.BurnEnd.ANSWERED)]
    assert deal.public.burner == -1
    assert deal.public.active == 63


def test_headless_plays_open_a_window_for_kills_alone() -> None:
    """A headless seat's big joker may be killed by every other seat, passed or not; nobody may burn it (R15, R25)."""
    deal, _ = told(
        ANYONE,
        "5 34567 bb345 b456 3456 345",
        "0 play 5",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "1 play 3",
        "2 pass",
        "3 play b",
        "2 ? kill,decline",
        "1 ? decline",
        "5 ? decline",
    )
    assert deal.public.only_kill == deal.public.asked == 0b110110


def test_a_shut_out_opposite_kills_the_burner_and_the_burn_is_answered() -> None:
    """In a trick closed to it the burner's opposite may still kill; that is no defusing (R15, R21, R33)."""
    rules = gr.preset("qingdao").replace(joker_kill="two_big", kill_anyone=True, burn="bluff")
    _, events = told(
        rules,
        "4AA 7bb 5 2AA b77 AA",
        "0 play 4",
        "1 pass",
        "2 play 5",
        "3 play 2",
        "4 burn b",
        "1 kill bb",
        "4 pass",
    )
    assert of_kind(events, gr.BurnEnded) == [gr.BurnEnded(4, gr.BurnEnd.ANSWERED)]

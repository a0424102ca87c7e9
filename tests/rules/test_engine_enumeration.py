"""Legal plays by number: compared with listing every subset of the hand, and held as exact counts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules import enumeration
from gouji_rules.question import FOLLOW_VERBS, LEAD_VERBS, WINDOW_VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

QINGDAO = gr.preset("qingdao")

HANDS = st.builds(
    lambda naturals, wild: [naturals.get(rank, 0) for rank in range(12)] + list(wild),
    st.dictionaries(st.integers(0, 11), st.integers(1, 4), max_size=3),
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)),
).filter(any)

TOPS = st.builds(
    lambda rank, naturals, twos, small: [naturals if r == rank else 0 for r in range(12)] + [twos, small, 0],
    st.integers(0, 11),
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(0, 3),
).filter(any)


def subsets(hand: list[int]) -> Iterator[list[int]]:
    """Every set of cards of a hand that is a play (R10)."""
    for wild in product(*(range(hand[rank] + 1) for rank in (12, 13, 14))):
        bare = [0] * 12 + list(wild)
        if any(bare):
            yield bare
        for rank in range(12):
            for naturals in range(1, hand[rank] + 1):
                with_body = bare[:]
                with_body[rank] = naturals
                yield with_body


def listed(question: gr.Question, hand: list[int]) -> list[gr.Play]:
    """The plays of the lazy sequence, which must agree with its own length and index."""
    legal = gr.legal_actions(QINGDAO, question, hand)
    actions = list(legal)
    assert len(actions) == len(legal)
    assert actions == [legal[i] for i in range(len(legal))] == [legal[i - len(legal)] for i in range(len(legal))]
    assert len(set(actions)) == len(actions)
    return [gr.play_of(action) for action in actions if gr.play_of(action)]


def is_sound(hand: list[int], play: list[int]) -> bool:
    """R31 as it is written: g distinct ranks 3..A in the rest, 1 if only twos, and jokers >= g - 1; or no rest."""
    rest = [held - used for held, used in zip(hand, play, strict=True)]
    if not any(rest):
        return True
    ranks = sum(1 for held in rest[:12] if held) or (1 if rest[12] else 0)
    return rest[13] + rest[14] >= ranks - 1


@given(HANDS)
def test_leads_are_all_plays_of_the_hand(hand: list[int]) -> None:
    """A lead may be any play of the hand, each listed once (R10, R20)."""
    question = gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS)
    assert sorted(listed(question, hand)) == sorted(gr.make_play(play) for play in subsets(hand))


@given(HANDS)
def test_leads_while_burning_hold_a_joker_or_empty_the_hand(hand: list[int]) -> None:
    """A burner leads what holds a joker, and what empties its hand (R34)."""
    question = gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS, must_hold_joker=True)
    wanted = [gr.make_play(play) for play in subsets(hand) if play[13] or play[14] or play == hand]
    assert sorted(listed(question, hand)) == sorted(wanted)


@given(HANDS, TOPS)
def test_follows_are_the_plays_that_beat_the_top(hand: list[int], top_counts: list[int]) -> None:
    """A follow may be any play of the hand that beats the top play, each listed once (R11, R12)."""
    top = gr.make_play(top_counts)
    question = gr.Question(gr.Kind.FOLLOW, 1, FOLLOW_VERBS, top, 3)
    wanted = [play for play in map(gr.make_play, subsets(hand)) if gr.beats(QINGDAO, top, play)]
    assert sorted(listed(question, hand)) == sorted(wanted)


@given(HANDS, TOPS)
def test_burns_beat_the_top_and_leave_a_sound_rest(hand: list[int], top_counts: list[int]) -> None:
    """A burn may be any play that beats the top play and leaves a sound rest, each listed once (R30, R31)."""
    top = gr.make_play(top_counts)
    question = gr.Question(gr.Kind.WINDOW, 1, WINDOW_VERBS, top, 3)
    wanted = [
        gr.make_play(play)
        for play in subsets(hand)
        if gr.beats(QINGDAO, top, gr.make_play(play)) and is_sound(hand, play)
    ]
    assert sorted(listed(question, hand)) == sorted(wanted)


@given(HANDS, TOPS, st.data())
def test_can_agrees_with_the_list(hand: list[int], top_counts: list[int], data: st.DataObject) -> None:
    """For every kind of question `can` says yes to exactly what is listed, without listing (R16)."""
    top = gr.make_play(top_counts)
    question = data.draw(
        st.sampled_from(
            [
                gr.Question(gr.Kind.LEAD, 4, LEAD_VERBS),
                gr.Question(gr.Kind.LEAD, 4, LEAD_VERBS, must_hold_joker=True),
                gr.Question(gr.Kind.FOLLOW, 4, FOLLOW_VERBS, top, 3),
                gr.Question(gr.Kind.WINDOW, 52, WINDOW_VERBS, top, 3),
            ]
        )
    )
    legal = set(gr.legal_actions(QINGDAO, question, hand))
    tried = [action(gr.make_play(play)) for play in subsets(hand) for action in (gr.play_action, gr.burn_action)]
    tried += [gr.PASS, gr.YIELD, gr.WIND, gr.DECLINE, gr.NO, gr.REVOLT, gr.KEEP_HEAD, gr.DROP_HEAD, gr.show_action(1)]
    for action in tried:
        assert gr.can(QINGDAO, question, 2, hand, action) is (action in legal), gr.format_action(action)
    assert not any(gr.can(QINGDAO, question, 0, hand, action) for action in legal), "a seat that is not asked"
    verbs = 0
    for action in legal:
        verbs |= 1 << gr.verb_of(action)
    assert gr.open_verbs(QINGDAO, question, hand) == verbs


FULL = "3334455566677778889TTTTJJQQQKAA222sb"
COUNTS = [
    # hand, top play (- for a lead, + for a burner's lead), plays that may answer it
    (FULL, "-", 511),
    (FULL, "+", 384),
    (FULL, "3", 14),
    (FULL, "77", 30),
    (FULL, "999", 38),
    (FULL, "TTTTT", 29),
    (FULL, "s8", 8),
    (FULL, "ss99", 0),
    (FULL, "222", 0),
    ("2222ssbb", "-", 44),
    ("2222ssbb", "+", 40),
    ("2222ssbb", "s22", 2),
    ("2222ssbb", "ss", 1),
    ("345", "+", 0),
    ("3333", "+", 1),
    ("33332", "+", 1),
]


@pytest.mark.parametrize(("hand", "top", "count"), COUNTS)
def test_exact_counts(hand: str, top: str, count: int) -> None:
    """How many plays a fixed hand has in qingdao: a change of one rule shows as a number."""
    if top in "-+":
        question = gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS, must_hold_joker=top == "+")
    else:
        question = gr.Question(gr.Kind.FOLLOW, 1, FOLLOW_VERBS, gr.parse_play(top), 3)
    assert gr.legal_actions(QINGDAO, question, gr.parse_ranks(hand)).play_count == count


def test_an_index_out_of_range_is_refused() -> None:
    """The sequence behaves as a list at its ends."""
    question = gr.Question(gr.Kind.LEAD, 1, LEAD_VERBS)
    legal = gr.legal_actions(QINGDAO, question, gr.parse_ranks("34"))
    assert len(legal) == 2
    assert legal[-2:] == [legal[0], legal[1]]
    for index in (2, -3):
        with pytest.raises(IndexError):
            legal[index]


@given(HANDS)
def test_a_packed_hand_has_the_same_counts(hand: list[int]) -> None:
    """A hand packed into one int: as many cards, as many of each rank, and the same fifteen counts."""
    packed = enumeration.pack_hand(hand)
    naturals, code = packed & enumeration.NATURALS_MASK, packed >> enumeration.WILD_AT
    assert enumeration.cards_in(packed) == sum(hand)
    assert [enumeration.count_in(naturals, code, rank) for rank in range(15)] == hand
    assert list(enumeration.naturals_of_hand(naturals)) == hand[:12]
    assert sum(hand[rank] * enumeration.ONE_OF_RANK[rank] for rank in range(15)) == packed

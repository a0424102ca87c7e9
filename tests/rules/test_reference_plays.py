"""R10 to R13, R31 and R34 on random cards: the engine against the slow reference written from docs/rules.md."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from tests.rules.reference_plays import (
    RANKS,
    answers_in,
    beats,
    burn_leads_in,
    burns_in,
    canonical,
    holds,
    is_gouji,
    is_play,
    plays_in,
    rest_is_sound,
    strongest_first,
    sub_multisets,
    without,
)

RULES = gr.preset("qingdao")


@st.composite
def plays(draw: st.DrawFn, most: int = 8) -> str:
    """A play: cards of one rank with twos and jokers, any of which may be missing."""
    rank = draw(st.sampled_from(RANKS[:12]))
    return canonical("".join(draw(st.lists(st.sampled_from(rank * 4 + "22sb"), min_size=1, max_size=most))))


@st.composite
def gouji_plays(draw: st.DrawFn) -> str:
    """A gouji play of at most four cards."""
    cards = draw(plays(most=4))
    plain = ["2", "22", "KK", "AA", "KKK", "AAA", "QQQ", "JJJJ", "2Q2", "s", "s4", "ss5", "s22"]
    return cards if is_gouji(cards) else canonical(draw(st.sampled_from(plain)))


@st.composite
def hands(draw: st.DrawFn) -> str:
    """A short hand of few ranks, twos and jokers, so that plays, answers and sound burns come up often."""
    ranks = draw(st.lists(st.sampled_from(RANKS[:12]), min_size=1, max_size=4, unique=True))
    naturals = draw(st.lists(st.sampled_from(ranks), min_size=1, max_size=7))
    wild = draw(st.lists(st.sampled_from("222ssb"), max_size=5))
    while wild.count("s") > 4 or wild.count("b") > 4:
        wild.pop()
    return canonical("".join(naturals + wild))


def window_on(top: str) -> gr.Question:
    """A burn window of seat 1 on a play of seat 0."""
    verbs = 1 << gr.Verb.BURN | 1 << gr.Verb.DECLINE
    return gr.Question(gr.Kind.WINDOW, 0b10, verbs, gr.parse_play(top), 0)


def follow_on(top: str) -> gr.Question:
    """Seat 1 asked to follow seat 0's play."""
    verbs = 1 << gr.Verb.PLAY | 1 << gr.Verb.PASS
    return gr.Question(gr.Kind.FOLLOW, 0b10, verbs, gr.parse_play(top), 0)


def lead(*, burning: bool = False) -> gr.Question:
    """Seat 1 asked to lead."""
    return gr.Question(gr.Kind.LEAD, 0b10, 1 << gr.Verb.PLAY, must_hold_joker=burning)


def cards_in(legal: gr.LegalActions, verb: gr.Verb) -> list[str]:
    """The plays among legal actions, which must be of one verb and listed once each; `[k]` agrees with iteration."""
    actions = list(legal)
    assert len(legal) == len(actions) == len(set(actions))
    assert [legal[index] for index in range(len(legal))] == actions
    with_cards = [action for action in actions if gr.play_of(action)]
    assert {gr.verb_of(action) for action in with_cards} <= {verb}
    found = [canonical(gr.format_play(gr.play_of(action))) for action in with_cards]
    assert len(found) == len(set(found))
    return found


def all_of(found: AbstractSet[str]) -> set[str]:
    return {canonical(cards) for cards in found}


@given(st.one_of(st.text(alphabet=RANKS, max_size=7), plays()))
def test_r10_what_is_a_play(cards: str) -> None:
    """Cards are a play exactly when they are of one rank 3..A with twos and jokers (R10)."""
    if is_play(cards):
        assert canonical(gr.format_play(gr.parse_play(cards))) == canonical(cards)
    else:
        with pytest.raises(gr.PlayError) as refused:
            gr.parse_play(cards)
        assert refused.value.rule == "R10"


@given(plays(most=20))
def test_r13_what_is_gouji(cards: str) -> None:
    """A play is gouji in the engine exactly when the text of R13 says so."""
    assert gr.is_gouji(RULES, gr.parse_play(cards)) == is_gouji(cards)


@given(plays(), plays())
def test_r12_whether_a_play_beats_another(top: str, answer: str) -> None:
    """A play beats another exactly when each card is stronger, sorted from the strongest down (R11, R12)."""
    assert gr.beats(RULES, gr.parse_play(top), gr.parse_play(answer)) == beats(top, answer)


def plays_of_size(count: int) -> list[str]:
    """Every play of so many cards, the pack's number of jokers aside."""
    pools = [rank * count + "2" * count + "s" * count + "b" * count for rank in RANKS[:12]]
    return sorted({canonical(cards) for pool in pools for cards in sub_multisets(pool) if len(cards) == count})


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_r12_every_pair_of_short_plays(count: int) -> None:
    """For every two plays of up to four cards the engine and the reference agree, and what beats a gouji is one."""
    found = [(cards, gr.parse_play(cards)) for cards in plays_of_size(count)]
    for top, packed_top in found:
        for answer, packed_answer in found:
            beaten = beats(top, answer)
            assert gr.beats(RULES, packed_top, packed_answer) == beaten, (top, answer)
            assert not (beaten and is_gouji(top) and not is_gouji(answer)), (top, answer)


@pytest.mark.parametrize("mixed_jokers", ["by_card", "as_small"])
@pytest.mark.parametrize("joker_kill", ["off", "two_big", "full"])
def test_r15_every_pair_of_plays_with_jokers(mixed_jokers: str, joker_kill: str) -> None:
    """Of any two plays with up to four jokers of a kind, engine and reference agree which beat and kill (R12, R15)."""
    rules = RULES.replace(mixed_jokers=mixed_jokers, joker_kill=joker_kill)
    found = [
        body + "s" * small + "b" * big
        for body in ("", "5", "6", "26", "2")
        for small in range(5)
        for big in range(5)
        if body or small or big
    ]
    packed = {cards: gr.parse_play(cards) for cards in found}
    for top in found:
        for answer in found:
            beaten = beats(top, answer, rules)
            assert gr.beats(rules, packed[top], packed[answer]) == beaten, (top, answer)
            assert not (beaten and not is_gouji(answer, rules) and is_gouji(top, rules)), (top, answer)


def test_r11_every_pair_of_plays_of_other_sizes() -> None:
    """Among plays of one to three cards none beats one of another size, jokers or not (R11)."""
    found = [(cards, gr.parse_play(cards)) for count in (1, 2, 3) for cards in plays_of_size(count)]
    for top, packed_top in found:
        for answer, packed_answer in found:
            if len(top) != len(answer):
                assert not gr.beats(RULES, packed_top, packed_answer), (top, answer)


@given(plays(most=5), plays(most=5))
def test_r12_the_explanation_is_the_comparison(top: str, answer: str) -> None:
    """The explanation pairs the cards as R12 does and names the rule that decides."""
    why = gr.explain(RULES, gr.parse_play(top), gr.parse_play(answer))
    assert why.beats == beats(top, answer)
    assert why.answer_is_gouji == is_gouji(answer)
    if len(top) != len(answer):
        assert (why.rule, why.covers) == ("R11", ())
        return
    assert why.rule == "R12"
    assert [cover.top for cover in why.covers] == list(strongest_first(top))
    assert [cover.answer for cover in why.covers] == [(strength,) for strength in strongest_first(answer)]
    assert all(cover.stronger for cover in why.covers) == why.beats


@given(hands())
def test_leads_are_all_plays_of_the_hand(hand: str) -> None:
    """The legal leads are all plays that the hand holds (R10, R20), each once."""
    legal = gr.legal_actions(RULES, lead(), gr.parse_ranks(hand))
    assert set(cards_in(legal, gr.Verb.PLAY)) == all_of(plays_in(hand))


@given(hands())
def test_r34_leads_while_burning(hand: str) -> None:
    """A burner's legal leads are its plays with a joker and the one that empties its hand (R34)."""
    legal = gr.legal_actions(RULES, lead(burning=True), gr.parse_ranks(hand))
    assert set(cards_in(legal, gr.Verb.PLAY)) == all_of(burn_leads_in(hand))


@given(hands(), plays(most=5))
def test_follows_are_all_plays_that_beat(hand: str, top: str) -> None:
    """The legal follows are all plays of the hand that beat the top play (R11, R12), and passing."""
    legal = gr.legal_actions(RULES, follow_on(top), gr.parse_ranks(hand))
    assert set(cards_in(legal, gr.Verb.PLAY)) == all_of(answers_in(hand, top))
    assert [action for action in legal if not gr.play_of(action)] == [gr.PASS]


@given(hands(), gouji_plays())
def test_r31_burns_are_those_with_a_sound_rest(hand: str, top: str) -> None:
    """The legal burns are the plays that beat and leave a sound rest (R30, R31), and declining."""
    legal = gr.legal_actions(RULES, window_on(top), gr.parse_ranks(hand))
    assert set(cards_in(legal, gr.Verb.BURN)) == all_of(burns_in(hand, top))
    assert [action for action in legal if not gr.play_of(action)] == [gr.DECLINE]


@given(hands(), gouji_plays(), plays(most=3), st.data())
def test_r31_each_burn_is_refused_with_its_rule(hand: str, top: str, other: str, data: st.DataObject) -> None:
    """A burn is refused for cards not held, for not beating (R11, R12), then for its rest (R31), and else accepted."""
    burn = data.draw(st.sampled_from([other, *sorted(plays_in(hand)), *sorted(answers_in(hand, top)) * 3]))
    counts = gr.parse_ranks(hand)
    action = gr.burn_action(gr.parse_play(burn))
    if not holds(hand, burn):
        wanted = {"R10", "R16"}
    elif len(top) != len(burn):
        wanted = {"R11"}
    elif not beats(top, burn):
        wanted = {"R12"}
    elif not rest_is_sound(without(hand, burn)):
        wanted = {"R31"}
    else:
        gr.check(RULES, window_on(top), 1, counts, action)
        assert gr.can(RULES, window_on(top), 1, counts, action)
        assert action in gr.legal_actions(RULES, window_on(top), counts)
        return
    assert not gr.can(RULES, window_on(top), 1, counts, action)
    assert action not in gr.legal_actions(RULES, window_on(top), counts)
    with pytest.raises(gr.RuleViolation) as refused:
        gr.check(RULES, window_on(top), 1, counts, action)
    assert refused.value.rule in wanted
    if wanted == {"R31"}:
        assert f" {without(hand, burn)}," in refused.value.text_en
        assert f" {without(hand, burn)} " in refused.value.text_zh


@pytest.mark.parametrize(
    ("rest", "sound"),
    [
        ("", True),
        ("3", True),
        ("333322", True),
        ("2222", True),
        ("34", False),
        ("34s", True),
        ("345s", False),
        ("345sb", True),
        ("3422", False),
        ("ssbb", True),
        ("22s", True),
        ("3A2b", True),
        ("3456789TJQKAssssbbbb", False),
    ],
)
def test_r31_rests_by_hand(rest: str, sound: bool) -> None:
    """Rests worked out by hand from the text of R31: the reference and the engine both know them."""
    assert rest_is_sound(rest) == sound
    hand = gr.parse_ranks(rest + "22")
    burn = gr.burn_action(gr.parse_play("22"))
    assert gr.can(RULES, window_on("AA"), 1, hand, burn) == sound

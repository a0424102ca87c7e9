"""The built-in policies: legal, sensible, blind to what their seat may not see."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_bots
import gouji_rules as gr
from gouji_bots.hand import answers, runs_out, whole, without, worth
from gouji_rules.comparison import beats
from gouji_rules.state import pack_played, with_seat

QINGDAO = gr.preset("qingdao")


def play_out(deal: gr.Deal, even: gouji_bots.Policy, odd: gouji_bots.Policy, rng: random.Random) -> gr.Deal:
    """Play a deal to its end, checking that every choice is legal."""
    while not deal.over:
        for seat in range(6):
            while deal.is_asked(seat):
                view = deal.view(seat)
                action = (odd if seat % 2 else even)(view, rng)
                view.check(action)
                deal.apply(seat, action)
    return deal


def dealt(seed: int) -> gr.Deal:
    return gr.Deal.start(QINGDAO, seed.to_bytes(32, "big"), track_cards=False)


@pytest.mark.parametrize("seed", range(20))
def test_simple_clearly_beats_random(seed: int) -> None:
    """On each of twenty deals, played twice with the sides exchanged, `simple` scores more than `random`."""
    rng = random.Random(seed)
    first = play_out(dealt(seed), gouji_bots.simple_policy, gouji_bots.random_policy, rng).result
    second = play_out(dealt(seed), gouji_bots.random_policy, gouji_bots.simple_policy, rng).result
    assert first.scores[0] + second.scores[1] > first.scores[1] + second.scores[0]


@given(st.integers(0, 2**64), st.sampled_from(["random", "simple"]), st.sampled_from(["random", "simple"]))
def test_every_choice_is_legal(seed: int, even: str, odd: str) -> None:
    """Whatever the deal and the others do, both policies always choose what the rules accept, to the end."""
    rng = random.Random(seed)
    assert play_out(dealt(seed), gouji_bots.policies[even], gouji_bots.policies[odd], rng).over


def test_both_policies_meet_every_kind_of_question() -> None:
    """Within a few deals every kind of question is answered and every verb used, so the tests above mean something."""
    rules = QINGDAO.replace(show="ask")
    kinds = {gr.Kind.SHOW, gr.Kind.REVOLT, gr.Kind.HEAD, gr.Kind.LEAD, gr.Kind.FOLLOW, gr.Kind.WINDOW}
    verbs = {verb for verb in gr.Verb if verb <= gr.Verb.DROP_HEAD}
    rng = random.Random(1)
    for seed in range(300):
        if not kinds and not verbs:
            return
        deal = gr.Deal.start(rules, seed.to_bytes(32, "big"))
        while not deal.over:
            for seat in range(6):
                while deal.is_asked(seat):
                    view = deal.view(seat)
                    assert view.question is not None
                    action = gouji_bots.policies["random" if seat % 3 else "simple"](view, rng)
                    kinds.discard(view.question.kind)
                    verbs.discard(gr.verb_of(action))
                    deal.apply(seat, action)
    pytest.fail(f"never met: {kinds} {verbs}")


@given(st.integers(0, 2**64))
def test_a_policy_is_a_function_of_its_view(seed: int) -> None:
    """The same view and the same generator give the same choice, and the view is left as it was."""
    deal = dealt(seed)
    rng = random.Random(seed)
    for _ in range(40):
        seat = next((seat for seat in range(6) if deal.is_asked(seat)), None)
        if seat is None:
            break
        view, copy = deal.view(seat), deal.view(seat)
        for policy in gouji_bots.policies.values():
            assert policy(view, random.Random(seed)) == policy(view, random.Random(seed))
        assert view == copy
        deal.apply(seat, gouji_bots.random_policy(view, rng))


@given(st.integers(0, 2**64), st.integers(0, 60))
def test_simple_needs_no_more_than_the_wire_tells(seed: int, steps: int) -> None:
    """`simple` chooses the same whether or not its view says who is still to be asked: a client's view does not."""
    deal = dealt(seed)
    rng = random.Random(seed)
    for _ in range(steps):
        seat = next((seat for seat in range(6) if deal.is_asked(seat)), None)
        if seat is None:
            return
        deal.apply(seat, gouji_bots.simple_policy(deal.view(seat), rng))
    seat = next((seat for seat in range(6) if deal.is_asked(seat)), None)
    if seat is None:
        return
    view = deal.view(seat)
    public = view.public.copy()
    public.pending, public.yielder, public.shown = 0, -1, ()
    chosen = gouji_bots.simple_policy(view, random.Random(1))
    assert gouji_bots.simple_policy(replace(view, public=public), random.Random(1)) == chosen


def ask(
    hand: str, *, top: str = "", owner: int = 1, seat: int = 0, left: int = -1, kind: gr.Kind = gr.Kind.FOLLOW
) -> gr.Action:
    """Return what `simple` answers with a hand; `left`: cards that the top play's owner is known to hold."""
    public = gr.PublicState(QINGDAO)
    public.kind, public.asked = kind, 1 << seat
    words = {
        gr.Kind.LEAD: [gr.Verb.PLAY],
        gr.Kind.FOLLOW: [gr.Verb.PLAY, gr.Verb.PASS],
        gr.Kind.WINDOW: [gr.Verb.BURN, gr.Verb.DECLINE],
        gr.Kind.REVOLT: [gr.Verb.REVOLT, gr.Verb.NO],
        gr.Kind.HEAD: [gr.Verb.KEEP_HEAD, gr.Verb.DROP_HEAD],
    }
    public.verbs = sum(1 << verb for verb in words[kind])
    if top:
        public.top, public.top_owner = gr.parse_play(top), owner
        public.top_gouji = gr.is_gouji(QINGDAO, public.top)
        public.count_shown = with_seat(public.count_shown, owner, left)
    view = gr.SeatView(QINGDAO, seat, public, tuple(gr.parse_ranks(hand)), (), answered=False)
    action = gouji_bots.simple_policy(view, random.Random(1))
    view.check(action)
    return action


@pytest.mark.parametrize(
    ("hand", "lead"),
    [
        ("3334455KKK2b", "play 333"),
        ("44499QQQAA", "play 444"),
        ("4AAAKKK", "play KKK"),
        ("777", "play 777"),
        ("77722sb", "play bs77722"),
        ("3355bb", "play b33"),
        ("33JJ44bb", "play b33"),
        ("33JJ4b", "play 33"),
    ],
    ids=str,
)
def test_simple_leads_low_and_runs_out_when_nothing_can_stop_it(hand: str, lead: str) -> None:
    """It leads its lowest group; keeps one poor group for the end; with a top joker for every lead but one it runs."""
    assert gr.format_action(ask(hand, kind=gr.Kind.LEAD)) == lead


def test_a_burner_leads_with_a_joker() -> None:
    """While burning, every lead but the last holds a joker (R34), the cheaper one where that is enough."""
    public = gr.PublicState(QINGDAO)
    public.kind, public.asked, public.verbs, public.must_hold_joker = gr.Kind.LEAD, 1, 1 << gr.Verb.PLAY, True
    for hand, lead in (("44556sb", "play s44"), ("4455b", "play b44"), ("55", "play 55")):
        view = gr.SeatView(QINGDAO, 0, public, tuple(gr.parse_ranks(hand)), (), answered=False)
        action = gouji_bots.simple_policy(view, random.Random(1))
        view.check(action)
        assert gr.format_action(action) == lead


@pytest.mark.parametrize(
    ("hand", "top", "owner", "left", "answer"),
    [
        ("777AAA4", "666", 1, -1, "play 777"),  # the cheapest group that does
        ("3456789Tb", "Q", 1, -1, "pass"),  # a joker is not spent on a queen
        ("3456789Tb", "Q", 1, 3, "play b"),  # unless its owner would be out
        ("KK22sb44", "TT", 2, -1, "pass"),  # nor are kings on an ally
        ("777AAA4", "666", 2, 3, "pass"),  # whose last cards go down undisturbed
        ("777", "666", 2, 3, "play 777"),  # but being out oneself is better
        ("44b", "T", 2, -1, "play b"),  # or as good as out
        ("3456", "Q", 1, -1, "pass"),
    ],
)
def test_simple_follows_cheaply_and_minds_its_allies(hand: str, top: str, owner: int, left: int, answer: str) -> None:
    """It spends what costs least, stops enemies who are nearly out, and leaves such an ally the lead."""
    assert gr.format_action(ask(hand, top=top, owner=owner, left=left)) == answer


@pytest.mark.parametrize(
    ("hand", "top", "answer"),
    [
        ("bbA55", "KK", "burn bA"),
        ("bA5566", "KK", "decline"),  # not sound: two groups and no joker would be left
        ("ssA", "KKK", "burn ssA"),
        ("ssA55", "KK", "decline"),  # sound, but a big joker may beat it
        ("34567", "AA", "decline"),
    ],
)
def test_simple_burns_only_when_it_is_out_for_certain(hand: str, top: str, answer: str) -> None:
    """It burns when the burn ends the hand, or leaves what runs out; a burn that may fail is declined."""
    assert gr.format_action(ask(hand, top=top, kind=gr.Kind.WINDOW)) == answer


def test_simple_knows_when_small_jokers_are_the_highest() -> None:
    """Once all big jokers are seen, nothing beats a small one: then it burns and runs out with those."""
    public = gr.PublicState(QINGDAO)
    public.kind, public.asked = gr.Kind.WINDOW, 1
    public.verbs = 1 << gr.Verb.BURN | 1 << gr.Verb.DECLINE
    public.top, public.top_owner = gr.parse_play("KK"), 1
    big = gr.PlayedCards(seat=1, trick=1, manner=gr.Manner.LEAD, play=gr.parse_play("bbbb"), cards=())
    view = gr.SeatView(QINGDAO, 0, public, tuple(gr.parse_ranks("ssA55")), (), answered=False)
    assert gouji_bots.simple_policy(view, random.Random(1)) == gr.DECLINE
    public.history = array("I", [pack_played(big)])
    assert gr.format_action(gouji_bots.simple_policy(view, random.Random(1))) == "burn sA"


def test_simple_settles_what_comes_before_the_first_lead() -> None:
    """It revolts with a poor hand, not with a strong one, and keeps its head."""
    assert ask("345678999TTJJQQKKA", kind=gr.Kind.REVOLT) == gr.REVOLT
    assert ask("QQQKKAAAA", kind=gr.Kind.REVOLT) == gr.NO
    assert ask("3334b", kind=gr.Kind.REVOLT) == gr.NO
    assert ask("3", kind=gr.Kind.HEAD) == gr.KEEP_HEAD


ranks = st.lists(st.integers(0, 14), min_size=1, max_size=20).map(
    lambda drawn: tuple(min(drawn.count(rank), 16 if rank < 13 else 4) for rank in range(15))
)


@given(ranks, ranks)
def test_the_answers_weighed_beat_the_play_and_are_held(hand: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Every candidate is held and beats the top play; where there is any answer at all, there is a candidate."""
    top = gr.LegalActions(QINGDAO, gr.Question(gr.Kind.LEAD, 1, 1 << gr.Verb.PLAY), other)
    for action in top[:: max(1, len(top) // 5)]:
        play = gr.play_of(action)
        found = [answer for answer in answers(hand, play) if beats(QINGDAO, play, answer)]
        for answer in found:
            assert min(without(hand, answer)) >= 0
        question = gr.Question(gr.Kind.FOLLOW, 1, 1 << gr.Verb.PLAY | 1 << gr.Verb.PASS, play, 1)
        assert bool(found) == bool(gr.LegalActions(QINGDAO, question, hand).play_count)


def test_a_hands_worth_grows_with_strength_and_falls_with_burden() -> None:
    """More power is better, more low groups are worse, and nothing is better than nothing left."""
    strong, weak = gr.parse_ranks("AAKKbb"), gr.parse_ranks("3456789")
    assert worth([0] * 15) > worth(strong) > worth(weak)
    assert worth(gr.parse_ranks("33")) > worth(gr.parse_ranks("34"))
    assert runs_out(gr.parse_ranks("33445"), 2)
    assert not runs_out(gr.parse_ranks("33445"), 1)
    assert gr.format_play(whole(gr.parse_ranks("442b"))) == "b442"
    assert not whole(gr.parse_ranks("45"))


def test_real_cards_are_drawn_from_all_that_fit() -> None:
    """Over many draws every real card of the rank comes up about as often as any other (R2 makes suits meaningless)."""
    hand = (gr.Card.CLUB_5, gr.Card.DIAMOND_5, gr.Card.HEART_5, gr.Card.SPADE_5, gr.Card.CLUB_6, gr.Card.BIG_JOKER)
    action = gr.play_action(gr.parse_play("55b"))
    rng = random.Random(1)
    drawn: Counter[gr.Card] = Counter()
    for _ in range(2000):
        cards = gouji_bots.choose_cards(hand, action, rng)
        assert gr.play_of_cards(cards) == gr.play_of(action)
        assert list(cards) == sorted(cards)
        drawn.update(cards)
    assert drawn[gr.Card.BIG_JOKER] == 2000
    assert all(900 < drawn[card] < 1100 for card in hand[:4])
    assert gouji_bots.choose_cards(hand, gr.PASS, rng) == ()
    assert gouji_bots.choose_cards(hand, gr.show_action(0), rng) == ()
    with pytest.raises(gr.CardsNotHeld):
        gouji_bots.choose_cards(hand, gr.play_action(gr.parse_play("66")), rng)

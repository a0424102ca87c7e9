"""R70 to R73, R78: tribute is paid and returned before the next deal, all of it seen by all."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.cards import counts_of
from gouji_rules.events import (
    CardReturned,
    PlacesSwapped,
    ReturnRefused,
    TributePaid,
    TributeRefused,
    TributeWaived,
)
from gouji_rules.playout import play_out
from gouji_rules.tribute import in_order
from tests.rules.random_rule_sets import made_legal, random_rule_set

if TYPE_CHECKING:
    from collections.abc import Sequence

FREE = replace(
    gr.preset("qingdao"),
    tribute=("stifle", "burn", "point", "loser"),
    return_="free",
    swap_places=False,
    revolution="off",
)


def dealt(rules: gr.RuleSet, hands: str, *owed: str) -> gr.Deal:
    """A deal of these hands, separated by spaces, as they were dealt, with what is owed."""
    return gr.Deal.from_hands(rules, hands.split(), 0, owed, as_dealt=True)


def said(deal: gr.Deal, seat: int, text: str) -> list[gr.Event]:
    """Answer in a record's words."""
    return deal.apply(seat, gr.parse_action(text))


def paid(events: Sequence[gr.Event]) -> list[tuple[int, int, str]]:
    """Payer, receiver and cards of every payment among these events."""
    return [(e.payer, e.receiver, gr.format_cards(e.cards)) for e in events if isinstance(e, TributePaid)]


def hands(deal: gr.Deal) -> list[str]:
    """All hands in R-notation."""
    return [gr.format_counts(deal.hand(seat)) for seat in range(6)]


def test_the_largest_first_and_never_an_ace() -> None:
    """R70: big jokers, small jokers, twos; a seat without one pays nothing, aces stay."""
    deal = dealt(FREE, "345 345 345 AA2sb AAA 345", "3>0 burn 2", "4>1 burn 1", "3>2 burn 2")
    assert paid(deal.start_events) == [(3, 0, "sb"), (4, 1, ""), (3, 2, "2")]
    assert hands(deal)[3:5] == ["AA", "AAA"]
    assert deal.question is not None
    assert deal.question.kind == gr.Kind.LEAD


def test_the_order_of_kinds() -> None:
    """R70: stifle, burn, point, loser, however they are listed."""
    deal = dealt(FREE, "2 345 345 345 345 2sbb", "5>1 point 1", "5>2 burn 1", "5>3 stifle 1")
    assert paid(deal.start_events) == [(5, 3, "b"), (5, 2, "b"), (5, 1, "s")]
    kinds = [gr.Obligation(0, 1, kind, 1) for kind in ("loser", "point", "burn", "stifle")]
    assert [owed.kind for owed in in_order(kinds)] == ["stifle", "burn", "point", "loser"]


def test_what_was_received_is_not_paid_on() -> None:
    """R71 吃了不吐: a received big joker stays, an equal one of one's own is paid."""
    deal = dealt(FREE, "3b 3 3s 345 345 345", "0>1 burn 1", "1>2 burn 1")
    assert paid(deal.start_events) == [(0, 1, "b"), (1, 2, "")]
    deal = dealt(FREE, "3b 3b 3s 345 345 345", "0>1 burn 1", "1>2 burn 2")
    assert paid(deal.start_events) == [(0, 1, "b"), (1, 2, "b")]
    assert hands(deal)[:3] == ["3", "3b", "3sb"]


def test_the_last_card_is_not_paid() -> None:
    """R70: of a hand of nothing but 2s and jokers, owed in full, the smallest stays, whatever the legal pack."""
    rules = replace(FREE, removed="".join(rank * 9 for rank in "3456789TJQKA"))
    assert gr.cards.cards_per_seat(rules) == 18
    rest = "".join(rank * 7 for rank in "3456789TJQKA") + "22ssbb"
    others = [rest[seat::5] for seat in range(5)]
    deal = dealt(rules, f"{' '.join(others)} {'2' * 14}ssbb", "5>0 burn 2", "5>2 point 8", "5>4 loser 999")
    assert paid(deal.start_events) == [(5, 0, "bb"), (5, 2, "222222ss"), (5, 4, "2222222")]
    assert hands(deal)[5] == "2"


def test_a_hand_of_one_card_pays_nothing() -> None:
    """R70: neither does one whose only card was received as tribute, and nothing of it comes back (R73)."""
    deal = dealt(FREE, "b 2 345 345 345 345s", "0>1 burn 1", "5>1 burn 1", "1>2 loser 2")
    assert paid(deal.start_events) == [(0, 1, ""), (5, 1, "s"), (1, 2, "2")]
    assert hands(deal)[:2] == ["b", "s"]


@pytest.mark.parametrize("number", range(300))
def test_every_seat_in_play_has_cards(number: int) -> None:
    """R70, R73: whatever short hands, debts, rules and answers, a seat in play holds a card and can answer."""
    rng = Random(f"short hands {number}")
    rules = random_rule_set(rng, 12)
    if not rules.tribute:
        rules = made_legal(rules, {"tribute": ("stifle", "burn", "point", "loser")})
    stock = [card for card in gr.pack(rules) if rng.random() < 0.3 or gr.cards.rank_of(card) > 11]
    rng.shuffle(stock)
    given = [counts_of(stock.pop() for _ in range(rng.randint(1, 4))) for _ in range(6)]
    pairs = [rng.sample(range(6), 2) for _ in range(rng.randint(1, 9))]
    owed = [
        gr.Obligation(payer, taker, rng.choice(("stifle", "burn", "point", "loser")), rng.randint(1, 9))
        for payer, taker in pairs
    ]
    deal = gr.Deal.from_hands(rules, given, rng.randrange(6), owed, as_dealt=True)
    while not deal.over:
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        for seat in asked:
            assert len(deal.legal_actions(seat)) > 0
            assert any(deal.hand(seat)) or deal.public.kind in (gr.Kind.SWAP, gr.Kind.CALL)
        seat = rng.choice(asked)
        deal.apply(seat, rng.choice(deal.legal_actions(seat)))


def test_real_cards_of_ones_own_are_paid() -> None:
    """A two of spades received is kept where the own two of clubs is as good."""
    deal = gr.Deal.from_hands(FREE, ["2" * 16, "34", "34", "34", "34", "34"], 0, ["0>1 burn 1"], as_dealt=True)
    assert deal.cards(1)[-1].name == "CLUB_2"


def test_loser_tribute_comes_back() -> None:
    """R73: place 6 pays two, place 5 one; as many come back, of the receivers' choice, in the order of paying."""
    deal = dealt(FREE, "3456 4567 345 345 7892 89sb", "5>0 loser 2", "4>1 loser 1")
    assert paid(deal.start_events) == [(5, 0, "sb"), (4, 1, "2")]
    assert [deal.is_asked(seat) for seat in range(6)] == [True, False, False, False, False, False]
    assert deal.public.due == gr.Obligation(5, 0, "loser", 2)
    assert [gr.format_action(a) for a in deal.legal_actions(0)] == [f"give {c}" for c in "3456sb"]
    events = said(deal, 0, "give 3")
    assert events == [CardReturned(0, 5, events[0].card)]  # type: ignore[union-attr]
    said(deal, 0, "give b")
    assert deal.is_asked(1)
    said(deal, 1, "give 7")
    assert hands(deal) == ["456s", "4562", "345", "345", "7789", "389b"]
    assert deal.public.phase == gr.Phase.PLAY


def test_as_many_as_were_paid_come_back() -> None:
    """R73: a loser that had one card to pay gets one back, and one that had none gets none."""
    deal = dealt(FREE, "3456 4567 345 345 789 89s", "5>0 loser 2", "4>1 loser 1")
    said(deal, 0, "give 3")
    assert deal.public.phase == gr.Phase.PLAY


def test_stifle_burn_and_point_do_not_come_back() -> None:
    """R72, R74: only loser tribute is returned; point tribute under `point_returned` (S3), before loser (R75)."""
    owed = ("5>1 point 1", "5>0 loser 1")
    deal = dealt(FREE, "3456 4567 345 345 789 89sb", *owed)
    assert deal.is_asked(0)
    assert not deal.is_asked(1)
    returned = replace(FREE, point_returned=True)
    deal = dealt(returned, "3456 4567 345 345 789 89sb", *owed)
    assert deal.is_asked(1)
    said(deal, 1, "give 4")
    assert deal.is_asked(0)


def test_the_last_three_is_not_returned() -> None:
    """R73: under hold-three a seat's last 3 stays; one of two may go."""
    rules = replace(FREE, hold_three=True)
    deal = dealt(rules, "3456 4567 345 345 789 89b", "5>0 loser 1")
    with pytest.raises(gr.RuleViolation) as refused:
        said(deal, 0, "give 3")
    assert (refused.value.rule, refused.value.code) == ("R73", "RETURN_LAST_THREE")
    assert gr.parse_action("give 3") not in deal.legal_actions(0)
    deal = dealt(rules, "33456 4567 345 345 789 89b", "5>0 loser 1")
    said(deal, 0, "give 3")
    assert hands(deal)[0] == "3456b"


@pytest.mark.parametrize("text", ["give 33", "give 34", "give 7", "pass", "no"])
def test_what_is_no_return(text: str) -> None:
    """One card of one's own is given, nothing else; a refusal changes nothing (R16)."""
    deal = dealt(FREE, "3456 4567 345 345 789 89b", "5>0 loser 1")
    before = deal.digest()
    with pytest.raises(gr.RuleViolation):
        said(deal, 0, text)
    assert deal.digest() == before


def test_the_real_card_returned_is_chosen() -> None:
    """A receiver may say which of its nines goes back; without a word the lowest does."""
    deal = gr.Deal.from_hands(FREE, ["9" * 8, "34", "34", "34", "34", "34b"], 0, ["5>0 loser 1"], as_dealt=True)
    nine = deal.cards(0)[-2]
    events = deal.apply(0, gr.parse_action("give 9"), [nine])
    assert events == [CardReturned(0, 5, nine)]
    assert nine in deal.cards(5)


REFUSING = replace(FREE, return_="may_refuse")


def test_a_payer_may_refuse_what_it_does_not_hold() -> None:
    """`may_refuse`: the payer is asked for every card, and may refuse a rank it holds none of; each rank once."""
    deal = dealt(REFUSING, "3456 4567 345 345 789 89b", "5>0 loser 1")
    assert said(deal, 0, "give 4") == []
    assert deal.question is not None
    assert (deal.question.kind, deal.question.seat_list, deal.question.top_owner) == (gr.Kind.REFUSE, (5,), 0)
    events = said(deal, 5, "refuse")
    assert [type(e) for e in events] == [ReturnRefused]
    with pytest.raises(gr.RuleViolation) as refused:
        said(deal, 0, "give 4")
    assert refused.value.code == "RETURN_REFUSED"
    said(deal, 0, "give 5")
    assert [type(e) for e in said(deal, 5, "accept")] == [CardReturned]
    assert hands(deal)[5] == "589"


def test_a_rank_held_is_not_refused() -> None:
    """`may_refuse`: who holds the rank is asked all the same, and can only accept."""
    deal = dealt(REFUSING, "38 4567 345 345 789 89b", "5>0 loser 1")
    said(deal, 0, "give 8")
    assert list(deal.legal_actions(5)) == [gr.parse_action("accept")]
    with pytest.raises(gr.RuleViolation) as refused:
        said(deal, 5, "refuse")
    assert (refused.value.rule, refused.value.code) == ("R73", "REFUSE_HELD")


def test_the_last_pick_stands() -> None:
    """`may_refuse`: when no rank is left to pick, the card refused last goes back all the same."""
    deal = dealt(REFUSING, "34 4567 345 345 789 89b", "5>0 loser 1")
    for pick in ("3", "4"):
        said(deal, 0, f"give {pick}")
        assert [type(e) for e in said(deal, 5, "refuse")] == [ReturnRefused]
        with pytest.raises(gr.RuleViolation):
            said(deal, 0, f"give {pick}")
    said(deal, 0, "give b")
    assert [type(e) for e in said(deal, 5, "refuse")] == [ReturnRefused, CardReturned]
    assert hands(deal)[5] == "89b"


def test_each_card_is_asked_for_afresh() -> None:
    """`may_refuse`: what was refused for the first card may be offered again for the second."""
    deal = dealt(REFUSING, "3456 4567 345 345 789 89bb", "5>0 loser 2")
    said(deal, 0, "give 4")
    said(deal, 5, "refuse")
    said(deal, 0, "give 5")
    said(deal, 5, "accept")
    said(deal, 0, "give 4")
    said(deal, 5, "accept")
    assert hands(deal)[5] == "4589"


MATCHING = replace(FREE, return_="must_match")


def test_a_pick_has_to_match() -> None:
    """`must_match`: a rank that the payer does not hold bounces while the receiver has one that it holds."""
    deal = dealt(MATCHING, "348 4567 345 345 789 89b", "5>0 loser 1")
    assert [gr.format_action(a) for a in deal.legal_actions(0)] == [f"give {c}" for c in "348b"]
    assert [type(e) for e in said(deal, 0, "give 4")] == [ReturnRefused]
    assert [type(e) for e in said(deal, 0, "give 8")] == [CardReturned]


def test_without_a_match_any_pick_stands() -> None:
    """`must_match`: a receiver with nothing that the payer holds returns what it likes, at once."""
    deal = dealt(MATCHING, "346 4567 345 345 789 89b", "5>0 loser 1")
    assert [type(e) for e in said(deal, 0, "give 6")] == [CardReturned]


def test_what_may_be_picked_does_not_list_the_payers_ranks() -> None:
    """`must_match`: the receiver's choices are the same whatever the payer holds."""
    picks = [
        list(dealt(MATCHING, f"348 4567 345 345 789 {held}b", "5>0 loser 1").legal_actions(0))
        for held in ("89", "44", "T")
    ]
    assert picks[0] == picks[1] == picks[2]


def test_allies_may_waive() -> None:
    """R73: loser tribute between allies is waived if both agree; S0 shows the payer's largest card."""
    rules = replace(FREE, waiver_shows=True)
    for both, shows in ((True, True), (True, False), (False, True)):
        deal = dealt(replace(rules, waiver_shows=shows), "3456 345 345 345 89sA 345", "4>0 loser 2")
        assert deal.question is not None
        assert (deal.question.kind, deal.question.seat_list) == (gr.Kind.WAIVE, (0, 4))
        assert said(deal, 4, "waive") == []
        assert deal.pending(4)
        events = said(deal, 0, "waive" if both else "no")
        if both:
            assert events == [TributeWaived(4, 0, gr.Card.SMALL_JOKER if shows else None)]
            assert deal.public.phase == gr.Phase.PLAY
        else:
            assert paid(events) == [(4, 0, "s")]
            assert deal.is_asked(0)


def test_only_loser_tribute_between_allies_is_waived() -> None:
    """R73: enemies are not asked, other kinds are not waived, and individual play has no allies (R7)."""
    assert dealt(FREE, "3 3 3 3 3 8b", "5>0 loser 1").public.kind == gr.Kind.RETURN
    assert dealt(FREE, "3 3 3 3 8b 3", "4>0 burn 1").public.kind == gr.Kind.LEAD
    alone = replace(FREE, teams="individual")
    assert dealt(alone, "3 3 3 3 8b 3", "4>0 loser 1").public.kind == gr.Kind.RETURN


def test_a_receiver_may_refuse_tribute() -> None:
    """`tribute_refusable`: every receiver is asked, also about what its payer cannot pay; refused tribute stays."""
    rules = replace(FREE, tribute_refusable=True)
    deal = dealt(rules, "34 34 34 34 8 8b", "5>0 burn 1", "4>1 burn 1", "5>2 loser 1")
    assert deal.question is not None
    assert (deal.question.kind, deal.question.seat_list) == (gr.Kind.ACCEPT, (0,))
    assert said(deal, 0, "refuse") == [TributeRefused(0, 5, "burn", 1)]
    assert paid(said(deal, 1, "accept")) == [(4, 1, "")]
    assert paid(said(deal, 2, "accept")) == [(5, 2, "b")]
    assert deal.public.kind == gr.Kind.RETURN


def test_places_five_and_six_may_swap() -> None:
    """R73: allies in places 5 and 6 may agree before the cards are drawn; then each owes what the other did."""
    rules = replace(FREE, swap_places=True)
    owed = ["5>0 loser 2", "3>2 loser 1"]
    deal = gr.Deal.start(rules, bytes(32), obligations=owed)
    assert deal.question is not None
    assert (deal.question.kind, deal.question.seat_list) == (gr.Kind.SWAP, (3, 5))
    assert [len(deal.cards(seat)) for seat in range(6)] == [0] * 6
    deal.apply(3, gr.parse_action("swap"))
    events = deal.apply(5, gr.parse_action("swap"))
    assert events[0] == PlacesSwapped((3, 5))
    assert [str(o) for o in deal.public.obligations] == ["3>0 loser 2", "5>2 loser 1"]
    assert [e.payer for e in events if isinstance(e, TributePaid)] == [3, 5]
    deal = gr.Deal.start(rules, bytes(32), obligations=owed)
    deal.apply(3, gr.parse_action("swap"))
    events = deal.apply(5, gr.NO)
    assert [e.payer for e in events if isinstance(e, TributePaid)] == [5, 3]


def test_enemies_are_not_asked_to_swap() -> None:
    """R73: places 5 and 6 of two sides, and the equal debts of a swept side, are nothing to swap."""
    rules = replace(FREE, swap_places=True)
    for owed in (["5>0 loser 2", "4>1 loser 1"], ["1>4 loser 1", "3>0 loser 1", "5>2 loser 1"], []):
        deal = gr.Deal.start(rules, bytes(32), obligations=owed)
        assert deal.public.kind != gr.Kind.SWAP
        assert len(deal.cards(0)) >= 35


OWED = st.lists(
    st.builds(
        lambda payer, step, kind, count: gr.Obligation(payer, (payer + step) % 6, kind, count),
        st.integers(0, 5),
        st.integers(1, 5),
        st.sampled_from(("stifle", "burn", "point", "loser")),
        st.integers(1, 4),
    ),
    max_size=8,
)


@given(
    owed=OWED,
    seed=st.binary(min_size=32, max_size=32),
    return_=st.sampled_from(("free", "may_refuse", "must_match")),
    refusable=st.booleans(),
    point_returned=st.booleans(),
    choices=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_tribute_ends_and_conserves_cards(
    owed: list[gr.Obligation], seed: bytes, return_: str, refusable: bool, point_returned: bool, choices: Random
) -> None:
    """Whatever is owed and answered: cards are conserved, every move has its payer, and it ends in bounded steps."""
    rules = replace(FREE, return_=return_, tribute_refusable=refusable, point_returned=point_returned)
    deal = gr.Deal.start(rules, seed, obligations=owed)
    asked = 0
    while deal.public.phase == gr.Phase.TRIBUTE:
        seat = choices.choice([seat for seat in range(6) if deal.is_asked(seat)])
        legal = deal.legal_actions(seat)
        assert deal.default_action(seat) in legal
        deal.apply(seat, choices.choice(legal))
        asked += 1
        assert asked <= 8 * (3 + 4 * 2 * 15)
    assert deal.public.phase == gr.Phase.PLAY
    assert not deal.position.owed
    assert not deal.position.back
    everything = sorted(card for seat in range(6) for card in deal.cards(seat))
    assert everything == sorted(gr.pack(rules))
    for seat in range(6):
        assert list(deal.hand(seat)) == counts_of(deal.cards(seat))
        assert deal.position.left[seat] == sum(deal.hand(seat))
    for move in deal.public.moves:
        if move.why == "tribute":
            assert min(move.ranks) >= 12
            assert any((move.giver, move.taker) == (o.payer, o.receiver) for o in owed)
        else:
            assert any((move.taker, move.giver) == (o.payer, o.receiver) for o in owed)
    again = gr.Deal.from_bytes(deal.to_bytes())
    assert again.digest() == deal.digest()
    assert again.public == deal.public


@pytest.mark.parametrize("track", [True, False])
def test_counts_alone_go_the_same_way(track: bool) -> None:
    """A simulation without real cards moves the same ranks."""
    owed = ["5>0 loser 2", "4>1 burn 1", "0>3 point 4"]
    deal = gr.Deal.start(FREE, bytes(32), obligations=owed, track_cards=track)
    while deal.public.phase == gr.Phase.TRIBUTE:
        seat = deal.public.turn
        deal.apply(seat, deal.default_action(seat))
    whole = gr.Deal.start(FREE, bytes(32), obligations=owed)
    while whole.public.phase == gr.Phase.TRIBUTE:
        seat = whole.public.turn
        whole.apply(seat, whole.default_action(seat))
    assert hands(deal) == hands(whole)


def test_a_running_tribute_is_saved_and_copied() -> None:
    """In the middle of a refused return a deal is copied, saved and read back, and goes on alike."""
    deal = dealt(REFUSING, "3456 4567 345 345 789 89bb", "5>0 loser 2")
    said(deal, 0, "give 4")
    said(deal, 5, "refuse")
    said(deal, 0, "give 5")
    for again in (deal.copy(), gr.Deal.from_bytes(deal.to_bytes())):
        assert again.digest() == deal.digest()
        said(again, 5, "accept")
        said(again, 0, "give 4")
        assert again.digest() != deal.digest()
    before = deal.digest()
    other = dealt(REFUSING, "3456 4567 345 345 789 89bb", "5>0 loser 2")
    said(other, 0, "give 5")
    assert other.digest() != before


@pytest.mark.parametrize("return_", ["free", "may_refuse", "must_match"])
def test_simulations_pay_and_return(return_: str) -> None:
    """A random simulation gets through swap, waiver, refusals and returns to the end of the deal."""
    rules = replace(FREE, return_=return_, tribute_refusable=True, swap_places=True, revolution="may")
    for number in range(6):
        deal = gr.Deal.start(
            rules, Random(number).randbytes(32), obligations=["4>0 loser 2", "2>1 loser 1"], track_cards=number % 2 == 0
        )
        assert play_out(deal, Random(number)) > 0
        assert deal.over

"""R43, R49: threes and fours are bought automatically, both cards seen by all."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.buying import buy_four
from gouji_rules.events import CardBought

S1 = replace(
    gr.preset("qingdao"), hold_three=True, report="none", buy_from="S1", buy_with="S1", buy_none="may", revolution="may"
)


def bought(rules: gr.RuleSet, hands: str, lead: int = 0) -> list[tuple[int, int, str]]:
    """Buyer, seller and what was paid, of every purchase."""
    deal = gr.Deal.from_hands(rules, hands.split(), lead, as_dealt=True)
    return [
        (e.buyer, e.seller, "" if e.paid is None else gr.format_cards([e.paid]))
        for e in deal.start_events
        if isinstance(e, CardBought)
    ]


@pytest.mark.parametrize(
    ("hands", "seller"),
    [
        ("2 33 33 33 33 33", 3),
        ("2 33 33 3 33 33", 1),
        ("2 3 33 3 33 33", 5),
        ("2 3 33 3 33 3", 2),
        ("2 3 3 3 33 3", 4),
    ],
)
def test_whom_s1_and_s4_ask(hands: str, seller: int) -> None:
    """S1, S4: the opposite, its allies, one's own allies; each pair in turn order, each needs two."""
    assert bought(S1, hands) == [(0, seller, "2")]
    assert bought(replace(S1, buy_from="S4", buy_with="S4"), hands) == [(0, seller, "2")]


@pytest.mark.parametrize(
    ("hands", "seller"),
    [("2 33 33 33 33 33", 3), ("2 33 33 3 33 33", 1), ("2 3 33 3 33 33", 2), ("2 3 3 3 3 33", 5)],
)
def test_whom_s0_asks(hands: str, seller: int) -> None:
    """S0: the opposite, then turn order."""
    assert bought(replace(S1, buy_from="S0", buy_with="S0"), hands) == [(0, seller, "2")]


@pytest.mark.parametrize(
    ("hands", "found"),
    [
        ("2 33 33 33 33 33", (0, 3, "2")),
        ("2 33 33 3 33 33", (0, 2, "")),
        ("2 33 3 3 33 33", (0, 4, "")),
        ("2 33 3 3 3 33", (0, 1, "2")),
    ],
)
def test_whom_s3_asks(hands: str, found: tuple[int, int, str]) -> None:
    """S3: the opposite for payment, else an ally for nothing, else the nearest seat with two for payment."""
    assert bought(replace(S1, buy_from="S3", buy_with="S3"), hands) == [found]


@pytest.mark.parametrize(("held", "price"), [("2sb", "2"), ("sb", "s"), ("b", "b")])
def test_what_is_paid(held: str, price: str) -> None:
    """A 2, else a small joker, else a big one."""
    for way in ("S0", "S1", "S3", "S4"):
        assert bought(replace(S1, buy_from=way, buy_with=way), f"{held} 33 33 33 33 33") == [(0, 3, price)]


def test_nothing_to_sell_or_to_pay_with() -> None:
    """Without a seller that holds two, or without a price, nothing moves."""
    assert bought(S1, "2 3 3 3 3 3") == []
    assert bought(S1, "4 33 33 33 33 33") == []


def test_in_turn_order_from_the_first_leader() -> None:
    """The first leader's side of the table buys first; what it took and paid counts for the next buyer."""
    hands = "2 4s 33 33 33 33"
    assert bought(S1, hands, 0) == [(0, 3, "2"), (1, 4, "s")]
    assert bought(S1, hands, 1) == [(1, 4, "s"), (0, 3, "2")]
    assert bought(S1, "2 4 4 33 4 4") == [(0, 3, "2")]


def test_both_cards_move() -> None:
    """The 3 and its price change hands, real cards included, and everyone sees both."""
    deal = gr.Deal.from_hands(S1, ["2", "34", "34", "3345", "34", "34"], 0, as_dealt=True)
    assert [gr.format_counts(deal.hand(seat)) for seat in (0, 3)] == ["3", "3452"]
    event = deal.start_events[0]
    assert isinstance(event, CardBought)
    assert event.card in deal.cards(0)
    assert event.paid in deal.cards(3)
    assert [(m.giver, m.taker, m.why) for m in deal.public.moves] == [(3, 0, "buy"), (0, 3, "pay")]


@given(seed=st.binary(min_size=32, max_size=32), way=st.sampled_from(("S0", "S1", "S3", "S4")))
@settings(max_examples=40, deadline=None)
def test_buying_conserves_cards(seed: bytes, way: str) -> None:
    """From any deal: cards are conserved, nobody sells its last 3, only seats without a 3 buy."""
    rules = replace(S1, buy_from=way, buy_with=way)
    deal = gr.Deal.start(rules, seed)
    assert sorted(c for seat in range(6) for c in deal.cards(seat)) == sorted(gr.pack(rules))
    buys = [m for m in deal.public.moves if m.why == "buy"]
    for move in buys:
        assert deal.hand(move.giver)[0] >= 1
        assert deal.hand(move.taker)[0] == 1
    for seat in range(6):
        dealt = gr.counts_of(deal.dealt[seat])
        assert (seat in [m.taker for m in buys]) == (not dealt[0] and any(dealt[12:]))


def fours(hands: str) -> gr.Deal:
    """A deal in play."""
    return gr.Deal.from_hands(replace(S1, revolution="off", buy_none="off"), hands.split(), 0)


@pytest.mark.parametrize(
    ("hands", "seller", "price"),
    [
        ("25 44 44 44 44 44", 3, "2"),
        ("25 44 44 4 44 44", 1, "2"),
        ("25 4 4 4 4 44", 5, "2"),
        ("s5 44 44 44 44 44", 3, ""),
    ],
)
def test_fours(hands: str, seller: int, price: str) -> None:
    """R43: from the opposite if it has two, else the nearest with two; paid with a 2, unpaid without one."""
    deal = fours(hands)
    deal.position.events = events = []  # type: ignore[var-annotated]
    assert buy_four(deal.position, 0)
    assert [(e.buyer, e.seller, e.paid is not None) for e in events] == [(0, seller, bool(price))]
    assert deal.hand(0)[1] == 1


def test_no_four_for_sale() -> None:
    """R43: where nobody in play holds two the purchase fails and nothing moves."""
    deal = fours("25 4 4 4 4 4")
    before = deal.digest()
    assert not buy_four(deal.position, 0)
    assert deal.digest() == before
    deal = fours("25 4 4 44 4 4")
    deal.public.active &= ~(1 << 3)
    assert not buy_four(deal.position, 0)


def revolts(rules: gr.RuleSet, hand: str) -> list[str]:
    """What seat 0 with this hand may answer about revolution."""
    deal = gr.Deal.from_hands(rules, [hand, "34", "34", "34", "34", "34"], 0, as_dealt=True)
    assert deal.public.kind == gr.Kind.REVOLT
    return [gr.format_action(action) for action in deal.legal_actions(0)]


def test_buy_none() -> None:
    """R49: no 3 and nothing to pay with: `auto` has to revolt, `may` may; with a 3 R50 alone decides."""
    auto, may = replace(S1, buy_none="auto"), S1
    assert revolts(auto, "45") == ["revolt"]
    assert revolts(may, "45") == ["no", "revolt"]
    assert revolts(auto, "345") == ["no", "revolt"]
    assert revolts(auto, "452") == ["no"]
    deal = gr.Deal.from_hands(auto, ["45", "34", "34", "34", "34", "34"], 0, as_dealt=True)
    assert deal.default_action(0) == gr.REVOLT
    with pytest.raises(gr.MustRevolt) as refused:
        deal.apply(0, gr.NO)
    assert refused.value.rule == "R49"


def test_hold_three_only() -> None:
    """R50: under `hold_three_only` a seat that holds a 3 may not revolt."""
    rules = replace(S1, revolution="hold_three_only")
    assert revolts(rules, "45") == ["no", "revolt"]
    assert revolts(rules, "345") == ["no"]
    assert revolts(rules, "45s") == ["no"]


def test_dealt_or_held() -> None:
    """R50: what was dealt counts, under `held` (S1) what is held after buying and tribute."""
    rules = replace(gr.preset("qingdao"), tribute=("burn",), swap_places=False)
    for by, wanted in (("dealt", [[gr.NO, gr.REVOLT], [gr.NO]]), ("held", [[gr.NO], [gr.NO, gr.REVOLT]])):
        deal = gr.Deal.from_hands(
            replace(rules, revolution_by=by), ["34", "34b", "34", "34", "34", "34"], 0, ["1>0 burn 1"], as_dealt=True
        )
        assert gr.format_counts(deal.hand(0)) == "34b"
        for seat, actions in enumerate(wanted):
            assert list(deal.legal_actions(seat)) == list(deal.view(seat).legal_actions()) == actions
            assert [a for a in (gr.NO, gr.REVOLT) if deal.can(seat, a)] == actions


def test_first_lead_by_fours() -> None:
    """R5: under hold-three 4s are shown for the lead."""
    for number in range(8):
        seed = Random(number).randbytes(32)
        shown = gr.Deal.start(S1, seed).public.shown
        assert all(gr.rank_of(card) == 1 for _, cards in shown for card in cards)
    deal = gr.Deal.start(replace(S1, show="ask"), bytes(32))
    for seat in range(6):
        suits = [gr.suit_shown(a) for a in deal.legal_actions(seat) if a != gr.NO]
        fours_held = [sum(c == 13 * suit + 2 for c in deal.cards(seat)) for suit in range(4)]
        assert suits == [suit for suit in range(4) if fours_held[suit] >= 2]
        assert list(deal.view(seat).threes) == fours_held

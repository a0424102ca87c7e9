# rule: R5 applies
# rule: R5 refuses
# rule: R6 applies
# rule: R6 refuses
"""R5 and R6: the first lead of every deal, from the order of drawing."""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr

RULES = gr.preset("qingdao")
ASK = RULES.replace(show="ask")
SEEDS = st.binary(min_size=32, max_size=32)
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


def lot(seed: bytes) -> int:
    """The documented lot: the second eight bytes of the seats block, modulo 6."""
    return int.from_bytes(hashlib.sha512(b"gouji/seats/1" + seed).digest()[8:16], "big") % 6


def lead_by_drawing(order: tuple[gr.Card, ...], first: int, shows: dict[int, set[int]]) -> int | None:
    """R5 card by card: the first with two 3s of a suit it shows leads, one with more takes over, equal does not."""
    held: dict[tuple[int, int], int] = {}
    leader: int | None = None
    most = 1
    for turn, card in enumerate(order):
        if gr.rank_of(card) != 0:
            continue
        seat, suit = (first + turn) % 6, gr.suit_of(card)
        held[seat, suit] = held.get((seat, suit), 0) + 1
        if suit in shows[seat] and held[seat, suit] > most:
            leader, most = seat, held[seat, suit]
    return leader


ALL_SUITS = {seat: {CLUBS, DIAMONDS, HEARTS, SPADES} for seat in range(6)}


@given(SEEDS)
def test_first_two_threes_of_a_suit_then_more(seed: bytes) -> None:
    """Everyone who can, shows: the lead is the one that drawing card by card gives (R5)."""
    deal = gr.Deal.start(RULES, seed)
    shown = lead_by_drawing(gr.shuffled(RULES, seed), gr.first_drawer(seed), ALL_SUITS)
    wanted = lot(seed) if shown is None else shown
    assert deal.public.first_leader == wanted
    fixed = [event for event in deal.start_events if isinstance(event, gr.LeadFixed)]
    assert fixed == [gr.LeadFixed(wanted, gr.LeadReason.LOT if shown is None else gr.LeadReason.SHOWN)]


@given(SEEDS)
def test_what_is_shown_is_held_and_each_shows_more(seed: bytes) -> None:
    """Cards shown are 3s of one suit from the shower's hand, at least two, each showing more than the one before."""
    deal = gr.Deal.start(RULES, seed)
    most = 1
    for event in deal.start_events:
        if not isinstance(event, gr.CardsShown):
            continue
        assert len(event.cards) > most
        most = len(event.cards)
        assert {gr.rank_of(card) for card in event.cards} == {0}
        assert len({gr.suit_of(card) for card in event.cards}) == 1
        assert deal.cards(event.seat).count(event.cards[0]) >= len(event.cards)


def seed_where_nobody_shows() -> bytes:
    """A seed by which all 3s of each suit go to different seats."""
    for value in range(20_000):
        seed = value.to_bytes(32, "big")
        if lead_by_drawing(gr.shuffled(RULES, seed), gr.first_drawer(seed), ALL_SUITS) is None:
            return seed
    raise AssertionError("no such seed among twenty thousand")


def test_nobody_can_show() -> None:
    """Where no seat holds two 3s of one suit the lot decides and nothing is shown (R5)."""
    seed = seed_where_nobody_shows()
    deal = gr.Deal.start(RULES, seed)
    assert deal.start_events == (gr.LeadFixed(lot(seed), gr.LeadReason.LOT),)
    assert deal.public.first_leader == lot(seed)


def answer_all(deal: gr.Deal, answers: dict[int, gr.Action], order: list[int]) -> list[gr.Event]:
    """Every seat's answer about showing; all but the last must tell nothing."""
    events: list[gr.Event] = []
    for seat in order:
        assert events == []
        events = deal.apply(seat, answers.get(seat, gr.NO))
    return events


@given(SEEDS, st.integers(0, 2**32))
def test_asked_to_show_the_order_of_drawing_still_decides(seed: bytes, choices: int) -> None:
    """`show = ask`: all are asked together and unseen; among those who show, the order of drawing decides (R5)."""
    rng = Random(choices)
    deal = gr.Deal.start(ASK, seed)
    question = deal.question
    assert question is not None
    assert (question.kind, question.seat_list) == (gr.Kind.SHOW, (0, 1, 2, 3, 4, 5))
    shows: dict[int, set[int]] = {seat: set() for seat in range(6)}
    answers: dict[int, gr.Action] = {}
    for seat in range(6):
        suits = [gr.suit_shown(action) for action in deal.legal_actions(seat) if gr.verb_of(action) == gr.Verb.SHOW]
        threes = [sum(card == 13 * suit + 1 for card in deal.cards(seat)) for suit in range(4)]
        assert suits == [suit for suit in range(4) if threes[suit] >= 2]
        if suits and rng.random() < 0.6:
            suit = rng.choice(suits)
            shows[seat] = {suit}
            answers[seat] = gr.show_action(suit)
    before = deal.public_view()
    order = rng.sample(range(6), 6)
    for seat in order[:-1]:
        assert deal.apply(seat, answers.get(seat, gr.NO)) == []
        assert deal.public_view() == before
    events = deal.apply(order[-1], answers.get(order[-1], gr.NO))
    shown = lead_by_drawing(gr.shuffled(ASK, seed), gr.first_drawer(seed), shows)
    assert deal.public.first_leader == (lot(seed) if shown is None else shown)
    showers = [event.seat for event in events if isinstance(event, gr.CardsShown)]
    assert sorted(showers) == sorted(answers)


def test_showing_what_one_does_not_hold_is_refused() -> None:
    """A suit with fewer than two 3s cannot be shown; the refusal names R5 and changes nothing (R16)."""
    deal = gr.Deal.start(ASK, bytes(32))
    refused = 0
    for seat in range(6):
        for suit in range(4):
            if gr.show_action(suit) not in deal.legal_actions(seat):
                digest = deal.digest()
                with pytest.raises(gr.NothingToShow) as why:
                    deal.apply(seat, gr.show_action(suit))
                assert why.value.rule == "R5"
                assert deal.digest() == digest
                refused += 1
    assert refused > 0


def test_no_answer_about_showing_twice() -> None:
    """A seat that has answered is not asked again, and a show is not accepted once the lead is fixed (R5, R4)."""
    deal = gr.Deal.start(ASK, bytes(32))
    deal.apply(0, gr.NO)
    with pytest.raises(gr.AlreadyAnswered):
        deal.apply(0, gr.NO)
    answer_all(deal, {}, [1, 2, 3, 4, 5])
    with pytest.raises(gr.RuleViolation):
        deal.apply(0, gr.show_action(0))


def play_out(deal: gr.Deal, rng: Random) -> None:
    """Play a deal to its end with random answers; nobody revolts."""
    while (question := deal.question) is not None:
        seat = next(s for s in question.seat_list if deal.is_asked(s))
        if question.kind == gr.Kind.REVOLT:
            deal.apply(seat, gr.NO)
            continue
        deal.apply(seat, rng.choice(deal.legal_actions(seat)))


def test_every_deal_of_a_match_draws_for_its_first_lead() -> None:
    """Each deal's first lead comes from its own drawing: the first finisher before has no claim on it (R6)."""
    rng = Random(6)
    match = gr.Match(RULES, 6)
    leads: list[int] = []
    finishers: list[int] = []
    for number in range(6):
        seed = hashlib.sha256(b"deal %d" % number).digest()
        deal = match.start_deal(seed)
        shown = lead_by_drawing(gr.shuffled(RULES, seed), gr.first_drawer(seed), ALL_SUITS)
        assert deal.public.first_leader == (lot(seed) if shown is None else shown)
        play_out(deal, rng)
        leads.append(deal.lead)
        finishers.append(deal.result.places[0])
        match.finish(deal)
    assert match.over
    assert leads[1:] != finishers[:-1]

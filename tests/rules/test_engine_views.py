"""R80: what a seat sees is composed of public facts and its own part; other hands cannot be read from it."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.state import PUBLIC_FIELDS, with_seat
from tests.rules.test_engine_whole_deals import short_hands

QINGDAO = gr.preset("qingdao")


def played_at_random(hands: list[list[int]], lead: int, rng: Random, steps: int) -> gr.Deal:
    """A deal of these hands after some random answers, not over."""
    deal = gr.Deal.from_hands(QINGDAO, hands, lead)
    for _ in range(steps):
        if deal.over:
            break
        seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
        legal = deal.legal_actions(seat)
        deal.apply(seat, legal[rng.randrange(len(legal))])
    return deal


def with_other_hands(deal: gr.Deal, seat: int, rng: Random) -> list[list[int]]:
    """The hands at the start, with the cards that other seats still hold dealt among them anew."""
    played = [[0] * 15 for _ in range(6)]
    for play in deal.public.plays:
        for card in play.cards:
            played[play.seat][gr.rank_of(card)] += 1
    others = [other for other in range(6) if other != seat]
    pool = [rank for other in others for rank, held in enumerate(deal.hand(other)) for _ in range(held)]
    rng.shuffle(pool)
    hands = [[a + b for a, b in zip(played[s], deal.hand(s), strict=True)] for s in range(6)]
    for other in others:
        mine = [pool.pop() for _ in range(sum(deal.hand(other)))]
        hands[other] = [played[other][rank] + mine.count(rank) for rank in range(15)]
    return hands


@given(st.integers(0, 2**32), st.integers(7, 60), st.integers(0, 5))
def test_resampled_hands_give_the_same_view(seed: int, steps: int, seat: int) -> None:
    """Deal what a seat cannot know anew, answer the same: every event and the seat's view are equal, at every step."""
    rng = Random(seed)
    lead = rng.randrange(6)
    deal = played_at_random(short_hands(rng, 8), lead, rng, steps)
    # A burn and a bust tell something true of the burner's other cards, a revolution of the revolutionary's.
    assume(not any(play.manner == gr.Manner.BURN for play in deal.public.plays))
    assume(deal.public.standing.count(gr.Standing.REVOLTED) == 0)
    again = gr.Deal.from_hands(QINGDAO, with_other_hands(deal, seat, rng), lead)
    first = gr.Deal.from_hands(QINGDAO, [gr.counts_of(cards) for cards in deal.dealt], lead)
    for answer in deal.answers:
        action = answer.action
        if gr.verb_of(action) == gr.Verb.BURN:
            assume(False)  # a burn that waits for the other answers: it may not be sound with other cards
        if action == gr.REVOLT:
            assume(False)
        one, other = first.apply(answer.seat, action), again.apply(answer.seat, action)
        assert [gr_event_without_suits(event) for event in one] == [gr_event_without_suits(event) for event in other]
        mine, theirs = first.view(seat), again.view(seat)
        assert mine.hand == theirs.hand
        assert mine.answered == theirs.answered
        assert public_without_suits(mine.public) == public_without_suits(theirs.public)


def gr_event_without_suits(event: gr.Event) -> object:
    """An event with its cards read as ranks: which suits lie in which hand is made up for hands given as ranks."""
    if isinstance(event, gr.Played):
        return (event.seat, event.trick, event.manner, event.play, event.gouji, event.dead, event.last, event.headless)
    return event


def public_without_suits(public: gr.PublicState) -> dict[str, object]:
    """Every field of a public state but the suits of the cards played."""
    return {name: getattr(public, name) for name in PUBLIC_FIELDS if name != "history_cards"}


def test_a_view_is_a_snapshot() -> None:
    """A view does not change when the deal goes on, and changing it does not change the deal."""
    deal = gr.Deal.from_hands(QINGDAO, ["5567"] * 6, 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    view = deal.view(0)
    before = deal.digest()
    deal.apply(0, gr.parse_action("play 55"))
    assert view.public.top == 0
    assert view.hand == deal.view(1).hand
    view.public.history.append(1)
    view.public.place = with_seat(view.public.place, 0, 1)
    assert deal.copy().digest() == deal.digest() != before
    assert len(deal.public.history) == 1


def test_a_seat_sees_its_own_answer_alone() -> None:
    """In a window a seat is told that its own answer is in; nothing public changes before all have answered (R36)."""
    deal = gr.Deal.from_hands(QINGDAO, ["KK345", "AA345", "AA345", "345", "AA345", "345"], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.parse_action("play KK"))
    before = deal.public_view()
    others = {seat: deal.view(seat) for seat in (0, 1, 3, 5)}
    assert deal.apply(4, gr.DECLINE) == []
    assert deal.view(4).answered
    assert deal.view(4).question is None
    assert deal.view(2).question == deal.question
    assert deal.public_view() == before
    assert {seat: deal.view(seat) for seat in others} == others


@pytest.mark.parametrize(("report", "shown"), [("shown", (10, -1, 10, 9, -1, 1)), ("none", (-1,) * 6)])
def test_counts_are_told_from_ten_down(report: str, shown: tuple[int, ...]) -> None:
    """Ten cards or fewer are told exactly, more are not; with report = none nothing is (R80)."""
    rules = QINGDAO.replace(report=report)
    hands = ["3" * 5 + "4" * 5, "5" * 11, "6" * 10, "7" * 9, "8" * 12, "9"]
    assert gr.Deal.from_hands(rules, hands, 0).public_view().count_shown == shown


def test_a_count_appears_when_ten_are_left() -> None:
    """From eleven cards to ten by a play of one: the count is told with that play (R80)."""
    deal = gr.Deal.from_hands(QINGDAO, ["4" * 5 + "5" * 6, *["3" * 3] * 5], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    assert deal.public.count_shown[0] == -1
    deal.apply(0, gr.parse_action("play 4"))
    assert deal.public.count_shown[0] == 10


def test_a_view_travels_to_another_process() -> None:
    """A view can be pickled, as bots in a worker process need it, and is equal there."""
    deal = gr.Deal.start(QINGDAO, bytes(range(32)))
    view = deal.view(3)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own bytes
    assert again == view
    assert again.legal_actions()[0] == deal.legal_actions(3)[0]

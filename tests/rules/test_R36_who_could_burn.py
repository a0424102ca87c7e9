# rule: R36 applies
# rule: R36 refuses
"""R36: nobody can tell from a view or an event who in a window could burn or declined."""

from __future__ import annotations

from itertools import permutations

import pytest

import gouji_rules as gr

RULES = gr.preset("qingdao")
SEATS = range(6)
WINDOW = (1, 2, 4, 5)


def on_kings(*hands: str) -> gr.Deal:
    """A deal in which seat 0 has led two kings and the window is open; hands of seats 1 to 5."""
    deal = gr.Deal.from_hands(RULES, ["KK3456", *hands], 0)
    for seat in SEATS:
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.play_action(gr.parse_play("KK")))
    assert deal.question is not None
    assert deal.question.seat_list == WINDOW
    return deal


RICH = on_kings("AA44", "AA55", "345", "AA66", "AA77")
POOR = on_kings("3345", "3455", "345", "4566", "4577")
BURN = gr.burn_action(gr.parse_play("AA"))


def seen_by(deal: gr.Deal, seat: int) -> tuple[gr.PublicState, tuple[int, ...], bool]:
    view = deal.view(seat)
    return view.public, view.hand, view.answered


def test_the_question_is_the_same_whoever_can_burn() -> None:
    """Whether all four seats of a window can burn or none can, everyone sees the same question and state (R23, R36)."""
    assert RICH.question == POOR.question
    assert RICH.public_view() == POOR.public_view()
    assert seen_by(RICH, 0) == seen_by(POOR, 0)
    assert seen_by(RICH, 3) == seen_by(POOR, 3)


@pytest.mark.parametrize("seat", WINDOW)
@pytest.mark.parametrize("action", [BURN, gr.DECLINE], ids=["burn", "decline"])
def test_an_answer_changes_nothing_that_others_see(seat: int, action: gr.Action) -> None:
    """An answer to an open window brings no event and changes no view but the answerer's own, which notes it (R36)."""
    deal = RICH.copy()
    before = {other: seen_by(deal, other) for other in SEATS}
    public = deal.public_view()
    assert deal.apply(seat, action) == []
    assert deal.public_view() == public
    assert deal.question == RICH.question
    for other in SEATS:
        seen, hand, answered = seen_by(deal, other)
        assert (seen, hand) == before[other][:2]
        assert answered == (other == seat)


def outcome(answers: dict[int, gr.Action], order: tuple[int, ...]) -> tuple[list[gr.Event], gr.PublicState]:
    """The events and the public state once a window is resolved."""
    deal = RICH.copy()
    events: list[gr.Event] = []
    for seat in order:
        assert events == []
        events = deal.apply(seat, answers.get(seat, gr.DECLINE))
    return events, deal.public_view()


@pytest.mark.parametrize("others", [(), (4,), (1,), (5,), (1, 4, 5)])
def test_only_the_burn_that_stands_is_told(others: tuple[int, ...]) -> None:
    """Seat 2 burns and stands; whether others burned as well or declined is not told (R32, R36)."""
    alone = outcome({2: BURN}, WINDOW)
    assert outcome({2: BURN, **dict.fromkeys(others, BURN)}, WINDOW) == alone


def test_the_order_of_the_answers_is_not_told() -> None:
    """In whatever order the four seats answer, the outcome is told in the same words (R32, R36)."""
    told = [outcome({1: BURN, 5: BURN}, order) for order in permutations(WINDOW)]
    assert all(each == told[0] for each in told)
    nobody = [outcome({}, order) for order in permutations(WINDOW)]
    assert all(each == nobody[0] for each in nobody)


def test_all_declining_is_told_as_one() -> None:
    """Nobody burns: one event says so, of no seat in particular (R36)."""
    events, _ = outcome({}, WINDOW)
    assert events[0] == gr.WindowClosed()
    assert not any(isinstance(event, (gr.Passed, gr.Played)) for event in events)


def test_declining_where_all_could_burn_looks_like_declining_where_none_could() -> None:
    """Rich and poor hands that all decline go on with the same events and the same public state (R36)."""
    told = []
    for start in (RICH, POOR):
        deal = start.copy()
        events: list[gr.Event] = []
        for seat in WINDOW:
            events += deal.apply(seat, gr.DECLINE)
        told.append((events, deal.public_view()))
    assert told[0] == told[1]


def test_the_same_for_revolution() -> None:
    """Who may revolt, and who has answered, is hidden until all have: no event, no change of the public state (R50)."""
    may = gr.Deal.from_hands(RULES, ["345", "678", "9TJ", "QKA", "345", "678"], 0)
    may_not = gr.Deal.from_hands(RULES, ["245", "278", "2TJ", "2KA", "245", "278"], 0)
    assert may.question == may_not.question
    assert may.public_view() == may_not.public_view()
    before = may.public_view()
    assert may.apply(3, gr.REVOLT) == []
    assert may.apply(1, gr.NO) == []
    assert may.public_view() == before
    assert may.question == may_not.question

"""Corners that docs/rules-choices.md settles, and the order in which things are told."""

from __future__ import annotations

import json

import pytest

import gouji_rules as gr

QINGDAO = gr.preset("qingdao")


def told(hands: str, *story: str, lead: int = 0) -> tuple[gr.Deal, list[gr.Event]]:
    """A deal of six hands (`-` is an empty one) after a record's lines, which must all hold, and what happened."""
    cards = ["" if hand == "-" else hand for hand in hands.split()]
    text = (
        f'format = "gouji-record/1"\nrules = "qingdao"\n[deal]\nhands = {json.dumps(cards)}\n'
        f"lead = {lead}\nactions = {json.dumps(story)}\n"
    )
    events: list[gr.Event] = []
    differences, deal = gr.replay(gr.read_record(text), lambda _line, happened: events.extend(happened))
    assert differences == []
    return deal, events


def finish(deal: gr.Deal) -> None:
    """Play a deal to its end by default answers."""
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        deal.apply(seat, deal.default_action(seat))


def test_a_burner_made_headless_by_its_third_dead_gouji_goes_on_burning() -> None:
    """Its leads hold a joker, open no window, and any seat's answer in turn ends the burn (R25, R33, R34, R52)."""
    deal, events = told(
        "KKQQQ6ss78 bT2345 345 - 345 bT345",
        "3 revolt",
        "0 head keep",
        "0 play KK",
        "0 play QQQ",
        "0 play 6",
        "1 play 2",
        "0 burn s",
        "5 ? decline",
        "= 0 leads",
        "0 play 7 ! R34",
        "0 play s7",
        "2 ? -",
        "1 ? play,pass",
        "1 pass",
        "2 pass",
        "4 pass",
        "5 play bT",
        "= 5 leads",
    )
    burns = [event for event in events if isinstance(event, gr.BurnEnded)]
    assert burns == [gr.BurnEnded(burner=0, reason=gr.BurnEnd.ANSWERED)]
    played = [event for event in events if isinstance(event, gr.Played) and event.seat == 0]
    assert [(event.dead, event.headless) for event in played] == [
        (True, False),
        (True, False),
        (False, False),
        (True, False),
        (False, True),
    ]
    assert deal.public.dead_left[0] == 0
    assert deal.public.headless == 1


def test_a_bust_is_told_before_the_trick_it_ends() -> None:
    """The failed burner is busted, then the trick is told with the seat after it as leader (R34)."""
    deal, events = told(
        "KK345 345 345 345 AAs45 3456",
        "0 play KK",
        "4 burn AA",
        "1 pass",
        "= 4 leads",
        "4 play s",
        "1 pass",
        "= 5 leads",
    )
    assert events[-3:] == [gr.Passed(1), gr.Busted(4, 6), gr.TrickEnded(owner=4, next_leader=5)]
    assert deal.public.standing[4] == gr.Standing.BUSTED
    assert deal.public.place == (0, 0, 0, 0, 6, 0)
    assert deal.public.headless == 1 << 1
    assert deal.public.burner == -1


def test_the_melee_sweeps_away_what_belongs_to_the_gouji_rules() -> None:
    """With the first trick after the second finisher a burn ends, and nobody is headless (R28, R37)."""
    deal, events = told(
        "b KK AA44 345 345 345",
        "0 play b",
        "1 play KK",
        "2 burn AA",
        "3 pass",
        "4 pass",
        "5 pass",
        "= 2 leads",
        "2 play 4",
        "3 ? play,pass",
    )
    assert events[events.index(gr.Passed(5)) + 1 : -1] == [
        gr.TrickEnded(owner=2, next_leader=2),
        gr.BurnEnded(burner=2, reason=gr.BurnEnd.MELEE),
        gr.MeleeBegan(),
    ]
    assert deal.public.melee
    assert (deal.public.headless, deal.public.dead_left, deal.public.burner) == (0, (-1,) * 6, -1)


def test_a_pass_in_the_melee_counts_for_the_top_play_alone() -> None:
    """A seat that passed is asked again after each new top play, and is marked as passed on this one only (R28)."""
    deal, _ = told(
        "b b 3456 3456 3456 3456",
        "0 play b",
        "1 play b",
        "2 play 3",
        "3 pass",
        "4 play 4",
        "5 pass",
        "2 pass",
        "3 ? play,pass",
    )
    assert deal.public.passed == 1 << 5 | 1 << 2


@pytest.mark.parametrize(
    ("hands", "story", "seat", "default"),
    [
        ("4455 345 345 345 345 345", ["= 0 leads"], 0, "play 4"),
        ("22s 345 345 345 345 345", ["= 0 leads"], 0, "play 2"),
        ("sb 345 345 345 345 345", ["= 0 leads"], 0, "play s"),
        ("44 55 345 345 345 345", ["0 play 4"], 1, "pass"),
        ("KK4 345 AA4 345 345 345", ["0 play KK", "2 ? burn,decline"], 2, "decline"),
        ("345 345 345 345 345 345", [], 2, "no"),
        ("345 345 - 345 345 345", [], 2, "revolt"),
        ("345 345 - 345 345 345", ["2 revolt", "5 ? head"], 5, "head keep"),
        ("KK345 345 345 345 AAs45 345", ["0 play KK", "4 burn AA", "1 pass"], 4, "play s"),
        ("KK345 345 345 345 AAb45 345", ["0 play KK", "4 burn AA", "1 pass"], 4, "play b"),
        ("KK345 345 345 345 AA455 345", ["0 play KK", "4 burn AA ! R31"], 4, "decline"),
        ("KK345 345 345 345 AA552 345", ["0 play KK", "4 burn AA", "1 pass"], 4, "play 552"),
    ],
)
def test_what_an_expired_clock_answers(hands: str, story: list[str], seat: int, default: str) -> None:
    """Pass, decline, no, keep the head; as a lead the lowest single, while burning a joker or the last play."""
    deal, _ = told(hands, *story)
    assert gr.format_action(deal.default_action(seat)) == default
    assert deal.can(seat, deal.default_action(seat))


def test_nobody_else_has_a_default() -> None:
    """A seat that is not asked has nothing to default to."""
    deal, _ = told("44 55 345 345 345 345", "0 play 4")
    with pytest.raises(gr.RuleViolation):
        deal.default_action(2)


def test_an_empty_window_does_not_open() -> None:
    """Where all that could burn have passed, the opposite is asked at once (R30)."""
    told(
        "4KK 345 345 345AA 345 345",
        "0 play 4",
        "1 pass",
        "2 pass",
        "3 play 5",
        "4 pass",
        "5 pass",
        "0 play K",
        "3 play A",
        "0 pass",
        "= 3 leads",
    )
    deal, events = told(
        "3 5KK 345 345 3AA 45",
        "0 play 3",
        "1 play 5",
        "2 pass",
        "3 pass",
        "5 pass ! R20",
        "4 play A",
        "5 pass",
        "1 play 2 !",
        "1 pass",
        "= 4 leads",
    )
    assert gr.WindowClosed() not in events
    assert deal.public.trick == 2


def test_a_void_deal_has_no_places_and_reveals_everything() -> None:
    """Two revolutions: over at once, no places, nothing scored, all hands open (R50, R84)."""
    deal, events = told("345 345 - - 345 345", "2 revolt", "3 revolt", "0 no", "1 no", "4 no", "5 no")
    assert events[-2:] == [gr.RevolutionSettled((2, 3)), gr.DealVoided((2, 3))]
    assert deal.over
    assert deal.result == gr.DealResult((), (0, 0), (0, 0), sweep=False, void=True)
    assert gr.check_record(deal.reveal().record) == []
    assert deal.question is None


def test_a_reveal_shows_the_windows() -> None:
    """After the deal every answer is open, also of a burn that another overtook (R84)."""
    deal, _ = told("KK 345 AA 345 AA 345", "0 play KK", "2 burn AA", "4 burn AA", "3 pass", "5 pass", "= 3 leads")
    assert not deal.over
    with pytest.raises(gr.DealRunning):
        deal.reveal()
    finish(deal)
    window = [(answer.seat, gr.format_action(answer.action)) for answer in deal.reveal().answers if answer.window == 1]
    assert sorted(window) == [(1, "decline"), (2, "burn AA"), (4, "burn AA"), (5, "decline")]

"""R21, R26, R28: what a last play leaves to the finisher's opposite, and when the melee begins."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from tests.rules.story import of_kind, told

QINGDAO = gr.preset("qingdao")


def played(events: list[gr.Event]) -> gr.Played:
    """The last play told."""
    last = [event for event in events if isinstance(event, gr.Played)][-1]
    assert isinstance(last, gr.Played)
    return last


@pytest.mark.parametrize(
    ("dead_gouji", "top", "answer", "dead", "headless"),
    [
        ("any_last", "KK", "AA", True, False),
        ("any_last", "55", "AA", True, False),
        ("gouji_last", "KK", "AA", True, False),
        ("gouji_last", "55", "AA", False, True),
        ("none", "KK", "AA", False, True),
        ("none", "55", "AA", False, True),
    ],
)
def test_the_opposites_answer_to_a_last_play(
    dead_gouji: str, top: str, answer: str, dead: bool, headless: bool
) -> None:
    """`any_last`: dead; `gouji_last`: dead only on a gouji last play; `none`: a headless seat's answer (R26)."""
    rules = QINGDAO.replace(dead_gouji=dead_gouji)
    passes = ("1 pass", "2 pass") if top == "55" else ()
    _, events = told(rules, f"{top} 345 345 {answer}345 345 345", f"0 play {top}", *passes, f"3 play {answer}")
    play = played(events)
    assert (play.dead, play.headless) == (dead, headless)


@pytest.mark.parametrize("dead_gouji", ["none", "any_last", "gouji_last"])
def test_an_earlier_pass_does_not_lose_the_answer(dead_gouji: str) -> None:
    """The finisher's opposite may answer its gouji last play though it passed in the trick (R21, R22, R26)."""
    rules = QINGDAO.replace(dead_gouji=dead_gouji, pass_after_last="open")
    told(
        rules,
        "5KK 9345 345 AA345 345 345",
        "0 play 5",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "0 play KK",
        "3 ? play,pass",
        "3 play AA",
    )


def test_open_after_a_last_play_lets_a_passed_seat_answer_its_opposite() -> None:
    """`pass_after_last = open`: a later play of its opposite may be answered by one that passed; closed: not (R21)."""
    story = ("0 play 55", "1 pass", "2 pass", "3 pass", "4 play 66", "5 pass")
    hands = "55 99345 345 345 66345 345"
    told(QINGDAO.replace(pass_after_last="open"), hands, *story, "1 ? play,pass", "1 play 99")
    told(QINGDAO, hands, *story, "1 ? -", "= 4 leads")


def finish_two(melee_at: str, *after: str, hands: str = "5 6 345678 345 9T345 345") -> list[gr.Event]:
    """Seats 0 and 1 go out in one trick, then what follows."""
    rules = QINGDAO.replace(melee_at=melee_at, dead_gouji="none", pass_after_last="open")
    return told(rules, hands, "0 play 5", "1 play 6", *after)[1]


def test_at_once_the_melee_begins_in_mid_trick() -> None:
    """With the second finisher's last play on top everyone is asked in turn, passes count for one play only (R28)."""
    events = finish_two(
        "at_once", "2 pass", "3 pass", "4 play 9", "5 pass", "2 ? pass", "2 pass", "3 pass", "= 4 leads"
    )
    names = [type(event).__name__ for event in events]
    assert names.index("MeleeBegan") < names.index("Passed")
    assert names.count("MeleeBegan") == 1


def test_after_second_the_trick_is_played_out() -> None:
    """`after_second`: in the trick of the last play a pass still shuts out; the next trick is melee (R28)."""
    events = finish_two("after_second", "2 pass", "3 pass", "4 play 9", "5 pass", "2 ? -", "= 4 leads")
    names = [type(event).__name__ for event in events]
    assert names.index("TrickEnded") < names.index("MeleeBegan")


def test_active_four_counts_seats_still_playing() -> None:
    """`active_four`: with a revolutionary out, the first finisher is enough; after_second it is not (R28)."""
    hands = "5 6785 345678 - 9T345 345"
    story = ("3 revolt", "0 head drop", "0 play 5", "1 pass", "2 pass", "4 pass", "5 pass", "= 1 leads")
    _, events = told(QINGDAO.replace(melee_at="active_four"), hands, *story)
    assert of_kind(events, gr.MeleeBegan)
    _, events = told(QINGDAO, hands, *story)
    assert not of_kind(events, gr.MeleeBegan)


def test_a_bust_can_begin_the_melee_of_four() -> None:
    """A burn that fails leaves four seats: the next trick is melee (R28, R34)."""
    rules = QINGDAO.replace(melee_at="active_four", burn="bluff")
    hands = "KK5 6785 345678 - AA45 345"
    _, events = told(
        rules, hands, "3 revolt", "0 head keep", "0 play KK", "4 burn AA", "1 pass", "= 5 leads", "5 play 3", "0 play 5"
    )
    names = [type(event).__name__ for event in events]
    assert names.index("Busted") < names.index("MeleeBegan")

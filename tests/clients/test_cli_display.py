"""The demo's displays: the live screen's frames, the plain lines of a trick, the picture."""

from __future__ import annotations

import asyncio
import io

import pytest
from rich.console import Console
from rich.layout import Layout

from gouji.table.v1 import events_pb2, state_pb2
from gouji_cli.demo.display import LiveDisplay, Photographer, PlainDisplay
from gouji_cli.narration import Narrator
from gouji_cli.screen import Screen
from tests.clients import cli_scenes


def terminal() -> tuple[Console, io.StringIO]:
    """Return a console of 100 by 30 that is taken for a terminal, and what is written to it."""
    written = io.StringIO()
    console = Console(file=written, width=100, height=30, force_terminal=True, markup=False, color_system=None)
    return console, written


def played(seat: int, manner: state_pb2.Manner.ValueType, trick: int = 5) -> events_pb2.TableEvent:
    """Return the event of a play."""
    play = cli_scenes.burn_play(seat)
    play.manner = manner
    play.trick = trick
    return cli_scenes.event(played=events_pb2.Played(play=play))


async def test_many_steps_are_one_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many steps come at once, they are drawn together, and what was said last is in the drawing."""
    story = cli_scenes.Story()
    console, written = terminal()
    display = LiveDisplay(Narrator(story.scene, only_ascii=True), console, "Gouji")
    draws = 0
    drawn = asyncio.Event()

    def draw(screen: Screen) -> Layout:
        nonlocal draws
        draws += 1
        drawn.set()
        return whole(screen)

    whole = Screen.draw
    monkeypatch.setattr(Screen, "draw", draw)
    with display:
        for seat in (1, 2, 3) * 100:
            passed = cli_scenes.event(passed=events_pb2.Passed(seat=seat))
            display.show(story.step(passed, state=cli_scenes.deal_state()))
        assert draws == 0
        await drawn.wait()
        assert draws == 1
    assert "seat 3 passes" in written.getvalue()


def test_a_trick_is_one_line_and_its_outcomes_follow_it() -> None:
    """Plays stand on one line with who holds the trick; who went out or burned in it is told after it."""
    story = cli_scenes.Story()
    console, written = terminal()
    display = PlainDisplay(Narrator(story.scene, only_ascii=True), console)
    for event in (
        cli_scenes.event(deal_started=events_pb2.DealStarted(deal=1)),
        played(1, state_pb2.MANNER_LEAD),
        cli_scenes.event(passed=events_pb2.Passed(seat=2)),
        cli_scenes.event(window_closed=events_pb2.WindowClosed()),
        played(4, state_pb2.MANNER_BURN),
        cli_scenes.event(finished=events_pb2.Finished(seat=4, place=1)),
        cli_scenes.event(trick_ended=events_pb2.TrickEnded(owner=4, next_leader=5)),
        played(5, state_pb2.MANNER_LEAD, trick=6),
        cli_scenes.event(finished=events_pb2.Finished(seat=5, place=2)),
        cli_scenes.event(deal_ended=events_pb2.DealEnded(places=[4, 5, 0, 1, 2, 3], scores=[2, 0])),
    ):
        display.show(story.step(event))
    assert written.getvalue().splitlines() == [
        "deal 1 begins",
        "  seat 1 leads bbKKK2, seat 4 burns with bbKKK2 -> seat 4",
        "seat 4 is out: 1st",
        "  seat 5 leads bbKKK2",
        "seat 5 is out: 2nd",
        "deal over, even seats 2 : odd seats 0",
    ]


def test_the_picture_is_of_the_moment_that_shows_most() -> None:
    """A burn with a finisher is kept, and a duller moment after it does not replace it."""
    story = cli_scenes.Story()
    photographer = Photographer(Narrator(story.scene), "Gouji")
    photographer.show(story.step(played(4, state_pb2.MANNER_BURN), state=cli_scenes.deal_state()))
    best = photographer.picture
    assert best is not None
    assert "烧牌" in best
    dull = cli_scenes.deal_state()
    dull.ClearField("burn")
    photographer.show(story.step(played(5, state_pb2.MANNER_LEAD), state=dull))
    assert photographer.picture == best

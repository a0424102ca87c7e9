"""What `gouji demo` draws and says of a table."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_cli.narration import PHRASES, Narrator
from gouji_cli.scene import DealOutcome
from gouji_cli.screen import SMALLEST, ResultTable, Screen
from tests.clients import cli_scenes

SILENT = {
    "deal_promised",
    "entropy_given",
    "seat_changed",
    "match_started",
    "window_closed",
    "deal_revealed",
    "question_opened",
}
"""Kinds of event that say nothing to a watcher. A window that nobody used says least of all (R36)."""


def drawn(narrator: Narrator, width: int = 80, height: int = 24) -> list[str]:
    """Return the lines of the screen."""
    return shown(Screen(narrator, title="Gouji").draw(), width, height).splitlines()


def shown(thing: RenderableType, width: int, height: int = 24) -> str:
    """Return what a terminal of this size would show."""
    written = io.StringIO()
    Console(width=width, height=height, file=written, markup=False).print(thing)
    return written.getvalue()


@pytest.mark.parametrize("size", [SMALLEST, (80, 24), (100, 30), (211, 57)])
@pytest.mark.parametrize("chinese", [False, True])
def test_chinese_names_keep_every_line_at_the_width_of_the_terminal(size: tuple[int, int], chinese: bool) -> None:
    """A Chinese character takes two cells: every drawn line is as wide as the terminal and no wider."""
    lines = drawn(Narrator(cli_scenes.in_progress(), chinese=chinese), *size)
    assert len(lines) == size[1]
    assert {cell_len(line) for line in lines} == {size[0]}
    text = "\n".join(lines)
    assert all(name in text for name in cli_scenes.NAMES)


def test_a_long_name_is_cut_and_breaks_no_line() -> None:
    """The longest name the server allows, twice as wide in Chinese, still leaves the frame whole."""
    lines = drawn(Narrator(cli_scenes.in_progress(("够" * 24,) * 6)))
    assert {cell_len(line) for line in lines} == {80}


def test_ascii_terminals_get_ascii_alone() -> None:
    """Without UTF-8 there is no box character, no Chinese, and a player is called by the seat."""
    narrator = Narrator(cli_scenes.in_progress(), only_ascii=True)
    text = "\n".join(drawn(narrator))
    assert text.isascii()
    assert "seat 4" in text
    assert shown(ResultTable(narrator), 100).isascii()


@pytest.mark.parametrize("only_ascii", [False, True])
@pytest.mark.parametrize("width", [70, 80, 100, 200])
@pytest.mark.parametrize("name", ["simple 1", "够级" * 12, "x" * 24])
def test_the_result_keeps_every_figure_whole_in_a_narrow_terminal(name: str, width: int, *, only_ascii: bool) -> None:
    """Scores, totals and places are never cut: names give way, and are broken into lines rather than cut."""
    scene = cli_scenes.in_progress((name, *cli_scenes.NAMES[1:]))
    scene.outcomes = [DealOutcome(100, [3, 1, 5, 0, 2, 4], [1200, -345], sweep=True)]
    scene.final_scores = [1207, -345]
    text = shown(ResultTable(Narrator(scene, only_ascii=only_ascii)), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    wanted = ["100", "1200", "-345", "1207", "deal", "match", "even", "odd", "1st", "6th"]
    assert [word for word in wanted if word not in text] == []
    if not only_ascii:
        assert "…" not in text
        assert text.count(name[0]) >= name.count(name[0])


def test_r64_a_match_settled_by_lot_says_who_won_it() -> None:
    """R64: under a tied result, and in the story, stands whom the lot gave it to: a side, in individual play a seat."""
    story = cli_scenes.Story()
    for scores, team, who in (([3, 3], 1, "the odd seats"), ([2, 0, 0, 0, 2, 0], 4, "seat 4")):
        story.scene.outcomes = [DealOutcome(1, [3, 1, 5, 0, 2, 4], scores, sweep=False)]
        narrator = Narrator(story.scene, only_ascii=True)
        drawn_lot = cli_scenes.event(lot_drawn=events_pb2.LotDrawn(team=team))
        assert "by lot" not in shown(ResultTable(narrator), 100)
        story.step(drawn_lot)
        assert str(narrator.tell(drawn_lot)) == f"the tie is settled by lot: {who}"
        assert f"the tie is settled by lot: {who}" in shown(ResultTable(narrator), 100)
        story.scene.lot = None


def test_r80_a_count_is_shown_only_where_the_state_tells_it() -> None:
    """Ten or fewer cards are shown exactly because the server told them; of the others only that they are more."""
    text = "\n".join(drawn(Narrator(cli_scenes.in_progress(), only_ascii=True)))
    assert "7 cards" in text
    assert text.count("> 10 cards") == 4


def test_the_table_shows_burn_place_headless_and_top_play() -> None:
    """Who burns whom, who finished where, who is headless and what lies on the table can all be read."""
    text = "\n".join(drawn(Narrator(cli_scenes.in_progress(), only_ascii=True)))
    for shown in (
        "seat 4 burns seat 2",
        "b b K K K 2",
        "bbKKK2",
        "1st",
        "headless",
        "gouji",
        "deal 2/3",
        "even seats 4",
    ):
        assert shown in text
    melee = cli_scenes.deal_state()
    melee.melee = True
    assert "melee" in "\n".join(drawn(Narrator(cli_scenes.in_progress(state=melee), only_ascii=True)))


def test_every_kind_of_event_is_told_or_known_to_be_silent() -> None:
    """No event of the contract is forgotten: each gives a sentence in both languages, or is listed as silent."""
    kinds = {field.name for field in events_pb2.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    samples = {str(sample.WhichOneof("event")): sample for sample in cli_scenes.one_of_each_event()}
    assert set(samples) == kinds
    scene = cli_scenes.in_progress()
    for chinese in (False, True):
        told = {kind for kind, sample in samples.items() if Narrator(scene, chinese=chinese).tell(sample) is not None}
        assert told == kinds - SILENT


@pytest.mark.parametrize("reason", events_pb2.BurnEndReason.keys()[1:])
def test_every_end_of_a_burn_has_its_own_sentence(reason: str) -> None:
    """Counter-burned, defused, answered and ended by the melee are told apart."""
    narrator = Narrator(cli_scenes.in_progress(), only_ascii=True)
    ends = [
        narrator.tell(cli_scenes.event(burn_ended=events_pb2.BurnEnded(burner=1, reason=value)))
        for value in events_pb2.BurnEndReason.values()[1:]
    ]
    assert len({str(end) for end in ends}) == len(ends)
    assert events_pb2.BurnEndReason.Value(reason) in events_pb2.BurnEndReason.values()


def test_phrases_take_the_same_parts_in_both_languages() -> None:
    """A part that one language needs is a part of the other, so no sentence fails in one of them alone."""
    for key, phrase in PHRASES.items():
        assert set(re.findall(r"\{(\w+)\}", phrase.en)) == set(re.findall(r"\{(\w+)\}", phrase.zh)), key


@pytest.mark.parametrize("name", ["[bold red]x[/]", "\x1b[31mred\x1b[0m", "a\x07b\x08\r\n", "\u202eabc", "[/]"])
def test_a_name_cannot_control_the_terminal(name: str) -> None:
    """Markup in a name is shown as it is, and escape or direction characters do not reach the terminal."""
    lines = drawn(Narrator(cli_scenes.in_progress((name, *cli_scenes.NAMES[1:]))))
    assert not [char for line in lines for char in line if unicodedata.category(char) in ("Cc", "Cf")]


def test_a_scene_follows_tricks_deals_and_seats() -> None:
    """Words last for a trick, outcomes for the match; a seat change is seen, and a new deal clears the table."""
    story = cli_scenes.Story()
    scene = story.scene
    story.step(cli_scenes.event(deal_started=events_pb2.DealStarted(deal=2)))
    story.step(cli_scenes.event(passed=events_pb2.Passed(seat=5)))
    story.step(cli_scenes.event(played=events_pb2.Played(play=cli_scenes.burn_play())))
    assert scene.words == {5: "pass", 4: "bbKKK2"}
    lead = cli_scenes.burn_play(1)
    lead.manner = state_pb2.MANNER_LEAD
    story.step(cli_scenes.event(played=events_pb2.Played(play=lead)))
    assert scene.words == {1: "bbKKK2"}
    story.step(*cli_scenes.one_of_each_event())
    assert scene.name(1) == "沂水"
    assert (scene.outcomes[0].deal, scene.outcomes[0].places, scene.outcomes[0].sweep) == (2, [3, 1, 5, 0, 2, 4], True)
    assert scene.totals == [4, 12]
    assert len(scene.revealed) == 1
    assert scene.closed is not None
    story.step(cli_scenes.event(deal_started=events_pb2.DealStarted(deal=3)))
    assert (scene.deal, scene.words) == (3, {})


def test_a_scene_that_starts_from_a_snapshot_knows_the_running_trick() -> None:
    """A watcher that comes late knows which deal runs, and what lies in the running trick."""
    lead = cli_scenes.burn_play(2)
    lead.manner = state_pb2.MANNER_LEAD
    snapshot = table_pb2.Snapshot(plays=[cli_scenes.burn_play(0), lead, cli_scenes.burn_play(4)])
    snapshot.deal_started.deal = 2
    scene = cli_scenes.Story(snapshot=snapshot).scene
    assert scene.words == {2: "bbKKK2", 4: "bbKKK2"}
    assert scene.deal == 2
    assert scene.totals == [4, 0]


def test_one_card_is_told_in_the_singular() -> None:
    """A last card is `1 card`, on the screen and where its number was asked for."""
    scene = cli_scenes.in_progress()
    assert scene.state is not None
    scene.state.seats[0].standing = state_pb2.STANDING_ACTIVE
    scene.state.seats[0].cards_left = 1
    text = "\n".join(drawn(Narrator(scene, only_ascii=True)))
    assert "1 card " in text
    narrator = Narrator(scene)
    for count, said in ((1, ": 1 card"), (2, ": 2 cards")):
        event = events_pb2.TableEvent(count_told=events_pb2.CountTold(asker=0, seat=1, count=count))
        told = narrator.tell(event)
        assert told is not None
        assert told.plain.endswith(said)


@pytest.mark.parametrize(("chinese", "sign"), [(False, ", "), (True, "、")])
def test_lists_have_the_signs_of_the_language(sign: str, *, chinese: bool) -> None:
    """Several seats are listed with 、 in Chinese and with a comma in English."""
    event = events_pb2.TableEvent(revolution_settled=events_pb2.RevolutionSettled(seats=[1, 4]))
    told = Narrator(cli_scenes.in_progress(), chinese=chinese).tell(event)
    assert told is not None
    assert told.plain.count(sign) == 1

"""`gouji replay`: records and kept matches, printed or stepped through by keys."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from gouji_cli.narration import Narrator
from gouji_cli.replaying.command import of_record
from gouji_cli.replaying.keyboard import Keyboard
from gouji_cli.replaying.projector import Projector
from gouji_cli.scene import Scene
from tests.clients.cli_run import NEUTRAL, gouji, has_no_traceback, serving
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.clients.cli_run import Serving

DEAL = str(ROOT / "tests/records/R35_the_burned_owes_one_card.toml")
CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
MATCH = str(ROOT / "tests/records/R68_shandong_match_of_four_deals.toml")


def projector(file: str = MATCH, deal: int = 0, *, ascii_only: bool = True) -> Projector:
    return Projector(of_record(file), Narrator(Scene(), only_ascii=ascii_only), deal)


def drawn(shown: Projector, width: int = 80, height: int = 24) -> str:
    written = io.StringIO()
    Console(file=written, width=width, height=height, color_system=None).print(shown.draw(), height=height)
    return written.getvalue()


def places(shown: Projector) -> tuple[int, int]:
    return shown.deal, shown.frame.number


def test_a_record_is_printed_whole_where_there_is_no_terminal() -> None:
    """Hands at the beginning of each deal, a line a trick, how deals end; the exit status is 0."""
    result = gouji("replay", DEAL)
    assert result.exit_code == 0
    assert "seat 0  3KK" in result.stdout
    assert "seat 4's burn of seat 0 succeeds" in result.stdout
    whole = gouji("replay", MATCH)
    assert [line for line in whole.stdout.splitlines() if line.startswith("deal ") and "begins" in line] == [
        f"deal {number} begins" for number in range(1, 5)
    ]
    assert gouji("replay", MATCH, "--deal", "3").stdout == whole.stdout[whole.stdout.index("deal 3 begins") :]


def test_a_record_that_differs_is_shown_up_to_there(tmp_path: Path) -> None:
    """What the rules refuse is named on stderr with its line, what came before it is printed, and the status is 1."""
    spoiled = tmp_path / "spoiled.toml"
    with open(DEAL, encoding="utf-8") as source:  # noqa: PTH123 - a text path
        spoiled.write_text(source.read().replace('"4 play 55"', '"4 play KKK"'), encoding="utf-8")
    result = gouji("replay", str(spoiled))
    assert result.exit_code == 1
    assert "seat 0 leads KK" in result.stdout
    assert re.search(r"spoiled\.toml:\d+: .*KKK.*refused", result.stderr)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nowhere.toml"], 2, "nowhere.toml"),
        ([DEAL, "--deal", "2"], 2, "there are 1"),
        ([DEAL, "--eyes", "closed"], 2, "--eyes closed"),
        (["matches/x", "--server", "127.0.0.1:1"], 1, "127.0.0.1:1"),
        (["matches/x", "--server", "nonsense"], 1, "nonsense"),
        (["matches/x", "--keep", "no-such-file"], 1, "no-such-file"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(arguments: list[str], status: int, said: str) -> None:
    """Neither a file nor a match, a deal that is not there, nobody's eyes, no server: one clear line, no traceback."""
    result = gouji("replay", *arguments)
    assert result.exit_code == status
    assert said in result.stderr
    assert has_no_traceback(result.stderr)
    assert result.stderr.count("\n") == 1


def test_steps_on_and_back_meet() -> None:
    """As many steps back as on lead to the same screen, over the ends of deals too."""
    shown = projector()
    shown.press("d")
    for _ in range(8):
        shown.press("p")
    assert shown.deal == 0
    screens = [drawn(shown)]
    for _ in range(16):
        shown.press("n")
        screens.append(drawn(shown))
    assert shown.deal == 1
    for screen in reversed(screens[:-1]):
        shown.press("p")
        assert drawn(shown) == screen
    assert len(set(screens)) == len(screens)


def test_keys_change_the_deal_and_find_the_ends() -> None:
    """d and u go to the beginnings of deals, g and G to the two ends; beyond the ends nothing happens."""
    shown = projector()
    begins = [places(shown)]
    for _ in range(3):
        shown.press("d")
        begins.append(places(shown))
    assert [deal for deal, _ in begins] == [0, 1, 2, 3]
    shown.press("d")
    assert places(shown) == begins[3]
    shown.press("n")
    shown.press("u")
    assert places(shown) == begins[3], "first to the beginning of this deal"
    shown.press("u")
    assert places(shown) == begins[2]
    shown.press("G")
    last = places(shown)
    shown.press("n")
    assert places(shown) == last
    shown.press("g")
    assert places(shown) == begins[0]
    shown.press("p")
    assert places(shown) == begins[0]
    shown.press("q")
    assert shown.over


def test_it_runs_by_itself_until_a_key_or_the_end() -> None:
    """Space lets it run, any key stops it, and at the end it stops by itself."""
    shown = projector(DEAL)
    shown.tick()
    assert shown.frame.number == 1
    shown.press(" ")
    shown.tick()
    shown.tick()
    assert shown.frame.number == 3
    shown.press("x")
    shown.tick()
    assert shown.frame.number == 3
    shown.press(" ")
    while shown.running:
        shown.tick()
    shown.press("n")
    assert not shown.running
    end = places(shown)
    shown.press(" ")
    assert not shown.running
    assert places(shown) == end


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("size", [(80, 24), (70, 24), (120, 40)])
def test_every_screen_fits(size: tuple[int, int], ascii_only: bool) -> None:
    """At every step all six seats, all hands, and the keys are on a screen of 80 by 24, and of the smallest size."""
    shown = projector(ascii_only=ascii_only)
    while shown.deal == 0:
        lines = drawn(shown, *size).splitlines()
        assert len(lines) == size[1]
        text = "\n".join(lines)
        for seat in range(6):
            assert text.count(f"{seat} seat {seat}") == 2, text
        assert lines[-1].startswith("n next  p back  space run  d/u deal  q quit"), text
        assert re.search(r"deal( 盘)? 1/4", lines[0]), text
        for _ in range(25):
            shown.press("n")


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"n p", ["n", " ", "p"]),
        (b"\x1b[C\x1b[D", ["right", "left"]),
        (b"\x1bOH\x1b[6~", ["home", "pagedown"]),
        (b"\r\x7f", ["enter", "backspace"]),
        (b"\x1b", ["escape"]),
        (b"\xff", ["\xff"]),
    ],
)
def test_keys_are_read_one_by_one(sent: bytes, keys: list[str]) -> None:
    """Signs are themselves, sequences are words, a lone escape is a key, and the end of input quits."""
    reading, writing = os.pipe()
    try:
        os.write(writing, sent)
        board = Keyboard(reading)
        assert [board.read(1) for _ in keys] == keys
        assert board.read(0) is None
        os.close(writing)
        assert board.read(1) == "q"
    finally:
        os.close(reading)


def test_on_a_terminal_keys_lead_it_and_the_terminal_is_given_back() -> None:
    """Run on a real terminal of 80 by 24 it shows the screen, follows keys, and leaves the terminal as it found it."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    before = termios.tcgetattr(theirs)
    env = {**os.environ, **NEUTRAL, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "gouji_cli", "--ascii", "replay", MATCH]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    seen = ""

    def until(text: str) -> None:
        nonlocal seen
        while text not in seen:
            assert select.select([ours], [], [], 60)[0], seen[-2000:]
            seen = CODES.sub("", seen + os.read(ours, 65536).decode(errors="replace"))

    try:
        until("q quit")
        assert "deal 1/4" in seen
        os.write(ours, b"d")
        until("deal 2/4")
        os.write(ours, b"q")
        while select.select([ours], [], [], 0.05)[0] or process.poll() is None:
            if select.select([ours], [], [], 0.05)[0]:
                seen += os.read(ours, 65536).decode(errors="replace")
        assert process.returncode == 0
        assert has_no_traceback(seen)
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, str, str]]:
    """A server, the table of a match that was played there, and the file of the account that played it."""
    folder = tmp_path_factory.mktemp("server")
    keep = str(folder / "me")
    with serving(folder) as server:
        run = ("bot", "run", "--server", server.address, "--deals", "2", "--keep", keep, "--table", "new", "--json")
        done = gouji(*run)
        assert done.exit_code == 0, done.stderr
        table = re.search(r"tables/\w+", done.stdout)
        assert table
        while gouji("replay", table[0], "--server", server.address, "--deal", "9").stderr.find("there are") < 0:
            pass  # it is kept a moment after its end
        yield server, table[0], keep


def test_a_match_is_shown_with_all_hands(played: tuple[Serving, str, str]) -> None:
    """By its table's name: every deal is printed, with six hands at its beginning."""
    server, table, _ = played
    result = gouji("replay", table, "--server", server.address)
    assert result.exit_code == 0, result.stderr
    assert "deal 2 begins" in result.stdout
    hands = re.findall(r"^  [0-5] \S.*  ([3-9TJQKA2sb]{30,})$", result.stdout, re.MULTILINE)
    assert len(hands) == 12
    assert "the match is over" in result.stdout


def test_other_eyes_see_what_they_may(played: tuple[Serving, str, str]) -> None:
    """A spectator's replay shows no hand, a seat's its own alone; the account that played may be used."""
    server, table, keep = played
    hands = r"^  [0-5] \S.*  ([3-9TJQKA2sb]{30,})$"
    for eyes, count in (("spectator", 0), ("3", 2), ("open", 12)):
        result = gouji("replay", table, "--keep", keep, "--server", server.address, "--eyes", eyes)
        assert result.exit_code == 0, result.stderr
        assert len(re.findall(hands, result.stdout, re.MULTILINE)) == count


def test_a_match_that_is_not_told_is_said_to_be_missing(played: tuple[Serving, str, str]) -> None:
    """Neither by a name that no match has nor by a table that nobody made."""
    server, _, _ = played
    for what in ("matches/aaaa", "a" * 32, "tables/aaaaaaaaaaaaaaaa"):
        result = gouji("replay", what, "--server", server.address)
        assert result.exit_code == 1
        assert has_no_traceback(result.stderr)

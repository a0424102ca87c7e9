"""`gouji demo`, from nothing to checked records."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.clients.cli_run import NEUTRAL, gouji, gouji_process, has_no_traceback

if TYPE_CHECKING:
    from pathlib import Path

DEALS = 3


@dataclass
class Demo:
    """A demo that was run: what it printed, its exit status and its folder."""

    done: subprocess.CompletedProcess[bytes]
    folder: Path

    @property
    def text(self) -> str:
        """What it printed."""
        return self.done.stdout.decode()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A whole demo in plain lines, with a picture, where an older demo left a record behind."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "records").mkdir()
    (folder / "records" / "deal-9.toml").write_text("old")
    (folder / "records" / "notes.toml").write_text("mine")
    done = gouji_process(
        "demo",
        "--fast",
        "--out",
        str(folder / "records"),
        "--picture",
        str(folder / "images" / "table.svg"),
        timeout=110,
    )
    return Demo(done, folder)


def test_the_match_is_played_to_its_end(demo: Demo) -> None:
    """Three deals begin and end, every place of every deal is told, and the exit status is 0."""
    assert demo.done.returncode == 0, demo.done.stderr.decode()
    lines = demo.text.splitlines()
    for deal in range(1, DEALS + 1):
        assert f"deal {deal} begins" in lines
    assert sum(line.startswith("deal over") for line in lines) == DEALS
    assert sum(line.endswith("is out: 1st 头科") for line in lines) + sum("revolts" in line for line in lines) >= DEALS
    assert any(line.startswith("the match is over: even seats ") for line in lines)
    assert has_no_traceback(demo.text + demo.done.stderr.decode())


def test_the_result_table_names_everybody(demo: Demo) -> None:
    """The table at the end has a row a deal with all six players, and the sides' scores."""
    rows = [
        line for line in demo.text.splitlines() if line.startswith("│") and line[1:].split("│")[0].strip().isdigit()
    ]
    assert len(rows) == DEALS
    for row in rows:
        assert all(name in row for name in ("泰山", "崂山", "蓬莱", "趵突泉", "微山湖", "曲阜"))


def test_the_records_are_there_and_agree(demo: Demo) -> None:
    """Each deal is a record file that `gouji record check` accepts; earlier demos' are gone, other files not."""
    files = sorted((demo.folder / "records").glob("deal-*.toml"))
    assert [file.name for file in files] == [f"deal-{deal}.toml" for deal in range(1, DEALS + 1)]
    assert gouji("record", "check", *map(str, files)).exit_code == 0
    assert f"{DEALS} of {DEALS} records agree with the rules" in demo.text
    assert (demo.folder / "records" / "notes.toml").read_text() == "mine"


def test_the_records_tell_the_match_that_was_shown(demo: Demo) -> None:
    """A deal's record gives the places and scores that were printed while it was played."""
    for deal in range(1, DEALS + 1):
        told = json.loads(gouji("record", "show", "--json", str(demo.folder / "records" / f"deal-{deal}.toml")).stdout)
        end = next(step for trick in told["tricks"] for step in trick["steps"] if step["what"] == "deal over")
        even, odd = next(note for note in end["notes"] if note.startswith("scores")).split()[1:]
        assert f"even seats {even} : odd seats {odd}" in demo.text


def test_the_server_was_a_real_one_and_is_gone(demo: Demo) -> None:
    """The server's own log tells that it served seven accounts and stopped in order."""
    log = [json.loads(line) for line in (demo.folder / "records" / "server.log").read_text().splitlines()]
    events = [line["event"] for line in log]
    assert events.count("signed in") == 7
    assert events[-1] == "stopped"
    assert not [line for line in log if line["level"] == "error"]


def test_the_picture_is_a_drawing_that_fetches_nothing(demo: Demo) -> None:
    """The picture is an SVG with the table in it, and no font or image from elsewhere."""
    text = (demo.folder / "images" / "table.svg").read_text(encoding="utf-8")
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file
    assert "泰山" in text
    assert "url(" not in text.replace("url(#", "")


def test_json_tells_a_program_the_result(tmp_path: Path) -> None:
    """With --json nothing but the result is printed."""
    done = gouji_process("demo", "--json", "--deals", "1", "--out", str(tmp_path), timeout=110)
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert sorted(told["deals"][0]["places"]) == [0, 1, 2, 3, 4, 5]
    assert told["deals"][0]["scores"] == told["scores"]
    assert told["records"] == [{"file": str(tmp_path / "deal-1.toml"), "agrees": True}]


def test_a_terminal_gets_the_live_table(tmp_path: Path) -> None:
    """In a terminal the table is drawn on the other screen, which is left before the result is printed."""
    status, shown = in_terminal(tmp_path, "--deals", "1", "--seconds", "1")
    assert status == 0, shown
    before, _, after = shown.partition("\x1b[?1049l")
    assert "\x1b[?1049h" in before
    assert "╭" in before
    assert "10 cards 张" in before
    assert "1 of 1 record agrees with the rules" in after


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_it_is_clean(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM ends the demo with a word, gives the screen back and leaves no server behind."""
    status, shown = in_terminal(tmp_path, "--seconds", "600", stop_with=number)
    assert status == 130, shown
    assert shown.rstrip().endswith("gouji: demo: stopped")
    assert "\x1b[?1049l" in shown
    assert has_no_traceback(shown)
    assert json.loads((tmp_path / "server.log").read_text().splitlines()[-1])["event"] == "stopped"


def in_terminal(
    folder: Path, *flags: str, stop_with: signal.Signals | None = None, columns: int = 100
) -> tuple[int, str]:
    """Run the demo in a terminal of 100 by 30, or as wide as `columns`, and return its exit status and all it showed.

    With `stop_with` it is sent that signal as soon as a deal is on the screen.
    """
    ours, theirs = pty.openpty()
    os.set_blocking(ours, True)
    process = subprocess.Popen(
        [sys.executable, "-m", "gouji_cli", "demo", "--out", str(folder), *flags],
        env={**os.environ, **NEUTRAL, "NO_COLOR": "", "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "30"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # the other end is closed: the process is over
                break
            if not some:
                break
            shown += some
            if stop_with is not None and "cards 张".encode() in shown:
                process.send_signal(stop_with)
                stop_with = None
        return process.wait(timeout=60), shown.decode(errors="replace")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_a_terminal_that_is_too_small_is_told_so(tmp_path: Path) -> None:
    """Where the table does not fit it is said that lines come instead, folded to the terminal like every error."""
    status, shown = in_terminal(tmp_path, "--deals", "1", "--seconds", "0.1", columns=50)
    assert status == 0
    said = shown.replace("\r", "").partition("\n\n")[0]
    assert "gouji: the terminal is too small for the table" in said
    assert "line by line" in " ".join(said.split())
    assert max(map(len, said.splitlines()[:3])) <= 50


@pytest.mark.parametrize(
    "flags",
    [
        ("--deals", "0"),
        ("--deals", "101"),
        ("--deals", "x"),
        ("--seconds", "-1"),
        ("--nonsense",),
        ("--out", "/dev/null/x"),
        ("--out", "a\0b"),
        ("extra",),
        ("--rules", "nowhere"),
        ("--set", "decks=5"),
        ("--set", "stifle"),
    ],
)
def test_options_that_make_no_sense_are_clear_errors(flags: tuple[str, ...]) -> None:
    """A bad option ends with exit status 2 before anything is started."""
    result = gouji("demo", *flags)
    assert result.exit_code == 2
    assert result.stderr
    assert has_no_traceback(result.output)


@pytest.mark.parametrize(
    ("flags", "deals", "scores"),
    [
        (("--rules", "competition"), 3, 2),
        (("--rules", "hokkaido", "--deals", "1"), 1, 6),
        (("--set", "decks=6", "--set", "hold_three=true", "--deals", "1"), 1, 2),
    ],
)
def test_other_rules_are_played(tmp_path: Path, flags: tuple[str, ...], deals: int, scores: int) -> None:
    """A rule set is named, or options of it: as many deals as it says, scores by side or seat, its records good."""
    done = gouji_process("demo", "--json", "--out", str(tmp_path), *flags, timeout=110)
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert len(told["deals"]) == deals
    assert {len(deal["scores"]) for deal in told["deals"]} == {scores}
    assert [record["agrees"] for record in told["records"]] == [True] * deals
    assert sorted(told["players"]) == sorted(("泰山", "崂山", "蓬莱", "趵突泉", "微山湖", "曲阜"))


def test_a_server_that_does_not_start_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the server cannot start, the demo says so with the end of its log, and ends with 1."""
    (tmp_path / "gouji_server").mkdir()
    (tmp_path / "gouji_server" / "__init__.py").write_text("raise RuntimeError('no server today')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = gouji("demo", "--fast", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "the server ended with exit status" in result.stderr
    assert "no server today" in result.stderr

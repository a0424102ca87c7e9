"""`make bench-rules` runs from end to end, on tiny slices and on stand-ins for the peers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from tests.benchmarks.programs import number, rows, run

if TYPE_CHECKING:
    from pathlib import Path

TINY = ("--slices", "2", "--seconds", "0.01", "--warm", "0.01")
ONE = (*TINY, "--presets", "qingdao", "--deals", "0")
# Three factories named as the program expects, each playing games of a known length and talking all the time.
STAND_IN = """
def factory(length):
    def make():
        def play(rng):
            rng.random()
            print("noise of an engine")
            return length
        play.version = "stand-in 7"
        return play
    return make

rlcard_doudizhu_raw = factory(11)
rlcard_doudizhu_env = factory(22)
spiel_doudizhu = factory(33)
"""


def test_without_peers_our_rows_stand_alone_and_the_rest_is_said_to_be_left_out() -> None:
    """Without PEERS the program measures our engine on every preset, says what it leaves out, and succeeds."""
    done = run("rules", *TINY, "--deals", "2")
    assert done.returncode == 0, done.stderr
    assert "PEERS is not set" in done.stdout
    speed, _, costs = done.stdout.partition("| a deal of a table")
    found = rows(speed)
    ours = [f"gouji, {preset}" for preset in gr.PRESETS]
    assert list(found) == ["engine", *ours]
    for label in ours:
        rate, _, unit, _, length, ratio, version = found[label]
        assert number(rate) > 0
        assert number(unit) > 0
        assert number(length) > 50  # a deal has more decisions than that
        assert ratio == "–"
        assert version.startswith("gouji ")
        assert ", pure, Python" in version
    held = rows("| a deal of a table" + costs)
    assert list(held)[1:] == ours
    assert all(number(cell) >= 0 for label in ours for cell in held[label])
    assert all(number(held[label][-1]) > 0 for label in ours)


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--presets", "rizhao"), "there is no preset rizhao"), (("--wheel", "nowhere.whl"), "nowhere.whl")],
)
def test_what_cannot_be_measured_is_said_in_one_line(options: tuple[str, ...], said: str) -> None:
    """A preset or a wheel that is not there is named, without a traceback, and the run fails."""
    done = run("rules", *TINY, *options)
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_peers_are_measured_in_their_own_processes(tmp_path: Path) -> None:
    """Peers come from PEERS, run under their interpreter, and may print what they like."""
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "peers.py").write_text(STAND_IN, encoding="utf-8")
    done = run("rules", *ONE, PEERS=str(tmp_path), PEERS_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    lengths = {label: cells[4] for label, cells in found.items()}
    assert lengths["RLCard doudizhu, rules only"] == "11.0"
    assert lengths["RLCard doudizhu, environment"] == "22.0"
    assert lengths["OpenSpiel dou_dizhu, from Python"] == "33.0"
    assert found["RLCard doudizhu, rules only"][5] == "1.00"
    assert "stand-in 7" in found["OpenSpiel dou_dizhu, from Python"][6]


@pytest.mark.parametrize("broken", ["folder", "interpreter", "adapters", "engine"])
def test_peers_that_are_not_there_are_named_and_fail_the_run(broken: str, tmp_path: Path) -> None:
    """A PEERS folder that lacks something gives one line that names it, and exit status 1, not a traceback of ours."""
    folder = tmp_path if broken != "folder" else tmp_path / "nowhere"
    if broken == "engine":
        (tmp_path / "engines").mkdir()
        (tmp_path / "engines" / "peers.py").write_text("rlcard_doudizhu_raw = None", encoding="utf-8")
    python = sys.executable if broken != "interpreter" else str(tmp_path / "python")
    done = run("rules", *ONE, PEERS=str(folder), PEERS_PYTHON=python)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("bench-rules: ")
    named = {"folder": "nowhere", "interpreter": "python", "adapters": "peers.py", "engine": "RLCard"}
    assert named[broken] in done.stderr

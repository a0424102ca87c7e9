"""`make bench-rules` runs from end to end, on tiny slices and on stand-ins for the peers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARGUMENTS = ["--slices", "2", "--seconds", "0.01", "--warm", "0.01"]
# Three factories named as the program expects, each playing games of a known length, one of them chatty.
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


def bench(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program with these variables and without any of the caller's peers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERS")}
    return subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.rules", *ARGUMENTS],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def rows(output: str) -> dict[str, list[str]]:
    """Return the cells of the printed table by its first column."""
    lines = [line for line in output.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def test_without_peers_our_row_stands_alone_and_the_rest_is_said_to_be_left_out() -> None:
    """Without PEERS the program measures our engine, says what it leaves out, and succeeds."""
    done = bench()
    assert done.returncode == 0, done.stderr
    assert "PEERS is not set" in done.stdout
    found = rows(done.stdout)
    assert list(found) == ["engine", "gouji, qingdao"]
    rate, _, unit, _, length, ratio, version = found["gouji, qingdao"]
    assert float(rate.replace(",", "")) > 0
    assert float(unit.replace(",", "")) > 0
    assert float(length.replace(",", "")) > 50  # a deal has more decisions than that
    assert ratio == "–"
    assert version.startswith("gouji ")


def test_peers_are_measured_in_their_own_processes(tmp_path: Path) -> None:
    """Peers come from PEERS, run under their interpreter, and may print what they like."""
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "peers.py").write_text(STAND_IN, encoding="utf-8")
    done = bench(PEERS=str(tmp_path), PEERS_PYTHON=sys.executable)
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
    done = bench(PEERS=str(folder), PEERS_PYTHON=python)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("bench-rules: ")
    assert {"folder": "nowhere", "interpreter": "python", "adapters": "peers.py", "engine": "RLCard"}[
        broken
    ] in done.stderr

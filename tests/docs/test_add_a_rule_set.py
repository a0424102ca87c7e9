"""docs/add-a-rule-set.md does what it says: its preset, put into a copy of the rules, is one like any other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "add-a-rule-set.md"
FILES = {"COLUMNS": "presets.py", "PRESET_TEXTS": "option_texts.py"}
"""Where the page says each of its blocks goes, by the word that the block begins with."""

WHOLE_DEALS = """
import random
import gouji_rules as gr
from gouji_rules.playout import play_out

rules = gr.preset("weihai")
assert rules.overrides() == {}
assert rules.replace(hold_three=True).buy_from == "S1"
for seed in range(20):
    deal = gr.Deal.start(rules, seed.to_bytes(32, "big"))
    play_out(deal, random.Random(seed))
    assert deal.over
print("played")
"""


def test_a_preset_added_as_the_page_says_can_be_shown_and_played(tmp_path: Path) -> None:
    """The two entries of the page are all that a new preset takes: it is listed, explained and played to the end."""
    package = tmp_path / "gouji_rules"
    shutil.copytree(ROOT / "server" / "gouji_rules", package, ignore=shutil.ignore_patterns("__pycache__"))
    said = [block.text for block in blocks(PAGE) if block.language == "python"]
    assert [text.split("[")[0] for text in said] == list(FILES)
    for text, file in zip(said, FILES.values(), strict=True):
        with (package / file).open("a", encoding="utf-8") as out:
            out.write(f"\n{text}")
    changed = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "100"}

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, env=changed, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("-c", WHOLE_DEALS) == "played\n"
    assert "Weihai" in run("-m", "gouji_cli", "rules", "list")
    assert "two_big" in run("-m", "gouji_cli", "rules", "diff", "qingdao", "weihai")


def spoilt(folder: Path, file: str, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a Python command over a copy of the rules with a text put at the end of one of its files."""
    package = folder / "gouji_rules"
    shutil.copytree(ROOT / "server" / "gouji_rules", package, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / file).open("a", encoding="utf-8") as out:
        out.write(f"\n{text}\n")
    changed = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "COLUMNS": "200", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, *words]
    return subprocess.run(command, env=changed, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("{'gouji_two': 2}", "preset weihai (gouji_two): there is no option gouji_two"),
        ("{'gouji_twos': 9}", "preset weihai (gouji_twos): gouji_twos"),
        ("{'hold_three': True, 'report': 'shown'}", "preset weihai (report, hold_three): hold_three allows no report"),
    ],
)
def test_a_mistake_in_a_column_is_told_with_the_preset_and_the_option(tmp_path: Path, column: str, said: str) -> None:
    """No option of that name, no such value, or a contradiction: the rules are not loaded, and the error says why."""
    done = spoilt(tmp_path, "presets.py", f"COLUMNS['weihai'] = {column}", "-c", "import gouji_rules")
    assert done.returncode == 1
    assert f"RuleSetError: {said}" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("presets.py", "COLUMNS['weihai'] = {}", "preset weihai has no texts"),
        (
            "option_texts.py",
            "PRESET_TEXTS['weihai'] = PRESET_TEXTS['qingdao']",
            "preset weihai has texts but no options",
        ),
    ],
)
@pytest.mark.parametrize(
    ("words", "status"),
    [(("-m", "gouji_cli", "rules", "list"), 2), (("-m", "tests.docs.rule_pages"), 1)],
    ids=["list", "pages"],
)
def test_a_preset_with_only_one_of_its_two_entries_is_told_of(
    tmp_path: Path, file: str, text: str, said: str, words: tuple[str, ...], status: int
) -> None:
    """One sentence, no traceback: which entry the preset lacks."""
    done = spoilt(tmp_path, file, text, *words)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr

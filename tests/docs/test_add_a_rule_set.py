"""docs/add-a-rule-set.md does what it says: its preset, put into a copy of the rules, is one like any other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

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

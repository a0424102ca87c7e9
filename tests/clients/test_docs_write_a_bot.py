"""docs/write-a-bot-in-python.md does what it says: its blocks are saved and run, in order, against a real server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "write-a-bot-in-python.md"
ADDRESS = "127.0.0.1:50151"
BIN = Path(sys.executable).parent

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED_AS = re.compile(r"Save this as\s+`([\w.]+)`:\s*\Z")


@dataclass(frozen=True)
class Block:
    """A block of the page: its language, its text, and the file it is to be saved as (empty: none)."""

    language: str
    text: str
    file: str


def blocks() -> list[Block]:
    """Return the blocks of the page, in order."""
    page = PAGE.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(page):
        saved = SAVED_AS.search(page[: match.start()])
        found.append(Block(match[1], match[2], saved[1] if saved else ""))
    return found


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of `gouji serve`, as the page starts it, on a free port and with bots that do not dawdle."""
    quick = ["--port", "0", "--metrics-port", "none", "--bot-least-seconds", "0", "--bot-most-seconds", "0"]
    command = [str(BIN / "gouji"), "serve", "--data-dir", str(tmp_path / "data"), *quick]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        assert serving.stdout is not None
        line = serving.stdout.readline()
        while line and "serving on" not in line:
            line = serving.stdout.readline()
        yield line.split()[-1]
        serving.send_signal(signal.SIGTERM)
        serving.stdout.read()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_page_can_be_followed_to_its_end(tmp_path: Path, address: str) -> None:
    """Every block is saved where the page says so, else run; each succeeds."""
    folder = tmp_path / "work"
    folder.mkdir()
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    ran = 0
    for block in blocks():
        text = block.text.replace(ADDRESS, address)
        if block.file:
            (folder / block.file).write_text(text, encoding="utf-8")
            continue
        if text == "gouji serve\n":
            continue  # it runs already
        command = ["bash", "-ec", text] if block.language == "sh" else [sys.executable, "-c", text]
        assert block.language in ("sh", "python")
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran == 6
    assert (folder / "records" / "deal-1.toml").is_file()
    assert (folder / "lowest.json").is_file()


def test_the_page_is_read_whole() -> None:
    """The blocks are found as a reader sees them: three files to save, and what is run."""
    found = blocks()
    assert [block.file for block in found if block.file] == ["lowest.py", "look.py", "test_lowest.py"]
    assert len(found) == PAGE.read_text(encoding="utf-8").count("```") // 2

"""The pages of the documentation, and the fenced blocks on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after its fence, its text, and the line that it begins on."""

    info: tuple[str, ...]
    text: str
    line: int

    @property
    def language(self) -> str:
        """The first word after the fence."""
        return self.info[0] if self.info else ""


@dataclass(frozen=True)
class Step:
    """A command of a page, with the output that the page shows for it (None where it shows none)."""

    command: str
    output: str | None
    line: int


def pages() -> list[Path]:
    """Return README.md and every page below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(tuple(found["info"].split()), found["text"], text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    ]


def steps(block: Block) -> list[Step]:
    """Return the commands of a block.

    In `sh` each line is one, comments left out; in `console` those after `$ ` are, and what follows is their output.
    """
    found: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if block.language == "sh":
            command = re.sub(r"(^|\s)#.*", "", line).strip()
            if command:
                found.append(Step(command, None, number))
        elif line.startswith("$ "):
            found.append(Step(line.removeprefix("$ ").strip(), "", number))
        elif found:
            last = found[-1]
            found[-1] = Step(last.command, f"{last.output}{line}\n", last.line)
    return found

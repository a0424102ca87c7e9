"""Texts folded to the width there is: English between words, Chinese between characters, and nothing cut off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells
from rich.measure import Measurement
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

NARROWEST_GRID = 72
"""Columns of a terminal from which on texts stand beside what they explain, not below it."""

INDENT = "    "

# Chinese signs that close stay with what they close, those that open with what they open.
_OPENING, _CLOSING = "（“《【", "，。；：、）”》】！？"
_PIECES = re.compile(rf"\s+|[{_OPENING}]*(?:[^\s\u1100-\uffff]+|[^\s{_OPENING}{_CLOSING}])?[{_CLOSING}]*")


def fold(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` cells. A word longer than a line is broken, never shortened."""
    lines = [""]
    gap = ""
    for piece in _PIECES.findall(text):
        if not piece or piece.isspace():
            gap = " " if piece and lines[-1] else gap
            continue
        if cell_len(lines[-1] + gap + piece) <= width:
            lines[-1] += gap + piece
        else:
            parts = chop_cells(piece, max(width, 2))
            lines += parts if lines[-1] else []
            if not lines[0]:
                lines[:1] = parts
        gap = ""
    return lines


@dataclass(frozen=True, slots=True)
class Folded:
    """A text for the terminal that takes as many lines as it needs; the lines begin with `indent`."""

    text: str
    indent: str = ""
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(options.max_width - len(self.indent), 2)
        for line in fold(self.text, width):
            yield Text(self.indent + line, self.style, no_wrap=True, overflow="ignore")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        whole = len(self.indent) + cell_len(self.text)
        longest = max((cell_len(piece.strip()) for piece in _PIECES.findall(self.text)), default=0)
        return Measurement(min(len(self.indent) + longest, options.max_width), min(whole, options.max_width))

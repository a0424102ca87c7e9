"""Tables of figures as plain text, and what machine they were measured on."""

from __future__ import annotations

import os
import platform
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def width(text: str) -> int:
    """Return how many columns a terminal needs for a text; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table in Markdown, the first column to the left and figures to the right."""
    cells = [list(head), *map(list, rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        gaps = [" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
        return (
            "| "
            + " | ".join([row[0] + gaps[0], *(gap + cell for cell, gap in zip(row[1:], gaps[1:], strict=True))])
            + " |"
        )

    ruler = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (wide + 1) + ":" for wide in widths[1:])]) + "|"
    return "\n".join([line(cells[0]), ruler, *map(line, cells[1:])])


def figure(value: float) -> str:
    """Write a figure with three digits that mean something, thousands set apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def machine() -> str:
    """Return one line that says when and on what a run was made."""
    model = next(
        (line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    load = os.getloadavg()[0]
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores of {model},"
        f" Python {platform.python_version()}, load average {load:.1f} at the start"
    )


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []

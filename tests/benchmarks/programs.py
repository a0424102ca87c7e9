"""What the tests of the benchmark programs share: running one, reading the table that it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this folder with these variables and without any of the caller's peers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERS")}
    return subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{program}", *arguments],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def rows(output: str) -> dict[str, list[str]]:
    """Return the cells of the printed tables by their first column."""
    lines = [line for line in output.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def number(cell: str) -> float:
    """Read a figure of a table."""
    return float(cell.replace(",", "").removesuffix("%"))

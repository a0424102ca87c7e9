"""Chinese texts are set in one way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("server/gouji_rules", "clients/cli", "clients/python")
TOUCHING = re.compile(r"[一-鿿][0-9]|[0-9][一-鿿]")
"""A Chinese character and a digit without a space between them."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_space_stands_between_chinese_and_digits(folder: str) -> None:
    """`第 3 盘`, not `第3盘`: in every text of the rules, the client and the command."""
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    lines = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if TOUCHING.search(line)
    ]
    assert not lines, "\n".join(lines)

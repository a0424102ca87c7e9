"""The page about tables says what the journal holds."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from gouji_server.tables import inputs

DOCS = Path(__file__).resolve().parents[2] / "docs"


def rows(page: str, columns: int) -> dict[str, list[str]]:
    """Return the table rows of a page whose first cell is a word in backquotes, by that word."""
    found = {}
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        word = re.fullmatch(r"`(\w+)`", cells[0])
        if word and len(cells) == columns:
            found[word.group(1)] = cells[1:]
    return found


def test_every_kind_of_journal_entry_is_told_with_its_fields() -> None:
    """The kinds on the page are those that are written, each with exactly its fields."""
    told = rows("tables.md", 3)
    assert set(told) == {*inputs._KINDS, inputs.MOVE}
    for kind, made in inputs._KINDS.items():
        fields = {field.name for field in dataclasses.fields(made)}
        assert set(re.findall(r"`(\w+)`", told[kind][1])) == fields

"""docs/limits.md against the bounds that the server really has."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gouji_server.config import Config
from gouji_server.tables import Limits
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = {found[1]: float(found[2]) for found in re.finditer(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE, re.MULTILINE)}
NO_BOUNDS = {"port", "metrics_port"}
"""Numbers among the settings that bound nothing."""


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Limits)])
def test_every_bound_of_a_table_is_told(field: str) -> None:
    """Each field of the tables' Limits has a row with its value."""
    assert ROWS[field] == getattr(Limits(), field)


@pytest.mark.parametrize("name", Config.model_fields)
def test_every_setting_that_is_a_number_is_told(name: str) -> None:
    """Each number among the server's settings has a row with its default."""
    default = Config.model_fields[name].default
    if isinstance(default, int | float) and not isinstance(default, bool) and name not in NO_BOUNDS:
        assert ROWS[name] == default


def test_no_row_tells_of_a_bound_that_is_gone() -> None:
    """Every row names a bound or a setting that exists."""
    assert set(ROWS) <= {field.name for field in dataclasses.fields(Limits)} | set(Config.model_fields)


def test_everything_that_can_be_full_has_its_test() -> None:
    """Each row of what waits and is remembered names a test that exists; none names the same one twice but for one
    bound, and the tests tell in a sentence what they hold."""
    section = PAGE.partition("## What waits, and what is remembered")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!what \|)([^|]+) \| ([^|]+) \| ([^|]+) \| `(test_\w+)` \|$", section, re.MULTILINE)
    assert len(rows) >= 30
    assert section.count("\n|") == len(rows) + 2
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    written = set(re.findall(r"def (test_\w+)", sources))
    missing = {test for *_, test in rows} - written
    assert not missing
    assert len({test for *_, test in rows}) == len(rows)

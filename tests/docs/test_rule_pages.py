"""The pages of docs/rules/ tell what the engine does."""

from __future__ import annotations

import pytest

from gouji_rules.records import check_record
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from tests.docs import rule_pages


def test_the_pages_are_those_that_the_engine_makes() -> None:
    """Every page is as `make rule-pages` writes it, none is missing and none left over."""
    made = rule_pages.pages()
    assert sorted(rule_pages.FOLDER.glob("*.md")) == sorted(made)
    stale = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "make rule-pages"


@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_a_page_tells_every_option_and_comparison(preset: str) -> None:
    """Both languages name every option once, and compare every pair of plays."""
    for language in rule_pages.WORDS:
        text = rule_pages.page(preset, language)
        assert [text.count(f"| `{name}` |") for name in OPTION_NAMES] == [1] * len(OPTION_NAMES)
        assert text.count("| R1") >= len(rule_pages.ANSWERS)


@pytest.mark.parametrize("record", [record for records in rule_pages.EXAMPLES.values() for record in records])
def test_worked_examples_are_records_that_hold(record: str) -> None:
    """What a page shows as an example replays without a difference."""
    text = (rule_pages.RECORDS / f"{record}.toml").read_text(encoding="utf-8")
    assert check_record(text) == []

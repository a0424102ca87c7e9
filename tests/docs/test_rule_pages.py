"""The pages of docs/rules/ tell what the engine does."""

from __future__ import annotations

import pytest

from gouji_rules.records import check_record, read_record
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from tests.docs import rule_pages
from tests.docs.rule_examples import EXAMPLES, Example
from tests.docs.rule_stories import story


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


TOLD = [(preset, example) for preset, examples in EXAMPLES.items() for example in examples]


@pytest.mark.parametrize(("preset", "example"), TOLD, ids=[example.record for _, example in TOLD])
def test_worked_examples_are_records_that_hold(preset: str, example: Example) -> None:
    """What a page tells as an example replays without a difference, by that preset, in both languages."""
    text = (rule_pages.RECORDS / f"{example.record}.toml").read_text(encoding="utf-8")
    assert check_record(text) == []
    assert read_record(text).rules.name == preset
    english, chinese = story(text, "en"), story(text, "zh")
    assert len(english) == len(chinese) > 0
    assert [line.startswith("✗") for line in english] == [line.startswith("✗") for line in chinese]


def test_every_preset_has_worked_examples() -> None:
    """Each preset's page tells at least six situations, and none is told twice."""
    assert list(EXAMPLES) == list(PRESET_NAMES)
    assert all(len(examples) >= 6 for examples in EXAMPLES.values())
    assert len({example.record for _, example in TOLD}) == len(TOLD)

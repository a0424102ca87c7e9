"""The pages of docs/rules/ tell what the engine does."""

from __future__ import annotations

import re

import pytest

from gouji_rules.records import check_record, read_record
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from tests.docs import rule_pages
from tests.docs.pages import ROOT
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


DISPUTED = [ROOT / "docs" / name for name in ("disputed.md", "disputed.zh.md")]
CHOICE = re.compile(r"\*[Cc]hoice")


def rules_with_a_choice() -> list[str]:
    """The rules of docs/rules.md that mark a point as settled by no text."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").partition("## 12.")[0]
    paragraphs = re.split(r"(?m)^(?=R\d+\. |## )", text)
    return [said.partition(".")[0] for said in paragraphs if re.match(r"R\d", said) and CHOICE.search(said)]


def test_every_choice_of_the_rules_is_told_in_both_languages() -> None:
    """Each rule that marks a choice has its row, and the two pages have the same rows in the same order."""
    english, chinese = (
        re.findall(r"(?m)^\| (R\d+|S\d[^|]*) \|", page.read_text(encoding="utf-8")) for page in DISPUTED
    )
    assert [said.replace("、", ", ") for said in chinese] == english
    choices = rules_with_a_choice()
    assert len(choices) > 5
    assert set(choices) <= set(english)


def test_what_the_rules_set_aside_is_told() -> None:
    """Each text with passages set aside in section 13 of the rules has rows on both pages."""
    for page in DISPUTED:
        text = page.read_text(encoding="utf-8")
        for passage in ("2张Q+1张花", "则如果大家", "4+1=3", "憋四", "德国", "不可以带王"):
            assert passage in text, (page.name, passage)

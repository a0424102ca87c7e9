"""Writes docs/rules/: a page for every preset in each language, from the option texts, the engine and worked records.

`python -m tests.docs.rule_pages` writes them anew; tests/docs/test_rule_pages.py holds them to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gouji_rules.comparison import explain
from gouji_rules.explanation import describe_play
from gouji_rules.option_texts import OPTION_TEXTS, PRESET_TEXTS, Group, OptionText, Text
from gouji_rules.plays import format_play, parse_play
from gouji_rules.presets import COLUMNS
from gouji_rules.rule_set import RuleSet, format_option
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = ROOT / "docs" / "rules"
RECORDS = ROOT / "tests" / "records"

PLAYS = ("TTTT2", "44444", "22", "bs25555")
"""Plays of which each page says what they are."""

ANSWERS = (
    ("ss999", "bbTTT"),
    ("ss999", "sbTTT"),
    ("99999", "2TTTT"),
    ("TTTT", "KKKKK"),
    ("b5555", "bb6666"),
    ("s5555", "b6666"),
    ("bs55", "ss66"),
)
"""Plays on the table and answers that each page compares."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "qingdao": (
        "R12_every_card_stronger",
        "R22_only_the_opposite_answers_gouji",
        "R24_yield_then_asked_again",
        "R26_dead_gouji_on_a_low_last_play",
        "R27_wind_is_granted",
        "R32_allies_of_the_owner_first",
        "R34_leads_hold_a_joker",
        "R51_fourth_place",
        "R60_a_sweep",
    ),
}
"""The records that a preset's pages show, by name: files of tests/records/."""


class Words(NamedTuple):
    """What the pages say themselves, in one language."""

    source: str
    other: str
    options: str
    plays: str
    answers: str
    examples: str
    table: str
    made: str
    beats: tuple[str, str]
    overview: str


WORDS = {
    "en": Words(
        source="Follows {source} of [the rules](../rules.md).",
        other="[中文]({name}.zh.md)",
        options="Options",
        plays="What a play is",
        answers="Which play beats which",
        examples="Worked examples",
        table="| option | value | meaning | rules |",
        made="This page is made by `make rule-pages` from the texts of the engine, its answers and its records.",
        beats=("beats", "does not beat"),
        overview="Bold values differ from Qingdao's. Every option may be changed when a table is made.",
    ),
    "zh": Words(
        source="依据[规则](../rules.md)中的 {source}。",
        other="[English]({name}.md)",
        options="选项",
        plays="一手牌是什么",
        answers="谁大过谁",
        examples="实例",
        table="| 选项 | 值 | 含义 | 规则 |",
        made="本页由 `make rule-pages` 根据引擎的文字、判断和牌谱生成。",
        beats=("大过", "大不过"),
        overview="粗体为与青岛规则不同之处。建桌时每个选项都可更改。",
    ),
}


def said(text: Text, language: str) -> str:
    """Return a text in a language."""
    return text.zh if language == "zh" else text.en


def rule_set(name: str) -> RuleSet:
    """Return a preset, built or not."""
    return RuleSet(name=name, **COLUMNS[name])


def pages() -> dict[Path, str]:
    """Return every page with its text."""
    made = {FOLDER / "README.md": index()}
    for name in PRESET_TEXTS:
        for language in WORDS:
            made[FOLDER / (f"{name}.md" if language == "en" else f"{name}.{language}.md")] = page(name, language)
    return made


def index() -> str:
    """Return the page that lists the others."""
    rows = [
        f"| [{texts.title.en}]({name}.md) | [{texts.title.zh}]({name}.zh.md) | `{name}` | {texts.source} |"
        for name, texts in PRESET_TEXTS.items()
    ]
    lines = [
        "# Rule sets 规则集",
        "",
        "One page a preset, in English and Chinese: every option with its value, what plays are and how they compare,",
        "and worked examples. `gouji rules show` and `diff` tell the same on the command line; `list` tells",
        "which presets this version plays;",
        "[disputed points](../disputed.md) tells where the rule texts disagree and what was chosen.",
        "",
        "| English | 中文 | name | text |",
        "|---|---|---|---|",
        *rows,
        "",
        WORDS["en"].made,
        "",
    ]
    return "\n".join(lines)


def page(name: str, language: str) -> str:
    """Return a preset's page."""
    words, texts, rules = WORDS[language], PRESET_TEXTS[name], rule_set(name)
    lines = [
        f"# {said(texts.title, language)} `{name}`",
        "",
        f"{words.other.format(name=name)} · {words.source.format(source=texts.source)}",
        "",
        said(texts.text, language),
        "",
    ]
    lines += [f"## {words.options}", "", words.overview, "", *options(rules, language)]
    lines += [f"## {words.plays}", "", *plays(rules, language), ""]
    lines += [f"## {words.answers}", "", *answers(rules, language), ""]
    if name in EXAMPLES:
        lines += [f"## {words.examples}", "", *examples(name)]
    return "\n".join([*lines, words.made, ""])


def options(rules: RuleSet, language: str) -> Iterator[str]:
    """Yield the tables of options, one a part."""
    for group in Group:
        yield f"### {said(group.value, language)}"
        yield ""
        yield WORDS[language].table
        yield "|---|---|---|---|"
        for option in OPTION_TEXTS:
            if option.group is group:
                yield option_row(rules, option, language)
        yield ""


def option_row(rules: RuleSet, option: OptionText, language: str) -> str:
    """Return an option's row."""
    value = rules.option(option.name)
    written = f"`{format_option(value) or '-'}`"
    if value != rule_set("qingdao").option(option.name):
        written = f"**{written}**"
    known = dict(option.values)
    parts = [str(part) for part in value] if isinstance(value, tuple) else [format_option(value)]
    meant = [said(known[part], language) for part in parts if part in known]
    title = said(option.title, language)
    colon, comma = ("：", "；") if language == "zh" else (": ", "; ")
    explained = title + colon + comma.join(meant) if meant else title
    return f"| `{option.name}` | {written} | {explained} | {' '.join(option.rules)} |"


def plays(rules: RuleSet, language: str) -> Iterator[str]:
    """Yield what each play is."""
    for text in PLAYS:
        reasons = describe_play(rules, parse_play(text))
        if language == "zh":
            yield "- " + "；".join(f"{reason.zh} ({reason.rule})" for reason in reasons) + "。"
        else:
            yield "- " + "; ".join(f"{reason.en} ({reason.rule})" for reason in reasons) + "."


def answers(rules: RuleSet, language: str) -> Iterator[str]:
    """Yield a table of comparisons."""
    words = WORDS[language]
    yield "| | | |"
    yield "|---|---|---|"
    for on_table, text in ANSWERS:
        top, answer = parse_play(on_table), parse_play(text)
        why = explain(rules, top, answer)
        verdict = words.beats[0] if why.beats else words.beats[1]
        told = why.text_zh if language == "zh" else why.text_en
        yield f"| `{format_play(answer)}` {verdict} `{format_play(top)}` | {why.rule} | {told} |"


def examples(name: str) -> Iterator[str]:
    """Yield the worked records, each with what it shows."""
    for record in EXAMPLES[name]:
        text = (RECORDS / f"{record}.toml").read_text(encoding="utf-8")
        heading, _, about = record.partition("_")
        yield f"### {heading}: {about.replace('_', ' ')}"
        yield ""
        yield "```toml"
        yield text.rstrip("\n")
        yield "```"
        yield ""


def write() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()

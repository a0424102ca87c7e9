"""Writes docs/rules/: a page for every preset in each language, from the option texts, the engine and worked records.

`python -m tests.docs.rule_pages` writes them anew; tests/docs/test_rule_pages.py holds them to it.
"""

from __future__ import annotations

import re
import sys
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from gouji_rules.comparison import explain
from gouji_rules.explanation import describe_play
from gouji_rules.option_texts import OPTION_TEXTS, PRESET_TEXTS, Group, OptionText, Text, meaning_of, preset_texts
from gouji_rules.plays import format_play, parse_play
from gouji_rules.records import read_record
from gouji_rules.rule_set import PRESETS, RuleSetError, format_option
from tests.docs.pages import ROOT
from tests.docs.rule_examples import EXAMPLES
from tests.docs.rule_stories import debts, result_of, story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gouji_rules.rule_set import RuleSet

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
    told: str
    changed: str
    seat: str
    hand: str
    owed: str
    record: str
    comma: str


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
        told="Situations with short hands, told by the engine from the records that test it. "
        "What is marked ✗ is refused, "
        "with the rule where the record names one. Ranks from low to high are 3 to A, 2, s, b: T is the ten, s the "
        "small joker, b the big one; the cards of a play may be written in any order.",
        changed="By `{rules}` with {options}.",
        seat="seat",
        hand="hand",
        owed="Owed from the deal before: {owed}.",
        record="As a record: [{record}.toml](../../tests/records/{record}.toml).",
        comma=", ",
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
        told="手牌很少的局面，由引擎按检验它的牌谱讲述。标 ✗ 的为不许，牌谱写明规则时附规则号。"
        "点数从小到大为 3 至 A、2、s、b：T 为 10，s 为小花，b 为大花；一手牌的先后随意写。",
        changed="用 `{rules}` 规则，另设 {options}。",
        seat="座位",
        hand="手牌",
        owed="上一盘所欠：{owed}。",
        record="牌谱：[{record}.toml](../../tests/records/{record}.toml)。",
        comma="，",
    ),
}


def said(text: Text, language: str) -> str:
    """Return a text in a language."""
    return text.zh if language == "zh" else text.en


def pages() -> dict[Path, str]:
    """Return every page with its text. Raises RuleSetError for a preset without texts, or texts without a preset."""
    for name in (*PRESETS, *PRESET_TEXTS):
        preset_texts(name)
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
    words, texts, rules = WORDS[language], PRESET_TEXTS[name], PRESETS[name]
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
        lines += [f"## {words.examples}", "", words.told, "", *examples(name, language)]
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
    if value != PRESETS["qingdao"].option(option.name):
        written = f"**{written}**"
    meant = meaning_of(option, value)
    title = said(option.title, language)
    colon = "：" if language == "zh" else ": "
    explained = title if meant is None else title + colon + said(meant, language)
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


def examples(name: str, language: str) -> Iterator[str]:
    """Yield the worked records of a preset, each with what it shows, the hands and the story."""
    words = WORDS[language]
    for example in EXAMPLES[name]:
        text = (RECORDS / f"{example.record}.toml").read_text(encoding="utf-8")
        yield f"### {example.title_zh if language == 'zh' else example.title_en}"
        yield ""
        yield f"{example.text_zh}（{rules_shown(example.record)}）" if language == "zh" else comment_of(text)
        yield ""
        yield from given(text, language)
        yield from (f"{number}. {line}" for number, line in enumerate(story(text, language), 1))
        yield ""
        result = result_of(text, language)
        yield from ((result, "") if result else ())
        yield words.record.format(record=example.record)
        yield ""


def rules_shown(record: str) -> str:
    """Return the rule that a record is named after."""
    return f"R{int(record[1:3])}"


def comment_of(text: str) -> str:
    """Return what a record says it shows: the comment at its head without its declarations."""
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    said = " ".join(line.removeprefix("#").strip() for line in lines if not line.startswith("# rule:"))
    return re.sub(r"\b([a-z_]+ = [a-z_]+|[a-z]+(?:_[a-z]+)+)\b", r"`\1`", said)


def given(text: str, language: str) -> Iterator[str]:
    """Yield what a record begins with: the options changed, the hands and the debts."""
    words = WORDS[language]
    record = read_record(text)
    changed = [f"`{name} = {format_option(value) or '-'}`" for name, value in record.rules.overrides().items()]
    if changed:
        yield words.changed.format(rules=record.rules.name, options=words.comma.join(changed))
        yield ""
    yield "| " + " | ".join([words.seat, *map(str, range(6))]) + " |"
    yield "|---" * 7 + "|"
    yield "| " + " | ".join([words.hand, *(f"`{hand}`" if hand else "–" for hand in record.hands)]) + " |"
    yield ""
    owed = debts(text, language)
    if owed:
        yield words.owed.format(owed=owed)
        yield ""


def write() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        write()
    except RuleSetError as error:
        sys.exit(str(error))

"""`gouji rules list|show|diff`: which rules there are, and how they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import gouji_rules as gr
from gouji_cli.folding import INDENT, NARROWEST_GRID, Folded
from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.terminal import ascii_only, by_locale, fail, out, print_json, speaks_chinese
from gouji_rules.option_texts import (
    OPTION_TEXTS,
    PRESET_TEXTS,
    TEXT_OF,
    Group,
    OptionText,
    PresetText,
    meaning_of,
    preset_texts,
)
from gouji_rules.option_texts import Text as TwoTexts
from gouji_rules.option_values import difference
from gouji_rules.rule_set import format_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from gouji_rules.rule_set import OptionValue

GROUPS = list(Group)
NAME_WIDTH = 2 + max(len(text.name) for text in OPTION_TEXTS)

Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of the rule set.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


def said(text: TwoTexts) -> str:
    """Return a text in the language of the terminal."""
    return text.zh if speaks_chinese() else text.en


def title(text: TwoTexts) -> str:
    """Return a name, with the Chinese one beside the English where the terminal shows it."""
    return text.en if ascii_only() else text.zh if speaks_chinese() else f"{text.en} {text.zh}"


def list_rules(as_json: Json = False) -> None:
    """List the rule sets."""
    if as_json:
        print_json([preset_data(name) for name in dict.fromkeys((*gr.PRESETS, *PRESET_TEXTS))])
        return
    console = out()
    names = list(dict.fromkeys((*gr.PRESETS, *PRESET_TEXTS)))
    if console.width < NARROWEST_GRID:
        for name in names:
            texts = told(name)
            console.print(Folded(name, style="bold"))
            console.print(Folded(title(texts.title), "  "))
            console.print(Folded(said(texts.text), INDENT))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for name in names:
        texts = told(name)
        table.add_row(Text(name, "bold"), Folded(title(texts.title)), Folded(said(texts.text)))
    console.print(table)


def told(name: str) -> PresetText:
    """Return a preset's texts, or end with the error that says what is missing."""
    return understand(lambda: preset_texts(name))


def preset_data(name: str) -> dict[str, Any]:
    """Return a preset's texts as JSON data."""
    texts = told(name)
    return {"name": name, "title": both(texts.title), "text": both(texts.text), "source": texts.source}


def both(text: TwoTexts) -> dict[str, str]:
    """Return a text in both languages as JSON data."""
    return {"en": text.en, "zh": text.zh}


def show_rules(
    preset: Annotated[str, typer.Argument(metavar="PRESET", help="The rule set.")],
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Show every option of a rule set: its value, and what that means."""
    rules = understand(lambda: rule_set(preset, settings or []))
    if as_json:
        print_json(preset_data(rules.name) | {"options": [option_data(rules, text) for text in OPTION_TEXTS]})
        return
    console = out()
    texts = told(rules.name)
    console.print(Folded(title(texts.title), style="bold"))
    console.print(Folded(said(texts.text)))
    changed = rules.overrides()
    for group in GROUPS:
        options = [option for option in OPTION_TEXTS if option.group is group]
        if not options:
            continue
        console.print()
        console.print(Folded(title(group.value), style="bold underline"))
        rows = [
            (
                option.name,
                _shown(rules, option),
                "bold yellow" if option.name in changed else "bold",
                _explained(rules, option),
            )
            for option in options
        ]
        print_options(console, rows)


def print_options(console: Console, rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Print options as (name, value, the value's style, what it means), side by side where there is room."""
    if console.width < NARROWEST_GRID:
        for name, value, style, explained in rows:
            console.print(Folded(f"{name} = {value}", "  ", style))
            console.print(Folded(explained, INDENT))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=NAME_WIDTH)
    table.add_column(width=min(max(console.width // 5, 16), 24))  # longer values fold; the groups stand in line
    for name, value, style, explained in rows:
        table.add_row(f"  {name}", Folded(value, style=style), Folded(explained))
    console.print(table)


def _shown(rules: gr.RuleSet, option: OptionText) -> str:
    return format_option(rules.option(option.name)) or "-"


def _explained(rules: gr.RuleSet, option: OptionText) -> str:
    """Return what an option is about and what its value means."""
    meant = meaning_of(option, rules.option(option.name))
    return said(option.title) + (by_locale(": ", "：") + said(meant) if meant is not None else "")


def option_data(rules: gr.RuleSet, option: OptionText) -> dict[str, Any]:
    """Return an option with its value, and all that is known of it, as JSON data."""
    return {
        "name": option.name,
        "value": format_option(rules.option(option.name)),
        "type": option.type.value,
        "group": both(option.group.value),
        "title": both(option.title),
        "text": both(option.text),
        "allowed": [{"value": value, "text": both(text)} for value, text in option.values],
        "needs": option.needs or None,
        "rules": list(option.rules),
        "source": option.source,
    }


def diff_rules(
    one: Annotated[str, typer.Argument(metavar="ONE", help="A rule set.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another one.")],
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", hidden=True)] = None,
    as_json: Json = False,
) -> None:
    """Print the options in which two rule sets differ, and what each value means.

    A rule set may be changed on the spot: `qingdao,show=ask,deals=4`. The exit status is 0 whether they differ or not.
    """
    if settings:
        change = ",".join(settings)
        fail(
            by_locale(
                f"diff has no --set, for it would not tell which of the two is changed: write {other},{change}",
                f"diff 没有 --set（分不清改的是哪一个）：请写 {other},{change}",
            )
        )
    first, second = understand(lambda: changed_set(one)), understand(lambda: changed_set(other))
    differing = difference(first, second)
    if as_json:
        print_json({"one": one, "other": other, "differences": [difference_data(*found) for found in differing]})
        return
    console = out()
    if not differing:
        console.print("没有不同" if speaks_chinese() else "they do not differ")
        return
    rows = [(name, cell(TEXT_OF[name], mine), cell(TEXT_OF[name], theirs)) for name, mine, theirs in differing]
    if console.width < NARROWEST_GRID:
        for name, mine_told, theirs_told in rows:
            console.print(Folded(name, style="bold"))
            console.print(Folded(f"{one}: {mine_told}", "  "))
            console.print(Folded(f"{other}: {theirs_told}", "  "))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_row("", Folded(one, style="bold"), Folded(other, style="bold"))
    for name, mine_told, theirs_told in rows:
        table.add_row(Text(name, "bold"), Folded(mine_told), Folded(theirs_told))
    console.print(table)


def changed_set(text: str) -> gr.RuleSet:
    """Read `preset,option=value,…`. Raises RuleSetError."""
    preset, *settings = (part.strip() for part in text.split(","))
    if not all(settings):
        raise gr.RuleSetError(
            ("rules",),
            f"nothing stands after a comma in {text!r}: write {preset},OPTION=VALUE, or {preset} alone",
            f"{text!r} 的逗号后面没有内容：请写 {preset},选项=值，或只写 {preset}",
        )
    return rule_set(preset, settings)


def cell(option: OptionText, value: OptionValue) -> str:
    """Return a value and what it means."""
    meant = meaning_of(option, value)
    return (format_option(value) or "-") + ("" if meant is None else by_locale(": ", "：") + said(meant))


def difference_data(name: str, mine: OptionValue, theirs: OptionValue) -> dict[str, Any]:
    """Return one difference as JSON data."""
    option = TEXT_OF[name]
    return {
        "name": name,
        "title": both(option.title),
        "one": value_data(option, mine),
        "other": value_data(option, theirs),
    }


def value_data(option: OptionText, value: OptionValue) -> dict[str, Any]:
    """Return a value and its meaning as JSON data."""
    meant = meaning_of(option, value)
    return {"value": format_option(value), "text": None if meant is None else both(meant)}

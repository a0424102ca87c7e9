"""`gouji rules`: questions about the rules themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.table import Table
from rich.text import Text

import gouji_rules as gr
from gouji_cli.terminal import ascii_only, fail, out, print_json, speaks_chinese
from gouji_rules.rule_set import OPTION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_rules.comparison import Comparison

app = typer.Typer(help="Questions about the rules.", no_args_is_help=True)

T = TypeVar("T")


@app.callback()
def rules() -> None:
    """Questions about the rules."""


def understand(read: Callable[[], T]) -> T:
    """Return what `read` makes, or end with the error that it names and exit status 2."""
    try:
        return read()
    except (gr.RuleSetError, gr.NotationError, gr.RuleViolation) as error:
        rule = f" ({error.rule})" if isinstance(error, gr.RuleViolation) else ""
        fail((error.text_zh if speaks_chinese() else error.text_en) + rule)


def parse_option(option: str, text: str) -> Any:
    """Read an option's value as `gouji` writes it: `true`, `4`, `any_last`, `4/2/0/0/-2/-4`, `none` for an empty list.

    Raises RuleSetError for an unknown option; what the text means is left to the rule set's own check.
    """
    if option not in OPTION_NAMES:
        raise gr.RuleSetError((option,), f"there is no option {option}", f"没有选项 {option}")
    like = gr.preset("qingdao").option(option)
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text, text)
    if isinstance(like, tuple):
        parts = text.split("/") if text not in ("", "none") else []
        return tuple(_number(part) for part in parts)
    return _number(text) if isinstance(like, int) else text


def _number(text: str) -> int | str:
    return int(text) if text.removeprefix("-").isdecimal() else text


def rule_set(preset: str, settings: list[str]) -> gr.RuleSet:
    """Make a rule set from a preset's name and `option=value` texts. Raises RuleSetError."""
    overrides = {}
    for setting in settings:
        option, equals, text = setting.partition("=")
        if not equals:
            raise gr.RuleSetError((option,), f"{setting!r} is not option=value", f"{setting!r} 应写作 选项=值")
        overrides[option] = parse_option(option, text)
    return gr.preset(preset).replace(**overrides)


@app.command("beats")
def beats(
    on_table: Annotated[str, typer.Argument(metavar="ON_TABLE", help="The play on the table, such as ss999.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="The play that answers it, such as bbTTT.")],
    preset: Annotated[str, typer.Option("--rules", metavar="PRESET", help="The rule set.")] = "qingdao",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of the rule set.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
) -> None:
    """Say whether ANSWER beats ON_TABLE, card by card, and by which rule.

    Cards are written 3 4 5 6 7 8 9 T J Q K A 2, s and b for the small and the big joker, in any order; 10 and the
    Chinese names will do too. The exit status is 0 whether it beats or not, and 2 for a text that is no play.
    """
    rules = understand(lambda: rule_set(preset, settings or []))
    top = understand(lambda: gr.parse_play(on_table))
    reply = understand(lambda: gr.parse_play(answer))
    comparison = gr.comparison.explain(rules, top, reply)
    if as_json:
        print_json(as_data(rules, top, reply, comparison))
    else:
        show(comparison)


def as_data(rules: gr.RuleSet, top: gr.Play, answer: gr.Play, comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON data."""
    return {
        "beats": comparison.beats,
        "rule": comparison.rule,
        "rules": rules.name,
        "on_table": gr.format_play(top),
        "answer": gr.format_play(answer),
        "answer_is_gouji": comparison.answer_is_gouji,
        "covers": [
            {
                "on_table": gr.RANKS[cover.top],
                "answer": [gr.RANKS[rank] for rank in cover.answer],
                "stronger": cover.stronger,
            }
            for cover in comparison.covers
        ],
        "text": {"en": comparison.text_en, "zh": comparison.text_zh},
    }


def show(comparison: Comparison) -> None:
    """Print a comparison for people."""
    chinese = speaks_chinese()
    console = out()
    said = comparison.text_zh if chinese else comparison.text_en
    console.print(Text(f"{said} ({comparison.rule})", "bold green" if comparison.beats else "bold red"))
    yes, no = (">", "not >") if ascii_only() else ("✓", "✗")
    grid = Table.grid(padding=(0, 2))
    for number, cover in enumerate(comparison.covers, 1):
        ranks = "".join(gr.RANKS[rank] for rank in cover.answer)
        mark = Text(yes, "green") if cover.stronger else Text(no, "red")
        grid.add_row(f"  {number}", ranks, mark, gr.RANKS[cover.top])
    if comparison.covers:
        console.print(grid)
    if comparison.answer_is_gouji:
        console.print("这是够级牌 (R13)" if chinese else "the answer is a gouji play (R13)")

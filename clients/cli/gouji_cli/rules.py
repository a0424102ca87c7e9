"""`gouji rules`: questions about the rules themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import gouji_rules as gr
from gouji_cli import rule_sets
from gouji_cli.reading_rules import read_play, rule_set, understand
from gouji_cli.rule_sets import Json, Settings
from gouji_cli.terminal import ascii_only, out, print_json, speaks_chinese
from gouji_rules.explanation import describe_play

if TYPE_CHECKING:
    from gouji_rules.comparison import Comparison
    from gouji_rules.explanation import Reason

app = typer.Typer(help="Questions about the rules.", no_args_is_help=True)

Preset = Annotated[str, typer.Option("--rules", metavar="PRESET", help="The rule set.")]


@app.callback()
def rules() -> None:
    """Questions about the rules."""


app.command("list")(rule_sets.list_rules)
app.command("show")(rule_sets.show_rules)
app.command("diff")(rule_sets.diff_rules)


@app.command("beats")
def beats(
    on_table: Annotated[str, typer.Argument(metavar="ON_TABLE", help="The play on the table, such as ss999.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="The play that answers it, such as bbTTT.")],
    preset: Preset = "qingdao",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Say whether ANSWER beats ON_TABLE, card by card, and by which rule.

    Cards are written 3 4 5 6 7 8 9 T J Q K A 2, s and b for the small and the big joker, in any order; 10 and the
    Chinese names will do too. The exit status is 0 whether it beats or not, and 2 for a text that is no play.
    """
    rules = understand(lambda: rule_set(preset, settings or []))
    top = understand(lambda: read_play(on_table, rules))
    reply = understand(lambda: read_play(answer, rules))
    comparison = gr.comparison.explain(rules, top, reply)
    if as_json:
        print_json(as_data(rules, top, reply, comparison))
    else:
        show(comparison)


@app.command("explain")
def explain(
    play: Annotated[str, typer.Argument(metavar="PLAY", help="The play, such as TTTT2.")],
    on_table: Annotated[
        str | None, typer.Option("--on", metavar="ON_TABLE", help="The play on the table that it answers.")
    ] = None,
    preset: Preset = "qingdao",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Say what PLAY is and by which rules; with --on also whether it beats that play, and which card covers which.

    The exit status is 0 whatever the answer is, and 2 for a text that is no play.
    """
    rules = understand(lambda: rule_set(preset, settings or []))
    meant = understand(lambda: read_play(play, rules))
    top = understand(lambda: read_play(on_table, rules)) if on_table is not None else None
    reasons = describe_play(rules, meant)
    comparison = gr.comparison.explain(rules, top, meant) if top is not None else None
    if as_json:
        told: dict[str, Any] = {
            "play": gr.format_play(meant),
            "rules": rules.name,
            "gouji": gr.is_gouji(rules, meant),
            "reasons": [reason_data(reason) for reason in reasons],
        }
        if top is not None and comparison is not None:
            told["comparison"] = as_data(rules, top, meant, comparison)
        print_json(told)
        return
    console = out()
    for reason in reasons:
        console.print(f"{reason.zh if speaks_chinese() else plain_signs(reason.en)} ({reason.rule})")
    if comparison is not None:
        show(comparison)


def plain_signs(text: str) -> str:
    """Return a text without the sign for times where the terminal does not show it."""
    return text.replace("×", "x") if ascii_only() else text


def reason_data(reason: Reason) -> dict[str, Any]:
    """Return a reason as JSON data."""
    return {"rule": reason.rule, "text": {"en": reason.en, "zh": reason.zh}}


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

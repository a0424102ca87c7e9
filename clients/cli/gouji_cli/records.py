"""`gouji record`: check, show and join record files (gouji-record/1)."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from gouji_cli.narration import TEAM_STYLES, cards_style
from gouji_cli.record_words import note, step_word
from gouji_cli.terminal import BAD_INPUT, ascii_only, by_locale, fail, out, plain, print_json, say_error
from gouji_rules.records import (
    Difference,
    RecordError,
    differences_of,
    join_records,
    read_record,
    show_record,
    write_record,
)
from gouji_rules.records.checking import replay
from gouji_rules.rule_set import format_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from gouji_rules.records import Record, ShownStep, ShownTrick

app = typer.Typer(help="Check, show and join record files.", no_args_is_help=True)

MAX_BYTES = 4 * 1024 * 1024
"""The largest file that is taken for a record; a full deal takes some 20 kB."""

DIFFERS = 1

FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE…", help="Record files; - is standard input.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


class Unreadable(Exception):
    """A file that cannot be read as a record; the text says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking one file gave: `differences` where it could be replayed, else the `error`."""

    file: str
    differences: list[Difference] = field(default_factory=list)
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the file is a record that the rules agree with."""
        return not self.differences and not self.error


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises `Unreadable`."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(file).open("rb") as source:
                data = source.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(f"{file}: {reason}") from error
    if len(data) > MAX_BYTES:
        size = f"{MAX_BYTES // 1024 // 1024} MB"
        raise Unreadable(by_locale(f"{file}: larger than any record ({size})", f"{file}：大于任何牌谱（{size}）"))
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        at = error.start + 1
        said = by_locale(f"{file}: not UTF-8 at byte {at}", f"{file}：第 {at} 字节不是 UTF-8")
        raise Unreadable(said) from error


def place_in(file: str, line: int) -> str:
    """Return `file:line`, or the file alone where no line can be named."""
    return f"{file}:{line}" if line else file


def load(file: str) -> tuple[str, Record]:
    """Return a record file's text and what it says. Raises `Unreadable`."""
    text = read_text(file)
    try:
        return text, read_record(text)
    except RecordError as error:
        raise Unreadable(f"{place_in(file, error.line)}: {said_in(error)}") from error
    except RecursionError as error:
        said = by_locale(f"{file}: nested deeper than any record", f"{file}：嵌套过深，不是牌谱")
        raise Unreadable(said) from error


def check_file(file: str) -> Verdict:
    """Replay one file against the rules."""
    try:
        _, record = load(file)
    except Unreadable as error:
        return Verdict(file, error=str(error))
    return check_record(file, record)


def check_record(file: str, record: Record) -> Verdict:
    """Replay what a file says against the rules."""
    try:
        return Verdict(file, differences_of(record))
    except RecordError as error:
        return Verdict(file, error=f"{place_in(file, error.line)}: {said_in(error)}")


def status_of(verdicts: Sequence[Verdict]) -> int:
    """Return the exit status: 2 if a file cannot be read as a record, else 1 if one differs, else 0."""
    if any(verdict.error for verdict in verdicts):
        return BAD_INPUT
    return 0 if all(verdict.ok for verdict in verdicts) else DIFFERS


def report(verdicts: Sequence[Verdict]) -> None:
    """Print verdicts for people: differences on stdout, what cannot be read on stderr, and a count."""
    for verdict in verdicts:
        if verdict.error:
            say_error(verdict.error)
        for difference in verdict.differences:
            print(plain(said_of(verdict.file, difference)))
    agree = sum(verdict.ok for verdict in verdicts)
    records = "record agrees" if len(verdicts) == 1 else "records agree"
    english = f"{agree} of {len(verdicts)} {records} with the rules"
    print(by_locale(english, f"{len(verdicts)} 份牌谱中 {agree} 份合乎规则"))


def said_in(fault: RecordError | Difference) -> str:
    """Return what is wrong with a record, in the user's language."""
    return by_locale(fault.text_en, fault.text_zh)


def said_of(file: str, difference: Difference) -> str:
    """Return where a record differs and how."""
    return f"{place_in(file, difference.line)}: {said_in(difference)}"


@app.callback()
def record() -> None:
    """Check, show and join record files."""


@app.command("check")
def check(files: FilesArgument, as_json: JsonOption = False) -> None:
    """Replay record files and say where they differ from the rules.

    The exit status is 0 if all agree, 1 if any differs, 2 if any cannot be read as a record.
    """
    verdicts = [check_file(file) for file in files]
    if as_json:
        print_json({"ok": all(verdict.ok for verdict in verdicts), "files": [as_data(verdict) for verdict in verdicts]})
    else:
        report(verdicts)
    raise typer.Exit(status_of(verdicts))


def as_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON data."""
    differences = [
        {
            "line": difference.line,
            "message": difference.text_en,
            "text": {"en": difference.text_en, "zh": difference.text_zh},
        }
        for difference in verdict.differences
    ]
    return {"file": verdict.file, "ok": verdict.ok, "error": verdict.error or None, "differences": differences}


@app.command("join")
def join(
    files: FilesArgument,
    deals: Annotated[
        int, typer.Option("--deals", min=0, max=1000, help="How many deals the match has; 0: as its rules say.")
    ] = 0,
) -> None:
    """Make one record of a match out of the records of its deals, given in order, and print it.

    A last deal that is not over is taken as far as it goes, and said to be so on stderr. The exit status is 1 for deals
    that make no match, 2 for a file that cannot be read as a record.
    """
    try:
        records = [load(file)[1] for file in files]
    except Unreadable as error:
        fail(str(error))
    try:
        joined = join_records(records, deals)
    except RecordError as error:
        reason = said_in(error)
        fail(by_locale(f"these deals make no match: {reason}", f"这些盘合不成一局：{reason}"), status=DIFFERS)
    sys.stdout.write(write_record(joined))
    if not replay(records[-1])[1].over:
        say_error(
            by_locale(
                f"the deal of {files[-1]} is not over: the match goes as far as it does, and its scores leave it out",
                f"{files[-1]} 这一盘没有打完：整局只记到这里，得分不含这一盘",
            )
        )


@app.command("show")
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A record file; - is standard input.")],
    as_json: JsonOption = False,
) -> None:
    """Tell a record trick by trick.

    A record that the rules disagree with is told up to there, and what differs is named on stderr. The exit status is
    that of `record check`: 0 where the rules agree with the record, 1 where they do not, and 2 for a file that cannot
    be read as a record.
    """
    try:
        text, found = load(file)
    except Unreadable as error:
        fail(str(error))
    tricks: list[ShownTrick] = []
    stopped: RecordError | None = None
    try:
        for trick in show_record(text):
            tricks.append(trick)  # noqa: PERF402 - what came before an error is shown too
    except RecordError as error:
        stopped = error
    verdict = check_record(file, found)
    if stopped is not None and verdict.ok:
        verdict = Verdict(file, error=f"{place_in(file, stopped.line)}: {said_in(stopped)}")
    if as_json:
        error_text = f"{place_in(file, stopped.line)}: {said_in(stopped)}" if stopped else None
        told = {"rules": found.rules.name, "tricks": [asdict(trick) for trick in tricks], "error": error_text}
        print_json(told | {"ok": verdict.ok, "differences": as_data(verdict)["differences"]})
    else:
        tell(out(), found, tricks)
    if verdict.error:
        say_error(verdict.error)
    for difference in verdict.differences:
        say_error(said_of(file, difference))
    raise typer.Exit(status_of([verdict]))


def tell(console: Console, found: Record, tricks: Sequence[ShownTrick]) -> None:
    """Print a record for people."""
    changed = dict(found.options) or found.rules.overrides()
    overrides = ", ".join(f"{name} = {format_option(value)}" for name, value in changed.items())
    rules = by_locale("rules ", "规则 ") + found.rules.name + (f" ({overrides})" if overrides else "")
    console.print(Text(rules, "bold"))
    for seat, hand in enumerate(found.hands):
        console.print(Text.assemble("  ", _seat(seat), "  ", cards_style(hand)), soft_wrap=True)
    number = -1
    for trick in tricks:
        # What a trick's end brought about, such as the melee, carries its number.
        _tell_trick(console, trick, heading=trick.number != number)
        number = trick.number


def _tell_trick(console: Console, trick: ShownTrick, *, heading: bool) -> None:
    if heading:
        console.print()
        heading_text = by_locale(f"trick {trick.number}", f"第 {trick.number} 轮")
        console.print(Text(heading_text if trick.number else by_locale("before the first lead", "首发之前"), "bold"))
    quiet: list[Text] = []
    for step in trick.steps:
        if step.play or step.what not in QUIET:
            _tell_quiet(console, quiet)
            console.print(Text("  ").append_text(_loud(step)), soft_wrap=True)
        else:
            quiet.append(Text.assemble(_seat(step.seat), f" {step_word(step.what)}"))
    _tell_quiet(console, quiet)
    if trick.next_leader >= 0:
        arrow = "->" if ascii_only() else "→"
        console.print(
            Text.assemble(f"  {arrow} ", _seat(trick.next_leader), by_locale(" leads", " 发牌")), soft_wrap=True
        )


QUIET = frozenset({"pass", "yield", "wind"})
"""Steps of which several stand on one line."""


def _tell_quiet(console: Console, quiet: list[Text]) -> None:
    if quiet:
        line = Text("  ").append_text(Text(by_locale(", ", "，")).join(quiet))
        line.stylize("dim")
        console.print(line, soft_wrap=True)
        quiet.clear()


def _loud(step: ShownStep) -> Text:
    what = step_word(step.what)
    parts = [_seat(step.seat), Text(f" {what}")] if step.seat >= 0 else [Text(what, "bold")]
    if step.play:
        parts += [Text(" "), cards_style(step.play)]
    if step.notes:
        notes = by_locale(", ", "，").join(map(note, step.notes))
        parts.append(Text(by_locale(f"  ({notes})", f"（{notes}）"), "dim"))
    return Text.assemble(*parts)


def _seat(seat: int) -> Text:
    return Text(by_locale(f"seat {seat}", f"{seat} 号"), TEAM_STYLES[seat % 2])

"""Writing a record's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.actions import format_action
from gouji_rules.cards import format_cards
from gouji_rules.records.model import FORMAT, Line, LineKind, Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_rules.deal import Deal
    from gouji_rules.rule_set import OptionValue


def record_of_deal(deal: Deal) -> Record:
    """A deal, finished or not, as a record: all answers, also those of burn windows and of a window still open.

    It tells hidden cards: before the deal is over it is for its owner's log alone.
    """
    lines = tuple(
        Line(LineKind.ACTION, answer.seat, f"{answer.seat} {said}", said=said)
        for answer in deal.answers
        for said in (format_action(answer.action),)
    )
    result = deal.result if deal.over else None
    return Record(
        rules=deal.rules,
        hands=() if deal.seed is not None else tuple(format_cards(held) for held in deal.dealt),
        lead=0 if deal.seed is not None else deal.lead,
        seed=deal.seed,
        obligations=deal.obligations,
        as_dealt=deal.starts_as_dealt,
        lines=lines,
        places=None if result is None else result.places,
        scores=None if result is None else result.scores,
    )


def write_record(record: Record) -> str:
    """The text of a record; :func:`~gouji_rules.records.read_record` reads it back."""
    parts = [f'format = "{FORMAT}"', f'rules = "{record.rules.name}"']
    overrides = record.rules.overrides()
    if overrides:
        parts += ["", "[options]", *(f"{name} = {_value(value)}" for name, value in overrides.items())]
    parts += ["", "[deal]"]
    if record.seed is not None:
        parts.append(f'seed = "{record.seed.hex()}"')
    else:
        parts += _list("hands", record.hands, one_a_line=True)
        parts.append(f"lead = {record.lead}")
        if record.as_dealt:
            parts.append("dealt = true")
    if record.obligations:
        parts += _list("obligations", map(str, record.obligations), one_a_line=False)
    parts += _list("actions", (line.text for line in record.lines), one_a_line=True)
    if record.places is not None or record.scores is not None:
        parts += ["", "[expect]"]
        if record.places is not None:
            parts.append(f"places = {list(record.places)}")
        if record.scores is not None:
            parts.append(f"scores = {list(record.scores)}")
    return "\n".join(parts) + "\n"


def _list(key: str, values: Iterable[str], *, one_a_line: bool) -> list[str]:
    quoted = [_quoted(value) for value in values]
    if one_a_line and quoted:
        return [f"{key} = [", *(f"  {value}," for value in quoted), "]"]
    return [f"{key} = [{', '.join(quoted)}]"]


def _quoted(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}" for char in escaped) + '"'


def _value(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return _quoted(value)

"""Writing a record's text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gouji_rules.actions import format_action
from gouji_rules.cards import SEATS, format_cards
from gouji_rules.records.model import FORMAT, Line, LineKind, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gouji_rules.deal import Deal
    from gouji_rules.fairness import Proof
    from gouji_rules.match import Match
    from gouji_rules.rule_set import OptionValue


def record_of_deal(deal: Deal) -> Record:
    """A deal, finished or not, as a record: all answers, also those of burn windows and of a window still open.

    It tells hidden cards: before the deal is over it is for its owner's log alone.
    """
    result = deal.result if deal.over else None
    return Record(
        rules=deal.rules,
        hands=() if deal.seed is not None else tuple(format_cards(held) for held in deal.dealt),
        lead=0 if deal.seed is not None else deal.lead,
        seed=deal.seed,
        obligations=deal.obligations,
        as_dealt=deal.starts_as_dealt,
        lines=tuple(_lines(deal)),
        places=None if result is None else result.places,
        scores=None if result is None else result.scores,
        owed=result.obligations if result is not None and deal.rules.tribute and not result.void else None,
    )


def _lines(deal: Deal) -> Iterator[Line]:
    """All answers, with what was felt (R82) between them."""
    felt = list(deal.feels)
    for at, answer in enumerate(deal.answers):
        while felt and felt[0][0] <= at:
            yield _felt(felt.pop(0)[1])
        said = format_action(answer.action)
        yield Line(LineKind.ACTION, answer.seat, f"{answer.seat} {said}", said=said)
    yield from (_felt(asker) for _, asker in felt)


def _felt(asker: int) -> Line:
    return Line(LineKind.ASIDE, asker, f"{asker} feel", said="feel")


def record_of_match(match: Match, deals: Sequence[Deal]) -> Record:
    """A match, finished or not, as a record of its deals in order, void ones and a running one included.

    It tells hidden cards while a deal runs: see :func:`record_of_deal`.
    """
    parts = [record_of_deal(deal) for deal in deals]
    if match.dissolved and parts:
        ending = tuple(Line(LineKind.DISSOLVE, seat, f"{seat} dissolve", said="dissolve") for seat in range(SEATS))
        parts[-1] = replace(parts[-1], lines=parts[-1].lines + ending)
    return Record(
        rules=match.rules,
        scores=match.scores,
        deals=tuple(parts),
        match_length=match.deals,
        lot=None if match.lot is None else match.lot.team,
        dissolved=match.dissolved,
    )


def write_record(record: Record) -> str:
    """The text of a record; :func:`~gouji_rules.records.read_record` reads it back."""
    parts = [f'format = "{FORMAT}"', f'rules = "{record.rules.name}"']
    if record.match_length:
        parts.append(f"deals = {record.match_length}")
    overrides = dict(record.options) if record.options else record.rules.overrides()
    if overrides:
        parts += ["", "[options]", *(f"{name} = {_value(value)}" for name, value in overrides.items())]
    if record.deals:
        for deal in record.deals:
            parts += ["", "[[deal]]", *_deal(deal), *_expected(deal, "deal.expect")]
    elif record.refused in ((), ("hands",)):
        parts += ["", "[deal]", *_deal(record)]
    return "\n".join(parts + _expected(record, "expect")) + "\n"


def _deal(record: Record) -> list[str]:
    parts: list[str] = []
    if record.seed is not None:
        parts.append(f'seed = "{record.seed.hex()}"')
        if record.proof is not None:
            parts += _proof(record.proof)
    else:
        parts += _list("hands", record.hands, one_a_line=True)
        parts.append(f"lead = {record.lead}")
        if record.as_dealt:
            parts.append("dealt = true")
    if record.obligations:
        parts += _list("obligations", map(str, record.obligations), one_a_line=False)
    return parts + _list("actions", (line.text for line in record.lines), one_a_line=True)


def _proof(proof: Proof) -> list[str]:
    """What the seed came of; seats' entropies as ``"SEAT HEX"``."""
    given = (f"{seat} {entropy.hex()}" for seat, entropy in proof.entropies)
    parts = [f'commitment = "{proof.commitment.hex()}"', f'secret = "{proof.secret.hex()}"']
    return parts + (_list("entropies", given, one_a_line=True) if proof.entropies else [])


def _expected(record: Record, table: str) -> list[str]:
    parts: list[str] = []
    if record.places is not None:
        parts.append(f"places = {list(record.places)}")
    if record.scores is not None:
        parts.append(f"scores = {list(record.scores)}")
    if record.owed is not None:
        parts += _list("owed", map(str, record.owed), one_a_line=False)
    if record.dealt is not None:
        parts += _list("hands", record.dealt, one_a_line=True)
    if record.first_drawer is not None:
        parts.append(f"first_drawer = {record.first_drawer}")
    if record.lot is not None:
        parts.append(f"lot = {record.lot}")
    if record.dissolved:
        parts.append("dissolved = true")
    if record.refused:
        parts += _list("refused", record.refused, one_a_line=False)
    return ["", f"[{table}]", *parts] if parts else []


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

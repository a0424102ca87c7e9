"""Records with every seat moved on: the same story told by somebody who sits elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import gouji_rules as gr

if TYPE_CHECKING:
    from gouji_rules.records import Record

_FIRST = re.compile(r"^(?:= )?(?:told )?([0-5])\b(?:>([0-5]))?(?! cards)")
_OTHERS = (re.compile(r"\bask ([0-5])"), re.compile(r"\bby ([0-5])"))
_LETS = re.compile(r"(?<= lets )[0-5,]+")


def can_turn(record: Record) -> bool:
    """Whether a record says who sits where itself: a seed, a lot and what is refused have seats of their own."""
    deals = record.deals or (record,)
    return not record.refused and record.lot is None and all(deal.seed is None for deal in deals)


def turned(record: Record, steps: int) -> Record:
    """The record with every seat moved on by so many steps, in its payers, receivers and results too."""
    if record.deals:
        deals = tuple(turned(deal, steps) for deal in record.deals)
        return replace(record, deals=deals, scores=_scores(record.scores, steps))
    places = record.places
    return replace(
        record,
        hands=tuple(record.hands[(seat - steps) % 6] for seat in range(6)),
        lead=(record.lead + steps) % 6,
        obligations=_debts(record.obligations, steps),
        lines=tuple(replace(line, text=turned_entry(line.text, steps)) for line in record.lines),
        places=None if places is None else tuple((seat + steps) % 6 for seat in places),
        scores=_scores(record.scores, steps),
        owed=None if record.owed is None else _debts(record.owed, steps),
    )


def turned_entry(text: str, steps: int) -> str:
    """An entry of ``actions`` with its seats moved on."""

    def on(digits: str) -> str:
        return re.sub(r"[0-5]", lambda seat: str((int(seat[0]) + steps) % 6), digits)

    def moved(found: re.Match[str]) -> str:
        whole, start = found[0], found.start()
        for group in range(1, (found.re.groups or 0) + 1):
            if found[group] is not None:
                at = found.start(group) - start
                whole = whole[:at] + on(found[group]) + whole[at + len(found[group]) :]
        return whole if found.re.groups else on(found[0])

    said = _LETS.sub(moved, _FIRST.sub(moved, text))
    for other in _OTHERS:
        said = other.sub(moved, said)
    return said


def _debts(owed: tuple[gr.Obligation, ...], steps: int) -> tuple[gr.Obligation, ...]:
    """Point tribute, incurred all at once, stands in the order of the payers' seats."""
    moved = [gr.Obligation((o.payer + steps) % 6, (o.receiver + steps) % 6, o.kind, o.count) for o in owed]
    points = iter(sorted((o for o in moved if o.kind == "point"), key=lambda o: o.payer))
    return tuple(next(points) if o.kind == "point" else o for o in moved)


def _scores(scores: tuple[int, ...] | None, steps: int) -> tuple[int, ...] | None:
    """By side, even seats first, or in individual play by seat."""
    if scores is None:
        return None
    sides = len(scores)
    return tuple(scores[(side - steps) % sides] for side in range(sides))

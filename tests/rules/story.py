"""Deals told by the lines of a record, for tests of one rule."""

from __future__ import annotations

import json
from typing import TypeVar

import gouji_rules as gr

E = TypeVar("E")


def told(rules: gr.RuleSet, hands: str, *story: str, lead: int = 0) -> tuple[gr.Deal, list[gr.Event]]:
    """A deal of six hands (`-` is an empty one) after a record's lines, which must all hold, and what happened."""
    cards = ["" if hand == "-" else hand for hand in hands.split()]
    options = "".join(f"{option} = {_toml(value)}\n" for option, value in rules.overrides().items())
    text = (
        f'format = "gouji-record/1"\nrules = "{rules.name}"\n[options]\n{options}[deal]\nhands = {json.dumps(cards)}\n'
        f"lead = {lead}\nactions = {json.dumps(story)}\n"
    )
    events: list[gr.Event] = []
    differences, deal = gr.replay(gr.read_record(text), lambda _line, happened: events.extend(happened))
    assert differences == [], "\n".join(difference.message for difference in differences)
    return deal, events


def _toml(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def of_kind(events: list[gr.Event], kind: type[E]) -> list[E]:
    """The events of one class, in order."""
    return [event for event in events if isinstance(event, kind)]

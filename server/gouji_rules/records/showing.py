"""A record told trick by trick, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.events import Played, TrickEnded
from gouji_rules.records.checking import differences_of, replay
from gouji_rules.records.model import RecordError
from gouji_rules.records.reading import read_record
from gouji_rules.records.telling import ShownStep, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_rules.events import Event
    from gouji_rules.records.model import Line, Record


@dataclass(frozen=True, slots=True)
class ShownTrick:
    """A trick: its number (0: what came before the first lead), what happened, who won it and who leads next."""

    number: int
    steps: tuple[ShownStep, ...]
    owner: int = -1
    next_leader: int = -1


def show_record(text: str) -> Iterator[ShownTrick]:
    """Tell a record trick by trick. Raises RecordError where it cannot be read or the rules refuse an answer."""
    record = read_record(text)
    if record.refused:
        yield _refusal(record)
        return
    deals: list[list[Event]] = [[]]

    def watch(_line: Line | None, happened: list[Event]) -> None:
        deals[-1].extend(happened)

    def begin(number: int) -> None:
        deals.append([])
        numbers.append(number)

    numbers: list[int] = [0]
    differences, _ = replay(record, watch, begin)
    for number, events in zip(numbers, deals, strict=True):
        if number:
            yield ShownTrick(0, (ShownStep(-1, f"deal {number}"),))
        yield from _tricks(events)
    for difference in differences:
        if difference.stops:
            raise RecordError(difference.line, difference.text_en, difference.text_zh)


def _refusal(record: Record) -> ShownTrick:
    """What a record of something that cannot be tells: the fields that are refused."""
    for difference in differences_of(record):
        raise RecordError(difference.line, difference.text_en, difference.text_zh)
    return ShownTrick(0, (ShownStep(-1, "refused", notes=record.refused),))


def _tricks(events: list[Event]) -> Iterator[ShownTrick]:
    steps: list[ShownStep] = []
    number = 0
    for event in events:
        if isinstance(event, Played) and event.trick != number:
            if steps:
                yield ShownTrick(number, tuple(steps))
                steps = []
            number = event.trick
        if isinstance(event, TrickEnded):
            yield ShownTrick(number, tuple(steps), event.owner, event.next_leader)
            steps = []
            continue
        step = step_of(event)
        if step is not None:
            steps.append(step)
    if steps:
        yield ShownTrick(number, tuple(steps))

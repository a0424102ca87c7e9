"""A record told trick by trick, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.cards import SUIT_NAMES, rank_of, suit_of
from gouji_rules.events import (
    BurnEnded,
    BurnSucceeded,
    Busted,
    CardsShown,
    DealEnded,
    DealVoided,
    Finished,
    HeadChosen,
    LeadFixed,
    MeleeBegan,
    Passed,
    Played,
    RevolutionSettled,
    TrickEnded,
    WindAsked,
    Yielded,
)
from gouji_rules.plays import format_play
from gouji_rules.records.checking import replay
from gouji_rules.records.model import RecordError
from gouji_rules.records.reading import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_rules.events import Event
    from gouji_rules.records.model import Line


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One thing that happened.

    ``seat`` -1 for none; ``what`` a word such as ``lead``, ``follow``, ``burn``, ``pass``, ``finished``; ``play`` in
    R-notation or empty; ``notes`` such as ``gouji``, ``dead``, ``last``, ``headless``, ``place 1``.
    """

    seat: int
    what: str
    play: str = ""
    notes: tuple[str, ...] = ()


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
    events: list[Event] = []

    def watch(_line: Line, happened: list[Event]) -> None:
        events.extend(happened)

    differences, _ = replay(record, watch)
    yield from _tricks(events)
    for difference in differences:
        if difference.stops:
            raise RecordError(difference.line, difference.message)


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
        step = _step(event)
        if step is not None:
            steps.append(step)
    if steps:
        yield ShownTrick(number, tuple(steps))


def _step(event: Event) -> ShownStep | None:
    """One event as a step; None for those that say nothing to a reader."""
    step = _step_of_play(event)
    if step is not None:
        return step
    match event:
        case CardsShown(seat, cards):
            suit = SUIT_NAMES[suit_of(cards[0])]
            return ShownStep(seat, "show", "3" * len(cards) if rank_of(cards[0]) == 0 else "", (suit,))
        case LeadFixed(seat, reason):
            return ShownStep(seat, "first lead", notes=(reason.name.lower(),))
        case RevolutionSettled(seats) if seats:
            return ShownStep(seats[0], "revolt", notes=tuple(f"seat {seat}" for seat in seats[1:]))
        case HeadChosen(seat, keep):
            return ShownStep(seat, "head keep" if keep else "head drop")
        case DealVoided():
            return ShownStep(-1, "void")
        case MeleeBegan():
            return ShownStep(-1, "melee")
        case DealEnded(places, scores, sweep):
            notes = (f"places {' '.join(map(str, places))}", f"scores {' '.join(map(str, scores))}")
            return ShownStep(-1, "deal over", notes=(*notes, "sweep") if sweep else notes)
    return None


def _step_of_play(event: Event) -> ShownStep | None:
    match event:
        case Played():
            flags = (("gouji", event.gouji), ("dead", event.dead), ("last", event.last), ("headless", event.headless))
            notes = tuple(name for name, holds in flags if holds)
            return ShownStep(event.seat, event.manner.name.lower(), format_play(event.play), notes)
        case Passed(seat):
            return ShownStep(seat, "pass")
        case Yielded(seat):
            return ShownStep(seat, "yield")
        case WindAsked(seat):
            return ShownStep(seat, "wind")
        case BurnEnded(seat, reason):
            return ShownStep(seat, "burn over", notes=(reason.name.lower().replace("_", " "),))
        case BurnSucceeded(seat, burned):
            return ShownStep(seat, "burn succeeded", notes=(f"burned seat {burned}",))
        case Busted(seat, place):
            return ShownStep(seat, "busted", notes=(f"place {place}",))
        case Finished(seat, place):
            return ShownStep(seat, "finished", notes=(f"place {place}",))
    return None

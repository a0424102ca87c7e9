"""Replaying a record against the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules.actions import DECLINE, NO, VERB_WORDS, Action, Verb, parse_action
from gouji_rules.cards import NotationError
from gouji_rules.deal import Deal
from gouji_rules.errors import RuleViolation
from gouji_rules.match import Match
from gouji_rules.question import Kind, verbs_in
from gouji_rules.records.model import Difference, Line, LineKind, Record, RecordError
from gouji_rules.records.reading import read_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_rules.events import Event
    from gouji_rules.obligations import Obligation

    Watch = Callable[[Line | None, list[Event]], None]
    Begin = Callable[[int], None]

# The questions asked of several seats together, and what is supplied for the silent ones.
_TOGETHER: dict[Kind, Action] = {
    Kind.WINDOW: DECLINE,
    Kind.REVOLT: NO,
    Kind.SHOW: NO,
    Kind.CALL: NO,
    Kind.WAIVE: NO,
    Kind.SWAP: NO,
}


def start_deal(record: Record, number: int = 1, obligations: tuple[Obligation, ...] | None = None) -> Deal:
    """The deal of a record before its first answer. Raises RecordError for hands that the pack does not hold.

    ``obligations`` are those of a match, instead of the record's own.
    """
    owed = record.obligations if obligations is None else obligations
    if record.seed is not None:
        return Deal.start(record.rules, record.seed, number=number, obligations=owed)
    try:
        return Deal.from_hands(record.rules, record.hands, record.lead, owed, number=number, as_dealt=record.as_dealt)
    except ValueError as error:
        raise RecordError(record.key_lines.get("hands", 0), str(error)) from error


def check_record(text: str) -> list[Difference]:
    """Replay a record; every difference between it and the rules. Empty: the record holds."""
    try:
        record = read_record(text)
        differences, _ = replay(record)
    except RecordError as error:
        return [Difference(error.line, error.message)]
    return differences


def replay(record: Record, watch: Watch | None = None, begin: Begin | None = None) -> tuple[list[Difference], Deal]:
    """Replay a record up to the first answer that the rules refuse; what differs, and the deal as it then is.

    ``watch`` is told what each answer, with those supplied before it, brought about. Of a match all deals are replayed
    one after the other; the deal returned is the last one replayed, and ``begin`` is told of each one's number.
    """
    if record.deals:
        return _replay_match(record, watch, begin)
    replayer = _Replay(start_deal(record), watch)
    replayer.run(record)
    return replayer.differences, replayer.deal


def _replay_match(record: Record, watch: Watch | None, begin: Begin | None) -> tuple[list[Difference], Deal]:
    match = Match(record.rules, record.match_length)
    found: list[Difference] = []
    parts = iter(record.deals)
    part = next(parts)
    while True:
        found += _differences_of_debts(part, match)
        replayer = _Replay(start_deal(part, match.deal_number, match.obligations), watch)
        if begin is not None:
            begin(match.deal_number)
        whole = replayer.run(part)
        found += replayer.differences
        if not whole:
            return found, replayer.deal
        if replayer.deal.over:
            match.finish(replayer.deal)
        following = next(parts, None)
        if following is None:
            return found + _differences_of_match(record, match), replayer.deal
        if match.over or not replayer.deal.over:
            message = "the match was over before this deal" if match.over else "the deal before is not over"
            found.append(Difference(following.key_lines.get("deal", 0), message, stops=True))
            return found, replayer.deal
        part = following


def _differences_of_debts(part: Record, match: Match) -> list[Difference]:
    """What a deal's record names as owed has to be what the deals before left."""
    if not part.obligations or part.obligations == match.obligations:
        return []
    owed = ", ".join(map(str, match.obligations)) or "nothing"
    return [Difference(part.key_lines.get("obligations", 0), f"the deals before leave {owed}")]


def _differences_of_match(record: Record, match: Match) -> list[Difference]:
    found: list[Difference] = []
    if record.scores is not None and record.scores != match.scores:
        message = f"scores of the match are {list(match.scores)}, the record expects {list(record.scores)}"
        found.append(Difference(record.key_lines.get("scores", 0), message))
    lot = None if match.lot is None else match.lot.team
    if record.lot is not None and record.lot != lot:
        message = f"the lot fell on {'nobody' if lot is None else lot}, the record expects {record.lot}"
        found.append(Difference(record.key_lines.get("lot", 0), message))
    return found


class _Replay:
    """A deal being replayed and what differed so far."""

    def __init__(self, deal: Deal, watch: Watch | None) -> None:
        self.deal = deal
        self.differences: list[Difference] = []
        self._watch = watch
        self._events: list[Event] = list(deal.start_events)

    def run(self, record: Record) -> bool:
        """Carry out all entries and compare the end. False if the replay could not go on."""
        for line in record.lines:
            if not self.take(line):
                return False
        if record.places is not None or record.scores is not None:
            self.expect(record)
        if self._watch is not None and self._events:
            self._watch(None, self._events)
            self._events = []
        return True

    def take(self, line: Line) -> bool:
        """Carry out one entry. False if the replay cannot go on."""
        try:
            if line.kind == LineKind.ACTION:
                self._act(line)
            elif line.kind == LineKind.REFUSED:
                self._refused(line)
            elif line.kind == LineKind.OPEN:
                self._open(line)
            elif line.kind == LineKind.NOT_ASKED:
                self._not_asked(line)
            else:
                self._leads(line)
        except _CannotGoOnError as stop:
            self._differ(line, str(stop), stops=True)
            return False
        if self._watch is not None:
            self._watch(line, self._events)
            self._events = []
        return True

    def expect(self, record: Record) -> None:
        """Compare the end with what the record expects of it."""
        lines = record.key_lines
        first = lines.get("scores" if record.places is None else "places", 0)
        try:
            self._supply(Kind.WINDOW)
        except _CannotGoOnError as stop:
            self.differences.append(Difference(first, str(stop)))
            return
        if not self.deal.over:
            self.differences.append(Difference(first, "the record expects a result, but the deal is not over"))
            return
        result = self.deal.result
        for key, expected, found in (
            ("places", record.places, result.places),
            ("scores", record.scores, result.scores),
        ):
            if expected is not None and expected != found:
                message = f"{key} are {list(found)}, the record expects {list(expected)}"
                self.differences.append(Difference(lines.get(key, 0), message))

    def _differ(self, line: Line, message: str, *, stops: bool = False) -> None:
        self.differences.append(Difference(line.line, f"“{line.text}”: {message}", stops))

    def _act(self, line: Line) -> None:
        self._supply_before(line)
        try:
            self._apply(line.seat, parse_action(line.said))
        except RuleViolation as refusal:
            raise _CannotGoOnError(f"refused by {refusal}") from refusal
        except NotationError as error:
            raise _CannotGoOnError(str(error)) from error

    def _refused(self, line: Line) -> None:
        self._supply_before(line)
        try:
            self.deal.verify(line.seat, parse_action(line.said))
        except RuleViolation as refusal:
            if line.rule and line.rule != refusal.rule:
                self._differ(line, f"refused by {refusal}, the record expects {line.rule}")
        except NotationError as error:
            raise _CannotGoOnError(str(error)) from error
        else:
            self._differ(line, "the rules allow it, the record expects a refusal")

    def _open(self, line: Line) -> None:
        while (kind := self.deal.public.kind) in _TOGETHER:
            # A no answers every such question: what else is named tells which one is meant.
            named = line.verbs & ~(1 << Verb.NO) or line.verbs
            about_it = kind == Kind.WINDOW or named & self.deal.public.verbs
            if about_it and self.deal.is_asked(line.seat):
                break
            self._supply(kind)
        if not self.deal.is_asked(line.seat):
            self._differ(line, f"seat {line.seat} is not asked; {self._asked()}")
            return
        verbs_open = self.deal.open_verbs(line.seat)
        if verbs_open != line.verbs:
            self._differ(line, f"open are {_words(verbs_open)}")

    def _not_asked(self, line: Line) -> None:
        if self.deal.is_asked(line.seat):
            self._differ(line, f"seat {line.seat} is asked: {_words(self.deal.open_verbs(line.seat))}")

    def _leads(self, line: Line) -> None:
        while self.deal.public.kind in _TOGETHER:
            self._supply(self.deal.public.kind)
        p = self.deal.public
        if p.kind != Kind.LEAD:
            self._differ(line, f"the trick is not over; {self._asked()}")
        elif p.turn != line.seat:
            self._differ(line, f"seat {p.turn} leads")

    def _supply_before(self, line: Line) -> None:
        """Supply what is missing before an action, unless it is itself an answer to the open common question."""
        verb = _verb_said(line.said)
        while (kind := self.deal.public.kind) in _TOGETHER:
            answers = verb is not None and self.deal.public.verbs >> verb & 1
            if answers and (self.deal.is_asked(line.seat) or kind != Kind.WINDOW):
                return
            self._supply(kind)

    def _supply(self, kind: Kind) -> None:
        """Answer for all seats that have not, if the open question is of this kind and asked of several."""
        p = self.deal.public
        if p.kind != kind:
            return
        verbs = p.verbs
        answer = _TOGETHER[kind]
        for seat in range(6):
            if p.kind == kind and p.verbs == verbs and self.deal.is_asked(seat):
                if not self.deal.can(seat, answer):
                    raise _CannotGoOnError(f"seat {seat} has no cards and does not revolt")
                self._apply(seat, answer)

    def _apply(self, seat: int, action: Action) -> None:
        self._events += self.deal.apply(seat, action)

    def _asked(self) -> str:
        question = self.deal.question
        if question is None:
            return "the deal is over"
        seats = ", ".join(str(seat) for seat in question.seat_list if self.deal.is_asked(seat))
        return f"asked to {question.kind.name.lower()}: seat {seats}"


def _verb_said(said: str) -> Verb | None:
    """The verb of an action in a record's words; None where there is none."""
    words = said.split()
    for count in (2, 1):
        verb = VERB_WORDS.get(" ".join(words[:count]))
        if verb is not None:
            return verb
    return None


class _CannotGoOnError(Exception):
    """The replay cannot go on, and why."""


def _words(verbs: int) -> str:
    return ",".join(verb.name.lower().replace("_", " ") for verb in verbs_in(verbs)) or "no verbs"

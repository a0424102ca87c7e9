"""Replaying a record against the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gouji_rules.actions import DECLINE, NO, VERB_WORDS, Action, Verb, parse_action
from gouji_rules.cards import NotationError, format_cards, parse_ranks
from gouji_rules.deal import Deal
from gouji_rules.errors import NotTold, RuleViolation, Wording
from gouji_rules.fairness import faults_of
from gouji_rules.match import Match
from gouji_rules.question import Kind, verbs_in
from gouji_rules.records.facts import wrong_fact
from gouji_rules.records.model import Difference, Line, LineKind, Record, RecordError, reason_of
from gouji_rules.records.reading import read_record
from gouji_rules.rule_set import RuleSetError
from gouji_rules.shuffle import first_drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gouji_rules.events import Event
    from gouji_rules.obligations import Obligation
    from gouji_rules.state import PublicState

    Watch = Callable[[Line | None, list[Event]], None]
    Begin = Callable[[int], None]
    Started = Callable[[Deal], None]

_ALLOWED = Wording("the rules allow it, the record expects a refusal", "规则允许，牌谱却写着不合规则")
_MATCH_WAS_OVER = Wording("the match was over before this deal", "这盘之前整局已经结束")
_DEAL_NOT_OVER = Wording("the deal before is not over", "前一盘还没有打完")
_NO_RESULT = Wording("the record expects a result, but the deal is not over", "牌谱写有结果，这盘却没有打完")
_DISSOLVED = Wording("the match was dissolved", "整局散了局")
_NOT_DISSOLVED = Wording("the match was not dissolved", "整局没有散局")

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
        raise RecordError(record.key_lines.get("hands", 0), *reason_of(error)) from error


def check_record(text: str) -> list[Difference]:
    """Replay a record; every difference between it and the rules. Empty: the record holds."""
    try:
        return differences_of(read_record(text))
    except RecordError as error:
        return [Difference(error.line, error.text_en, error.text_zh)]


def differences_of(record: Record) -> list[Difference]:
    """Every difference between a record and the rules. Raises RecordError for hands that the pack does not hold."""
    if record.refused:
        return _differences_of_refusal(record)
    differences, _ = replay(record)
    return differences


def _differences_of_refusal(record: Record) -> list[Difference]:
    """What has to be refused, and by these fields: hands, or options that contradict each other."""
    line = record.key_lines.get("refused", 0)
    try:
        if record.refused == ("hands",):
            start_deal(record)
        else:
            record.rules.replace(**dict(record.options))
    except RecordError:
        return []
    except RuleSetError as error:
        if set(error.fields) == set(record.refused):
            return []
        fields = error.fields
        return [
            Difference(
                line,
                f"refused are {', '.join(fields)}: {error.text_en}",
                f"不合规则的是 {'、'.join(fields)}：{error.text_zh}",
            )
        ]
    return [Difference(line, *_ALLOWED)]


def replay(
    record: Record,
    watch: Watch | None = None,
    begin: Begin | None = None,
    *,
    number: int = 1,
    started: Started | None = None,
) -> tuple[list[Difference], Deal]:
    """Replay a record up to the first answer that the rules refuse; what differs, and the deal as it then is.

    ``watch`` is told what each answer, with those supplied before it, brought about. Of a match all deals are replayed
    one after the other; the deal returned is the last one replayed, and ``begin`` is told of each one's number. The
    record of one deal has no number of its own: ``number`` is its place in a match. ``started`` is given each deal
    before its first answer: the very one that goes on, so who keeps it sees where it stands at every ``watch``.
    """
    if record.refused:
        raise RecordError(
            record.key_lines.get("refused", 0), "what is refused has nothing to replay", "不合规则的牌谱没有什么可重打"
        )
    if record.deals:
        return _replay_match(record, watch, begin, started)
    replayer = _Replay(start_deal(record, number), watch)
    if started is not None:
        started(replayer.deal)
    replayer.run(record)
    return replayer.differences, replayer.deal


def _replay_match(
    record: Record, watch: Watch | None, begin: Begin | None, started: Started | None
) -> tuple[list[Difference], Deal]:
    match = Match(record.rules, record.match_length)
    found: list[Difference] = []
    parts = iter(record.deals)
    part = next(parts)
    while True:
        found += _differences_of_debts(part, match)
        replayer = _Replay(start_deal(part, match.deal_number, match.obligations), watch, match)
        if begin is not None:
            begin(match.deal_number)
        if started is not None:
            started(replayer.deal)
        whole = replayer.run(part)
        found += replayer.differences
        if not whole:
            return found, replayer.deal
        replayer.count()
        following = next(parts, None)
        if following is None:
            return found + _differences_of_match(record, match), replayer.deal
        if match.over or not replayer.counted:
            why = _MATCH_WAS_OVER if match.over else _DEAL_NOT_OVER
            found.append(Difference(following.key_lines.get("deal", 0), *why, stops=True))
            return found, replayer.deal
        part = following


def _differences_of_debts(part: Record, match: Match) -> list[Difference]:
    """What a deal's record names as owed has to be what the deals before left."""
    if not part.obligations or part.obligations == match.obligations:
        return []
    owed = owed_words(match.obligations)
    line = part.key_lines.get("obligations", 0)
    return [Difference(line, f"the deals before leave {owed.en}", f"前面各盘留下的欠贡是：{owed.zh}")]


def owed_words(owed: Sequence[Obligation]) -> Wording:
    """What is owed, as a record writes it."""
    return Wording(", ".join(map(str, owed)) or "nothing", "、".join(map(str, owed)) or "无")


def _differences_of_match(record: Record, match: Match) -> list[Difference]:
    found: list[Difference] = []
    if record.scores is not None and record.scores != match.scores:
        is_so, expected = list(match.scores), list(record.scores)
        found.append(
            Difference(
                record.key_lines.get("scores", 0),
                f"scores of the match are {is_so}, the record expects {expected}",
                f"整局得分是 {is_so}，牌谱写的是 {expected}",
            )
        )
    lot = None if match.lot is None else match.lot.team
    if record.lot != lot and (record.lot is not None or record.scores is not None):
        said = Wording("nobody", "无人") if lot is None else Wording(str(lot), str(lot))
        wanted = Wording("none", "无") if record.lot is None else Wording(str(record.lot), str(record.lot))
        found.append(
            Difference(
                record.key_lines.get("lot", 0),
                f"the lot fell on {said.en}, the record expects {wanted.en}",
                f"抽签抽中的是 {said.zh}，牌谱写的是 {wanted.zh}",
            )
        )
    if match.dissolved != record.dissolved:
        why = _DISSOLVED if match.dissolved else _NOT_DISSOLVED
        found.append(Difference(record.key_lines.get("dissolved", 0), *why))
    return found


class _Replay:
    """A deal being replayed and what differed so far."""

    def __init__(self, deal: Deal, watch: Watch | None, match: Match | None = None) -> None:
        self.deal = deal
        self.differences: list[Difference] = []
        self.counted = False
        self._match = match
        self._watch = watch
        self._events: list[Event] = list(deal.start_events)
        self._last = list(deal.start_events)
        self._since = list(deal.start_events)

    def count(self) -> None:
        """Count the deal in its match once it is over."""
        if self._match is not None and self.deal.over and not self.counted and not self._match.over:
            self._match.finish(self.deal)
            self.counted = True

    def run(self, record: Record) -> bool:
        """Carry out all entries and compare the end. False if the replay could not go on."""
        self.expect_of_seed(record)
        for line in record.lines:
            if not self.take(line):
                return False
        if record.places is not None or record.scores is not None or record.owed is not None:
            self.expect(record)
        if self._watch is not None and self._events:
            self._watch(None, self._events)
            self._events = []
        return True

    def take(self, line: Line) -> bool:
        """Carry out one entry. False if the replay cannot go on."""
        try:
            self._TAKE[line.kind](self, line)
        except _CannotGoOnError as stop:
            self._differ(line, stop.why, stops=True)
            return False
        if self._watch is not None:
            self._watch(line, self._events)
            self._events = []
        return True

    def expect(self, record: Record) -> None:
        """Compare the end with what the record expects of it."""
        lines = record.key_lines
        first = next(lines.get(key, 0) for key in ("places", "scores", "owed") if getattr(record, key) is not None)
        try:
            self._supply(Kind.WINDOW)
        except _CannotGoOnError as stop:
            self.differences.append(Difference(first, *stop.why))
            return
        if not self.deal.over:
            self.differences.append(Difference(first, *_NO_RESULT))
            return
        result = self.deal.result
        for key, chinese, expected, found in (
            ("places", "名次", record.places, result.places),
            ("scores", "得分", record.scores, result.scores),
        ):
            if expected is not None and expected != found:
                self.differences.append(
                    Difference(
                        lines.get(key, 0),
                        f"{key} are {list(found)}, the record expects {list(expected)}",
                        f"{chinese}是 {list(found)}，牌谱写的是 {list(expected)}",
                    )
                )
        if record.owed is not None and record.owed != result.obligations:
            owed = owed_words(result.obligations)
            line = lines.get("owed", 0)
            self.differences.append(Difference(line, f"the deal leaves {owed.en}", f"这盘留下的欠贡是：{owed.zh}"))

    def expect_of_seed(self, record: Record) -> None:
        """Compare what a seed gave, and came of, with what the record says of it (R3, R84)."""
        lines = record.key_lines
        if record.proof is not None:
            line = lines.get("commitment", 0)
            self.differences += (Difference(line, *fault) for fault in faults_of(record.proof, record.seed))
        hands = tuple(map(format_cards, self.deal.dealt))
        if record.dealt is not None and list(map(parse_ranks, record.dealt)) != list(map(parse_ranks, hands)):
            line, dealt = lines.get("hands", 0), ", ".join(hands)
            self.differences.append(Difference(line, f"the seed deals {dealt}", f"seed 发出的是 {dealt}"))
        if record.first_drawer is not None and self.deal.seed is not None:
            seat = first_drawer(self.deal.seed)
            if seat != record.first_drawer:
                line = lines.get("first_drawer", 0)
                self.differences.append(Difference(line, f"seat {seat} draws first", f"首先摸牌的是 {seat} 号"))

    def _differ(self, line: Line, why: Wording, *, stops: bool = False) -> None:
        self.differences.append(
            Difference(line.line, f"“{line.text}”: {why.en}", f"“{line.text}”：{why.zh}", stops=stops)
        )

    def _act(self, line: Line) -> None:
        if self._match is not None and self._match.dissolved:
            raise _CannotGoOnError(Wording("the match was dissolved before this", "在此之前已经散局"))
        self._since = []
        self._supply_before(line)
        try:
            self._apply(line.seat, parse_action(line.said))
        except RuleViolation as refusal:
            raise _CannotGoOnError(_refused_by(refusal)) from refusal
        except NotationError as error:
            raise _CannotGoOnError(reason_of(error)) from error

    def _refused(self, line: Line) -> None:
        self._supply_before(line)
        try:
            self.deal.verify(line.seat, parse_action(line.said))
        except RuleViolation as refusal:
            if line.rule and line.rule != refusal.rule:
                self._differ(line, _refused_by(refusal, line.rule))
        except NotationError as error:
            raise _CannotGoOnError(reason_of(error)) from error
        else:
            self._differ(line, _ALLOWED)

    def _open(self, line: Line) -> None:
        while (kind := self.deal.public.kind) in _TOGETHER:
            # A no answers every such question: what else is named tells which one is meant.
            named = line.verbs & ~(1 << Verb.NO) or line.verbs
            about_it = kind == Kind.WINDOW or named & self.deal.public.verbs
            if about_it and self.deal.is_asked(line.seat):
                break
            self._supply(kind)
        if not self.deal.is_asked(line.seat):
            asked = self._asked()
            self._differ(
                line, Wording(f"seat {line.seat} is not asked; {asked.en}", f"没有轮到 {line.seat} 号；{asked.zh}")
            )
            return
        verbs_open = self.deal.open_verbs(line.seat)
        if verbs_open != line.verbs:
            words = _words(verbs_open)
            self._differ(line, Wording(f"open are {words}", f"可以的是 {words}"))

    def _not_asked(self, line: Line) -> None:
        if self.deal.is_asked(line.seat):
            words = _words(self.deal.open_verbs(line.seat))
            self._differ(line, Wording(f"seat {line.seat} is asked: {words}", f"正轮到 {line.seat} 号：{words}"))

    def _leads(self, line: Line) -> None:
        while self.deal.public.kind in _TOGETHER:
            self._supply(self.deal.public.kind)
        p = self.deal.public
        if p.kind != Kind.LEAD:
            asked = self._asked()
            self._differ(line, Wording(f"the trick is not over; {asked.en}", f"这一轮还没有完；{asked.zh}"))
        elif p.turn != line.seat:
            self._differ(line, Wording(f"seat {p.turn} leads", f"发牌的是 {p.turn} 号"))

    def _fact(self, line: Line) -> None:
        """A fact is about now: nothing is supplied before it."""
        wrong = wrong_fact(self.deal, line.said, self._last, self._since)
        if wrong is not None:
            self._differ(line, wrong)

    def _aside(self, line: Line) -> None:
        """Asked out of turn: what is told changes nothing but how often one has felt (R80, R82)."""
        try:
            told = self._ask_aside(line)
        except NotTold as refusal:
            if line.kind == LineKind.ASIDE:
                raise _CannotGoOnError(_refused_by(refusal)) from refusal
            if line.rule and line.rule != refusal.rule:
                self._differ(line, _refused_by(refusal, line.rule))
            return
        if line.kind == LineKind.ASIDE_REFUSED:
            raise _CannotGoOnError(_ALLOWED)
        if line.told not in ("", told):
            self._differ(line, Wording(f"told is {told}", f"答的是 {told}"))

    def _ask_aside(self, line: Line) -> str:
        event: Event
        if line.said == "feel":
            event, (least, most) = self.deal.feel(line.seat)
            told = f"{least}-{most}"
        else:
            event = self.deal.ask_count(line.seat, int(line.said.split()[1]))
            told = "more" if event.count < 0 else str(event.count)
        self._events.append(event)
        self._since = [event]
        return told

    def _dissolve(self, line: Line) -> None:
        """A seat agrees to end the match, or does not (R17)."""
        match = self._match
        if match is None:
            raise _CannotGoOnError(
                Wording("only a match can be dissolved: write [[deal]]", "只有整局能散局：请写 [[deal]]")
            )
        self.count()
        if match.over:
            raise _CannotGoOnError(Wording("the match is over", "整局已经结束"))
        if line.said == "object":
            match.object_to_dissolving(line.seat)
            return
        ended = match.agree_to_dissolve(line.seat)
        if ended is not None:
            self._events.append(ended)
            self._since = [ended]

    _TAKE: ClassVar[dict[LineKind, Callable[[_Replay, Line], None]]] = {
        LineKind.ACTION: _act,
        LineKind.REFUSED: _refused,
        LineKind.OPEN: _open,
        LineKind.NOT_ASKED: _not_asked,
        LineKind.LEADS: _leads,
        LineKind.FACT: _fact,
        LineKind.ASIDE: _aside,
        LineKind.ASIDE_REFUSED: _aside,
        LineKind.DISSOLVE: _dissolve,
    }

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
        question = _question(p)
        answer = _TOGETHER[kind]
        for seat in range(6):
            if _question(p) == question and self.deal.is_asked(seat):
                if not self.deal.can(seat, answer):
                    raise _CannotGoOnError(
                        Wording(f"seat {seat} has no cards and does not revolt", f"{seat} 号没有牌，却不革命")
                    )
                self._apply(seat, answer)

    def _apply(self, seat: int, action: Action) -> None:
        happened = self.deal.apply(seat, action)
        self._last = happened
        self._since += happened
        self._events += happened

    def _asked(self) -> Wording:
        question = self.deal.question
        if question is None:
            return Wording("the deal is over", "这盘已经结束")
        seats = [str(seat) for seat in question.seat_list if self.deal.is_asked(seat)]
        kind = question.kind.name.lower()
        return Wording(f"asked to {kind}: seat {', '.join(seats)}", f"正问 {'、'.join(seats)} 号：{kind}")


def _question(p: PublicState) -> tuple[object, ...]:
    """What tells one common question from the next: another window, waiver or call."""
    return p.kind, p.verbs, p.asked, p.due, len(p.history)


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

    def __init__(self, why: Wording) -> None:
        super().__init__(why.en)
        self.why = why


def _refused_by(refusal: RuleViolation, expected: str = "") -> Wording:
    """By what an answer was refused, and by what the record expects it to be."""
    reason = reason_of(refusal)
    if not expected:
        return Wording(f"refused by {reason.en}", f"不合 {reason.zh}")
    return Wording(f"refused by {reason.en}, the record expects {expected}", f"不合 {reason.zh}，牌谱写的是 {expected}")


def _words(verbs: int) -> str:
    return ",".join(verb.name.lower().replace("_", " ") for verb in verbs_in(verbs)) or "no verbs"

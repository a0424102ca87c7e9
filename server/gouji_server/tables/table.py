"""The state of one table: a fold over its inputs, and nothing else.

The same code runs live and in recovery. :meth:`TableState.apply` makes an input happen and returns what came of it;
what cannot happen is refused before anything changed. Nothing here waits, reads a clock or draws a random number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_rules.option_values import settings_of
from gouji_server.tables import happenings, inputs
from gouji_server.tables.convert import SEATS_IN
from gouji_server.tables.moves import action_of
from gouji_server.tables.requests import Answer, RequestMemory, body_hash, created_body
from gouji_server.tables.seats import SEATS, Seats
from gouji_server.tables.steps import DealFacts

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.limits import Limits
    from gouji_server.tables.requests import Key
    from gouji_server.tables.seats import Player

ASKED_TOGETHER = sum(
    1 << kind for kind in (gr.Kind.WINDOW, gr.Kind.REVOLT, gr.Kind.SHOW, gr.Kind.CALL, gr.Kind.WAIVE, gr.Kind.SWAP)
)
"""Mask of the questions whose answers stay hidden until all are in (R5, R32, R42, R50, R73); a call is told at once."""

_NOTHING_ASKED: tuple[object, ...] = ()

WAITING = lobby_pb2.TABLE_STATE_WAITING
PLAYING = lobby_pb2.TABLE_STATE_PLAYING
FINISHED = lobby_pb2.TABLE_STATE_FINISHED
FROZEN = lobby_pb2.TABLE_STATE_FROZEN

SUBMIT_ACTION = "SubmitAction"
JOIN_TABLE = "JoinTable"
LEAVE_TABLE = "LeaveTable"
SET_READY = "SetReady"
ADD_BOT = "AddBot"
CHOOSE_OPPOSITE = "ChooseOpposite"
ASK_COUNT = "AskCount"
FEEL = "Feel"
VOTE_DISSOLUTION = "VoteDissolution"


class Effect:
    """What came of one input.

    ``happened`` public events in order; ``by_clock`` the clock acted for the first one's seat; ``of_deal`` the deal's
    state belongs to it; ``new_deal`` another deal began; ``info_changed`` the lobby facts did; ``touched`` mask of the
    seats to which something is said alone; ``time`` in milliseconds.
    """

    __slots__ = ("by_clock", "happened", "info_changed", "new_deal", "of_deal", "time", "touched")

    def __init__(self, time: int) -> None:
        self.time = time
        self.happened: list[object] = []
        self.by_clock = False
        self.of_deal = False
        self.new_deal = False
        self.info_changed = False
        self.touched = 0


class TableState:
    """One table.

    ``n`` counts its public events, ``p`` what was said to each seat alone; ``decision`` is the `n` at which the open
    question was asked (0: none is) and ``deadline`` when it lapses (milliseconds, 0: never). ``answered`` is the mask
    of the seats whose hidden answer is in. ``made`` is what the maker of the table was answered. ``said`` counts what
    each seat said in this deal besides its answers, ``changes`` what each account did before the match.
    """

    __slots__ = (
        "_asked",
        "_cards",
        "_felt",
        "_info",
        "answered",
        "changes",
        "changes_in_all",
        "create_time",
        "deadline",
        "deal",
        "decision",
        "decision_ms",
        "epoch",
        "facts",
        "limits",
        "made",
        "match",
        "n",
        "name",
        "owner",
        "p",
        "requests",
        "rule_set",
        "rules",
        "said",
        "seats",
        "secret",
        "spectators",
        "state",
        "time",
        "title",
        "total_deals",
    )

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.requests = RequestMemory(limits.lobby_requests)
        self.limits = limits
        self.said = [0] * SEATS
        self.changes: dict[str, int] = {}
        self.changes_in_all = 0
        self.seats = Seats()
        self.state: lobby_pb2.TableState.ValueType = lobby_pb2.TABLE_STATE_UNSPECIFIED
        self.n = 0
        self.p = [0] * SEATS
        self.decision = 0
        self.deadline = 0
        self.answered = 0
        self.match: gr.Match | None = None
        self.deal: gr.Deal | None = None
        self.facts: DealFacts | None = None
        self.secret = b""
        self.time = 0
        self._cards: list[bytes] = [b""] * SEATS
        self._felt: list[tuple[tuple[int, int], ...]] = [()] * SEATS
        self._asked: tuple[object, ...] = _NOTHING_ASKED
        self._info: lobby_pb2.Table | None = None

    # ── reading ──

    @property
    def closed(self) -> bool:
        """Whether no event follows."""
        return self.state in (FINISHED, FROZEN)

    @property
    def wants_deal(self) -> bool:
        """Whether the next deal is to begin."""
        return self.state == PLAYING and (self.deal is None or self.deal.over)

    @property
    def wants_seats(self) -> bool:
        """Whether the seats are to be drawn now, and the match to begin (R9)."""
        return self.state == WAITING and self.rules.seating == "draw" and self.seats.all_ready

    @property
    def waiting_for(self) -> int:
        """Mask of the seats asked now that have not answered."""
        return 0 if self.deal is None else self.deal.public.asked & ~self.answered

    def hand(self, seat: int) -> bytes:
        """Return a seat's real cards, ascending."""
        return self._cards[seat]

    def felt(self, seat: int) -> tuple[tuple[int, int], ...]:
        """Return what a seat felt of its opposite's hand in this deal: each time the least and the most cards (R82)."""
        return self._felt[seat]

    def info(self) -> lobby_pb2.Table:
        """Return the lobby facts; shared, so not to be changed."""
        if self._info is None:
            self._info = self._make_info()
        return self._info

    def _make_info(self) -> lobby_pb2.Table:
        info = lobby_pb2.Table(
            name=self.name,
            title=self.title,
            rule_set=f"ruleSets/{self.rule_set}",
            deals=self.total_deals,
            state=self.state,
            owner=self.owner,
            players=[player.to_proto() for player in self.seats.players],
            spectators_allowed=self.spectators,
        )
        for field, value in settings_of(self.rules):
            info.options.add(field=field, value=value)
        info.create_time.FromMilliseconds(self.create_time)
        if self.decision_ms:
            info.decision_time.FromMilliseconds(self.decision_ms)
        return info

    # ── folding ──

    def apply(self, entry: inputs.Input) -> Effect:
        """Make an input happen. Raises gouji_rules.RuleViolation for a move that the rules refuse: nothing changed."""
        effect = Effect(entry.time)
        self._APPLY[type(entry)](self, entry, effect)
        self.time = entry.time
        if effect.touched:
            for seat in SEATS_IN[effect.touched]:
                self.p[seat] += 1
        return effect

    def _created(self, entry: inputs.Created, effect: Effect) -> None:
        self.epoch = entry.epoch
        self.rule_set = entry.rules
        self.rules = gr.preset(entry.rules).replace(**entry.options)
        self.title = entry.title
        self.total_deals = entry.deals
        self.decision_ms = entry.decision_ms
        self.spectators = entry.spectators
        self.owner = entry.owner
        self.create_time = entry.time
        self.state = WAITING
        effect.info_changed = True
        if entry.seat >= 0:
            self._tell(
                effect,
                happenings.SeatChanged(self.seats.sit(entry.seat, entry.owner, entry.owner_name, entry.owner_bot)),
            )
        self.made = Answer(created_body(entry), seat=entry.seat, table=self.info().SerializeToString())

    def _joined(self, entry: inputs.Joined, effect: Effect) -> None:
        self._count_change(entry.account)
        self._seats_changed(effect, self.seats.sit(entry.seat, entry.account, entry.name, entry.bot))
        self._keep_lobby((entry.account, JOIN_TABLE, entry.request_id), body_hash(entry.wanted), entry.seat)

    def _left(self, entry: inputs.Left, effect: Effect) -> None:
        self._seats_changed(effect, *self.seats.rise(entry.account))
        if not self.seats.people:
            self._close(effect, events_pb2.CLOSE_REASON_EMPTY)
        self._keep_lobby((entry.account, LEAVE_TABLE, entry.request_id), body_hash(), -1)

    def _ready_set(self, entry: inputs.ReadySet, effect: Effect) -> None:
        self._count_change(entry.account)
        self._seats_changed(effect, self.seats.set_ready(entry.account, entry.ready))
        self._start_if_ready(effect)
        self._keep_lobby((entry.account, SET_READY, entry.request_id), body_hash(entry.ready), -1)

    def _bot_added(self, entry: inputs.BotAdded, effect: Effect) -> None:
        self._seats_changed(effect, self.seats.add_bot(entry.seat, entry.policy))
        self._start_if_ready(effect)
        body = body_hash(entry.policy, entry.wanted)
        self._keep_lobby((entry.account, ADD_BOT, entry.request_id), body, entry.seat)

    def _opposite_chosen(self, entry: inputs.OppositeChosen, effect: Effect) -> None:
        self._count_change(entry.account)
        seat = self.seats.choose(self.seats.seat_of(entry.account), entry.wanted)
        self._seats_moved(effect, seat)
        self._keep_lobby((entry.account, CHOOSE_OPPOSITE, entry.request_id), body_hash(entry.wanted), seat)

    def _unchanged(self, entry: inputs.Unchanged, effect: Effect) -> None:
        seat = self.seats.seat_of(entry.account)
        key = (entry.account, entry.method, entry.request_id)
        body = bytes.fromhex(entry.body)
        if entry.method == VOTE_DISSOLUTION:
            self._keep_said(seat, key, body)
            return
        if self.state == WAITING:
            self._count_change(entry.account)
        else:
            self.said[seat] += 1
        self._keep_lobby(key, body, seat)

    def _count_change(self, account: str) -> None:
        self.changes[account] = self.changes.get(account, 0) + 1
        self.changes_in_all += 1

    def _seats_drawn(self, entry: inputs.SeatsDrawn, effect: Effect) -> None:
        if not self.wants_seats:
            raise inputs.BadEntry("seats are drawn where they are not to be")
        self.seats.move(entry.order)
        self._seats_moved(effect)
        self._start(effect)

    def _seats_changed(self, effect: Effect, *players: Player) -> None:
        self._info = None
        effect.info_changed = True
        self._tell(effect, *map(happenings.SeatChanged, players))

    def _seats_moved(self, effect: Effect, chooser: int = -1) -> None:
        # Nobody was told anything alone yet, so every seat's private numbers stand at 0 and a reader's place is good in
        # whatever seat it comes to.
        self._info = None
        effect.info_changed = True
        self._tell(effect, happenings.SeatsMoved(tuple(self.seats.players), chooser))

    def _start_if_ready(self, effect: Effect) -> None:
        if self.seats.all_ready and self.rules.seating != "draw":
            self._start(effect)

    def _start(self, effect: Effect) -> None:
        self.state = PLAYING
        self.changes = {}
        self.match = gr.Match(self.rules, self.total_deals)
        self._tell(effect, happenings.MatchStarted(self.total_deals))

    def _deal_starting(self, entry: inputs.DealStarting, effect: Effect) -> None:
        match = self.match
        if match is None or not self.wants_deal:
            raise inputs.BadEntry("a deal begins where none is due")
        self.secret = bytes.fromhex(entry.secret)
        self.deal = match.start_deal(gr.deal_seed(self.secret))
        commitment = gr.commitment(self.secret)
        self.requests.next_deal()
        self.said = [0] * SEATS
        self._felt = [()] * SEATS
        self._tell(effect, happenings.DealStarted(match.deal_number, commitment), *self.deal.start_events)
        self.facts = DealFacts(self.deal.public, match.deal_number, tuple(match.scores), commitment)
        effect.new_deal = True
        effect.touched = (1 << SEATS) - 1
        self._after_deal_input(effect)

    def _moved(self, entry: inputs.Moved, effect: Effect) -> None:
        deal = self._running()
        seat = entry.seat
        effect.happened = happened = deal.apply(seat, action_of(entry), entry.cards or None)  # type: ignore[assignment]
        self.n += len(happened)
        self._after_deal_input(effect)
        if entry.request_id:
            key = (self.seats.players[seat].account, SUBMIT_ACTION, entry.request_id)
            self.requests.keep_move(key, Answer(entry.body, self.n))

    def _lapsed(self, entry: inputs.Lapsed, effect: Effect) -> None:
        deal = self._running()
        effect.by_clock = not ASKED_TOGETHER >> deal.public.kind & 1
        cards = bytes.fromhex(entry.cards) or None
        for seat in SEATS_IN[self.waiting_for]:
            self._tell(effect, *deal.apply(seat, deal.default_action(seat), cards))
        self._after_deal_input(effect)

    def _count_asked(self, entry: inputs.CountAsked, effect: Effect) -> None:
        said = self._running().ask_count(entry.seat, entry.of)
        self._tell(effect, said)
        effect.of_deal = True
        # What all heard is kept, not the hand: asked again later, the same id gets what was told and not what is held.
        told = said.count if said.count >= 0 else None
        self._keep_said(entry.seat, (entry.account, ASK_COUNT, entry.request_id), body_hash(entry.of), told)

    def _hand_felt(self, entry: inputs.HandFelt, effect: Effect) -> None:
        seat = entry.seat
        said, felt = self._running().feel(seat)
        self._tell(effect, said)
        effect.of_deal = True
        effect.touched |= 1 << seat
        self._felt[seat] = (*self._felt[seat], felt)
        self.requests.keep_move((entry.account, FEEL, entry.request_id), Answer(body_hash(), self.n, felt=felt))

    def vote_changes(self, seat: int, *, agrees: bool) -> bool:
        """Whether a vote for ending the match, or against it, changes anything (R17)."""
        agreed = self.match.agreed if self.match is not None else 0
        return not agreed >> seat & 1 if agrees else bool(agreed)

    def _dissolution_voted(self, entry: inputs.DissolutionVoted, effect: Effect) -> None:
        match, facts, deal = self.match, self.facts, self.deal
        if match is None or facts is None or deal is None or self.state != PLAYING:
            raise inputs.BadEntry("a vote where no match is being played")
        self._tell(effect, happenings.DissolutionVoted(entry.seat, entry.agrees))
        effect.of_deal = True
        dissolved = None
        if entry.agrees:
            for seat in (*SEATS_IN[self.seats.bots], entry.seat):  # built-in bots go with the people
                dissolved = match.agree_to_dissolve(seat)
        else:
            match.object_to_dissolving(entry.seat)
        facts.for_ending = match.agreed & ~self.seats.bots
        if dissolved is not None:
            self.decision = self.deadline = facts.decision = facts.deadline_ms = 0
            ended = happenings.MatchEnded(tuple(match.scores), events_pb2.MATCH_END_REASON_DISSOLVED)
            cut_off = [] if deal.over else [happenings.DealRevealed(facts.number, deal, self.secret)]
            self._tell(effect, dissolved, *cut_off, ended)
            self._close(effect, events_pb2.CLOSE_REASON_MATCH_OVER)
        self._keep_said(entry.seat, (entry.account, VOTE_DISSOLUTION, entry.request_id), body_hash(entry.agrees))

    def _abandoned(self, entry: inputs.Abandoned, effect: Effect) -> None:
        self._close(effect, events_pb2.CLOSE_REASON_EMPTY)

    def _frozen(self, entry: inputs.Frozen, effect: Effect) -> None:
        self.freeze(effect)

    def freeze(self, effect: Effect) -> None:
        """Stop the table for good."""
        self.deadline = 0
        self._close(effect, events_pb2.CLOSE_REASON_FROZEN)
        self.state = FROZEN

    # ── parts of a step ──

    def _running(self) -> gr.Deal:
        if self.deal is None or not self.decision:
            raise inputs.BadEntry("a move where no deal is running")
        return self.deal

    def _tell(self, effect: Effect, *happened: object) -> None:
        effect.happened.extend(happened)
        self.n += len(happened)

    def _keep_said(self, seat: int, key: Key, body: bytes, told: int | None = None) -> None:
        self.said[seat] += 1
        self.requests.keep_move(key, Answer(body, self.n, told=told))

    def _keep_lobby(self, key: Key, body: bytes, seat: int) -> None:
        self.requests.keep_lobby(key, Answer(body, seat=seat, table=self.info().SerializeToString()))

    def _close(self, effect: Effect, reason: events_pb2.CloseReason.ValueType) -> None:
        self.state = FINISHED
        self._info = None
        effect.info_changed = True
        self._tell(effect, happenings.TableClosed(reason))

    def _after_deal_input(self, effect: Effect) -> None:
        """Settle what follows from the deal's new state: its end, the question, and to whom something was said."""
        deal, facts = self.deal, self.facts
        if deal is None or facts is None:
            raise inputs.BadEntry("no deal")
        public = deal.public
        asked = (public.kind, public.asked, public.verbs, public.due, public.barred)
        if asked != self._asked and not effect.happened:
            self._tell(effect, happenings.QuestionOpened())
        if effect.happened:
            effect.of_deal = True
            if asked == self._asked and public.kind == gr.Kind.CALL:
                pass  # a call was told: the others are asked as before (R42)
            elif public.asked:
                self.decision = self.n
                self.deadline = effect.time + self.decision_ms if self.decision_ms else 0
            else:
                self._deal_over(effect, deal)
                self.decision = self.deadline = 0
            self._asked = asked if self.decision else _NOTHING_ASKED
            facts.decision, facts.deadline_ms = self.decision, self.deadline
        position = deal.position
        if ASKED_TOGETHER >> public.kind & 1:
            answered = public.asked & ~position.waiting
            effect.touched |= answered ^ self.answered
            self.answered = answered
        elif self.answered:
            effect.touched |= self.answered
            self.answered = 0
        cards = position.cards
        if cards is not None and cards != self._cards:
            for seat in range(SEATS):
                if cards[seat] != self._cards[seat]:
                    effect.touched |= 1 << seat
            self._cards = cards[:]

    def _deal_over(self, effect: Effect, deal: gr.Deal) -> None:
        match, facts = self.match, self.facts
        if match is None or facts is None:
            raise inputs.BadEntry("a deal without a match")
        number = match.deal_number
        step = match.finish(deal)
        facts.scores = tuple(match.scores)
        self._tell(effect, happenings.DealRevealed(facts.number, deal, self.secret))
        if step.over:
            if step.lot is not None:
                self._tell(effect, step.lot)
            played = match.deals and number >= match.deals
            reason = events_pb2.MATCH_END_REASON_DEALS if played else events_pb2.MATCH_END_REASON_SWEEP
            self._tell(effect, happenings.MatchEnded(tuple(match.scores), reason))
            self._close(effect, events_pb2.CLOSE_REASON_MATCH_OVER)

    _APPLY: ClassVar[dict[type[Any], Callable[[TableState, Any, Effect], None]]] = {
        inputs.Created: _created,
        inputs.Joined: _joined,
        inputs.Left: _left,
        inputs.ReadySet: _ready_set,
        inputs.BotAdded: _bot_added,
        inputs.OppositeChosen: _opposite_chosen,
        inputs.SeatsDrawn: _seats_drawn,
        inputs.DealStarting: _deal_starting,
        inputs.Moved: _moved,
        inputs.Lapsed: _lapsed,
        inputs.CountAsked: _count_asked,
        inputs.HandFelt: _hand_felt,
        inputs.DissolutionVoted: _dissolution_voted,
        inputs.Unchanged: _unchanged,
        inputs.Abandoned: _abandoned,
        inputs.Frozen: _frozen,
    }

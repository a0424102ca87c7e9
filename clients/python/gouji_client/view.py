"""A table as one client knows it at one point of its story."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_client import wire
from gouji_client.errors import GoujiError, ProtocolBroken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji.table.v1 import events_pb2, state_pb2


@dataclass(frozen=True, slots=True)
class Position:
    """How far a client has read a table's story: the place of the wire, and whose private numbers `p` counts."""

    epoch: int
    n: int
    p: int
    seat: int | None

    def to_place(self) -> table_pb2.Place:
        """Return the message that asks for what comes after."""
        return table_pb2.Place(epoch=self.epoch, n=self.n, p=self.p)


class FeltHand(NamedTuple):
    """How many cards the opposite held when its hand was felt (R82): at least and at most so many."""

    least: int
    most: int


def felt_from_wire(message: state_pb2.FeltHand) -> FeltHand:
    """Read what was felt."""
    return FeltHand(message.least, message.most)


@dataclass(frozen=True, slots=True)
class TableView:
    """All that the client may see of a table; a new one replaces it with every update.

    `info` is the table's lobby facts, `state` the public state of the running deal (None before the first), `seat` the
    client's own seat (None for a spectator) with its `hand`, ascending, and whether it has `answered` the open question
    already and what it `felt` of its opposite's hand in this deal, `deal_started` the running deal's beginning with its
    commitment.
    """

    name: str
    at: Position
    info: lobby_pb2.Table
    state: state_pb2.DealState | None
    deal_started: events_pb2.DealStarted | None
    seat: int | None
    hand: tuple[gr.Card, ...]
    answered: bool
    felt: tuple[FeltHand, ...]
    _plays: list[gr.PlayedCards]
    # The list is shared with later views, which append to it; this view's plays are the first so many.
    _plays_seen: int
    auto_decline: bool = False
    """Whether the server declines for the client's own seat in the burn windows to come (`Table.set_auto_decline`)."""
    peeked: Mapping[int, tuple[gr.Card, ...]] = field(default_factory=dict)
    """The allies' hands that this seat looks at now, by seat (挑牌, R81)."""
    peek_granted: tuple[int, ...] = ()
    """The allies whom it lets look at its own (`Table.grant_peek`)."""

    @property
    def plays(self) -> list[gr.PlayedCards]:
        """Every play of the running deal so far, in order."""
        return self._plays[: self._plays_seen]

    @property
    def question(self) -> gr.Question | None:
        """What is asked now, of whomever; None when nothing is."""
        return wire.question_from_wire(self.state.question, self.state) if self.state else None

    @property
    def decision(self) -> int:
        """The number that an answer to the open question carries; 0 when nothing is asked."""
        return self.state.question.decision if self.state else 0

    @property
    def asked(self) -> bool:
        """Whether the client's own seat is asked now and has not answered yet."""
        if self.state is None or self.seat is None or self.answered or self.over:
            return False
        return bool(self.state.question.kind) and self.seat in self.state.question.seats

    @property
    def deadline(self) -> float | None:
        """When the server answers by default for who has not, in seconds since 1970 by its clock; None for never."""
        if self.state is None or not self.state.question.HasField("deadline"):
            return None
        return self.state.question.deadline.ToNanoseconds() / 1e9

    def bank_left(self, seat: int) -> float:
        """Return what was left of a seat's bank when the open question was asked, in seconds; 0 without one.

        Of a seat that is asked alone it begins to run at `deadline - bank_left(seat)`.
        """
        if self.state is None or not 0 <= seat < len(self.state.seats):
            return 0.0
        return self.state.seats[seat].bank_left.ToNanoseconds() / 1e9

    def is_connected(self, seat: int) -> bool:
        """Whether the player of a seat follows the table, as the server tells it; built-in bots always do."""
        return self.state is None or not 0 <= seat < len(self.state.seats) or self.state.seats[seat].connected

    def on_autopilot(self, seat: int) -> bool:
        """Whether the server's bot plays a seat for its player now."""
        return self.state is not None and 0 <= seat < len(self.state.seats) and self.state.seats[seat].autopilot

    @property
    def over(self) -> bool:
        """Whether nothing more will be played here: the match is over, or the server stopped the table."""
        return self.info.state in (lobby_pb2.TABLE_STATE_FINISHED, lobby_pb2.TABLE_STATE_FROZEN)

    @property
    def scores(self) -> tuple[int, ...]:
        """Scores of the match so far: by team, even seats first; by seat in individual play. Empty before a deal."""
        return tuple(self.state.scores) if self.state else ()

    @property
    def rules(self) -> gr.RuleSet:
        """The rule set. Raises `GoujiError` if this client's rules do not know it."""
        return wire.rules_of(self.info)

    def to_seat_view(self) -> gr.SeatView:
        """Return what the rules and bots call a view: the public state with this client's own hand.

        Raises `GoujiError` for a spectator and while no deal is running.
        """
        if self.seat is None:
            raise GoujiError(f"no seat at {self.name}: a spectator has no seat's view")
        if self.state is None or not self.state.phase:
            raise GoujiError(f"no deal is running at {self.name}")
        public = wire.public_from_wire(self.rules, self.state, self.plays)
        return gr.SeatView(
            rules=public.rules,
            seat=self.seat,
            public=public,
            hand=tuple(gr.counts_of(self.hand)),
            cards=self.hand,
            answered=self.answered,
        )

    def after(self, update: table_pb2.TableUpdate) -> TableView:
        """Return the view after a step that follows this one, or after a snapshot."""
        if update.HasField("snapshot"):
            return view_of_snapshot(update)
        seated = update.HasField("seat")
        at = Position(update.epoch, update.n, update.p if seated else self.at.p, self.seat)
        changed = replace(self, at=at, _plays=self._own_plays())
        if update.HasField("table_info"):
            changed = replace(changed, info=update.table_info)
        if update.HasField("state"):
            # An answer belongs to one question: with the next one it is history, whether the server says so or not.
            answered = self.answered and update.state.question.decision == self.decision
            changed = replace(changed, state=update.state, answered=answered)
        for event in update.events:
            changed = changed._after_event(event)  # noqa: SLF001 - of its own class
        return _with_seat(changed, update.seat) if seated else _followed(self, changed)

    def _own_plays(self) -> list[gr.PlayedCards]:
        """Return the list of plays to append to: the shared one, unless a later view has appended to it already."""
        return self._plays if len(self._plays) == self._plays_seen else self.plays

    def _with_play(self, played: gr.PlayedCards) -> TableView:
        self._plays.append(played)
        return replace(self, _plays_seen=len(self._plays))

    def _with_player(self, player: lobby_pb2.Player) -> TableView:
        if not 0 <= player.seat < len(self.info.players):
            raise ProtocolBroken(f"the server told of seat {player.seat}; seats are 0 to 5")
        info = lobby_pb2.Table()
        info.CopyFrom(self.info)
        info.players[player.seat].CopyFrom(player)
        return replace(self, info=info)

    def _after_event(self, event: events_pb2.TableEvent) -> TableView:
        kind = event.WhichOneof("event")
        if kind == "played":
            return self._with_play(wire.played_from_wire(event.played.play))
        if kind == "deal_started":
            return replace(self, deal_started=event.deal_started, _plays=[], _plays_seen=0)
        if kind == "seat_changed":
            return self._with_player(event.seat_changed.player)
        if kind == "seats_moved":
            changed = self
            for player in event.seats_moved.players:
                changed = changed._with_player(player)
            return changed
        return self


def _followed(before: TableView, now: TableView) -> TableView:
    """Return the view from where the client sits now: people move (R9), and give their seats up."""
    seat = before.seat
    if seat is None or before.info.players[seat].account == now.info.players[seat].account:
        return now
    account = before.info.players[seat].account
    sits = next((player.seat for player in now.info.players if account and player.account == account), None)
    if sits is None:
        return replace(now, seat=None, hand=(), felt=(), peeked={}, peek_granted=())
    return replace(now, seat=sits, at=replace(now.at, seat=sits))


def view_of_snapshot(update: table_pb2.TableUpdate) -> TableView:
    """Return the view that a snapshot gives. Raises `ProtocolBroken` if it is none."""
    if len(update.table_info.players) != wire.SEATS:
        raise ProtocolBroken(f"the server sent a snapshot of {update.table} without its six seats")
    plays = [wire.played_from_wire(played) for played in update.snapshot.plays]
    begun = update.snapshot.HasField("deal_started")
    view = TableView(
        name=update.table,
        at=Position(update.epoch, update.n, update.p, None),
        info=update.table_info,
        state=update.state if update.HasField("state") else None,
        deal_started=update.snapshot.deal_started if begun else None,
        seat=None,
        hand=(),
        answered=False,
        felt=(),
        _plays=plays,
        _plays_seen=len(plays),
    )
    return _with_seat(view, update.seat) if update.HasField("seat") else view


def _with_seat(view: TableView, part: state_pb2.SeatPart) -> TableView:
    return replace(
        view,
        at=replace(view.at, seat=part.seat),
        seat=part.seat,
        hand=wire.cards_from_wire(part.hand),
        answered=part.answered,
        felt=tuple(map(felt_from_wire, part.felt)),
        auto_decline=part.auto_decline,
        peeked={hand.seat: wire.cards_from_wire(hand.cards) for hand in part.peeked},
        peek_granted=tuple(part.peek_granted),
    )

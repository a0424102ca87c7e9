"""The part of a table's state about matches that stand still: since nobody who plays is there, or since the server's
operators hold them; and what else operators do to a table.
"""

# ruff: noqa: SLF001 - the table of folds below the class is the class's own; mypyc wants it outside

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gouji.table.v1 import events_pb2
from gouji_server.tables import happenings, inputs, operator_inputs
from gouji_server.tables.absence_state import AbsenceState
from gouji_server.tables.lobby_state import PLAYING, WAITING
from gouji_server.tables.requests import Answer, body_hash

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.lobby_state import Effect

OPERATORS = "operators"
"""Under which "account" the request ids of operators are remembered: no account is named so."""
FREEZE_TABLE = "FreezeTable"
UNFREEZE_TABLE = "UnfreezeTable"
CLOSE_TABLE = "CloseTable"
KICK_SEAT = "KickSeat"
KICKED = events_pb2.AUTOPILOT_REASON_KICKED


class StandingStill(AbsenceState):
    """See the module.

    ``suspended`` and ``held`` say since when (milliseconds; 0: it is not), ``remaining`` how much time the open
    question had left. ``ousted`` is the mask of the seats that operators took from their players.
    """

    __slots__ = ("deadline", "held", "ousted", "remaining")

    def __init__(self, name: str, limits: Limits) -> None:
        super().__init__(name, limits)
        self.deadline = 0
        self.held = 0
        self.ousted = 0
        self.remaining: int | None = None

    @property
    def stands_still(self) -> bool:
        """Whether the match stands still, for whatever reason."""
        return bool(self.suspended or self.held)

    def _make_info(self) -> lobby_pb2.Table:
        info = super()._make_info()
        if self.held:
            info.hold_time.FromMilliseconds(self.held)
        return info

    def _break_off(
        self,
        effect: Effect,
        reason: events_pb2.MatchEndReason.ValueType,
        *said: object,
        closes: events_pb2.CloseReason.ValueType = events_pb2.CLOSE_REASON_MATCH_OVER,
    ) -> None:
        """The match ends, in the middle of a deal or between two."""
        raise NotImplementedError

    # ── suspended ──

    def _suspend(self, entry: inputs.Suspended, effect: Effect) -> None:
        if self.state != PLAYING or self.stands_still:
            raise inputs.BadEntry("a match is suspended that does not go on")
        self.suspended = entry.time
        self._stop_clock(entry.time)
        self._told_still(effect)
        self._tell(effect, happenings.TableSuspended())

    def _resume(self, entry: inputs.Resumed, effect: Effect) -> None:
        if not self.suspended or self.held:
            raise inputs.BadEntry("a match is resumed that was not suspended")
        since, self.suspended = self.suspended, 0
        self._start_clock(since, entry.time, entry.least_ms)
        self._told_still(effect)
        self._tell(effect, happenings.TableResumed())

    def _desert(self, entry: inputs.Deserted, effect: Effect) -> None:
        if not self.suspended:
            raise inputs.BadEntry("a match is given up that was not suspended")
        self.suspended = 0
        self._break_off(effect, events_pb2.MATCH_END_REASON_ABANDONED)

    # ── held ──

    def _hold(self, entry: operator_inputs.Held, effect: Effect) -> None:
        if self.state != PLAYING or self.held:
            raise inputs.BadEntry("a match is held that does not go on")
        self.held = entry.time
        if not self.suspended:
            self._stop_clock(entry.time)
        self._told_still(effect)
        self._tell(effect, happenings.TableHeld())
        self._keep_operators(FREEZE_TABLE, entry.request_id, body_hash())

    def _release(self, entry: operator_inputs.Released, effect: Effect) -> None:
        if not self.held:
            raise inputs.BadEntry("a match is released that was not held")
        since, self.held = self.held, 0
        if not self.suspended:
            self._start_clock(since, entry.time, entry.least_ms)
        self._told_still(effect)
        self._tell(effect, happenings.TableReleased())
        self._keep_operators(UNFREEZE_TABLE, entry.request_id, body_hash())

    # ── the clock ──

    def _stop_clock(self, now_ms: int) -> None:
        self.remaining = self.deadline - now_ms if self.deadline else None
        self._set_deadline(0)

    def _start_clock(self, since: int, now_ms: int, least_ms: int) -> None:
        self.times.shift(now_ms - since)
        left, self.remaining = self.remaining, None
        self._set_deadline(now_ms + max(left, least_ms) if left is not None else 0)

    def _set_deadline(self, deadline: int) -> None:
        self.deadline = deadline
        if self.facts is not None:
            self.facts.deadline_ms = deadline

    def _told_still(self, effect: Effect) -> None:
        self._info = None
        effect.info_changed = effect.of_deal = True

    # ── closed, and seats taken away ──

    def _shut_down(self, entry: operator_inputs.ShutDown, effect: Effect) -> None:
        self.held = self.suspended = 0
        if self.state == PLAYING:
            ended = events_pb2.MATCH_END_REASON_CLOSED_BY_OPERATORS
            self._break_off(effect, ended, closes=events_pb2.CLOSE_REASON_BY_OPERATORS)
        elif self.state == WAITING:
            self._close(effect, events_pb2.CLOSE_REASON_BY_OPERATORS)
        else:
            raise inputs.BadEntry("a table is closed that is closed")
        self._keep_operators(CLOSE_TABLE, entry.request_id, body_hash())

    def _oust(self, entry: operator_inputs.Ousted, effect: Effect) -> None:
        player = self.seats.players[entry.seat]
        if self.state == PLAYING:
            self._check_person(entry.seat)
            self.autopilot |= 1 << entry.seat
            self.ousted |= 1 << entry.seat
            self.autopilot_reasons[entry.seat] = KICKED
            self.expired[entry.seat] = 0
            self._tell(effect, happenings.AutopilotChanged(entry.seat, True, KICKED))
            self._show(effect)
        elif self.state == WAITING and (player.account or player.bot):
            if player.account:
                self.banned.add(player.account)
            self._tell(effect, happenings.PlayerKicked(player, bool(player.account)))
            if player.bot:
                self._seats_changed(effect, *self.seats.remove_bot(entry.seat))
            else:
                self._rise(effect, player.account, entry.heir)
        else:
            raise inputs.BadEntry("a seat is taken from nobody")
        self._keep_operators(KICK_SEAT, entry.request_id, body_hash(entry.seat))

    def _keep_operators(self, method: str, request_id: str, body: bytes) -> None:
        answer = Answer(body, table=self.info().SerializeToString())
        self.requests.keep_lobby((OPERATORS, method, request_id), answer)


STILL_FOLDS: dict[type[Any], Callable[[Any, Any, Effect], None]] = {
    inputs.Suspended: StandingStill._suspend,
    inputs.Resumed: StandingStill._resume,
    inputs.Deserted: StandingStill._desert,
    operator_inputs.Held: StandingStill._hold,
    operator_inputs.Released: StandingStill._release,
    operator_inputs.ShutDown: StandingStill._shut_down,
    operator_inputs.Ousted: StandingStill._oust,
}
"""How each of its inputs is folded."""

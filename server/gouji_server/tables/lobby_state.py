"""The part of a table's state that the lobby sees: what the table is like, who sits where, and what is done before the
match. A fold like the rest (:mod:`gouji_server.tables.table`), in a file of its own.
"""

# ruff: noqa: SLF001 - the table of folds below the class is the class's own; mypyc wants it outside

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, NamedTuple

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_rules.option_values import settings_of
from gouji_server.tables import happenings, inputs
from gouji_server.tables.refusals import TableNotFound
from gouji_server.tables.requests import Answer, RequestMemory, body_hash, created_body, join_body
from gouji_server.tables.seats import Seats
from gouji_server.tables.summaries import write_summary
from gouji_server.tables.time_control import TimeControl, Times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gouji_server.tables.limits import Limits
    from gouji_server.tables.refusals import Refused
    from gouji_server.tables.requests import Key
    from gouji_server.tables.seats import Player

WAITING = lobby_pb2.TABLE_STATE_WAITING
PLAYING = lobby_pb2.TABLE_STATE_PLAYING
FINISHED = lobby_pb2.TABLE_STATE_FINISHED
FROZEN = lobby_pb2.TABLE_STATE_FROZEN

JOIN_TABLE = "JoinTable"
LEAVE_TABLE = "LeaveTable"
SET_READY = "SetReady"
ADD_BOT = "AddBot"
CHOOSE_OPPOSITE = "ChooseOpposite"
RESET_JOIN_CODE = "ResetJoinCode"
UPDATE_TABLE = "UpdateTable"
KICK_PLAYER = "KickPlayer"

_AS_AGREED = frozenset({"rule_set", "options", "deals", "time_control", "team_chat", "hints"})
"""What people are ready for: where it changes they have to be ready anew."""


class Effect:
    """What came of one input.

    ``happened`` public events in order; ``by_clock`` the clock acted for the first one's seat; ``of_deal`` the deal's
    state belongs to it; ``new_deal`` another deal began; ``info_changed`` the lobby facts did; ``touched`` mask of the
    seats to which something is said alone; ``quiet`` nobody who follows is told; ``time`` in milliseconds.
    """

    __slots__ = ("by_clock", "happened", "info_changed", "new_deal", "of_deal", "quiet", "time", "touched")

    def __init__(self, time: int) -> None:
        self.time = time
        self.happened: list[object] = []
        self.by_clock = False
        self.of_deal = False
        self.new_deal = False
        self.info_changed = False
        self.touched = 0
        self.quiet = False


class Audience(NamedTuple):
    """Who may follow a table that is not for everybody: who sits there, and besides perhaps who was invited."""

    seated: frozenset[str]
    invited: bool

    def admits(self, account: str, *, invited: bool) -> bool:
        """Whether somebody may go on following."""
        return account in self.seated or (invited and self.invited)


class LobbyState:
    """See the module.

    ``made`` is what the maker of the table was answered, ``changes`` what each account did before the match, ``came``
    who ever sat here, or owned the table, ``banned`` who gets no seat; ``code`` opens a private table to who knows it;
    ``n`` counts public events; seats are kept for ``guests`` until ``reserved_until`` (milliseconds, 0: none is).
    ``times`` are the clocks. ``spectator_delay_ms`` is how much later those without a seat are told what happens in the
    match, ``most_spectators`` how many may follow at once. ``team_chat``: allies may talk in the match; ``hints``:
    players may ask for hints. ``rated``: the match counts for ratings; ``origins`` are digests of where accounts came
    from then.
    """

    __slots__ = (
        "_info",
        "banned",
        "came",
        "changes",
        "changes_in_all",
        "code",
        "create_time",
        "end_time",
        "epoch",
        "guests",
        "hints",
        "limits",
        "made",
        "match",
        "matched",
        "most_spectators",
        "n",
        "name",
        "origins",
        "owner",
        "private",
        "rated",
        "requests",
        "reserved_until",
        "rule_set",
        "rules",
        "seats",
        "spectator_delay_ms",
        "spectators",
        "state",
        "team_chat",
        "times",
        "title",
        "total_deals",
    )

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.requests = RequestMemory(limits.lobby_requests)
        self.changes: dict[str, int] = {}
        self.changes_in_all = 0
        self.came: set[str] = set()
        self.banned: set[str] = set()
        self.private = False
        self.guests: frozenset[str] = frozenset()
        self.reserved_until = 0
        self.matched = False
        self.spectator_delay_ms = 0
        self.most_spectators = inputs.MOST_SPECTATORS
        self.end_time = 0
        self.team_chat = False
        self.hints = True
        self.rated = False
        self.origins: dict[str, str] = {}
        self.code = ""
        self.seats = Seats()
        self.state: lobby_pb2.TableState.ValueType = lobby_pb2.TABLE_STATE_UNSPECIFIED
        self.n = 0
        self.times = Times()
        self.match: gr.Match | None = None
        self._info: lobby_pb2.Table | None = None

    # ── reading ──

    @property
    def wants_seats(self) -> bool:
        """Whether the seats are to be drawn now, and the match to begin (R9)."""
        return self.state == WAITING and self.rules.seating == "draw" and self.seats.all_ready

    @property
    def audience(self) -> Audience | None:
        """Who may follow the table, None for everybody."""
        if self.spectators and not self.private:
            return None
        return Audience(frozenset(self.seats.accounts), self.spectators)

    def admits(self, account: str, code: str = "") -> bool:
        """Whether somebody may look at the table; a private one is for who sits there or knows its code."""
        seated = self.seats.seat_of(account) >= 0
        return not self.private or seated or self._is_guest(account) or self.invites(account, code)

    def _is_guest(self, account: str) -> bool:
        return account in self.guests and account not in self.banned

    def invites(self, account: str, code: str) -> bool:
        """Whether somebody may look at a private table without a seat."""
        if account == self.owner:
            return True
        return bool(self.code) and hmac.compare_digest(self.code.encode(), code.encode())

    def stranger(self, account: str, refused: Refused) -> Refused:
        """Return how to refuse somebody without a seat: to who never came, a private table is none."""
        known = account in self.came or self._is_guest(account)
        return refused if not self.private or known else TableNotFound()

    def summary(self) -> bytes:
        """Return the lobby facts as the journal keeps them."""
        return write_summary(self.info(), self.code)

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
            private=self.private,
            most_spectators=self.most_spectators,
            team_chat=self.team_chat,
            hints=self.hints,
        )
        if self.rated:
            info.rated = True
            for group in self._of_one_origin():
                info.same_address.add(seats=group)
        info.spectator_delay.FromMilliseconds(self.spectator_delay_ms)
        if self.end_time:
            info.end_time.FromMilliseconds(self.end_time)
        for field, value in settings_of(self.rules):
            info.options.add(field=field, value=value)
        info.create_time.FromMilliseconds(self.create_time)
        if self.reserved_until:
            info.reserved_until.FromMilliseconds(self.reserved_until)
        control = self.times.control
        if control.decision_ms:
            info.decision_time.FromMilliseconds(control.decision_ms)
        control.fill(info.time_control)
        return info

    def _of_one_origin(self) -> list[list[int]]:
        """Return the groups of seats whose players came from one place."""
        groups: dict[str, list[int]] = {}
        for player in self.seats.players:
            if self.origins.get(player.account):
                groups.setdefault(self.origins[player.account], []).append(player.seat)
        return [seats for seats in groups.values() if len(seats) > 1]

    # ── folding ──

    def _created(self, entry: inputs.Created, effect: Effect) -> None:
        self.epoch = entry.epoch
        self.rule_set = entry.rules
        self.rules = gr.preset(entry.rules).replace(**entry.options)
        self.title = entry.title
        self.total_deals = entry.deals
        self.times.control = TimeControl(entry.decision_ms, entry.bank_ms)
        self.spectators = entry.spectators
        self.spectator_delay_ms = entry.spectator_delay_ms
        self.most_spectators = entry.most_spectators
        self.team_chat = entry.team_chat
        self.hints = entry.hints
        self.rated = entry.rated
        if entry.origin:
            self.origins[entry.owner] = entry.origin
        self.owner = entry.owner
        self.private = entry.private
        self.code = entry.code
        self.came.add(entry.owner)
        self.create_time = entry.time
        self.state = WAITING
        effect.info_changed = True
        if entry.seat >= 0:
            self._tell(
                effect,
                happenings.SeatChanged(
                    self.seats.sit(entry.seat, entry.owner, entry.owner_name, entry.owner_bot, entry.time)
                ),
            )
        self.matched = entry.matched
        self.reserved_until = entry.reserved_until
        self.guests = frozenset(entry.reserved.values())
        for seat, account in entry.reserved.items():
            self.seats.reserve(int(seat), account)
        for seat, policy in entry.bots.items():
            self.seats.add_bot(int(seat), policy)
        table = self.info().SerializeToString()
        self.made = Answer(created_body(entry), seat=entry.seat, table=table, code=entry.code)

    def _joined(self, entry: inputs.Joined, effect: Effect) -> None:
        self._count_change(entry.account)
        if entry.origin:
            self.origins[entry.account] = entry.origin
        self._seats_changed(effect, self.seats.sit(entry.seat, entry.account, entry.name, entry.bot, entry.time))
        self.came.add(entry.account)
        body = join_body(entry.wanted, entry.code)
        self._keep_lobby((entry.account, JOIN_TABLE, entry.request_id), body, entry.seat)

    def _left(self, entry: inputs.Left, effect: Effect) -> None:
        self._rise(effect, entry.account, entry.heir)
        self._keep_lobby((entry.account, LEAVE_TABLE, entry.request_id), body_hash(), -1)

    def heir(self, account: str) -> str:
        """Return who gets the table when somebody's seat is free: of an owner, who else has sat there longest."""
        return self.seats.longest_but(account) if account == self.owner and not self.matched else ""

    def _rise(self, effect: Effect, account: str, heir: str) -> None:
        """A person's seat is free. The table goes to the heir, if there is one; one that is empty is closed."""
        freed = self.seats.rise(account)
        if self.matched:  # nobody else may come in: who does not come back has the table closed
            self.seats.reserve(freed[0].seat, account)
            self._seats_changed(effect, self.seats.players[freed[0].seat])
            return
        self._seats_changed(effect, *freed)
        if not self.seats.people:
            self._close(effect, events_pb2.CLOSE_REASON_EMPTY)
        elif heir:
            self.owner = heir
            self._info = None
            self._tell(effect, happenings.TableChanged(("owner",)))

    def _seat_lapsed(self, entry: inputs.SeatLapsed, effect: Effect) -> None:
        self._rise(effect, entry.account, self.heir(entry.account))

    def _reservations_lapsed(self, entry: inputs.ReservationsLapsed, effect: Effect) -> None:
        self.reserved_until = 0
        self._seats_changed(effect, *self.seats.let_go())
        if self.matched:
            self._close(effect, events_pb2.CLOSE_REASON_NOT_READY)
        elif not self.seats.people:
            self._close(effect, events_pb2.CLOSE_REASON_EMPTY)

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

    def _count_change(self, account: str) -> None:
        self.changes[account] = self.changes.get(account, 0) + 1
        self.changes_in_all += 1

    def _code_reset(self, entry: inputs.CodeReset, effect: Effect) -> None:
        self._count_change(entry.account)
        self.code = entry.code
        effect.info_changed = effect.quiet = True
        answer = Answer(body_hash(), table=self.info().SerializeToString(), code=entry.code)
        self.requests.keep_lobby((entry.account, RESET_JOIN_CODE, entry.request_id), answer)

    def outcome_of(self, changes: Mapping[str, Any]) -> tuple[tuple[str, ...], gr.RuleSet]:
        """Return which lobby facts changes would change, and the rules then. Raises RuleSetError."""
        rules = self.rules
        if "rules" in changes or "options" in changes:
            rules = gr.preset(changes.get("rules", self.rule_set)).replace(**changes.get("options", {}))
        times = TimeControl(*changes["times"]) if "times" in changes else self.times.control
        changed = {
            "title": changes.get("title", self.title) != self.title,
            "rule_set": changes.get("rules", self.rule_set) != self.rule_set,
            "options": settings_of(rules) != settings_of(self.rules),
            "deals": changes.get("deals", self.total_deals) != self.total_deals,
            "time_control": times != self.times.control,
            "spectators_allowed": changes.get("spectators", self.spectators) != self.spectators,
            "private": changes.get("private", self.private) != self.private,
            "spectator_delay": changes.get("spectator_delay_ms", self.spectator_delay_ms) != self.spectator_delay_ms,
            "team_chat": changes.get("team_chat", self.team_chat) != self.team_chat,
            "hints": changes.get("hints", self.hints) != self.hints,
            "most_spectators": changes.get("most_spectators", self.most_spectators) != self.most_spectators,
        }
        return tuple(field for field, is_other in changed.items() if is_other), rules

    def _updated(self, entry: inputs.TableUpdated, effect: Effect) -> None:
        self._count_change(entry.account)
        changes = entry.changes
        fields, self.rules = self.outcome_of(changes)
        self.rule_set = changes.get("rules", self.rule_set)
        self.title = changes.get("title", self.title)
        self.total_deals = changes.get("deals", self.total_deals)
        self.spectators = changes.get("spectators", self.spectators)
        self.spectator_delay_ms = changes.get("spectator_delay_ms", self.spectator_delay_ms)
        self.most_spectators = changes.get("most_spectators", self.most_spectators)
        self.team_chat = changes.get("team_chat", self.team_chat)
        self.hints = changes.get("hints", self.hints)
        if "times" in changes:
            self.times.control = TimeControl(*changes["times"])
        if "private" in fields:
            self.private, self.code = changes["private"], entry.code
        self._tell(effect, happenings.TableChanged(fields))
        seats: dict[int, Player] = {}
        if not _AS_AGREED.isdisjoint(fields):
            seats |= {player.seat: player for player in self.seats.not_ready()}
        if self.rules.seating != "choose_opposite":
            seats |= {player.seat: player for player in self.seats.part_all()}
        self._seats_changed(effect, *(seats[seat] for seat in sorted(seats)))
        answer = Answer(bytes.fromhex(entry.body), table=self.info().SerializeToString(), code=entry.code)
        self.requests.keep_lobby((entry.account, UPDATE_TABLE, entry.request_id), answer)

    def _kicked(self, entry: inputs.Kicked, effect: Effect) -> None:
        self._count_change(entry.account)
        player = self.seats.players[entry.seat]
        if entry.ban:
            self.banned.add(player.account)
        self._tell(effect, happenings.PlayerKicked(player, entry.ban))
        freed = self.seats.remove_bot(entry.seat) if player.bot else self.seats.rise(player.account)
        self._seats_changed(effect, *freed)
        self._keep_lobby((entry.account, KICK_PLAYER, entry.request_id), bytes.fromhex(entry.body), -1)

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
        self.reserved_until = 0
        self._info = None
        self.match = gr.Match(self.rules, self.total_deals)
        self.times.start()
        self._tell(effect, happenings.MatchStarted(self.total_deals))

    def _abandoned(self, entry: inputs.Abandoned, effect: Effect) -> None:
        self._close(effect, events_pb2.CLOSE_REASON_EMPTY)

    def _tell(self, effect: Effect, *happened: object) -> None:
        effect.happened.extend(happened)
        self.n += len(happened)

    def _keep_lobby(self, key: Key, body: bytes, seat: int) -> None:
        self.requests.keep_lobby(key, Answer(body, seat=seat, table=self.info().SerializeToString()))

    def _close(self, effect: Effect, reason: events_pb2.CloseReason.ValueType) -> None:
        self.state = FINISHED
        self.end_time = effect.time
        self._info = None
        effect.info_changed = True
        self._tell(effect, happenings.TableClosed(reason))


FOLDS: dict[type[Any], Callable[[LobbyState, Any, Effect], None]] = {
    inputs.Created: LobbyState._created,
    inputs.Joined: LobbyState._joined,
    inputs.Left: LobbyState._left,
    inputs.ReadySet: LobbyState._ready_set,
    inputs.BotAdded: LobbyState._bot_added,
    inputs.OppositeChosen: LobbyState._opposite_chosen,
    inputs.SeatsDrawn: LobbyState._seats_drawn,
    inputs.CodeReset: LobbyState._code_reset,
    inputs.TableUpdated: LobbyState._updated,
    inputs.Kicked: LobbyState._kicked,
    inputs.ReservationsLapsed: LobbyState._reservations_lapsed,
    inputs.SeatLapsed: LobbyState._seat_lapsed,
    inputs.Abandoned: LobbyState._abandoned,
}
"""How each of its inputs is folded."""

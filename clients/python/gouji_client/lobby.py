"""Finding, making and filling tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from gouji.lobby.v1 import lobby_pb2
from gouji_client.arguments import is_number, seat_number, table_name, text_of, true_or_false, well_formed
from gouji_client.calls import new_request_id
from gouji_client.errors import BadInput
from gouji_client.table_changes import TIME_PRESETS, update_request
from gouji_client.table_list import list_request, watch_tables
from gouji_rules.rule_set import format_option

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from gouji.lobby.v1.lobby_pb2_grpc import LobbyServiceAsyncStub
    from gouji.rules.v1 import rules_pb2
    from gouji_client.arguments import TableLike
    from gouji_client.calls import Calls
    from gouji_client.session import Session
    from gouji_client.table_changes import TableChanges
    from gouji_client.table_list import TableWishes
    from gouji_rules.rule_set import OptionValue


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTable:
    """What a new table should be like.

    `rule_set` is a preset's name, `options` what is to differ from it, by option name, values as in the rules or as
    text, `deals` 1 to 100 a match (0: as many as the rules say, 3 where they leave it open), `seat` the maker's own
    (None with `with_seat=False`). `time` names a time control, `blitz`, `normal`, `slow` or `none`; or give times of
    your own, `decision_seconds` for one decision (None: no clock) and `bank_seconds` for each seat's bank.
    A `private` table stands in no list: others need its `Lobby.join_code`. People without a seat are told what happens
    in the match `spectator_delay_seconds` later (None: as the server has it set), and `most_spectators` of them may
    watch at once (0: 50). `team_chat`: allies may talk in the match; `hints`: players may ask for hints. A `rated`
    match counts for ratings: it has neither, and tells which seats come from one address.
    """

    title: str = ""
    rule_set: str = "qingdao"
    deals: int = 0
    time: str = ""
    decision_seconds: float | None = None
    bank_seconds: float = 0.0
    seat: int = 0
    with_seat: bool = True
    spectators: bool = True
    private: bool = False
    spectator_delay_seconds: float | None = None
    most_spectators: int = 0
    team_chat: bool = False
    hints: bool = True
    rated: bool = False
    options: Mapping[str, OptionValue | list[int] | list[str]] = field(default_factory=dict)

    def to_request(self) -> lobby_pb2.CreateTableRequest:
        """Return the request that makes it. Raises `BadInput` for what no table can be like."""
        text_of(self.rule_set, "the rule_set of a table")
        text_of(self.title, "the title of a table")
        true_or_false(self.with_seat, "with_seat")
        true_or_false(self.spectators, "spectators")
        for flag in ("private", "team_chat", "hints", "rated"):
            true_or_false(getattr(self, flag), flag)
        if not is_number(self.deals) or (self.decision_seconds is not None and not is_number(self.decision_seconds)):
            raise BadInput("a table cannot be so: deals and decision_seconds are numbers")
        if self.spectator_delay_seconds is not None and not is_number(self.spectator_delay_seconds):
            raise BadInput("a table cannot be so: spectator_delay_seconds is a number")
        options: object = self.options
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise BadInput(f"a table cannot be so: options are values by option name, not {options!r}")
        with well_formed("a table"):
            return self._request()

    def _request(self) -> lobby_pb2.CreateTableRequest:
        request = lobby_pb2.CreateTableRequest(
            request_id=new_request_id(),
            rule_set=self.rule_set if self.rule_set.startswith("ruleSets/") else f"ruleSets/{self.rule_set}",
            title=self.title,
            deals=self.deals,
            without_seat=not self.with_seat,
            no_spectators=not self.spectators,
            private=self.private,
            most_spectators=self.most_spectators,
            team_chat=self.team_chat,
            no_hints=not self.hints,
            rated=self.rated,
        )
        if self.spectator_delay_seconds is not None:
            request.spectator_delay.FromNanoseconds(round(self.spectator_delay_seconds * 1e9))
        for name, value in self.options.items():
            request.options.add(field=name, value=format_option(value))
        if self.with_seat:
            request.seat = self.seat
        self._add_times(request)
        return request

    def _add_times(self, request: lobby_pb2.CreateTableRequest) -> None:
        if self.time:
            if self.time not in TIME_PRESETS:
                raise BadInput(f"there is no time control {self.time!r}: use {', '.join(TIME_PRESETS)}")
            if self.decision_seconds is not None or self.bank_seconds:
                raise BadInput(
                    f"time={self.time!r} says how much time there is: leave the seconds out, or give them alone"
                )
            request.time_control.preset = TIME_PRESETS[self.time]
        if self.bank_seconds:
            if self.decision_seconds is None:
                raise BadInput("a bank needs decision_seconds: it runs after them")
            request.time_control.bank.FromNanoseconds(round(self.bank_seconds * 1e9))
            request.time_control.decision_time.FromNanoseconds(round(self.decision_seconds * 1e9))
        elif self.decision_seconds is not None:
            request.decision_time.FromNanoseconds(round(self.decision_seconds * 1e9))


class Lobby:
    """The lobby of a server. Tables are told as the wire's `gouji.lobby.v1.Table`.

    A table is given by its name, or as a table: a `Table`, or one that the lobby told. Every call raises `Refused` with
    the server's reason, `BadInput`, `ServerUnreachable`, `NotSignedIn`, `SignInFailed` or `ClientClosed`.
    """

    def __init__(self, stub: LobbyServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def rule_sets(self) -> list[rules_pb2.RuleSet]:
        """Return the rule sets that tables can be made with, and their options."""
        found: list[rules_pb2.RuleSet] = []
        request = lobby_pb2.ListRuleSetsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListRuleSets, request)
            found.extend(answer.rule_sets)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    def watch_tables(self, **wishes: Unpack[TableWishes]) -> AsyncGenerator[list[lobby_pb2.Table], None]:
        """Iterate over the list of open tables as it changes: `async for tables in lobby.watch_tables()`.

        Each time it is the whole list, newest table first, of the newest that are as asked for, at most 500.
        """
        return watch_tables(self._stub, self._session, self._calls, wishes)

    async def tables(self, **wishes: Unpack[TableWishes]) -> AsyncIterator[lobby_pb2.Table]:
        """Iterate over the open tables, newest first, a page at a time: `async for table in lobby.tables()`.

        `state`, `with_free_seat`, `rule_set`, `text` (in the title) and `without_bots` say which are wanted.
        """
        request = list_request(wishes)
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListTables, request)
            for table in answer.tables:
                yield table
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def get(self, table: TableLike, *, join_code: str = "", share_link: str = "") -> lobby_pb2.Table:
        """Return a table by its name `tables/{table}`; a private one also needs a seat there, its join code, or the
        token of a share link."""
        with well_formed("a join code"):
            request = lobby_pb2.GetTableRequest(name=table_name(table), join_code=join_code, share_link=share_link)
        return (await self._calls.signed(self._session, self._stub.GetTable, request)).table

    async def find(self, join_code: str) -> lobby_pb2.Table:
        """Return the private table that a join code opens. Small letters, spaces and hyphens do not matter."""
        with well_formed("a join code"):
            request = lobby_pb2.FindTableRequest(join_code=join_code)
        return (await self._calls.signed(self._session, self._stub.FindTable, request)).table

    async def join_code(self, table: TableLike) -> str:
        """Return the join code of a private table at which one sits, or which one owns, to tell it to others."""
        request = lobby_pb2.GetJoinCodeRequest(name=table_name(table))
        return (await self._calls.signed(self._session, self._stub.GetJoinCode, request)).join_code

    async def reset_join_code(self, table: TableLike) -> str:
        """Have another join code drawn for one's own private table, and return it; the one before opens nothing."""
        request = lobby_pb2.ResetJoinCodeRequest(request_id=new_request_id(), name=table_name(table))
        return (await self._calls.signed(self._session, self._stub.ResetJoinCode, request)).join_code

    async def create(self, new: NewTable | None = None) -> lobby_pb2.Table:
        """Make a table and take a seat at it."""
        if new is not None and not isinstance(new, NewTable):
            raise BadInput(f"{new!r} says nothing of a new table: expected a NewTable")
        request = (new or NewTable()).to_request()
        return (await self._calls.signed(self._session, self._stub.CreateTable, request)).table

    async def join(self, table: TableLike, seat: int | None = None, *, join_code: str = "") -> int:
        """Take a free seat, the lowest if none is named, and return it. Who sits there already keeps its seat.

        A private table wants its join code.

        Where the rules have seats drawn (R9) it is a seat to wait in: the draw moves everybody as the match begins.
        """
        wanted = None if seat is None else seat_number(seat)
        with well_formed("a join code"):
            request = lobby_pb2.JoinTableRequest(
                request_id=new_request_id(), name=table_name(table), seat=wanted, join_code=join_code
            )
        return (await self._calls.signed(self._session, self._stub.JoinTable, request)).seat

    async def leave(self, table: TableLike) -> None:
        """Give the seat up, before the match begins."""
        request = lobby_pb2.LeaveTableRequest(request_id=new_request_id(), name=table_name(table))
        await self._calls.signed(self._session, self._stub.LeaveTable, request)

    async def set_ready(self, table: TableLike, *, ready: bool = True) -> None:
        """Say that one is ready. When six seats are taken and ready the match begins at once."""
        said = true_or_false(ready, "ready")
        request = lobby_pb2.SetReadyRequest(request_id=new_request_id(), name=table_name(table), ready=said)
        await self._calls.signed(self._session, self._stub.SetReady, request)

    async def update(self, table: TableLike, **changes: Unpack[TableChanges]) -> lobby_pb2.Table:
        """Change what one's own table is like while it waits: `update(table, deals=5, time="blitz")`; return it.

        Where rules, deals or times change, all who were ready have to say so again.
        """
        request = update_request(table_name(table), changes)
        return (await self._calls.signed(self._session, self._stub.UpdateTable, request)).table

    async def kick(self, table: TableLike, seat: int, *, account: str = "", ban: bool = False) -> None:
        """Take a seat of one's own table, while it waits, from who sits there, a person or a built-in bot.

        With `account`, from that one alone; with `ban` it takes no seat there any more.
        """
        true_or_false(ban, "ban")
        with well_formed("an account"):
            request = lobby_pb2.KickPlayerRequest(
                request_id=new_request_id(), name=table_name(table), seat=seat_number(seat), account=account, ban=ban
            )
        await self._calls.signed(self._session, self._stub.KickPlayer, request)

    async def rematch(self, table: TableLike) -> tuple[lobby_pb2.Table, int]:
        """Play the match of a table that is over again; return the table for it, and one's seat there.

        Whoever sat at the old table comes to the same new one; each seat is kept for its player for a minute.
        """
        request = lobby_pb2.RematchRequest(request_id=new_request_id(), name=table_name(table))
        answer = await self._calls.signed(self._session, self._stub.Rematch, request)
        return answer.table, answer.seat

    async def add_bot(self, table: TableLike, policy: str = "simple", seat: int | None = None) -> int:
        """Put a built-in bot in a free seat of one's own table and return the seat."""
        text_of(policy, "the policy of a bot")
        with well_formed("the bot"):
            request = lobby_pb2.AddBotRequest(
                request_id=new_request_id(),
                name=table_name(table),
                policy=policy,
                seat=None if seat is None else seat_number(seat),
            )
        return (await self._calls.signed(self._session, self._stub.AddBot, request)).seat

    async def choose_opposite(self, table: TableLike, seat: int) -> int:
        """Choose the one at a seat as one's opposite, where the rules have it so (R9); return one's own seat then."""
        request = lobby_pb2.ChooseOppositeRequest(
            request_id=new_request_id(), name=table_name(table), seat=seat_number(seat)
        )
        return (await self._calls.signed(self._session, self._stub.ChooseOpposite, request)).seat


def seat_of(table: lobby_pb2.Table, account: str) -> int | None:
    """Return the seat of an account at a table, None if it has none."""
    return next((player.seat for player in table.players if player.account == account), None)


def free_seats(table: lobby_pb2.Table) -> list[int]:
    """Return the free seats of a table."""
    return [player.seat for player in table.players if not (player.account or player.bot or player.reserved_for)]

"""LobbyService."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import structlog

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_rules.errors import shortened
from gouji_rules.option_values import read_overrides
from gouji_rules.rule_set import MOST_DEALS, OPTION_NAMES, PRESET_NAMES, RuleSetError
from gouji_rules.rule_set import preset as preset_of
from gouji_server.api.owners_calls import OwnersCalls
from gouji_server.api.time_controls import read_times
from gouji_server.api.validation import Shape
from gouji_server.api.watching import read_delay, read_most
from gouji_server.lobby import rule_sets
from gouji_server.lobby.rule_sets import PREFIX as RULE_SETS
from gouji_server.tables import TableNotFound, TableSpec
from gouji_server.tables.inputs import MOST_SPECTATORS
from gouji_server.tables.join_codes import LENGTH, SYMBOLS
from gouji_server.tables.refusals import not_welcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc

    from gouji.rules.v1 import rules_pb2
    from gouji_rules.rule_set import OptionValue, RuleSet
    from gouji_server.accounts.blocks import Blocks
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.join_codes import CodeTries
    from gouji_server.api.origins import Origins
    from gouji_server.api.pages import Pages
    from gouji_server.api.sharing import SharedBy
    from gouji_server.api.table_lists import TableLists
    from gouji_server.tables import Caller, TableHandle, Tables

SERVICE = "gouji.lobby.v1.LobbyService"

DEFAULT_RULE_SET = "ruleSets/qingdao"
DEFAULT_DEALS = 3
DEFAULT_PAGE = 50
MAX_PAGE = 100
MAX_OPTION = 400
"""Characters of an option's name or value."""

_AtTable: TypeAlias = (
    pb.JoinTableRequest
    | pb.LeaveTableRequest
    | pb.SetReadyRequest
    | pb.AddBotRequest
    | pb.ChooseOppositeRequest
    | pb.ResetJoinCodeRequest
    | pb.RematchRequest
)

_NAMED = (("request_id", "request_id"), ("name", "table"))


class LobbyService:
    """Makes and fills tables."""

    def __init__(
        self,
        tables: Tables,
        pages: Pages,
        code_tries: CodeTries,
        blocks: Blocks,
        lists: TableLists,
        origins: Origins,
        links: SharedBy,
    ) -> None:
        self._origins = origins
        self._links = links
        self._lists = lists
        self._blocks = blocks
        self._code_tries = code_tries
        self._tables = tables
        self._pages = pages

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "ListRuleSets": calls.unary("ListRuleSets", pb.ListRuleSetsRequest, self.list_rule_sets),
            "CreateTable": calls.unary(
                "CreateTable", pb.CreateTableRequest, self.create_table, logged=(("request_id", "request_id"),)
            ),
            "GetTable": calls.unary("GetTable", pb.GetTableRequest, self.get_table, logged=(("name", "table"),)),
            "FindTable": calls.unary("FindTable", pb.FindTableRequest, self.find_table),
            "GetJoinCode": calls.unary(
                "GetJoinCode", pb.GetJoinCodeRequest, self.get_join_code, logged=(("name", "table"),)
            ),
            "ResetJoinCode": calls.unary("ResetJoinCode", pb.ResetJoinCodeRequest, self.reset_join_code, logged=_NAMED),
            "Rematch": calls.unary("Rematch", pb.RematchRequest, self.rematch, logged=_NAMED),
            **OwnersCalls(self._tables).handlers(calls),
            **self._lists.handlers(calls),
            "JoinTable": calls.unary("JoinTable", pb.JoinTableRequest, self.join_table, logged=_NAMED),
            "LeaveTable": calls.unary("LeaveTable", pb.LeaveTableRequest, self.leave_table, logged=_NAMED),
            "SetReady": calls.unary("SetReady", pb.SetReadyRequest, self.set_ready, logged=_NAMED),
            "AddBot": calls.unary("AddBot", pb.AddBotRequest, self.add_bot, logged=_NAMED),
            "ChooseOpposite": calls.unary(
                "ChooseOpposite", pb.ChooseOppositeRequest, self.choose_opposite, logged=_NAMED
            ),
        }

    async def list_rule_sets(self, request: pb.ListRuleSetsRequest, call: Call) -> pb.ListRuleSetsResponse:
        """List the rule sets that tables can be made with."""
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = ("ListRuleSets", call.caller.account)
        start = int(self._pages.continued(question, request.page_token, shape) or 0)
        shape.settle()
        stop = start + (request.page_size or DEFAULT_PAGE)
        known = rule_sets()
        return pb.ListRuleSetsResponse(
            rule_sets=known[start:stop],
            next_page_token=self._pages.following(question, str(stop) if stop < len(known) else ""),
        )

    async def create_table(self, request: pb.CreateTableRequest, call: Call) -> pb.CreateTableResponse:
        """Make a table."""
        rule_set = request.rule_set or DEFAULT_RULE_SET
        title = request.title.strip()
        seated = not request.without_seat
        shape = Shape().request_id(request.request_id).title(title)
        shape.within(request.deals, 1, MOST_DEALS, "deals", DEFAULT_DEALS)
        rules, options = _rules(shape, rule_set, request.options)
        times = read_times(shape, request)
        least = self._tables.limits.spectator_delay_seconds
        asked = request.HasField("spectator_delay")
        delay = read_delay(shape, request.spectator_delay, least, "spectator_delay") if asked else least
        watchers = read_most(shape, request.most_spectators, MOST_SPECTATORS, "most_spectators")
        if request.HasField("seat"):
            shape.seat(request.seat)
            if not seated:
                shape.bad("seat", "wanted: no seat together with without_seat", "不能与 without_seat 同时给出")
        shape.settle()
        spec = TableSpec(
            rule_set=rule_set.removeprefix(RULE_SETS),
            title=title,
            deals=request.deals or (rules.deals if rules is not None else 0) or DEFAULT_DEALS,
            decision_seconds=times.decision_ms / 1000 if times.decision_ms else None,
            bank_seconds=times.bank_ms / 1000,
            seat=request.seat if seated else None,
            spectators=not request.no_spectators,
            private=request.private,
            options=options,
            spectator_delay_seconds=delay,
            most_spectators=watchers,
            team_chat=request.team_chat,
            hints=not request.no_hints,
            rated=request.rated,
        )
        table, code = await self._tables.create_with_code(self._origins.caller(call), spec, request.request_id)
        return pb.CreateTableResponse(table=table, join_code=code)

    async def get_table(self, request: pb.GetTableRequest, call: Call) -> pb.GetTableResponse:
        """Tell about a table."""
        Shape().name(request.name, "tables").settle()
        code = self._code(call, request.join_code)
        grant = await self._links.grant(call, request.name, request.share_link)
        table = await self._tables.open(request.name)
        shown = await table.shown(call.caller, code, grant)
        return pb.GetTableResponse(table=self._with_rematch(shown, call.caller.account))

    async def find_table(self, request: pb.FindTableRequest, call: Call) -> pb.FindTableResponse:
        """Find a private table by its join code."""
        if not request.join_code.strip():
            Shape().bad("join_code", "wanted: a join code", "应为入桌码").settle()
        code = self._code(call, request.join_code)
        if not code:
            text_en, text_zh = f"wanted: {LENGTH} of the symbols {SYMBOLS}", f"应为 {LENGTH} 个字符，限 {SYMBOLS}"
            Shape().bad("join_code", text_en, text_zh).settle()
        name = self._tables.find(code)
        if not name:
            raise TableNotFound
        table = await self._tables.open(name)
        return pb.FindTableResponse(table=await table.shown(call.caller, code))

    async def get_join_code(self, request: pb.GetJoinCodeRequest, call: Call) -> pb.GetJoinCodeResponse:
        """Tell a private table's join code."""
        Shape().name(request.name, "tables").settle()
        table = await self._tables.open(request.name)
        return pb.GetJoinCodeResponse(join_code=await table.join_code(call.caller))

    async def reset_join_code(self, request: pb.ResetJoinCodeRequest, call: Call) -> pb.ResetJoinCodeResponse:
        """Have another join code drawn."""
        _shape_of(request).settle()
        table = await self._tables.open(request.name)
        return pb.ResetJoinCodeResponse(join_code=await table.reset_join_code(call.caller, request.request_id))

    async def join_table(self, request: pb.JoinTableRequest, call: Call) -> pb.JoinTableResponse:
        """Take a seat."""
        wanted = _settled_seat(request)
        table = await self._tables.open(request.name)
        code = self._code(call, request.join_code)
        await self._check_welcome(table, call.caller, code)
        info, seat = await table.join(self._origins.caller(call), wanted, request.request_id, code)
        structlog.contextvars.bind_contextvars(seat=seat)
        return pb.JoinTableResponse(table=info, seat=seat)

    async def _check_welcome(self, table: TableHandle, caller: Caller, code: str = "") -> None:
        """Raise Refused for somebody whom the owner of a waiting table has blocked."""
        info = await table.info()
        seated = any(player.account == caller.account for player in info.players)
        if info.state != pb.TABLE_STATE_WAITING or seated or not info.owner or info.owner == caller.account:
            return
        if await self._blocks.has_blocked(info.owner, caller.account):
            await table.shown(caller, code)  # whoever may not know of the table is told that there is none
            raise not_welcome()  # as who was sent away and banned: which of them, nobody is told

    async def leave_table(self, request: pb.LeaveTableRequest, call: Call) -> pb.LeaveTableResponse:
        """Give the seat up."""
        _shape_of(request).settle()
        table = await self._tables.open(request.name)
        return pb.LeaveTableResponse(table=await table.leave(call.caller, request.request_id))

    async def set_ready(self, request: pb.SetReadyRequest, call: Call) -> pb.SetReadyResponse:
        """Be ready, or not any more."""
        _shape_of(request).settle()
        table = await self._tables.open(request.name)
        return pb.SetReadyResponse(table=await table.set_ready(call.caller, request.ready, request.request_id))

    async def add_bot(self, request: pb.AddBotRequest, call: Call) -> pb.AddBotResponse:
        """Put a built-in bot in a seat."""
        wanted = _settled_seat(request)
        table = await self._tables.open(request.name)
        info, seat = await table.add_bot(call.caller, request.policy, wanted, request.request_id)
        structlog.contextvars.bind_contextvars(seat=seat)
        return pb.AddBotResponse(table=info, seat=seat)

    async def choose_opposite(self, request: pb.ChooseOppositeRequest, call: Call) -> pb.ChooseOppositeResponse:
        """Choose whom to play against."""
        _shape_of(request).seat(request.seat).settle()
        table = await self._tables.open(request.name)
        info, seat = await table.choose_opposite(call.caller, request.seat, request.request_id)
        structlog.contextvars.bind_contextvars(seat=seat)
        return pb.ChooseOppositeResponse(table=info, seat=seat)

    def _with_rematch(self, table: pb.Table, account: str) -> pb.Table:
        """Return lobby facts that name the rematch, but a private one only to those who sat there."""
        if table.state != pb.TABLE_STATE_FINISHED:
            return table
        again = self._tables.rematch_of(table.name)
        if again is None or (again.private and account not in [player.account for player in table.players]):
            return table
        told = pb.Table()
        told.CopyFrom(table)
        told.rematch = again.name
        return told

    async def rematch(self, request: pb.RematchRequest, call: Call) -> pb.RematchResponse:
        """Play a match again."""
        _shape_of(request).settle()
        table = await self._tables.open(request.name)
        caller = self._origins.caller(call)
        info, seat = await self._tables.rematch(
            caller,
            table.name,
            request.request_id,
            shunned=await self._blocks.of(caller.account),
            admit=lambda again: self._check_welcome(again, caller),
        )
        structlog.contextvars.bind_contextvars(seat=seat)
        return pb.RematchResponse(table=info, seat=seat)

    def _code(self, call: Call, said: str) -> str:
        return self._code_tries.take(call.caller.account, call, said)


def _shape_of(request: _AtTable) -> Shape:
    return Shape().request_id(request.request_id).name(request.name, "tables")


def _rules(
    shape: Shape, name: str, settings: Sequence[rules_pb2.OptionSetting]
) -> tuple[RuleSet | None, tuple[tuple[str, OptionValue], ...]]:
    """Read the options that a table overrides; return its rules and them, or note what is wrong with them."""
    preset = name.removeprefix(RULE_SETS)
    if not name.startswith(RULE_SETS) or preset not in PRESET_NAMES:
        shape.bad("rule_set", "there is no such rule set: ListRuleSets lists them", "没有此规则：见 ListRuleSets")
        return None, ()
    if len(settings) > len(OPTION_NAMES):
        shape.bad("options", f"wanted: at most {len(OPTION_NAMES)}", f"最多 {len(OPTION_NAMES)} 项")
        return None, ()
    if any(len(setting.field) > MAX_OPTION or len(setting.value) > MAX_OPTION for setting in settings):
        shape.bad("options", f"wanted: at most {MAX_OPTION} characters", f"最多 {MAX_OPTION} 个字符")
        return None, ()
    options: dict[str, OptionValue] = {}
    try:
        options = read_overrides((setting.field, setting.value) for setting in settings)
        return preset_of(preset).replace(**options), tuple(options.items())
    except RuleSetError as error:
        for field in error.fields:
            shape.bad(f"options.{shortened(field)}", error.text_en, error.text_zh)
    return None, ()


def _settled_seat(request: pb.JoinTableRequest | pb.AddBotRequest) -> int | None:
    """Check a request about a seat; return the seat wanted, None for any."""
    shape = _shape_of(request)
    if isinstance(request, pb.AddBotRequest):
        shape.policy(request.policy)
    if request.HasField("seat"):
        shape.seat(request.seat)
    shape.settle()
    return request.seat if request.HasField("seat") else None

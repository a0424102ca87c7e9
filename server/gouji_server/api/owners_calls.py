"""LobbyService, the part for owners of tables that wait: what the table is like, and who sits at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_rules.errors import shortened
from gouji_rules.option_values import read_overrides
from gouji_rules.rule_set import MOST_DEALS, OPTION_NAMES, PRESET_NAMES, RuleSetError
from gouji_server.api.time_controls import DECISION_SECONDS, read_time_control
from gouji_server.api.validation import Shape
from gouji_server.api.watching import read_delay, read_most
from gouji_server.lobby.rule_sets import PREFIX as RULE_SETS
from gouji_server.tables.inputs import MOST_SPECTATORS

if TYPE_CHECKING:
    import grpc

    from gouji_server.api.calls import Call, Calls
    from gouji_server.tables import Tables

MAX_OPTION = 400
"""Characters of an option's name or value."""
MAX_PATHS = 32
"""Paths of a mask."""

CHANGEABLE = (
    "title",
    "rule_set",
    "options",
    "deals",
    "decision_time",
    "time_control",
    "spectators_allowed",
    "private",
    "spectator_delay",
    "most_spectators",
    "team_chat",
    "hints",
)
"""The fields of a table that its owner may change."""

_NAMED = (("request_id", "request_id"), ("name", "table"))


class OwnersCalls:
    """Changes tables for their owners."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "UpdateTable": calls.unary(
                "UpdateTable", pb.UpdateTableRequest, self.update_table, logged=(("request_id", "request_id"),)
            ),
            "KickPlayer": calls.unary("KickPlayer", pb.KickPlayerRequest, self.kick_player, logged=_NAMED),
        }

    async def update_table(self, request: pb.UpdateTableRequest, call: Call) -> pb.UpdateTableResponse:
        """Change what a table is like."""
        shape = Shape().request_id(request.request_id).name(request.table.name, "tables", "table.name")
        paths = dict.fromkeys(request.update_mask.paths)
        if not paths or len(paths) > MAX_PATHS or not paths.keys() <= set(CHANGEABLE):
            known = ", ".join(CHANGEABLE)
            shape.bad("update_mask", f"wanted: some of {known}", f"应为其中若干项：{known}")
        changes = {} if len(paths) > MAX_PATHS else _read(shape, request.table, paths)
        self._read_watching(shape, request.table, paths, changes)
        shape.settle()
        table = await self._tables.open(request.table.name)
        info, code = await table.update(call.caller, changes, request.request_id)
        return pb.UpdateTableResponse(table=info, join_code=code)

    def _read_watching(self, shape: Shape, wanted: pb.Table, paths: dict[str, None], changes: dict[str, Any]) -> None:
        if "spectator_delay" in paths:
            least = self._tables.limits.spectator_delay_seconds
            delay = read_delay(shape, wanted.spectator_delay, least, "table.spectator_delay")
            changes["spectator_delay_ms"] = round(delay * 1000)
        if "most_spectators" in paths:
            most = read_most(shape, wanted.most_spectators, MOST_SPECTATORS, "table.most_spectators")
            changes["most_spectators"] = most

    async def kick_player(self, request: pb.KickPlayerRequest, call: Call) -> pb.KickPlayerResponse:
        """Take a seat from who sits there."""
        shape = Shape().request_id(request.request_id).name(request.name, "tables").seat(request.seat)
        if request.account:
            shape.name(request.account, "accounts", "account")
        shape.settle()
        table = await self._tables.open(request.name)
        info = await table.kick(call.caller, request.seat, request.account, request.ban, request.request_id)
        return pb.KickPlayerResponse(table=info)


def _read(shape: Shape, wanted: pb.Table, paths: dict[str, None]) -> dict[str, Any]:
    """Read the fields named, as `inputs.TableUpdated` holds them, or note what is wrong with them."""
    changes: dict[str, Any] = {}
    if "title" in paths:
        changes["title"] = wanted.title.strip()
        shape.title(changes["title"], "table.title")
    if "deals" in paths:
        changes["deals"] = wanted.deals
        shape.within(wanted.deals, 1, MOST_DEALS, "table.deals", 3)
    if "spectators_allowed" in paths:
        changes["spectators"] = wanted.spectators_allowed
    for flag in ("private", "team_chat", "hints"):
        if flag in paths:
            changes[flag] = getattr(wanted, flag)
    _read_rules(shape, wanted, paths, changes)
    _read_times(shape, wanted, paths, changes)
    return changes


def _read_rules(shape: Shape, wanted: pb.Table, paths: dict[str, None], changes: dict[str, Any]) -> None:
    if "rule_set" in paths:
        changes["rules"] = wanted.rule_set.removeprefix(RULE_SETS)
        if not wanted.rule_set.startswith(RULE_SETS) or changes["rules"] not in PRESET_NAMES:
            no_such = "there is no such rule set: ListRuleSets lists them"
            shape.bad("table.rule_set", no_such, "没有此规则：见 ListRuleSets")
    if "options" not in paths:
        return
    settings = wanted.options
    if len(settings) > len(OPTION_NAMES):
        shape.bad("table.options", f"wanted: at most {len(OPTION_NAMES)}", f"最多 {len(OPTION_NAMES)} 项")
        return
    if any(len(setting.field) > MAX_OPTION or len(setting.value) > MAX_OPTION for setting in settings):
        shape.bad("table.options", f"wanted: at most {MAX_OPTION} characters", f"最多 {MAX_OPTION} 个字符")
        return
    try:
        options = read_overrides((setting.field, setting.value) for setting in settings)
    except RuleSetError as error:
        for field in error.fields:
            shape.bad(f"table.options.{shortened(field)}", error.text_en, error.text_zh)
        return
    changes["options"] = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}


def _read_times(shape: Shape, wanted: pb.Table, paths: dict[str, None], changes: dict[str, Any]) -> None:
    if "time_control" in paths:
        if "decision_time" in paths:
            shape.bad("update_mask", "wanted: not decision_time and time_control together", "两种用时不能同时给出")
        times = read_time_control(shape, wanted.time_control)
        changes["times"] = [times.decision_ms, times.bank_ms]
    elif "decision_time" in paths:
        milliseconds = 0
        if wanted.HasField("decision_time"):
            shape.duration(wanted.decision_time, *DECISION_SECONDS, "table.decision_time")
            milliseconds = wanted.decision_time.seconds * 1000 + wanted.decision_time.nanos // 1_000_000
        changes["times"] = [milliseconds, 0]

"""What an owner may change about a table that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from gouji.lobby.v1 import lobby_pb2
from gouji_client.arguments import well_formed
from gouji_client.calls import new_request_id
from gouji_client.errors import BadInput
from gouji_rules.rule_set import format_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji_rules.rule_set import OptionValue

TIME_PRESETS = {
    "blitz": lobby_pb2.TIME_PRESET_BLITZ,
    "normal": lobby_pb2.TIME_PRESET_NORMAL,
    "slow": lobby_pb2.TIME_PRESET_SLOW,
    "none": lobby_pb2.TIME_PRESET_NONE,
}
"""The time controls that have a name."""


class TableChanges(TypedDict, total=False):
    """What is to change; what is left out stays as it is.

    `options` replaces all overrides; `rule_set` without them drops them. `time` names a time control (`blitz`,
    `normal`, `slow`, `none`), or `decision_seconds` and `bank_seconds` are times of one's own. Who has no seat is told
    what happens in the match `spectator_delay_seconds` later; `most_spectators` of them may watch at once.
    """

    title: str
    rule_set: str
    options: Mapping[str, OptionValue | list[int] | list[str]]
    deals: int
    time: str
    decision_seconds: float
    bank_seconds: float
    spectators: bool
    private: bool
    spectator_delay_seconds: float
    most_spectators: int
    team_chat: bool
    hints: bool


def update_request(name: str, changes: TableChanges) -> lobby_pb2.UpdateTableRequest:
    """Return the request that makes changes. Raises `BadInput` for what no table can be like, or no change at all."""
    unknown = set(changes) - set(TableChanges.__annotations__)
    if unknown:
        raise BadInput(f"a table has no {', '.join(sorted(unknown))}: use {', '.join(TableChanges.__annotations__)}")
    if not changes:
        raise BadInput(f"nothing is to change: give some of {', '.join(TableChanges.__annotations__)}")
    for flag in ("spectators", "private", "team_chat", "hints"):
        if not isinstance(changes.get(flag, False), bool):
            raise BadInput(f"{flag} is True or False")
    request = lobby_pb2.UpdateTableRequest(request_id=new_request_id())
    with well_formed("a table"):
        _fill(request, name, changes)
    return request


def _fill(request: lobby_pb2.UpdateTableRequest, name: str, changes: TableChanges) -> None:
    table, paths = request.table, request.update_mask.paths
    table.name = name
    if "title" in changes:
        table.title = changes["title"]
        paths.append("title")
    if "rule_set" in changes:
        rule_set = changes["rule_set"]
        table.rule_set = rule_set if rule_set.startswith("ruleSets/") else f"ruleSets/{rule_set}"
        paths.append("rule_set")
    if "options" in changes:
        for option, value in changes["options"].items():
            table.options.add(field=option, value=format_option(value))
        paths.append("options")
    if "deals" in changes:
        table.deals = changes["deals"]
        paths.append("deals")
    if "spectators" in changes:
        table.spectators_allowed = changes["spectators"]
        paths.append("spectators_allowed")
    if "private" in changes:
        table.private = changes["private"]
        paths.append("private")
    if "team_chat" in changes:
        table.team_chat = changes["team_chat"]
        paths.append("team_chat")
    if "hints" in changes:
        table.hints = changes["hints"]
        paths.append("hints")
    if "spectator_delay_seconds" in changes:
        table.spectator_delay.FromNanoseconds(round(changes["spectator_delay_seconds"] * 1e9))
        paths.append("spectator_delay")
    if "most_spectators" in changes:
        table.most_spectators = changes["most_spectators"]
        paths.append("most_spectators")
    if changes.keys() & {"time", "decision_seconds", "bank_seconds"}:
        _fill_times(table.time_control, changes)
        paths.append("time_control")


def _fill_times(control: lobby_pb2.TimeControl, changes: TableChanges) -> None:
    if "time" in changes:
        if changes["time"] not in TIME_PRESETS:
            raise BadInput(f"there is no time control {changes['time']!r}: use {', '.join(TIME_PRESETS)}")
        if "decision_seconds" in changes or "bank_seconds" in changes:
            raise BadInput(f"time={changes['time']!r} says how much time there is: leave the seconds out")
        control.preset = TIME_PRESETS[changes["time"]]
        return
    if "decision_seconds" not in changes:
        raise BadInput("a bank needs decision_seconds: it runs after them")
    control.decision_time.FromNanoseconds(round(changes["decision_seconds"] * 1e9))
    if changes.get("bank_seconds"):
        control.bank.FromNanoseconds(round(changes["bank_seconds"] * 1e9))

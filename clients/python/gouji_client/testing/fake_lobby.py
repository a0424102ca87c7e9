"""The fake server's lobby."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc

import gouji_bots
import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.rules.v1 import rules_pb2
from gouji_client.testing.hall import is_code
from gouji_client.testing.refusals import Refusal, bad_request
from gouji_client.testing.seating import not_welcome
from gouji_rules.option_values import read_overrides
from gouji_rules.rule_set import OPTION_NAMES, format_option

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji.session.v1 import session_pb2
    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_table import FakeTable
    from gouji_client.testing.hall import Hall

KEPT_SECONDS = 60.0
"""How long a rematch keeps seats."""
_LOOK_SECONDS = 0.05
"""How often a watcher of the list is served."""
_CHANGEABLE = {"title", "deals", "spectators_allowed", "private"}


class FakeLobby:
    """Shows the tables, makes others, and seats callers."""

    def __init__(self, accounts: FakeAccounts, hall: Hall) -> None:
        self._accounts = accounts
        self._hall = hall

    async def list_rule_sets(
        self, request: lobby_pb2.ListRuleSetsRequest, token: str
    ) -> lobby_pb2.ListRuleSetsResponse:
        """See `LobbyService.ListRuleSets`."""
        return lobby_pb2.ListRuleSetsResponse(rule_sets=[_rule_set_message(rules) for rules in gr.PRESETS.values()])

    async def create_table(self, request: lobby_pb2.CreateTableRequest, token: str) -> lobby_pb2.CreateTableResponse:
        """See `LobbyService.CreateTable`: the first caller gets the table that the server was made with, others an
        empty one."""
        account = self._accounts.account_of(token)
        if not 0 <= request.deals <= 100:
            raise bad_request("deals: wanted: 1 to 100", "deals：应为 1 至 100")
        table = self._hall.first
        if any(player.account for player in table.info.players) or table.info.owner:
            table = self._hall.open(_rules(request), 1)
        elif request.rule_set not in ("", f"ruleSets/{table.setting.rules.name}"):
            raise bad_request("no such rule set", "没有这种规则")
        elif request.options:
            raise bad_request("the fake server plays the rules that it was made with", "测试服务器的规则在创建时已定")
        if request.rated and request.team_chat:
            raise bad_request("team_chat: not at a rated table", "team_chat：计分桌不许联邦内交谈")
        code = self._hall.draw_code(table) if request.private else ""
        table.info.rated = request.rated
        table.info.team_chat = request.team_chat
        table.info.hints = not (request.no_hints or request.rated)
        table.info.private = request.private
        table.info.spectators_allowed = not request.no_spectators
        table.own(account.name, request.title, request.deals or table.setting.rules.deals or 3)
        if not request.without_seat:
            seat = request.seat if request.HasField("seat") else 0
            table.join(account.name, account.display_name, seat, bot=account.bot)
        table.tell_info()
        return lobby_pb2.CreateTableResponse(table=table.info, join_code=code)

    async def get_table(self, request: lobby_pb2.GetTableRequest, token: str) -> lobby_pb2.GetTableResponse:
        """See `LobbyService.GetTable`."""
        table = self._shown(token, request.name, request.join_code)
        told = lobby_pb2.Table()
        told.CopyFrom(table.info)
        told.rematch = self._hall.rematches.get(table.name, "")
        return lobby_pb2.GetTableResponse(table=told)

    async def find_table(self, request: lobby_pb2.FindTableRequest, token: str) -> lobby_pb2.FindTableResponse:
        """See `LobbyService.FindTable`."""
        if not is_code(request.join_code):
            raise bad_request("join_code: wanted: a join code", "join_code：应为入桌码")
        return lobby_pb2.FindTableResponse(table=self._hall.find(request.join_code).info)

    async def get_join_code(self, request: lobby_pb2.GetJoinCodeRequest, token: str) -> lobby_pb2.GetJoinCodeResponse:
        """See `LobbyService.GetJoinCode`."""
        account, table = self._accounts.account_of(token).name, self._shown(token, request.name)
        if table.seat_of(account) is None and account != table.info.owner:
            text = "you have no seat at this table"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED", text, "你不在这张桌上")
        return lobby_pb2.GetJoinCodeResponse(join_code=self._code_of(table))

    async def reset_join_code(
        self, request: lobby_pb2.ResetJoinCodeRequest, token: str
    ) -> lobby_pb2.ResetJoinCodeResponse:
        """See `LobbyService.ResetJoinCode`."""
        table = self._own(token, request.name)
        table.require_waiting()
        self._code_of(table)
        return lobby_pb2.ResetJoinCodeResponse(join_code=self._hall.draw_code(table))

    async def update_table(self, request: lobby_pb2.UpdateTableRequest, token: str) -> lobby_pb2.UpdateTableResponse:
        """See `LobbyService.UpdateTable`: title, deals, spectators and privacy, not rules and times."""
        table = self._own(token, request.table.name)
        paths = set(request.update_mask.paths)
        if not paths or not paths <= _CHANGEABLE:
            text = "the fake server changes title, deals, spectators_allowed and private alone"
            raise bad_request(text, "测试服务器只能改这几项")
        private_before = table.info.private
        table.change(request.table, paths)
        code = ""
        if table.info.private and not private_before:
            code = self._hall.draw_code(table)
        elif not table.info.private:
            self._hall.codes.pop(table.name, None)
        return lobby_pb2.UpdateTableResponse(table=table.info, join_code=code)

    async def kick_player(self, request: lobby_pb2.KickPlayerRequest, token: str) -> lobby_pb2.KickPlayerResponse:
        """See `LobbyService.KickPlayer`."""
        table = self._own(token, request.name)
        if request.seat not in range(6):
            raise bad_request("seat: wanted: 0 to 5", "seat：应为 0 到 5")
        table.kick(table.info.owner, request.seat, request.account, ban=request.ban)
        return lobby_pb2.KickPlayerResponse(table=table.info)

    async def rematch(self, request: lobby_pb2.RematchRequest, token: str) -> lobby_pb2.RematchResponse:
        """See `LobbyService.Rematch`."""
        account, table = self._accounts.account_of(token), self._shown(token, request.name)
        if table.seat_of(account.name) is None:
            text = "you have no seat at this table"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED", text, "你不在这张桌上")
        table.require_over()
        again = self._again(table, account)
        self._check_welcome(again, account.name)
        seat = again.join(account.name, account.display_name, None, bot=account.bot)
        return lobby_pb2.RematchResponse(table=again.info, seat=seat)

    def _again(self, table: FakeTable, owner: session_pb2.Account) -> FakeTable:
        known = self._hall.rematches.get(table.name)
        if known is not None and not self._hall.get(known).over:
            return self._hall.get(known)
        again = self._hall.open(table.setting.rules, table.setting.deals)
        again.own(owner.name, table.info.title, table.setting.deals)
        again.info.private, again.info.spectators_allowed = table.info.private, table.info.spectators_allowed
        if table.info.private:
            self._hall.draw_code(again)
        for player in table.info.players:
            if player.bot:
                policy = player.bot if player.bot in gouji_bots.policies else "random"
                again.fill(player.seat, policy)
        blocked = self._accounts.blocked_by(owner.name)
        kept = {p.seat: p.account for p in table.info.players if p.account and p.account not in blocked}
        self._hall.reserve(again, kept, KEPT_SECONDS)
        self._hall.rematches[table.name] = again.name
        return again

    async def list_tables(self, request: lobby_pb2.ListTablesRequest, token: str) -> lobby_pb2.ListTablesResponse:
        """See `LobbyService.ListTables`. All are on one page."""
        return lobby_pb2.ListTablesResponse(tables=self._listed(request))

    async def watch_tables(
        self, request: lobby_pb2.WatchTablesRequest, token: str
    ) -> AsyncIterator[lobby_pb2.WatchTablesResponse]:
        """See `LobbyService.WatchTables`: the whole list whenever a table has changed."""
        told: list[lobby_pb2.Table] | None = None
        while True:
            self._accounts.account_of(token)
            listed = [lobby_pb2.Table.FromString(info.SerializeToString()) for info in self._listed(request)]
            if listed != told:
                told = listed
                yield lobby_pb2.WatchTablesResponse(snapshot=True, tables=listed)
            await asyncio.sleep(_LOOK_SECONDS)

    def _listed(self, request: lobby_pb2.ListTablesRequest | lobby_pb2.WatchTablesRequest) -> list[lobby_pb2.Table]:
        return [table.info for table in self._hall if _is_wanted(table, request)]

    async def join_table(self, request: lobby_pb2.JoinTableRequest, token: str) -> lobby_pb2.JoinTableResponse:
        """See `LobbyService.JoinTable`."""
        account = self._accounts.account_of(token)
        table = self._shown(token, request.name, request.join_code)
        if request.HasField("seat") and request.seat not in range(6):
            raise bad_request("seat: wanted: 0 to 5", "seat：应为 0 到 5")
        self._check_welcome(table, account.name)
        wanted = request.seat if request.HasField("seat") else None
        seat = table.join(account.name, account.display_name, wanted, bot=account.bot)
        return lobby_pb2.JoinTableResponse(table=table.info, seat=seat)

    async def leave_table(self, request: lobby_pb2.LeaveTableRequest, token: str) -> lobby_pb2.LeaveTableResponse:
        """See `LobbyService.LeaveTable`."""
        table = self._shown(token, request.name)
        table.leave(self._accounts.account_of(token).name)
        return lobby_pb2.LeaveTableResponse(table=table.info)

    async def set_ready(self, request: lobby_pb2.SetReadyRequest, token: str) -> lobby_pb2.SetReadyResponse:
        """See `LobbyService.SetReady`."""
        table = self._shown(token, request.name)
        table.set_ready(self._accounts.account_of(token).name, ready=request.ready)
        return lobby_pb2.SetReadyResponse(table=table.info)

    async def add_bot(self, request: lobby_pb2.AddBotRequest, token: str) -> lobby_pb2.AddBotResponse:
        """See `LobbyService.AddBot`."""
        table = self._own(token, request.name)
        policy = request.policy or "simple"
        if policy not in gouji_bots.policies:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "NO_SUCH_BOT", "no such policy", "没有这种机器人")
        seat = table.fill(request.seat if request.HasField("seat") else None, policy)
        return lobby_pb2.AddBotResponse(table=table.info, seat=seat)

    async def choose_opposite(
        self, request: lobby_pb2.ChooseOppositeRequest, token: str
    ) -> lobby_pb2.ChooseOppositeResponse:
        """See `LobbyService.ChooseOpposite`."""
        table = self._shown(token, request.name)
        seat = table.choose_opposite(self._accounts.account_of(token).name, request.seat)
        return lobby_pb2.ChooseOppositeResponse(table=table.info, seat=seat)

    def _shown(self, token: str, name: str, code: str = "") -> FakeTable:
        return self._hall.shown(name, self._accounts.account_of(token).name, code)

    def _own(self, token: str, name: str) -> FakeTable:
        table = self._shown(token, name)
        if self._accounts.account_of(token).name != table.info.owner:
            text = "only the table's owner may do this"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_OWNER", text, "只有桌主可以这样做")
        return table

    def _check_welcome(self, table: FakeTable, account: str) -> None:
        """Raise `Refusal` for whom the owner of a waiting table has blocked."""
        waiting = table.info.state == lobby_pb2.TABLE_STATE_WAITING
        if waiting and table.seat_of(account) is None and account in self._accounts.blocked_by(table.info.owner):
            raise not_welcome()

    def _code_of(self, table: FakeTable) -> str:
        code = self._hall.codes.get(table.name)
        if code is None:
            text = "this table is not private and has no join code"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "NOT_PRIVATE", text, "这张桌子不是私人桌，没有入桌码")
        return code


def _is_wanted(table: FakeTable, request: lobby_pb2.ListTablesRequest | lobby_pb2.WatchTablesRequest) -> bool:
    info = table.info
    taken = all(player.account or player.bot or player.reserved_for for player in info.players)
    shown = info.state == request.state if request.state else not table.over
    shown = shown and not info.private and not (request.with_free_seat and taken)
    shown = shown and request.rule_set in ("", info.rule_set) and request.title_text.lower() in info.title.lower()
    bots = any(player.bot or player.is_bot_account for player in info.players)
    return shown and not (request.without_bots and bots)


def _rules(request: lobby_pb2.CreateTableRequest) -> gr.RuleSet:
    """Return the rules of another table. Raises `Refusal`."""
    preset = request.rule_set.removeprefix("ruleSets/") or "qingdao"
    if preset not in gr.PRESETS:
        raise bad_request("rule_set: there is no such rule set", "rule_set：没有此规则")
    try:
        overrides = read_overrides((setting.field, setting.value) for setting in request.options)
        return gr.PRESETS[preset].replace(**overrides)
    except gr.RuleSetError as error:
        raise bad_request(error.text_en, error.text_zh) from error


def _rule_set_message(rules: gr.RuleSet) -> rules_pb2.RuleSet:
    options = [rules_pb2.RuleOption(field=name, value=format_option(rules.option(name))) for name in OPTION_NAMES]
    title = rules_pb2.LocalizedText(en=rules.name, zh=rules.name)
    return rules_pb2.RuleSet(name=f"ruleSets/{rules.name}", title=title, options=options)

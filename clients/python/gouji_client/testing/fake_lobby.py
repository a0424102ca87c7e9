"""The fake server's lobby: one table."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc

import gouji_bots
import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.rules.v1 import rules_pb2
from gouji_client.testing.fake_table import NAME
from gouji_client.testing.refusals import Refusal
from gouji_rules.rule_set import OPTION_NAMES, format_option

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_table import FakeTable


class FakeLobby:
    """Shows, and seats callers at, the one table that there is."""

    def __init__(self, accounts: FakeAccounts, table: FakeTable) -> None:
        self._accounts = accounts
        self._table = table
        self._code = ""

    async def list_rule_sets(
        self, request: lobby_pb2.ListRuleSetsRequest, token: str
    ) -> lobby_pb2.ListRuleSetsResponse:
        """See `LobbyService.ListRuleSets`."""
        self._accounts.account_of(token)
        return lobby_pb2.ListRuleSetsResponse(rule_sets=[_rule_set_message(rules) for rules in gr.PRESETS.values()])

    async def create_table(self, request: lobby_pb2.CreateTableRequest, token: str) -> lobby_pb2.CreateTableResponse:
        """See `LobbyService.CreateTable`: the first caller gets the one table, with the deals and title wanted."""
        account = self._accounts.account_of(token)
        table = self._table
        if any(player.account for player in table.info.players):
            text = "the fake server has one table, and it is taken"
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "ONE_TABLE", text, "测试服务器只有一张桌子")
        if request.rule_set not in ("", f"ruleSets/{table.setting.rules.name}"):
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "no such rule set", "没有这种规则")
        if request.options:
            text = "the fake server plays the rules that it was made with"
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", text, "测试服务器的规则在创建时已定")
        self._code = _CODES[0] if request.private else ""
        table.info.private = request.private
        table.own(account.name, request.title, request.deals or table.setting.rules.deals or 3)
        if not request.without_seat:
            table.join(
                account.name, account.display_name, request.seat if request.HasField("seat") else 0, bot=account.bot
            )
        return lobby_pb2.CreateTableResponse(table=table.info, join_code=self._code)

    async def get_table(self, request: lobby_pb2.GetTableRequest, token: str) -> lobby_pb2.GetTableResponse:
        """See `LobbyService.GetTable`."""
        name, _ = self._account(token, request.name)
        self._admit(name, request.join_code)
        return lobby_pb2.GetTableResponse(table=self._table.info)

    async def find_table(self, request: lobby_pb2.FindTableRequest, token: str) -> lobby_pb2.FindTableResponse:
        """See `LobbyService.FindTable`."""
        self._accounts.account_of(token)
        if not self._code or request.join_code.upper() != self._code:
            raise _not_found()
        return lobby_pb2.FindTableResponse(table=self._table.info)

    async def get_join_code(self, request: lobby_pb2.GetJoinCodeRequest, token: str) -> lobby_pb2.GetJoinCodeResponse:
        """See `LobbyService.GetJoinCode`."""
        name, _ = self._account(token, request.name)
        self._admit(name, "")
        return lobby_pb2.GetJoinCodeResponse(join_code=self._code_now())

    async def reset_join_code(
        self, request: lobby_pb2.ResetJoinCodeRequest, token: str
    ) -> lobby_pb2.ResetJoinCodeResponse:
        """See `LobbyService.ResetJoinCode`."""
        name, _ = self._account(token, request.name)
        self._admit(name, "")
        self._own(name)
        self._code = _CODES[(_CODES.index(self._code_now()) + 1) % len(_CODES)]
        return lobby_pb2.ResetJoinCodeResponse(join_code=self._code)

    async def update_table(self, request: lobby_pb2.UpdateTableRequest, token: str) -> lobby_pb2.UpdateTableResponse:
        """See `LobbyService.UpdateTable`: title, deals, spectators and privacy, not rules and times."""
        name, _ = self._account(token, request.table.name)
        self._admit(name, "")
        self._own(name)
        paths = set(request.update_mask.paths)
        if not paths or not paths <= {"title", "deals", "spectators_allowed", "private"}:
            text = "the fake server changes title, deals, spectators_allowed and private alone"
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", text, "测试服务器只能改这几项")
        private_before = self._table.info.private
        self._table.change(request.table, paths)
        if self._table.info.private != private_before:
            self._code = "" if private_before else _CODES[0]
        became = self._code if self._table.info.private and not private_before else ""
        return lobby_pb2.UpdateTableResponse(table=self._table.info, join_code=became)

    async def kick_player(self, request: lobby_pb2.KickPlayerRequest, token: str) -> lobby_pb2.KickPlayerResponse:
        """See `LobbyService.KickPlayer`."""
        name, _ = self._account(token, request.name)
        self._admit(name, "")
        self._own(name)
        self._table.kick(name, request.seat, request.account, ban=request.ban)
        return lobby_pb2.KickPlayerResponse(table=self._table.info)

    async def rematch(self, request: lobby_pb2.RematchRequest, token: str) -> lobby_pb2.RematchResponse:
        """See `LobbyService.Rematch`: refused, since there is one table."""
        self._account(token, request.name)
        text = "the fake server has one table, and it is taken"
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "ONE_TABLE", text, "测试服务器只有一张桌子")

    async def list_tables(self, request: lobby_pb2.ListTablesRequest, token: str) -> lobby_pb2.ListTablesResponse:
        """See `LobbyService.ListTables`."""
        self._accounts.account_of(token)
        return lobby_pb2.ListTablesResponse(tables=self._shown(request))

    async def watch_tables(
        self, request: lobby_pb2.WatchTablesRequest, token: str
    ) -> AsyncIterator[lobby_pb2.WatchTablesResponse]:
        """See `LobbyService.WatchTables`: the whole list whenever the one table has changed."""
        self._accounts.account_of(token)
        told = -1
        while True:
            if self._table.n != told:
                told = self._table.n
                yield lobby_pb2.WatchTablesResponse(snapshot=True, tables=self._shown(request))
            await asyncio.sleep(_LOOK_SECONDS)

    def _shown(self, request: lobby_pb2.ListTablesRequest | lobby_pb2.WatchTablesRequest) -> list[lobby_pb2.Table]:
        info = self._table.info
        taken = all(player.account or player.bot for player in info.players)
        wanted = info.state == request.state if request.state else not self._table.over
        shown = wanted and not info.private and not (request.with_free_seat and taken)
        shown = shown and request.rule_set in ("", info.rule_set) and request.title_text.lower() in info.title.lower()
        bots = any(player.bot or player.is_bot_account for player in info.players)
        return [info] if shown and not (request.without_bots and bots) else []

    async def join_table(self, request: lobby_pb2.JoinTableRequest, token: str) -> lobby_pb2.JoinTableResponse:
        """See `LobbyService.JoinTable`."""
        name, display_name = self._account(token, request.name)
        self._admit(name, request.join_code)
        seat = self._table.join(name, display_name, request.seat if request.HasField("seat") else None)
        return lobby_pb2.JoinTableResponse(table=self._table.info, seat=seat)

    async def leave_table(self, request: lobby_pb2.LeaveTableRequest, token: str) -> lobby_pb2.LeaveTableResponse:
        """See `LobbyService.LeaveTable`."""
        name, _ = self._account(token, request.name)
        self._table.leave(name)
        return lobby_pb2.LeaveTableResponse(table=self._table.info)

    async def set_ready(self, request: lobby_pb2.SetReadyRequest, token: str) -> lobby_pb2.SetReadyResponse:
        """See `LobbyService.SetReady`."""
        name, _ = self._account(token, request.name)
        self._table.set_ready(name, ready=request.ready)
        return lobby_pb2.SetReadyResponse(table=self._table.info)

    async def add_bot(self, request: lobby_pb2.AddBotRequest, token: str) -> lobby_pb2.AddBotResponse:
        """See `LobbyService.AddBot`."""
        name, _ = self._account(token, request.name)
        self._own(name)
        policy = request.policy or "simple"
        if policy not in gouji_bots.policies:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "NO_SUCH_POLICY", "no such policy", "没有这种机器人")
        seat = self._table.fill(request.seat if request.HasField("seat") else None, policy)
        return lobby_pb2.AddBotResponse(table=self._table.info, seat=seat)

    async def choose_opposite(
        self, request: lobby_pb2.ChooseOppositeRequest, token: str
    ) -> lobby_pb2.ChooseOppositeResponse:
        """See `LobbyService.ChooseOpposite`."""
        name, _ = self._account(token, request.name)
        seat = self._table.choose_opposite(name, request.seat)
        return lobby_pb2.ChooseOppositeResponse(table=self._table.info, seat=seat)

    def _account(self, token: str, table: str) -> tuple[str, str]:
        account = self._accounts.account_of(token)
        if table != NAME:
            raise _not_found()
        return account.name, account.display_name

    def _own(self, account: str) -> None:
        if account != self._table.info.owner:
            text = "only the table's owner may do this"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_OWNER", text, "只有桌主可以这样做")

    def _admit(self, account: str, code: str) -> None:
        """Raise `Refusal` for who may not know of a private table."""
        seated = self._table.seat_of(account) is not None or account == self._table.info.owner
        if self._code and not seated and code.upper() != self._code:
            raise _not_found()

    def _code_now(self) -> str:
        if not self._code:
            text = "this table is not private and has no join code"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "NOT_PRIVATE", text, "这张桌子不是私人桌，没有入桌码")
        return self._code


def _not_found() -> Refusal:
    return Refusal(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND", "there is no such table", "没有这张桌子")


_LOOK_SECONDS = 0.05
"""How often a watcher of the list is served."""

_CODES = ("FAKE22", "FAKE33")
"""Join codes of the one table, when it is private."""


def _rule_set_message(rules: gr.RuleSet) -> rules_pb2.RuleSet:
    options = [rules_pb2.RuleOption(field=name, value=format_option(rules.option(name))) for name in OPTION_NAMES]
    title = rules_pb2.LocalizedText(en=rules.name, zh=rules.name)
    return rules_pb2.RuleSet(name=f"ruleSets/{rules.name}", title=title, options=options)

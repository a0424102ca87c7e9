"""Who is let in to the fake server: clients by their version, bots by the scopes of their tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import grpc

from gouji.session.v1 import session_pb2
from gouji_client.testing.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji_client.testing.fake_session import FakeAccounts

PUBLIC = {"GetServerInfo", "SignIn", "RefreshSession", "SignOut"}
"""Methods that want no token."""
ANY = {"GetAccount", "ListPhrases"}
"""Methods that every token is good for."""
SCOPES = {
    session_pb2.BOT_SCOPE_LOBBY: {
        *("ListRuleSets", "CreateTable", "GetTable", "FindTable", "GetJoinCode", "ResetJoinCode", "UpdateTable"),
        *("KickPlayer", "Rematch", "ListTables", "WatchTables", "JoinTable", "LeaveTable", "SetReady", "AddBot"),
        *("ChooseOpposite", "GetQueues", "CreateParty", "JoinParty", "LeaveParty", "GetParty", "CreateTicket"),
        *("GetTicket", "WatchTicket", "CancelTicket", "CreateShareLink", "ListShareLinks", "RevokeShareLink"),
    },
    session_pb2.BOT_SCOPE_PLAY: {
        *("Play", "SubmitAction", "ListLegalPlays", "CheckPlay", "AskCount", "Feel", "VoteDissolution"),
        *("SetAutopilot", "SetAutoDecline", "ContributeEntropy", "GrantPeek", "GetHint"),
    },
    session_pb2.BOT_SCOPE_WATCH: {
        *("WatchTable", "GetView", "ListMatches", "GetMatch", "GetMatchRecord", "WatchReplay"),
    },
    session_pb2.BOT_SCOPE_CHAT: {"SendChat", "ListChatMessages", "ReportMessage"},
}
"""Methods by the scope that a bot's token needs for them. Those that stand nowhere are for people."""

_VERSION = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[.+-].*|[a-z].*)?", re.ASCII | re.DOTALL)


class Gate:
    """Checks every call before it is answered. `minimums`: least version by client name."""

    def __init__(self, accounts: FakeAccounts, minimums: Mapping[str, str]) -> None:
        self._accounts = accounts
        self._minimums = {name: (text, _read(text)) for name, text in minimums.items()}

    def check(self, method: str, token: str, client: str) -> None:
        """Let a call in. Raises `Refusal`."""
        if method != "GetServerInfo":
            self._check_client(client)
        if method in PUBLIC:
            return
        self._accounts.account_of(token)
        scopes = self._accounts.scopes_of(token)
        if scopes is None or method in ANY:
            return
        wanted = scope_of(method)
        if wanted is None:
            raise _missing("account", "this is for people: no bot's token is good for it", "此操作仅限真人账号")
        if wanted not in scopes:
            name = session_pb2.BotScope.Name(wanted).removeprefix("BOT_SCOPE_").lower()
            raise _missing(name, f"it needs the scope {name}", f"机器人令牌没有此权限：需要 {name}")

    def _check_client(self, client: str) -> None:
        name, _, version = client.partition("/")
        wanted, least = self._minimums.get(name.lower(), ("", None))
        had = _read(version)
        if least is not None and (had is None or had < least):
            raise Refusal(
                grpc.StatusCode.FAILED_PRECONDITION,
                "CLIENT_TOO_OLD",
                f"this client is too old for the server: {name} {wanted} or newer is wanted; please update it",
                f"客户端版本过旧：服务器需要 {name} {wanted} 或更新版本，请升级",
                metadata={"client": name.lower(), "version": version, "minimum": wanted},
            )


def scope_of(method: str) -> session_pb2.BotScope.ValueType | None:
    """Return the scope that a method needs; None for one that is for people."""
    return next((scope for scope, methods in SCOPES.items() if method in methods), None)


def _read(version: str) -> tuple[int, ...] | None:
    found = _VERSION.fullmatch(version)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def _missing(scope: str, text_en: str, text_zh: str) -> Refusal:
    code = grpc.StatusCode.PERMISSION_DENIED
    return Refusal(code, "SCOPE_MISSING", text_en, text_zh, metadata={"scope": scope})

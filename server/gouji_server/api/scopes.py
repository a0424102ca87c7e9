"""What a caller has to be allowed for each method: one scope a method, all in one place.

A person may do everything that an account may do. A bot's token is good for the scopes that it was made with, and for
nothing that changes accounts. A method that is not listed is for people alone until somebody has thought about it.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji_server.tables import Refused

if TYPE_CHECKING:
    from gouji_server.accounts import Identity


class Scope(enum.Enum):
    """Who may call a method."""

    PUBLIC = "public"
    """Everybody: no token is looked at."""
    ANY = "any"
    """Whoever has signed in."""
    PLAY = "play"
    """People, and bots with this scope; so the scopes after it."""
    LOBBY = "lobby"
    WATCH = "watch"
    CHAT = "chat"
    ACCOUNT = "account"
    """People: no bot's token is good for it."""


OF_METHOD = {
    # SessionService
    "GetServerInfo": Scope.PUBLIC,
    "SignIn": Scope.PUBLIC,
    "RefreshSession": Scope.PUBLIC,
    "SignOut": Scope.PUBLIC,
    "GetAccount": Scope.ANY,
    "ListSessions": Scope.ACCOUNT,
    "RevokeSession": Scope.ACCOUNT,
    "SignOutEverywhere": Scope.ACCOUNT,
    "UpdateAccount": Scope.ACCOUNT,
    "DeleteAccount": Scope.ACCOUNT,
    "BlockAccount": Scope.ACCOUNT,
    "UnblockAccount": Scope.ACCOUNT,
    "ListBlockedAccounts": Scope.ACCOUNT,
    "MuteAccount": Scope.ACCOUNT,
    "UnmuteAccount": Scope.ACCOUNT,
    "ListMutedAccounts": Scope.ACCOUNT,
    "SetPassword": Scope.ACCOUNT,
    "CreateBotAccount": Scope.ACCOUNT,
    "ListBotAccounts": Scope.ACCOUNT,
    "DeleteBotAccount": Scope.ACCOUNT,
    "CreateBotToken": Scope.ACCOUNT,
    "ListBotTokens": Scope.ACCOUNT,
    "RevokeBotToken": Scope.ACCOUNT,
    # LobbyService
    "ListRuleSets": Scope.LOBBY,
    "CreateTable": Scope.LOBBY,
    "GetTable": Scope.LOBBY,
    "FindTable": Scope.LOBBY,
    "GetJoinCode": Scope.LOBBY,
    "ResetJoinCode": Scope.LOBBY,
    "UpdateTable": Scope.LOBBY,
    "KickPlayer": Scope.LOBBY,
    "Rematch": Scope.LOBBY,
    "ListTables": Scope.LOBBY,
    "WatchTables": Scope.LOBBY,
    "JoinTable": Scope.LOBBY,
    "LeaveTable": Scope.LOBBY,
    "SetReady": Scope.LOBBY,
    "AddBot": Scope.LOBBY,
    "ChooseOpposite": Scope.LOBBY,
    # MatchmakingService
    "GetQueues": Scope.LOBBY,
    "CreateParty": Scope.LOBBY,
    "JoinParty": Scope.LOBBY,
    "LeaveParty": Scope.LOBBY,
    "GetParty": Scope.LOBBY,
    "CreateTicket": Scope.LOBBY,
    "GetTicket": Scope.LOBBY,
    "WatchTicket": Scope.LOBBY,
    "CancelTicket": Scope.LOBBY,
    # TableService
    "Play": Scope.PLAY,
    "WatchTable": Scope.WATCH,
    "SubmitAction": Scope.PLAY,
    "GetView": Scope.WATCH,
    "ListLegalPlays": Scope.PLAY,
    "CheckPlay": Scope.PLAY,
    "AskCount": Scope.PLAY,
    "Feel": Scope.PLAY,
    "VoteDissolution": Scope.PLAY,
    "SetAutopilot": Scope.PLAY,
    "SetAutoDecline": Scope.PLAY,
    "ContributeEntropy": Scope.PLAY,
    "GrantPeek": Scope.PLAY,
    "GetHint": Scope.PLAY,
    "SendChat": Scope.CHAT,
    "ListChatMessages": Scope.CHAT,
    "ListPhrases": Scope.ANY,
    "ReportMessage": Scope.CHAT,
    # SharingService
    "CreateShareLink": Scope.LOBBY,
    "ListShareLinks": Scope.LOBBY,
    "RevokeShareLink": Scope.LOBBY,
    # ReplayService
    "ListMatches": Scope.WATCH,
    "GetMatch": Scope.WATCH,
    "GetMatchRecord": Scope.WATCH,
    "WatchReplay": Scope.WATCH,
}


def scope_of(method: str) -> Scope:
    """Return what a caller of a method has to be allowed."""
    return OF_METHOD.get(method, Scope.ACCOUNT)


def check_scope(identity: Identity, scope: Scope) -> None:
    """Raise Refused if the caller is a bot whose token is not good for `scope`."""
    if identity.scopes is not None and scope is not Scope.ANY and scope.value not in identity.scopes:
        raise _missing(scope)


def _missing(scope: Scope) -> Refused:
    if scope is Scope.ACCOUNT:
        text_en, text_zh = "this is for people: no bot's token is good for it", "此操作仅限真人账号：机器人令牌不可用"
    else:
        text_en = f"this bot's token is not good for it: it needs the scope {scope.value}"
        text_zh = f"机器人令牌没有此权限：需要 {scope.value}"
    return Refused(code_pb2.PERMISSION_DENIED, "SCOPE_MISSING", text_en, text_zh, metadata={"scope": scope.value})

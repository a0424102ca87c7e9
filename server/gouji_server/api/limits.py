"""How often an account, and an address, may call what: all in one place.

Methods are in groups by what they cost. Each account has a bucket of each group, each address a larger one, since many
people may share it; and each address one for all calls, counted before it is looked at who calls. Commands on a Play
stream count as the calls that they are. What guesses or makes accounts has narrower limits of its own besides
(`accounts/`, `api/join_codes.py`, `api/chat.py`).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from google.rpc import code_pb2

from gouji_server.rate_limits import TokenBuckets
from gouji_server.tables import Refused

if TYPE_CHECKING:
    from gouji_server.tables import Clock


class Pace(NamedTuple):
    """So many at once, and so many a second in the long run."""

    burst: int
    per_second: float


class Group(enum.Enum):
    """Methods that cost about the same. Of each: the pace of one account."""

    PLAY = Pace(2000, 1000.0)
    """Answers in play: a bot at full speed on one stream, with twenty tables, is below it."""
    READ = Pace(1000, 200.0)
    """What is read from memory."""
    FETCH = Pace(300, 30.0)
    """What is read from the records, or looked for among all tables."""
    CHANGE = Pace(300, 20.0)
    """What is written: tables, seats, profiles, tickets."""
    STREAM = Pace(200, 5.0)
    """Streams opened, each with a snapshot or a list; following a table on one counts as reading."""


ADDRESS_FACTOR = 40
"""Times as much of each group that one address may call."""
OF_ADDRESS = Pace(60_000, 40_000.0)
"""All calls of one address, before it is known who calls. What wants no token has only this one here."""

READ, FETCH, CHANGE, STREAM, PLAY = Group.READ, Group.FETCH, Group.CHANGE, Group.STREAM, Group.PLAY

GROUPS: dict[str, Group] = {
    # SessionService
    "GetAccount": FETCH,
    "ListSessions": FETCH,
    "RevokeSession": CHANGE,
    "SignOutEverywhere": CHANGE,
    "UpdateAccount": CHANGE,
    "DeleteAccount": CHANGE,
    "BlockAccount": CHANGE,
    "UnblockAccount": CHANGE,
    "ListBlockedAccounts": FETCH,
    "MuteAccount": CHANGE,
    "UnmuteAccount": CHANGE,
    "ListMutedAccounts": FETCH,
    "SetPassword": CHANGE,
    "CreateBotAccount": CHANGE,
    "ListBotAccounts": FETCH,
    "DeleteBotAccount": CHANGE,
    "CreateBotToken": CHANGE,
    "ListBotTokens": FETCH,
    "RevokeBotToken": CHANGE,
    # LobbyService
    "ListRuleSets": READ,
    "CreateTable": CHANGE,
    "GetTable": READ,
    "FindTable": READ,
    "GetJoinCode": READ,
    "ResetJoinCode": CHANGE,
    "UpdateTable": CHANGE,
    "KickPlayer": CHANGE,
    "Rematch": CHANGE,
    "ListTables": FETCH,
    "WatchTables": STREAM,
    "JoinTable": CHANGE,
    "LeaveTable": CHANGE,
    "SetReady": CHANGE,
    "AddBot": CHANGE,
    "ChooseOpposite": CHANGE,
    # MatchmakingService
    "GetQueues": READ,
    "CreateParty": CHANGE,
    "JoinParty": CHANGE,
    "LeaveParty": CHANGE,
    "GetParty": READ,
    "CreateTicket": CHANGE,
    "GetTicket": READ,
    "WatchTicket": STREAM,
    "CancelTicket": CHANGE,
    # TableService
    "Play": STREAM,
    "WatchTable": STREAM,
    "SubmitAction": PLAY,
    "GetView": READ,
    "ListLegalPlays": PLAY,
    "CheckPlay": PLAY,
    "AskCount": CHANGE,
    "Feel": CHANGE,
    "VoteDissolution": CHANGE,
    "SetAutopilot": CHANGE,
    "SetAutoDecline": CHANGE,
    "ContributeEntropy": CHANGE,
    "GrantPeek": CHANGE,
    "GetHint": FETCH,
    "SendChat": CHANGE,
    "ListChatMessages": READ,
    "ListPhrases": READ,
    "ReportMessage": CHANGE,
    # SharingService
    "CreateShareLink": CHANGE,
    "ListShareLinks": FETCH,
    "RevokeShareLink": CHANGE,
    # ReplayService
    "ListMatches": FETCH,
    "GetMatch": FETCH,
    "GetMatchRecord": FETCH,
    "WatchReplay": STREAM,
    # commands on a Play stream
    "Play.act": PLAY,
    "Play.subscribe": READ,
    "Play.unsubscribe": READ,
    "Play.renew": READ,
    "Play.chat": CHANGE,
}
"""The group of each method that wants a token, and of each command of a stream."""


class CallLimits:
    """Counts calls. `factor`: times as much as the table says; 0: nothing is counted."""

    def __init__(self, clock: Clock, factor: float) -> None:
        self._on = factor > 0
        scale = factor or 1.0
        self._accounts = {group: _buckets(clock, group.value, scale) for group in Group}
        self._addresses = {group: _buckets(clock, group.value, scale * ADDRESS_FACTOR) for group in Group}
        self._all = _buckets(clock, OF_ADDRESS, scale)

    def come(self, address: str) -> None:
        """Count a call of an address, before it is looked at who calls. Raises Refused."""
        if self._on:
            wait = self._all.take(address)
            if wait:
                raise too_many(wait, "address", "calls")

    def take(self, method: str, account: str, address: str) -> None:
        """Count a call, or a command of a stream, of an account. Raises Refused."""
        if not self._on:
            return
        group = GROUPS.get(method, CHANGE)
        wait = self._accounts[group].take(account)
        if wait:
            raise too_many(wait, "account", group.name.lower())
        wait = self._addresses[group].take(address)
        if wait:
            raise too_many(wait, "address", group.name.lower())


def _buckets(clock: Clock, pace: Pace, factor: float) -> TokenBuckets:
    return TokenBuckets(clock, max(round(pace.burst * factor), 1), pace.per_second * factor)


def too_many(wait: float, whose: str, quota: str) -> Refused:
    """Refuse a call until so many seconds have passed; `quota` names what is used up."""
    zh = {"account": "此账号", "address": "此地址"}[whose]
    return Refused(
        code_pb2.RESOURCE_EXHAUSTED,
        "TOO_MANY_CALLS",
        f"too many calls from this {whose} in a short time",
        f"{zh}短时间内调用过多",
        retry_seconds=wait,
        quota=f"{whose}/{quota}",
    )

"""TableService."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from gouji.table.v1 import state_pb2
from gouji.table.v1 import table_pb2 as pb
from gouji_server.api.errors import limited, told
from gouji_server.api.play import PlayStream
from gouji_server.api.streams import Stream
from gouji_server.api.validation import Shape
from gouji_server.rate_limits import TokenBuckets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import grpc

    from gouji_server.accounts import Accounts
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.chat import ChatCalls
    from gouji_server.api.join_codes import CodeTries
    from gouji_server.api.limits import CallLimits
    from gouji_server.api.pages import Pages
    from gouji_server.api.sharing import SharedBy
    from gouji_server.api.streams import Streams
    from gouji_server.metrics import Metrics
    from gouji_server.social.silences import Silences
    from gouji_server.tables import Clock, Refused, TableHandle, Tables

SERVICE = "gouji.table.v1.TableService"

DEFAULT_PAGE = 100
MAX_PAGE = 500
HINT_BURST = 10
HINTS_PER_SECOND = 0.5
"""Hints that an account gets at once, and a second in the long run."""

_TABLE = (("table", "table"),)
_SAID = (("request_id", "request_id"), ("table", "table"))
_ACTION = (("request_id", "request_id"), ("table", "table"), ("decision", "decision"))


@dataclass(frozen=True, slots=True)
class TableRoom:
    """What the methods of TableService work with."""

    tables: Tables
    pages: Pages
    streams: Streams
    metrics: Metrics
    clock: Clock
    heartbeat_seconds: float
    max_tables_per_stream: int
    code_tries: CodeTries
    chat: ChatCalls
    silences: Silences
    limits: CallLimits
    links: SharedBy

    def told(self, error: Exception) -> Refused:
        """Return what to tell of an exception (api.errors.told)."""
        return told(error, self.metrics)


class TableService:
    """Plays and watches tables."""

    def __init__(self, room: TableRoom, accounts: Accounts) -> None:
        self._room = room
        self._accounts = accounts
        self._hints = TokenBuckets(room.clock, HINT_BURST, HINTS_PER_SECOND)

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            **self._room.chat.handlers(calls),
            "Play": calls.two_way_stream("Play", self.play),
            "WatchTable": calls.server_stream("WatchTable", pb.WatchTableRequest, self.watch_table, logged=_TABLE),
            "SubmitAction": calls.unary("SubmitAction", pb.SubmitActionRequest, self.submit_action, logged=_ACTION),
            "GetView": calls.unary("GetView", pb.GetViewRequest, self.get_view, logged=_TABLE),
            "ListLegalPlays": calls.unary(
                "ListLegalPlays", pb.ListLegalPlaysRequest, self.list_legal_plays, logged=_TABLE
            ),
            "CheckPlay": calls.unary("CheckPlay", pb.CheckPlayRequest, self.check_play, logged=_TABLE),
            "AskCount": calls.unary("AskCount", pb.AskCountRequest, self.ask_count, logged=_SAID),
            "Feel": calls.unary("Feel", pb.FeelRequest, self.feel, logged=_SAID),
            "VoteDissolution": calls.unary(
                "VoteDissolution", pb.VoteDissolutionRequest, self.vote_dissolution, logged=_SAID
            ),
            "SetAutopilot": calls.unary("SetAutopilot", pb.SetAutopilotRequest, self.set_autopilot, logged=_SAID),
            "SetAutoDecline": calls.unary(
                "SetAutoDecline", pb.SetAutoDeclineRequest, self.set_auto_decline, logged=_SAID
            ),
            "GrantPeek": calls.unary("GrantPeek", pb.GrantPeekRequest, self.grant_peek, logged=_SAID),
            "GetHint": calls.unary("GetHint", pb.GetHintRequest, self.get_hint, logged=_TABLE),
            "ContributeEntropy": calls.unary(
                "ContributeEntropy", pb.ContributeEntropyRequest, self.contribute_entropy, logged=_SAID
            ),
        }

    async def play(self, requests: AsyncIterator[bytes], call: Call) -> None:
        """Serve a Play stream."""
        await PlayStream(self._room, self._accounts, call).run(requests)

    async def watch_table(self, request: pb.WatchTableRequest, call: Call) -> None:
        """Write a table's updates until it is closed."""
        Shape().name(request.table, "tables", "table").settle()
        code = self._code(call, request.join_code)
        grant = await self._room.links.grant(call, request.table, request.share_link)
        table = await self._room.tables.open(request.table)
        outbox = self._room.tables.outbox(one_table=True)
        stream = Stream(call.identity, call.address, outbox, self._room.clock)
        try:
            with self._room.streams.admit(stream):
                after = request.after if request.HasField("after") else None
                hidden = await self._room.silences.of(call.caller.account)
                await table.subscribe(call.caller, after, outbox, code=code, hidden=hidden, grant=grant)
                await stream.write(call.context, self._room.heartbeat_seconds, pb.WatchTableResponse)
        finally:
            stream.close()

    async def submit_action(self, request: pb.SubmitActionRequest, call: Call) -> pb.SubmitActionResponse:
        """Answer a question."""
        table = await self._open(request.table)
        version = await table.act(call.caller, request)
        structlog.contextvars.bind_contextvars(version=version)
        return pb.SubmitActionResponse(version=version)

    async def get_view(self, request: pb.GetViewRequest, call: Call) -> bytes:
        """Give a snapshot."""
        Shape().name(request.table, "tables", "table").settle()
        code = self._code(call, request.join_code)
        grant = await self._room.links.grant(call, request.table, request.share_link)
        table = await self._room.tables.open(request.table)
        view = await table.view(call.caller, code, grant)
        return _only_field(view)

    async def list_legal_plays(self, request: pb.ListLegalPlaysRequest, call: Call) -> pb.ListLegalPlaysResponse:
        """List the plays open to the caller's seat."""
        question = ("ListLegalPlays", call.caller.account, request.table)
        shape = Shape().name(request.table, "tables", "table").page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        position = self._room.pages.continued(question, request.page_token, shape)
        shape.settle()
        table = await self._room.tables.open(request.table)
        answer = await table.legal_plays(call.caller, request.page_size or DEFAULT_PAGE, position)
        answer.next_page_token = self._room.pages.following(question, answer.next_page_token)
        return answer

    async def check_play(self, request: pb.CheckPlayRequest, call: Call) -> pb.CheckPlayResponse:
        """Say whether an action would be accepted."""
        table = await self._open(request.table)
        return await table.check(call.caller, request.action)

    async def ask_count(self, request: pb.AskCountRequest, call: Call) -> pb.AskCountResponse:
        """Ask a seat how many cards it holds."""
        shape = Shape().request_id(request.request_id).name(request.table, "tables", "table")
        shape.seat(request.seat).settle()
        table = await self._room.tables.open(request.table)
        version, count = await table.ask_count(call.caller, request.seat, request.request_id)
        return pb.AskCountResponse(version=version, count=count)

    async def feel(self, request: pb.FeelRequest, call: Call) -> pb.FeelResponse:
        """Feel the opposite's hand."""
        Shape().request_id(request.request_id).name(request.table, "tables", "table").settle()
        table = await self._room.tables.open(request.table)
        version, (least, most) = await table.feel(call.caller, request.request_id)
        return pb.FeelResponse(version=version, felt=state_pb2.FeltHand(least=least, most=most))

    async def vote_dissolution(self, request: pb.VoteDissolutionRequest, call: Call) -> pb.VoteDissolutionResponse:
        """Speak for ending the match, or against it."""
        Shape().request_id(request.request_id).name(request.table, "tables", "table").settle()
        table = await self._room.tables.open(request.table)
        version = await table.vote_dissolution(call.caller, request.agrees, request.request_id)
        return pb.VoteDissolutionResponse(version=version)

    async def set_autopilot(self, request: pb.SetAutopilotRequest, call: Call) -> pb.SetAutopilotResponse:
        """Have a bot play the caller's seat, or take it back."""
        Shape().request_id(request.request_id).name(request.table, "tables", "table").settle()
        table = await self._room.tables.open(request.table)
        version = await table.set_autopilot(call.caller, request.on, request.request_id)
        return pb.SetAutopilotResponse(version=version)

    async def set_auto_decline(self, request: pb.SetAutoDeclineRequest, call: Call) -> pb.SetAutoDeclineResponse:
        """Have the caller's seat declined for in burn windows, or no longer."""
        Shape().request_id(request.request_id).name(request.table, "tables", "table").settle()
        table = await self._room.tables.open(request.table)
        version = await table.set_auto_decline(call.caller, request.on, request.always, request.request_id)
        return pb.SetAutoDeclineResponse(version=version)

    async def grant_peek(self, request: pb.GrantPeekRequest, call: Call) -> pb.GrantPeekResponse:
        """Let an ally look at the caller's hand, or no longer."""
        shape = Shape().request_id(request.request_id).name(request.table, "tables", "table")
        shape.seat(request.ally, "ally").settle()
        table = await self._room.tables.open(request.table)
        version = await table.grant_peek(call.caller, request.ally, request.on, request.request_id)
        return pb.GrantPeekResponse(version=version)

    async def get_hint(self, request: pb.GetHintRequest, call: Call) -> pb.GetHintResponse:
        """Say what a built-in bot would answer."""
        table = await self._open(request.table)
        wait = self._hints.take(call.caller.account)
        if wait:
            text_en, text_zh = "you ask for hints too often", "你请求提示过于频繁"
            raise limited("TOO_MANY_HINTS", text_en, text_zh, retry_seconds=wait)
        decision, action = await table.hint(call.caller)
        return pb.GetHintResponse(decision=decision, action=action)

    def _code(self, call: Call, said: str) -> str:
        return self._room.code_tries.take(call.caller.account, call, said)

    async def contribute_entropy(
        self, request: pb.ContributeEntropyRequest, call: Call
    ) -> pb.ContributeEntropyResponse:
        """Take entropy for a deal that is promised."""
        Shape().request_id(request.request_id).name(request.table, "tables", "table").settle()
        table = await self._room.tables.open(request.table)
        version = await table.contribute_entropy(call.caller, request.deal, request.entropy, request.request_id)
        return pb.ContributeEntropyResponse(version=version)

    async def _open(self, name: str) -> TableHandle:
        Shape().name(name, "tables", "table").settle()
        return await self._room.tables.open(name)


def _only_field(message: bytes) -> bytes:
    """Encode a message whose field 1 is the encoded `message`."""
    size = len(message)
    head = bytearray(b"\x0a")
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head) + message

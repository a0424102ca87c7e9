"""What people say at tables: TableService's calls for it, and the `chat` command of Play streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import chat_pb2 as pb
from gouji_server.api.errors import limited
from gouji_server.api.validation import Shape
from gouji_server.rate_limits import TokenBuckets
from gouji_server.social.phrases import PHRASES
from gouji_server.tables import Refused, refusals

if TYPE_CHECKING:
    import grpc

    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.join_codes import CodeTries
    from gouji_server.api.pages import Pages
    from gouji_server.social.reports import Reports
    from gouji_server.tables import Clock, Tables

MAX_TEXT = 200
MAX_REASON = 200
MAX_PAGE = 100
DEFAULT_PAGE = 50
BURST = 5
PER_SECOND = 0.5
"""Things that an account says at one table at once, and a second in the long run."""

_SAID = (("request_id", "request_id"), ("table", "table"))
_TABLE = (("table", "table"),)


class ChatCalls:
    """Takes what people say, and tells what was said."""

    def __init__(self, tables: Tables, pages: Pages, code_tries: CodeTries, reports: Reports, clock: Clock) -> None:
        self._tables = tables
        self._pages = pages
        self._code_tries = code_tries
        self._reports = reports
        self._pace = TokenBuckets(clock, BURST, PER_SECOND)

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "SendChat": calls.unary("SendChat", pb.SendChatRequest, self.send_chat, logged=_SAID),
            "ListChatMessages": calls.unary(
                "ListChatMessages", pb.ListChatMessagesRequest, self.list_chat_messages, logged=_TABLE
            ),
            "ListPhrases": calls.unary("ListPhrases", pb.ListPhrasesRequest, self.list_phrases),
            "ReportMessage": calls.unary("ReportMessage", pb.ReportMessageRequest, self.report_message, logged=_TABLE),
        }

    async def send_chat(self, request: pb.SendChatRequest, call: Call) -> pb.SendChatResponse:
        """Say something."""
        return pb.SendChatResponse(message=await self.say(request, call))

    async def say(self, request: pb.SendChatRequest, call: Call) -> pb.ChatMessage:
        """Say something, by a call or on a stream. Raises Refused."""
        _check(request)
        account = call.caller.account
        wait = self._pace.take(f"{account} {request.table}")
        if wait:
            text_en, text_zh = "you say too much at this table in a short time", "你在这张桌上短时间内说得太多"
            raise limited("CHAT_TOO_FAST", text_en, text_zh, retry_seconds=wait)
        table = await self._tables.open(request.table)
        return await table.say(call.caller, request, self._code_tries.take(account, call, request.join_code))

    async def list_chat_messages(self, request: pb.ListChatMessagesRequest, call: Call) -> pb.ListChatMessagesResponse:
        """Tell what was said lately."""
        shape = Shape().name(request.table, "tables", "table").page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        _check_scope(shape, request.scope)
        question = ("ListChatMessages", call.caller.account, request.table, str(request.scope))
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        table = await self._tables.open(request.table)
        code = self._code_tries.take(call.caller.account, call, request.join_code)
        heard = await table.heard(call.caller, request.scope, code)
        hidden = await self._reports.silences.of(call.caller.account)
        before = int(position) if position else None
        found = [said for said in reversed(heard) if said.sender not in hidden and (before is None or said.id < before)]
        size = request.page_size or DEFAULT_PAGE
        following = str(found[size - 1].id) if len(found) > size else ""
        return pb.ListChatMessagesResponse(
            messages=found[:size], next_page_token=self._pages.following(question, following)
        )

    async def list_phrases(self, request: pb.ListPhrasesRequest, call: Call) -> pb.ListPhrasesResponse:
        """List the quick phrases."""
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = ("ListPhrases", call.caller.account)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        phrases = [pb.Phrase(id=word, text_en=said.en, text_zh=said.zh) for word, said in PHRASES.items()]
        page, following = self._pages.cut(question, phrases, position, request.page_size)
        return pb.ListPhrasesResponse(phrases=page, next_page_token=following)

    async def report_message(self, request: pb.ReportMessageRequest, call: Call) -> pb.ReportMessageResponse:
        """Report something said."""
        reason = request.reason.strip()
        shape = Shape().name(request.table, "tables", "table")
        _check_scope(shape, request.scope)
        if reason:
            shape.line(reason, MAX_REASON, "reason")
        shape.settle()
        table = await self._tables.open(request.table)
        code = self._code_tries.take(call.caller.account, call, request.join_code)
        heard = await table.heard(call.caller, request.scope, code)
        at = next((at for at, said in enumerate(heard) if said.id == request.message), None)
        if at is None:
            raise Refused(refusals.NOT_FOUND, "MESSAGE_NOT_FOUND", "there is no such message any more", "没有此消息")
        wait = self._reports.take(call.caller.account)
        if wait:
            text_en, text_zh = "you have reported too much in a short time", "你短时间内举报太多"
            raise limited("TOO_MANY_REPORTS", text_en, text_zh, retry_seconds=wait)
        await self._reports.add(call.caller.account, heard, at, reason)
        return pb.ReportMessageResponse()


def _check(request: pb.SendChatRequest) -> None:
    """Check what somebody wants to say. Raises Refused INVALID_ARGUMENT."""
    shape = Shape().request_id(request.request_id).name(request.table, "tables", "table")
    _check_scope(shape, request.scope)
    kind = request.WhichOneof("content")
    if kind is None:
        shape.bad("content", "wanted: one of text, emote, phrase", "应为 text、emote、phrase 之一")
    elif kind == "text":
        request.text = request.text.strip() if len(request.text) <= 4 * MAX_TEXT else request.text
        shape.line(request.text, MAX_TEXT, "text")
    elif kind == "phrase" and request.phrase not in PHRASES:
        shape.bad("phrase", "there is no such phrase: ListPhrases lists them", "没有此短语：见 ListPhrases")
    elif kind == "emote" and (not request.emote or request.emote not in pb.Emote.values()):
        shape.bad("emote", "wanted: an Emote", "应为 Emote 之一")
    if request.HasField("target_seat"):
        shape.seat(request.target_seat, "target_seat")
        if kind != "emote":
            shape.bad("target_seat", "goes with an emote alone", "只与 emote 同用")
    shape.settle()


def _check_scope(shape: Shape, scope: int) -> None:
    if not scope or scope not in pb.ChatScope.values():
        shape.bad("scope", "wanted: a ChatScope", "应为 ChatScope 之一")

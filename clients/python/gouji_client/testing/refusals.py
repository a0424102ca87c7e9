"""How the fake server says no: as a call's status with details, and as a command's error on a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo, LocalizedMessage, RetryInfo
from google.rpc.status_pb2 import Status

from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import table_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    import grpc.aio
    from google.protobuf.message import Message

    import gouji_rules as gr


class Refusal(Exception):
    """A request that is refused. `retry_after` in seconds is told as RetryInfo."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        text_en: str = "",
        text_zh: str = "",
        *,
        rule: str = "",
        retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.rule = rule
        self.metadata = dict(metadata or {}) | ({"rule": rule} if rule else {})
        self.text_en = text_en or reason
        self.text_zh = text_zh or text_en or reason
        self.retry_after = retry_after

    @classmethod
    def by_rule(cls, error: gr.RuleViolation) -> Refusal:
        """Return the refusal of an action that breaks a rule."""
        code = grpc.StatusCode.INVALID_ARGUMENT if error.code == "NOT_A_PLAY" else grpc.StatusCode.FAILED_PRECONDITION
        return cls(code, error.code, error.text_en, error.text_zh, rule=error.rule)

    def command_error(self) -> table_pb2.CommandError:
        """Return it as a stream tells it."""
        told = table_pb2.CommandError(
            code=self.code.value[0],
            reason=self.reason,
            rule=self.rule,
            text=rules_pb2.LocalizedText(en=self.text_en, zh=self.text_zh),
        )
        if self.retry_after is not None:
            told.retry_delay.FromNanoseconds(round(self.retry_after * 1e9))
        return told

    async def abort(self, context: grpc.aio.ServicerContext[Message, Message]) -> NoReturn:
        """End a call with it."""
        info = ErrorInfo(reason=self.reason, domain="gouji", metadata=self.metadata)
        details: list[Message] = [
            info,
            LocalizedMessage(locale="en-US", message=self.text_en),
            LocalizedMessage(locale="zh-CN", message=self.text_zh),
        ]
        if self.retry_after is not None:
            wait = RetryInfo()
            wait.retry_delay.FromNanoseconds(round(self.retry_after * 1e9))
            details.append(wait)
        status = Status(code=self.code.value[0], message=self.text_en, details=[_packed(part) for part in details])
        trailers = (("grpc-status-details-bin", status.SerializeToString()),)
        await context.abort(self.code, self.text_en, trailers)


def _packed(message: Message) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed


def unauthenticated() -> Refusal:
    """Return the refusal of a token that is missing, unknown or lapsed."""
    return Refusal(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID", "the access token has lapsed", "访问令牌已过期")


def stale() -> Refusal:
    """Return the refusal of an answer to a question that is not open any more."""
    return Refusal(grpc.StatusCode.ABORTED, "STALE_DECISION", "this decision is not open", "此问已不在等待回答")


def too_many_calls(wait: float) -> Refusal:
    """Return the refusal of a call before so many seconds have passed."""
    text = "too many calls from this account in a short time"
    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    return Refusal(code, "TOO_MANY_CALLS", text, "此账号短时间内调用过多", retry_after=wait)


def bad_request(text_en: str, text_zh: str) -> Refusal:
    """Return the refusal of a request whose shape is wrong."""
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", text_en, text_zh)


def check_name(name: str) -> None:
    """Raise `Refusal` for what is no display name."""
    if not 1 <= len(name.strip()) <= 24 or not name.isprintable():
        raise bad_request("display_name: wanted: 1 to 24 characters", "display_name：名字须 1 到 24 字")

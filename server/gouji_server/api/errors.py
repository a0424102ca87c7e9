"""What clients are told when a call fails.

`Refused` is the one error of all rooms: a gRPC code, a reason (UPPER_SNAKE_CASE, domain `gouji`), the rule it is about
if it is a matter of the rules, texts in English and Chinese. A failed call carries it as google.rpc.Status with
details; a refused command on a stream as CommandError. Faults of the server itself are told as INTERNAL with an
incident number and nothing more.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn

import structlog
from google.protobuf import any_pb2
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from gouji_server.records import RecordsFailed
from gouji_server.records.shut_out import Banned
from gouji_server.tables import Refused, refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc
    from google.protobuf.message import Message

    from gouji_server.metrics import Metrics

DOMAIN = "gouji"
MAX_FIELDS = 16
MAX_TEXT = 480
MAX_FIELD = 64
MAX_VIOLATIONS = 1536
"""Field violations told at once; and bytes of a text, of a field's name, of all violations together.

The details travel in trailers, of which clients take 8 KiB in all. There they grow by a third, and the status message,
which is the English text once more, threefold where it is not ASCII.
"""

log = structlog.get_logger("gouji.api")


def unauthenticated() -> Refused:
    """Refuse a missing, forged or lapsed access token. Which of them is not told."""
    return Refused(
        code_pb2.UNAUTHENTICATED,
        "TOKEN_INVALID",
        "the access token is missing, not valid or has lapsed: sign in, or refresh the session",
        "访问令牌缺失、无效或已过期：请重新登录或刷新会话",
    )


def wrong_credential() -> Refused:
    """Refuse a secret or refresh token that opens nothing, whether or not the account exists."""
    return Refused(
        code_pb2.UNAUTHENTICATED,
        "CREDENTIAL_INVALID",
        "this secret or token is not valid for this account, or not any more",
        "该密钥或令牌对此账号无效或已失效",
    )


def limited(reason: str, text_en: str, text_zh: str, retry_seconds: float | None = None) -> Refused:
    """Refuse what is more than a limit allows."""
    return Refused(code_pb2.RESOURCE_EXHAUSTED, reason, text_en, text_zh, retry_seconds=retry_seconds)


def invalid(fields: Sequence[tuple[str, str]], text_zh: str) -> Refused:
    """Refuse a request for its shape: `fields` pairs fields with what is wrong; `text_zh` says the first in Chinese."""
    field, text_en = fields[0]
    return Refused(
        code_pb2.INVALID_ARGUMENT,
        "BAD_REQUEST",
        f"{field}: {text_en}",
        f"{field}：{text_zh}",
        fields=tuple(fields),
    )


def malformed() -> Refused:
    """Refuse bytes that are not a message of the kind wanted."""
    return Refused(
        code_pb2.INVALID_ARGUMENT,
        "MALFORMED_MESSAGE",
        "the bytes are not a message of the type that this method takes",
        "收到的字节不是此方法所需类型的消息",
    )


def told(error: Exception, metrics: Metrics) -> Refused:
    """Return what to tell of an exception. One that nobody planned is counted, logged, and told by number alone."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, Banned):
        return banned(error.until)
    if isinstance(error, RecordsFailed):
        return refusals.unavailable()
    metrics.fault()
    return fault(error)


def banned(until: float | None) -> Refused:
    """Refuse a session to an account that is shut out. It is told to who has proved to own it, and to nobody else."""
    if until is None:
        return Refused(
            code_pb2.PERMISSION_DENIED,
            "ACCOUNT_BANNED",
            "this account is banned by the server's operators",
            "此账号已被管理员封禁",
        )
    day = datetime.fromtimestamp(until, UTC).isoformat(timespec="seconds")
    return Refused(
        code_pb2.PERMISSION_DENIED,
        "ACCOUNT_BANNED",
        f"this account is banned by the server's operators until {day}",
        f"此账号已被管理员封禁，至 {day}",
        metadata={"until": day},
    )


def fault(error: BaseException) -> Refused:
    """Log a fault of the server and return what is told of it."""
    incident = refusals.new_incident()
    log.error("fault", incident=incident, exc_info=error)
    return refusals.fault(incident)


async def abort(context: grpc.aio.ServicerContext[bytes, bytes], refused: Refused) -> NoReturn:
    """End a call with a refusal and its details."""
    status = rpc_status.to_status(to_status(refused))
    await context.abort(status.code, status.details, status.trailing_metadata)


def to_status(refused: Refused) -> status_pb2.Status:
    """Return a refusal as google.rpc.Status: ErrorInfo, BadRequest and RetryInfo where they apply, both languages."""
    metadata = dict(refused.metadata)
    if refused.rule:
        metadata["rule"] = refused.rule
    details: list[Message] = [error_details_pb2.ErrorInfo(reason=refused.reason, domain=DOMAIN, metadata=metadata)]
    if refused.fields:
        details.append(_violations(refused.fields))
    if refused.retry_seconds is not None:
        details.append(error_details_pb2.RetryInfo(retry_delay=_duration(refused.retry_seconds)))
    if refused.quota:
        details.append(_quota(refused))
    message = _cut(refused.text_en, MAX_TEXT)
    details.append(error_details_pb2.LocalizedMessage(locale="en-US", message=message))
    details.append(error_details_pb2.LocalizedMessage(locale="zh-CN", message=_cut(refused.text_zh, MAX_TEXT)))
    return status_pb2.Status(code=refused.code, message=message, details=[_packed(item) for item in details])


def _quota(refused: Refused) -> error_details_pb2.QuotaFailure:
    """Name what is used up."""
    told = error_details_pb2.QuotaFailure()
    told.violations.add(subject=refused.quota, description=refused.text_en)
    return told


def _violations(fields: Sequence[tuple[str, str]]) -> error_details_pb2.BadRequest:
    """Name the first fields, as many as there is room for."""
    told = error_details_pb2.BadRequest()
    for field, description in fields[:MAX_FIELDS]:
        violation = told.field_violations.add(field=_cut(field, MAX_FIELD), description=_cut(description, MAX_TEXT))
        if told.ByteSize() > MAX_VIOLATIONS:
            told.field_violations.remove(violation)
            break
    return told


def _cut(text: str, most: int) -> str:
    """The text's beginning that has at most so many bytes as UTF-8, a sign of what is missing included."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return encoded[: most - len("…".encode())].decode(errors="ignore") + "…"


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _duration(seconds: float) -> Duration:
    """Whole milliseconds, rounded up: whoever waits so long does not come too early."""
    duration = Duration()
    duration.FromMilliseconds(math.ceil(seconds * 1000))
    return duration

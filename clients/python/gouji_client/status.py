"""From what the transport and the server report to the client's own errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, LocalizedMessage, RetryInfo
from google.rpc.status_pb2 import Status

from gouji_client.errors import GoujiError, Refused, ServerFailed, ServerUnreachable, SignInFailed

if TYPE_CHECKING:
    from gouji.table.v1.table_pb2 import CommandError

_DETAILS_KEY = "grpc-status-details-bin"

_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}

LOST = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
"""How a stream ends when the way to the server breaks, a proxy between gives up, or the server dies: try again."""

_FAULTS = frozenset(
    {
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DATA_LOSS,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
_AWAY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED})


def status_code(number: int) -> grpc.StatusCode:
    """Return the status of a `google.rpc.Code` number; UNKNOWN for a number that is none."""
    return _CODES.get(number, grpc.StatusCode.UNKNOWN)


def _status_of(error: grpc.aio.AioRpcError) -> Status:
    """Return the google.rpc.Status in the trailers, empty if there is none that can be read."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                return Status.FromString(value)
            except DecodeError:
                break
    return Status()


def retry_delay(error: grpc.aio.AioRpcError) -> float:
    """Return the seconds that the server asks to wait before the next try (RetryInfo), 0 if it says nothing."""
    wanted = RetryInfo()
    for detail in _status_of(error).details:
        if detail.Unpack(wanted):
            return max(0.0, wanted.retry_delay.ToNanoseconds() / 1e9)
    return 0.0


def error_of_call(error: grpc.aio.AioRpcError, address: str) -> GoujiError:
    """Return the client's error for a failed call to `address`."""
    code = error.code()
    detail = error.details() or code.name
    if code in _AWAY:
        return ServerUnreachable(address, detail)
    if code in _FAULTS:
        return ServerFailed(code, detail)
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return SignInFailed(detail)
    info = ErrorInfo()
    texts = {"en": detail, "zh": ""}
    for any_detail in _status_of(error).details:
        said = LocalizedMessage()
        if any_detail.Unpack(info):
            continue
        if any_detail.Unpack(said):
            texts[said.locale[:2].lower()] = said.message
    metadata = dict(info.metadata)
    rule = metadata.pop("rule", "")
    return Refused(
        code, info.reason, rule=rule, text_en=texts["en"], text_zh=texts["zh"] or texts["en"], metadata=metadata
    )


def error_of_command(error: CommandError) -> Refused:
    """Return the client's error for a command that was refused on a stream."""
    return Refused(
        status_code(error.code),
        error.reason,
        rule=error.rule,
        text_en=error.text.en,
        text_zh=error.text.zh or error.text.en,
        metadata=dict(error.metadata),
        retry_delay=max(0.0, error.retry_delay.ToNanoseconds() / 1e9),
    )

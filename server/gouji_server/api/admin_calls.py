"""What every call of an operator goes through: its shape, who makes it, counting, and how it fails.

The credential is looked at before, for all services of the listener alike (:mod:`gouji_server.api.admin_listener`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

import grpc
import structlog
from google.protobuf.message import Message

from gouji_server.admin.audit import Errand
from gouji_server.api.calls import parse
from gouji_server.api.errors import abort, told
from gouji_server.api.validation import Shape, has_ink, is_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gouji_server.api.calls import Context
    from gouji_server.metrics import Metrics

Request = TypeVar("Request", bound=Message)

OPERATOR_HEADER = "gouji-operator"
MAX_OPERATOR = 64
MAX_REASON = 200

log = structlog.get_logger("gouji.admin")


class AdminCalls:
    """Makes gRPC handlers out of plain coroutines."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def unary(
        self, method: str, request_type: type[Request], serve: Callable[[Request, str], Awaitable[Message]]
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of a unary method. `serve` gets the request, and what the operator calls itself."""
        counted = f"Admin.{method}"

        async def handle(raw: bytes, context: Context) -> bytes:
            structlog.contextvars.bind_contextvars(method=counted)
            try:
                response = await serve(parse(request_type, raw), operator_of(context))
            except asyncio.CancelledError:
                self._metrics.command(counted, "CANCELLED")
                raise
            except Exception as error:  # noqa: BLE001 - the last place before gRPC, which would tell the client its text
                refused = told(error, self._metrics)
            else:
                self._metrics.command(counted, "OK")
                return response.SerializeToString()
            self._metrics.command(counted, refused.status)
            return await abort(context, refused)

        return grpc.unary_unary_rpc_method_handler(handle)


def operator_of(context: Context) -> str:
    """Return what the operator calls itself; empty if it does not say."""
    values = [value for key, value in context.invocation_metadata() or () if key == OPERATOR_HEADER]
    if len(values) != 1 or not isinstance(values[0], str):
        return ""
    return unquote(values[0])


def errand_of(shape: Shape, operator: str, reason: str, *, reason_needed: bool = False) -> Errand:
    """Return who does something and why; what is wrong with it is noted in `shape`."""
    if not (1 <= len(operator) <= MAX_OPERATOR and is_line(operator) and has_ink(operator)):
        shape.bad(
            f"metadata {OPERATOR_HEADER}",
            f"wanted: who you are, 1 to {MAX_OPERATOR} characters, for the audit log",
            f"须说明操作者，1 至 {MAX_OPERATOR} 个字符，记入审计日志",
        )
    if reason_needed and not has_ink(reason):
        shape.bad("reason", "wanted: a reason, for the audit log", "须说明原因，记入审计日志")
    elif len(reason) > MAX_REASON or not is_line(reason):
        shape.bad(
            "reason", f"wanted: at most {MAX_REASON} characters in one line", f"应为一行，最多 {MAX_REASON} 个字符"
        )
    return Errand(operator, reason)

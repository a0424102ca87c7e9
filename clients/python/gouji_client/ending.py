"""How a stream ended, as the server said it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
import grpc.aio

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from gouji.table.v1 import table_pb2

    PlayCall = grpc.aio.StreamStreamCall[table_pb2.PlayRequest, table_pb2.PlayResponse]

T = TypeVar("T")

_TURNS = 50
"""Turns of the event loop to wait for the server's status when a failed write was told in its place."""


class Ending:
    """Keeps the status that a server ended a stream with.

    When a server ends a stream while the client is writing, grpc.aio may put "Internal error from Core" in the place of
    the server's status, before or after that arrived (grpc issue 36066); the reason and the wanted wait would be lost.
    """

    def __init__(self, call: PlayCall) -> None:
        self._call = call
        self._kept: grpc.aio.AioRpcError | None = None
        call.add_done_callback(lambda _: self._keep())

    def _keep(self) -> None:
        """Keep the status, which is there now and may not be in a moment."""
        if self._kept is None and not _is_failed_write(code := _at_once(self._call.code()), self._details()):
            metadata = _at_once(self._call.trailing_metadata())
            self._kept = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), metadata, self._details())

    def _details(self) -> str:
        return _at_once(self._call.details())

    async def error(self, told: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError | None:
        """Return the server's own status, None if it ended the stream well, or what was `told` if it said nothing."""
        for _ in range(_TURNS if _is_failed_write(told.code(), told.details() or "") else 1):
            self._keep()
            if self._kept is not None:
                return self._kept if self._kept.code() is not grpc.StatusCode.OK else None
            await asyncio.sleep(0)
        return told


def _is_failed_write(code: grpc.StatusCode, details: str) -> bool:
    return code is grpc.StatusCode.INTERNAL and details == "Internal error from Core"


def _at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine that has nothing to wait for returns."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("the call has not ended")

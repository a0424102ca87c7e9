"""The status that a server ended a stream with survives a write that failed meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest

from gouji_client.ending import Ending

if TYPE_CHECKING:
    from collections.abc import Callable

TRAILERS = grpc.aio.Metadata(("grpc-status-details-bin", b"details"))
STOPPING = (grpc.StatusCode.UNAVAILABLE, "the server is stopping", TRAILERS)
FAILED_WRITE = (grpc.StatusCode.INTERNAL, "Internal error from Core", grpc.aio.Metadata())
OWN_FAULT = (grpc.StatusCode.INTERNAL, "something went wrong in the server", TRAILERS)
WELL = (grpc.StatusCode.OK, "", grpc.aio.Metadata())

Status = tuple[grpc.StatusCode, str, grpc.aio.Metadata]


class Call:
    """A call whose status is set, and set again, by the test."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._callbacks: list[Callable[[Any], None]] = []

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self._callbacks.append(callback)

    def end(self, status: Status) -> None:
        """Set the status; only the first time is told."""
        first, self._status = self._status is None, status
        for callback in self._callbacks if first else []:
            callback(self)

    def told(self) -> grpc.aio.AioRpcError:
        """Return the error that a reader gets now."""
        assert self._status is not None
        code, details, trailers = self._status
        return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers, details)

    async def code(self) -> grpc.StatusCode:
        assert self._status is not None
        return self._status[0]

    async def details(self) -> str:
        assert self._status is not None
        return self._status[1]

    async def trailing_metadata(self) -> grpc.aio.Metadata:
        assert self._status is not None
        return self._status[2]


def ending_of(call: Call) -> Ending:
    return Ending(call)  # type: ignore[arg-type]  # it has what is used of a call


@pytest.mark.parametrize("status", [STOPPING, OWN_FAULT])
async def test_a_failed_write_after_the_status_does_not_hide_it(status: Status) -> None:
    """The server's status came first and was overwritten: code, words and trailers are still the server's."""
    call = Call()
    ending = ending_of(call)
    call.end(status)
    call.end(FAILED_WRITE)
    error = await ending.error(call.told())
    assert error is not None
    assert (error.code(), error.details(), error.trailing_metadata()) == status


async def test_a_failed_write_before_the_status_is_waited_out() -> None:
    """The write failed first and the status comes a moment later: it is waited for."""
    call = Call()
    ending = ending_of(call)
    call.end(FAILED_WRITE)
    asyncio.get_running_loop().call_soon(call.end, STOPPING)
    error = await ending.error(call.told())
    assert error is not None
    assert (error.code(), error.details()) == STOPPING[:2]


async def test_a_failed_write_on_a_stream_that_ended_well_is_no_failure() -> None:
    """A server that ends a stream with OK while the client writes has ended it well."""
    call = Call()
    ending = ending_of(call)
    call.end(WELL)
    call.end(FAILED_WRITE)
    assert await ending.error(call.told()) is None


async def test_without_any_status_what_was_told_stands() -> None:
    """If the server never says anything, the failed write is what is known; nobody waits for ever."""
    call = Call()
    ending = ending_of(call)
    call.end(FAILED_WRITE)
    told = call.told()
    assert await ending.error(told) is told

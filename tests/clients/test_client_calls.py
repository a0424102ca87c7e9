"""A call that a server gave up is made again."""

from __future__ import annotations

import random
from typing import Any

import grpc
import grpc.aio
import pytest

from gouji.session.v1 import session_pb2
from gouji_client.calls import Calls
from gouji_client.errors import GoujiError
from tests.clients.manual_clock import EagerClock
from tests.clients.watching import AT_ONCE

Code = grpc.StatusCode


class Method:
    """A method that fails with these codes, one after the other, and then answers."""

    def __init__(self, *codes: grpc.StatusCode) -> None:
        self._codes = list(codes)
        self.calls = 0

    async def __call__(self, _request: object, **_options: object) -> session_pb2.GetServerInfoResponse:
        self.calls += 1
        if self._codes:
            raise grpc.aio.AioRpcError(self._codes.pop(0), grpc.aio.Metadata(), grpc.aio.Metadata(), "gone")
        return session_pb2.GetServerInfoResponse(server_version="1")


def calls() -> Calls:
    """Make what calls, with a clock that nobody waits for."""
    return Calls("127.0.0.1:1", EagerClock(), AT_ONCE, random.Random(1))


@pytest.mark.parametrize("code", [Code.UNAVAILABLE, Code.CANCELLED, Code.DEADLINE_EXCEEDED])
async def test_a_call_that_the_server_let_go_of_is_made_again(code: grpc.StatusCode) -> None:
    """However a server that stops ends a call, one that was cancelled too: the next try is answered."""
    method: Any = Method(code, code)
    answer = await calls().plain(method, session_pb2.GetServerInfoRequest())
    assert (answer.server_version, method.calls) == ("1", 3)


async def test_a_call_that_was_refused_is_not() -> None:
    """A refusal stands."""
    method: Any = Method(Code.FAILED_PRECONDITION)
    with pytest.raises(GoujiError):
        await calls().plain(method, session_pb2.GetServerInfoRequest())
    assert method.calls == 1

"""Which clients are let in, and how one that is too old is told."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gouji.session.v1 import session_pb2 as pb
from gouji_client import Refused, connect
from gouji_client.calls import CLIENT
from gouji_server.api.client_versions import ClientGate
from gouji_server.client_minimums import read_version
from gouji_server.config import Config
from gouji_server.tables import Refused as ServerRefused
from tests.server.raw_client import SERVICES, RawClient, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

OLD = (("gouji-client", "python/0.1.9"),)
METHODS = [
    (service, method)
    for service, (module, _) in SERVICES.items()
    for method in module.DESCRIPTOR.services_by_name[service].methods
]


async def call(client: RawClient, service: str, method: Any, metadata: tuple[tuple[str, str], ...]) -> object:
    """Make a call of any kind with an empty request."""
    kind = {(False, False): "unary_unary", (False, True): "unary_stream", (True, True): "stream_stream"}
    way = kind[method.client_streaming, method.server_streaming]
    make: Any = getattr(client.channel, way)(f"/{SERVICES[service][1]}/{method.name}")
    empty = GetMessageClass(method.input_type)().SerializeToString()
    if way == "unary_unary":
        return await make(empty, metadata=metadata)
    opened = make(metadata=metadata) if way == "stream_stream" else make(empty, metadata=metadata)
    return await opened.read()


async def test_an_old_client_is_told_on_every_call(start_server: Callable[..., Running]) -> None:
    """Every RPC of every service refuses it with the minimum, in two languages, signed in or not: all but one."""
    async with start_server(minimum_client_versions="python=0.2, web=1.0.3") as running:
        client = await running.player()
        for service, method in METHODS:
            if method.name == "GetServerInfo":
                continue
            for metadata in (OLD, (*OLD, *client.metadata)):
                failed = await refusal(call(client, service, method, metadata))
                assert (failed.code, failed.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CLIENT_TOO_OLD"), method
                assert failed.metadata == {"client": "python", "version": "0.1.9", "minimum": "0.2"}
                assert set(failed.texts) == {"en-US", "zh-CN"}
        answer = await client.sessions.GetServerInfo(pb.GetServerInfoRequest(), metadata=OLD)
        assert dict(answer.minimum_client_versions) == {"python": "0.2", "web": "1.0.3"}
        assert answer.server_version == version("gouji")
        assert answer.protocol_version >= 1
        assert answer.server_time.ToNanoseconds() == running.clock.now() * 1e9
        # No header, another client, and one that is new enough.
        for metadata in ((), (("gouji-client", "mine/0.0.1"),), (("gouji-client", "web/1.0.3"),)):
            await client.call(pb.GetAccountRequest(name="accounts/me"), (*metadata, *client.metadata))


async def test_a_server_may_want_to_know_its_clients(start_server: Callable[..., Running]) -> None:
    """Where it is set, a client that does not say who it is, or says it twice, is told how to."""
    async with start_server(named_clients_only=True) as running:
        client = running.client()
        request = pb.SignInRequest(new_guest=pb.NewGuest(display_name="x"))
        for metadata in ((), OLD * 2):
            call: Any = client.sessions.SignIn(request, metadata=metadata)
            failed = await refusal(call)
            assert (failed.reason, failed.code) == ("CLIENT_NOT_NAMED", grpc.StatusCode.FAILED_PRECONDITION)
            assert "gouji-client" in failed.message
        call = client.sessions.SignIn(request, metadata=OLD)
        await call


async def test_the_sdk_says_who_it_is_and_why_it_is_not_let_in(start_server: Callable[..., Running]) -> None:
    """The SDK names itself on every call; refused as too old, its error says what is wanted."""
    name, said = CLIENT
    assert (name, said) == ("gouji-client", f"python/{version('gouji')}")
    async with (
        start_server(minimum_client_versions="python=999", named_clients_only=True) as running,
        connect(running.server.address) as client,
    ):
        with pytest.raises(Refused, match="python 999 or newer is wanted") as failed:
            await client.sign_in("Mei")
        assert failed.value.reason == "CLIENT_TOO_OLD"
        assert "999" in failed.value.text_zh
        assert dict((await client.server_info()).minimum_client_versions) == {"python": "999"}


@pytest.mark.parametrize(
    ("client", "let_in"),
    [
        ("python/0.2", True),
        ("python/0.2.0", True),
        ("python/0.10", True),
        ("python/1.0rc1", True),
        ("Python/0.2.1+local", True),
        ("python/0.1.99", False),
        ("python/0", False),
        ("python/", False),
        ("python", False),
        ("python/new", False),
        ("python/-1", False),
        ("python/٣", False),
        ("pythonic/0.1", True),
        ("/0.1", True),
        ("", True),
    ],
)
def test_versions_are_compared_by_number(client: str, let_in: bool) -> None:
    """0.10 is newer than 0.2; what is no version is older than any; other names are let in."""
    gate = ClientGate({"python": "0.2"}, named_only=False)
    if let_in:
        gate.check(client)
    else:
        with pytest.raises(ServerRefused):
            gate.check(client)


@given(st.text(max_size=64))
def test_any_version_is_read_calmly(text: str) -> None:
    """Whatever a client calls its version, reading it raises nothing."""
    found = read_version(text)
    assert found is None or all(part >= 0 for part in found)


@pytest.mark.parametrize("text", ["python", "python=", "=1", "python=new", "python=1,python=2", "py thon=1"])
def test_bad_minimums_stop_the_start(text: str) -> None:
    """A setting that says no version is refused before the server starts, with the part that is wrong."""
    with pytest.raises(ValidationError, match=r"NAME=VERSION|twice"):
        Config(minimum_client_versions=text)

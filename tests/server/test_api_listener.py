"""The public port: health, reflection, TLS, and what is not there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from gouji_server.api.listener import SERVICES
from gouji_server.data_directory import StartError
from tests.server.raw_client import RawClient, refusal
from tests.server.running import Running

if TYPE_CHECKING:
    from collections.abc import Callable

TLS = Path(__file__).parent / "tls"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def test_health_needs_no_token(running_server: Running) -> None:
    """The server and each of its services are SERVING, to whoever asks; another service is NOT_FOUND."""
    stub: Any = health_pb2_grpc.HealthStub(running_server.client().channel)
    for service in ("", *SERVICES):
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == SERVING
    failed = await refusal(stub.Check(health_pb2.HealthCheckRequest(service="nobody")))
    assert failed.code is grpc.StatusCode.NOT_FOUND


async def test_health_says_when_the_server_stops(running_server: Running) -> None:
    """Whoever watches is told NOT_SERVING before the port is closed."""
    stub: Any = health_pb2_grpc.HealthStub(running_server.client().channel)
    watch = stub.Watch(health_pb2.HealthCheckRequest(service=SERVICES[0]))
    assert (await watch.read()).status == SERVING
    await running_server.server._listener.refuse()
    assert (await watch.read()).status == NOT_SERVING
    assert (await stub.Check(health_pb2.HealthCheckRequest())).status == NOT_SERVING
    watch.cancel()


async def reflected(running: Running) -> set[str]:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(running.client().channel)  # type: ignore[arg-type]
    call = stub.ServerReflectionInfo()
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    await call.done_writing()
    answer = await call.read()
    return {service.name for service in answer.list_services_response.service}


async def test_reflection_lists_what_is_public(running_server: Running) -> None:
    """Reflection names the public services, health and itself, and nothing else."""
    assert await reflected(running_server) == {
        *SERVICES,
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }


async def test_reflection_can_be_switched_off(start_server: Callable[..., Running]) -> None:
    """A server told so does not answer reflection."""
    async with start_server(reflection=False) as running:
        failed = await refusal(reflected(running))
        assert failed.code is grpc.StatusCode.UNIMPLEMENTED


async def test_channelz_is_not_public(running_server: Running) -> None:
    """Channelz, which tells of other clients' connections, is not on the public port."""
    stub: Any = channelz_pb2_grpc.ChannelzStub(running_server.client().channel)  # type: ignore[arg-type]
    failed = await refusal(stub.GetServers(channelz_pb2.GetServersRequest()))
    assert failed.code is grpc.StatusCode.UNIMPLEMENTED


async def test_over_tls(start_server: Callable[..., Running]) -> None:
    """With a certificate the server speaks TLS to those who trust it, and not in the clear."""
    certificate = TLS / "localhost-cert.pem"
    async with start_server(tls_cert=certificate, tls_key=TLS / "localhost-key.pem") as running:
        trust = grpc.ssl_channel_credentials(certificate.read_bytes())
        async with RawClient(f"localhost:{running.server.port}", trust) as client:
            await client.sign_in()
            assert client.account
        async with RawClient(running.server.address) as clear:
            assert (await refusal(clear.sign_in())).code is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        ("localhost-cert.pem", "other-key.pem", "do the certificate and its key fit"),
        ("missing.pem", "localhost-key.pem", r"missing\.pem cannot be read"),
        ("README.md", "localhost-key.pem", "do the certificate and its key fit"),
    ],
)
async def test_a_certificate_that_cannot_be_used(
    start_server: Callable[..., Running], certificate: str, key: str, message: str
) -> None:
    """A certificate and key that do not fit, or are not there, stop the start with a line that says so."""
    running = start_server(tls_cert=TLS / certificate, tls_key=TLS / key)
    with pytest.raises(StartError, match=message):
        await running.start()


async def test_a_second_server_on_the_port_is_refused(
    running_server: Running, start_server: Callable[..., Running], tmp_path: Path
) -> None:
    """Two servers never share a port, as they would with SO_REUSEPORT; the error names the address."""
    second = start_server(port=running_server.server.port, data_dir=tmp_path / "other")
    with pytest.raises(StartError, match=f"127.0.0.1:{running_server.server.port}: Address already in use"):
        await second.start()


async def test_a_second_server_on_the_directory_is_refused(
    running_server: Running, start_server: Callable[..., Running]
) -> None:
    """Two servers never share a data directory, and the first does not notice the try."""
    with pytest.raises(StartError, match="in use by another server"):
        await start_server().start()
    await running_server.player()


async def test_a_failed_start_leaves_nothing_behind(
    running_server: Running, start_server: Callable[..., Running], tmp_path: Path
) -> None:
    """A start that fails late has let its directory and files go: the next one on them works."""
    directory = tmp_path / "other"
    with pytest.raises(StartError):
        await start_server(port=running_server.server.port, data_dir=directory).start()
    async with start_server(data_dir=directory) as running:
        await running.player()


async def test_calls_are_bounded(start_server: Callable[..., Running]) -> None:
    """Past the limit of calls at once gRPC itself refuses: RESOURCE_EXHAUSTED."""
    async with start_server(max_calls=1) as running:
        stub: Any = health_pb2_grpc.HealthStub(running.client().channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        failed = await refusal(running.client().sign_in())
        assert failed.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        watch.cancel()

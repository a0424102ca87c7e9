"""The gRPC server itself: its port, its bounds, health and reflection."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.replay.v1 import replay_pb2
from gouji.session.v1 import session_pb2
from gouji.sharing.v1 import sharing_pb2
from gouji.table.v1 import table_pb2
from gouji_server.api.certificates import Certificates
from gouji_server.data_directory import StartError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gouji_server.config import Config

SERVICES = tuple(
    file.DESCRIPTOR.services_by_name[name].full_name
    for file, name in (
        (session_pb2, "SessionService"),
        (lobby_pb2, "LobbyService"),
        (table_pb2, "TableService"),
        (replay_pb2, "ReplayService"),
        (matchmaking_pb2, "MatchmakingService"),
        (sharing_pb2, "SharingService"),
    )
)
"""The public services, by full name."""

KEEPALIVE_TIMEOUT_SECONDS = 20
"""A connection that does not answer a ping for so long is dead."""
MIN_PING_SECONDS = 10
"""Clients may ping that often; one that pings faster is told to go away."""
EXPERIMENTS = "-event_engine_listener"
"""Has gRPC's own polling thread read what comes in: through the event engine every message passes another thread first,
an eighth of what a move costs."""
MAX_STREAMS_PER_CONNECTION = 256

Handlers: TypeAlias = "dict[str, grpc.RpcMethodHandler[bytes, bytes]]"


class Listener:
    """A gRPC server on one port."""

    def __init__(self, server: grpc.aio.Server, servicer: health.aio.HealthServicer, host: str, port: int) -> None:
        self._server = server
        self._health = servicer
        self.port = port
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @classmethod
    async def start(cls, config: Config, services: Mapping[str, Handlers]) -> Listener:
        """Listen and serve `services`, by full name. Raises StartError if the port or the certificate cannot be had."""
        before = threads()
        # gRPC reads it once in a process, when it is first used; what an operator has set stands.
        os.environ.setdefault("GRPC_EXPERIMENTS", EXPERIMENTS)
        server = grpc.aio.server(options=_options(config), maximum_concurrent_rpcs=config.max_calls)
        for name, handlers in services.items():
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        if config.reflection:
            reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        host = config.host.strip("[]")
        port = _bind(server, f"[{host}]" if ":" in host else host, config)
        await server.start()
        yield_to_the_loop(threads() - before)
        for name in SERVICES:
            await servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
        return cls(server, servicer, host, port)

    async def refuse(self) -> None:
        """Tell health checks that nothing more should be sent here."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace: float) -> None:
        """Take no more calls and give those running `grace` seconds to end."""
        await self._server.stop(grace)


def threads() -> set[int]:
    """Return the system's numbers of this process' threads; nothing where the system does not list them."""
    try:
        return {int(path.name) for path in Path("/proc/self/task").iterdir()}
    except OSError:
        return set()


def yield_to_the_loop(numbers: Iterable[int]) -> None:
    """Keep threads that only bring the event loop work, gRPC's, from interrupting it on its own core.

    One of them has a word to say for every message sent, others read what comes in. Woken at once, they take the core
    from the loop fifteen times a move, only to tell it what it would look at next anyway. As batch threads they wait
    until it has nothing to do; threads that they start are such threads too. Where the system knows no such thing,
    or forbids it, nothing happens.
    """
    if not hasattr(os, "SCHED_BATCH"):
        return
    for number in numbers:
        with contextlib.suppress(OSError):  # forbidden, or the thread has ended
            os.sched_setscheduler(number, os.SCHED_BATCH, os.sched_param(0))


def _options(config: Config) -> list[tuple[str, int]]:
    age = [
        ("grpc.max_connection_age_ms", round(config.max_connection_age_seconds * 1000)),
        ("grpc.max_connection_age_grace_ms", round(config.connection_age_grace_seconds * 1000)),
    ]
    return [
        *(age if config.max_connection_age_seconds else ()),
        # A second server on the port must fail, not share it.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", config.max_request_bytes),
        ("grpc.max_send_message_length", -1),  # what is sent is bounded where it is made
        ("grpc.max_concurrent_streams", MAX_STREAMS_PER_CONNECTION),
        # Commands are small: there is no bandwidth worth measuring by extra pings.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.keepalive_time_ms", round(config.keepalive_seconds * 1000)),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_SECONDS * 1000),
        ("grpc.http2.ping_timeout_ms", KEEPALIVE_TIMEOUT_SECONDS * 1000),  # else a minute
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", round(MIN_PING_SECONDS * 1000)),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", round(MIN_PING_SECONDS * 1000)),
    ]


def _bind(server: grpc.aio.Server, host: str, config: Config) -> int:
    must_be_free(host, config.port)
    address = f"{host}:{config.port}"
    try:
        if config.tls_cert is None or config.tls_key is None:
            return server.add_insecure_port(address)
        certificates = Certificates(config.tls_cert, config.tls_key, config.tls_client_ca)
        return server.add_secure_port(address, certificates.credentials())
    except RuntimeError as error:
        raise StartError(f"cannot listen on {address}") from error


def must_be_free(host: str, port: int) -> None:
    """Raise StartError, saying why, if the address cannot be had: gRPC would tell standard error alone."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        hint = "; name another port, or 0 for a free one" if error.errno == errno.EADDRINUSE else ""
        raise StartError(f"cannot listen on {host}:{port}: {error.strerror}{hint}") from error

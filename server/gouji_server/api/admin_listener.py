"""The operators' listener: a socket in the data directory, or a port of this machine; never the public port.

Every call, whatever the service, wants the credential that lies in the data directory, before anything else is looked
at. Beside AdminService there are health checks, reflection and channelz, which tells of all connections of the process.
"""

from __future__ import annotations

import hmac
import os
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, TypeVar

import grpc
from grpc_channelz.v1 import channelz, channelz_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from gouji.admin.v1 import admin_pb2
from gouji_server.api.errors import abort, unauthenticated
from gouji_server.api.listener import must_be_free
from gouji_server.data_directory import StartError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from gouji_server.api.calls import Context
    from gouji_server.api.listener import Handlers
    from gouji_server.config import Config

SERVICE = admin_pb2.DESCRIPTOR.services_by_name["AdminService"].full_name
SOCKET = "admin.sock"
KEY = "admin.key"
LOOPBACK = "127.0.0.1"
MOST_PATH = 100
"""Bytes of a socket's path: systems take no more than 103 to 107."""
MAX_REQUEST_BYTES = 65_536
GRACE_SECONDS = 1.0
MOST_CALLS = 64
"""Calls served at once; one more is refused with RESOURCE_EXHAUSTED."""


Asked = TypeVar("Asked")
Told = TypeVar("Told")


class AdminListener:
    """A gRPC server for operators. `target` is what a client on this machine connects to."""

    def __init__(
        self, server: grpc.aio.Server, servicer: health.aio.HealthServicer, target: str, closing: ExitStack
    ) -> None:
        self._server = server
        self._health = servicer
        self._closing = closing
        self.target = target

    @classmethod
    async def start(cls, config: Config, folder: Path, handlers: Handlers, key: bytes) -> AdminListener:
        """Serve `handlers` to who has the credential. Raises StartError if the socket or the port cannot be had."""
        server = grpc.aio.server(
            interceptors=[Credential(key)],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
                ("grpc.max_send_message_length", -1),
            ],
            maximum_concurrent_rpcs=MOST_CALLS,
        )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        channelz.add_channelz_servicer(server)
        channelz_name = channelz_pb2.DESCRIPTOR.services_by_name["Channelz"].full_name
        names = (SERVICE, health.SERVICE_NAME, channelz_name, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        with ExitStack() as closing:
            if config.admin_port is None:
                target = _bind_socket(server, folder / SOCKET, closing)
                await server.start()
                (folder / SOCKET).chmod(0o600)
            else:
                target = _bind_port(server, config.admin_port)
                await server.start()
            await servicer.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
            return cls(server, servicer, target, closing.pop_all())
        raise AssertionError("an exit stack swallows nothing")

    async def stop(self) -> None:
        """Take no more calls, and give those that run a moment to be answered."""
        await self._server.stop(GRACE_SECONDS)
        self._closing.close()


class Credential(grpc.aio.ServerInterceptor):
    """Lets through who has the credential; to others no method, there or not, answers anything else."""

    def __init__(self, key: bytes) -> None:
        self._wanted = f"Bearer {key.hex()}".encode()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Asked, Told] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Asked, Told] | None:
        """See grpc.aio.ServerInterceptor."""
        metadata = handler_call_details.invocation_metadata or ()
        given = [value for key, value in metadata if key == "authorization" and isinstance(value, str)]
        if len(given) == 1 and hmac.compare_digest(given[0].encode(), self._wanted):
            return await continuation(handler_call_details)
        return grpc.stream_stream_rpc_method_handler(_refuse)  # ends a call of any kind


async def _refuse(_requests: object, context: Context) -> None:
    await abort(context, unauthenticated())


def _bind_socket(server: grpc.aio.Server, socket: Path, closing: ExitStack) -> str:
    _remove(socket)  # of a server that was killed: this one has the directory's lock
    try:
        server.add_insecure_port(socket_target(socket, closing))
    except (RuntimeError, OSError) as error:
        raise StartError(f"cannot listen on {socket}: give a port of this machine by --admin-port") from error
    closing.callback(_remove, socket)
    return f"unix:{socket}"


def _remove(socket: Path) -> None:
    with suppress(OSError):
        socket.unlink()


def socket_target(socket: Path, closing: ExitStack) -> str:
    """Return what gRPC calls a socket. A path too long for the system goes through its folder, open until `closing`."""
    if len(os.fsencode(socket)) <= MOST_PATH:
        return f"unix:{socket}"
    folder = os.open(socket.parent, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    closing.callback(os.close, folder)
    return f"unix:/proc/self/fd/{folder}/{socket.name}"


def _bind_port(server: grpc.aio.Server, port: int) -> str:
    must_be_free(LOOPBACK, port)
    try:
        return f"{LOOPBACK}:{server.add_insecure_port(f'{LOOPBACK}:{port}')}"
    except RuntimeError as error:
        raise StartError(f"cannot listen on {LOOPBACK}:{port} for operators") from error

"""A client of the operators' listener, made of the bare stub."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import grpc

from gouji.admin.v1 import admin_pb2, admin_pb2_grpc
from gouji_server.api.admin_listener import SOCKET, socket_target

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

SERVICE = admin_pb2.DESCRIPTOR.services_by_name["AdminService"]


class AdminClient:
    """An operator's connection to the server of a data directory, with its credential unless another is given."""

    def __init__(self, data_dir: Path, *, target: str = "", key: str | None = None, operator: str = "祥子") -> None:
        self._closing = ExitStack()
        self.channel = grpc.aio.insecure_channel(target or socket_target(data_dir / SOCKET, self._closing))
        self.stub: Any = admin_pb2_grpc.AdminServiceStub(self.channel)
        key = (data_dir / "admin.key").read_bytes().hex() if key is None else key
        self.metadata = [("authorization", f"Bearer {key}")] if key else []
        if operator:
            self.metadata.append(("gouji-operator", quote(operator)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()
        self._closing.close()

    async def call(self, request: Message) -> Any:
        """Call the method that takes this kind of request."""
        name = type(request).__name__.removesuffix("Request")
        return await getattr(self.stub, name)(request, metadata=self.metadata)


def requests() -> list[Message]:
    """Return an empty request of every method."""
    return [getattr(admin_pb2, method.input_type.name)() for method in SERVICE.methods]

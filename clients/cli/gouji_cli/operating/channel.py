"""The way to a running server's operators' listener: by the socket and the credential in its data directory."""

from __future__ import annotations

import getpass
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import grpc

from gouji_cli.terminal import by_locale, fail, speaks_chinese

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

FAILED = 1
SECONDS = 30.0
"""A call that takes longer has failed."""
MOST_PATH = 100
"""Bytes of a socket's path that every system takes."""


class Office:
    """A connection to the server of a data directory; `address` where it was told to listen on a port. `operator` goes
    into its audit log with all that is done."""

    def __init__(self, data_dir: Path, address: str | None, operator: str | None) -> None:
        from gouji.admin.v1 import admin_pb2_grpc

        self._closing = ExitStack()
        key = _credential(data_dir)
        target = address or self._socket(data_dir.expanduser().absolute() / "admin.sock")
        channel = self._closing.enter_context(grpc.insecure_channel(target))
        self._stub: Any = admin_pb2_grpc.AdminServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {key}"), ("gouji-operator", quote(operator or _who())))
        self._where = address or str(data_dir)

    def close(self) -> None:
        """Hang up."""
        self._closing.close()

    def call(self, request: Message) -> Any:
        """Call the method that takes this kind of request; what is refused is told in one line and ends the program."""
        name = type(request).__name__.removesuffix("Request")
        try:
            return getattr(self._stub, name)(request, metadata=self._metadata, timeout=SECONDS)
        except grpc.RpcError as error:
            fail(_told(error, self._where), status=FAILED)

    def _socket(self, path: Path) -> str:
        if not path.exists():
            fail(
                by_locale(
                    f"no server runs on {path.parent}: there is no {path.name}"
                    " (of a server with --admin-port, give --admin HOST:PORT)",
                    f"{path.parent} 上没有运行服务器：没有 {path.name}（若有 --admin-port，请给出 --admin）",
                ),
                status=FAILED,
            )
        if len(os.fsencode(path)) <= MOST_PATH:
            return f"unix:{path}"
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        self._closing.callback(os.close, folder)
        return f"unix:/proc/self/fd/{folder}/{path.name}"


def _credential(data_dir: Path) -> str:
    path = data_dir.expanduser() / "admin.key"
    try:
        return path.read_bytes().hex()
    except OSError as error:
        fail(
            by_locale(
                f"the credential {path} cannot be read: {error.strerror}; --data-dir names the server's data directory",
                f"无法读取凭证 {path}：{error.strerror}；请用 --data-dir 给出服务器的数据目录",
            ),
            status=FAILED,
        )


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid {os.getuid()}"


def _told(error: grpc.RpcError, where: str) -> str:
    from google.rpc import error_details_pb2, status_pb2

    call: Any = error
    status = None
    for key, value in call.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status = status_pb2.Status.FromString(value)
    if status is None:
        if call.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            return by_locale(f"no server answers at {where}", f"{where} 没有服务器应答")
        return f"{call.code().name}: {call.details()}"
    reason, text = "", status.message
    for packed in status.details:
        info, local = error_details_pb2.ErrorInfo(), error_details_pb2.LocalizedMessage()
        if packed.Unpack(info):
            reason = info.reason
        elif packed.Unpack(local) and local.locale.startswith("zh") and speaks_chinese():
            text = local.message
    return f"{reason}: {text}" if reason else str(text)

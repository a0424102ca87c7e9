"""The address of a server and the channel to it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import grpc
import grpc.aio

from gouji_client.errors import CredentialsError, UnsafeConnection

if TYPE_CHECKING:
    import os

DEFAULT_PORT = 50151
"""The port of an address that names none."""

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""The largest message the client reads. The largest the server sends, a snapshot late in a deal, is some kilobytes."""


@dataclass(frozen=True, slots=True)
class TLS:
    """How to know the server, and show oneself, over TLS. All fields are optional.

    `ca_file` holds the roots to trust instead of the system's, `cert_file` and `key_file` the client's own certificate,
    all PEM. `server_name` is the name expected in the server's certificate when it is not the address.
    """

    ca_file: str | os.PathLike[str] | None = None
    cert_file: str | os.PathLike[str] | None = None
    key_file: str | os.PathLike[str] | None = None
    server_name: str | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files. Raises `CredentialsError` if one cannot be read or one of the pair is missing."""
        if (self.cert_file is None) != (self.key_file is None):
            raise CredentialsError("a client certificate needs both cert_file and key_file")
        return grpc.ssl_channel_credentials(_read(self.ca_file), _read(self.key_file), _read(self.cert_file))


def _read(path: str | os.PathLike[str] | None) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CredentialsError(f"cannot read {path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: `host` without brackets and `port`, or the path of a unix socket."""

    host: str = ""
    port: int = 0
    socket: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `host`, `host:port`, `[ipv6]:port` or `unix:/path`; without a port it is 50151.

        Raises ValueError with the bad text named.
        """
        wrong = f"{text!r} is no address: expected host:port, such as 127.0.0.1:{DEFAULT_PORT}"
        if text.startswith("unix:"):
            path = text.removeprefix("unix:")
            if not path:
                raise ValueError(wrong)
            return cls(socket=path)
        if not text or any(c in text for c in "/?#@") or any(c.isspace() for c in text):
            raise ValueError(wrong)
        try:
            # A bare IPv6 address has colons of its own: only brackets can give it a port.
            bare = text if text.count(":") < 2 or text.startswith("[") else f"[{text}]"
            parts = urlsplit(f"//{bare}")
            port = parts.port
        except ValueError as error:
            raise ValueError(wrong) from error
        if not parts.hostname or port == 0:
            raise ValueError(wrong)
        return cls(host=parts.hostname, port=DEFAULT_PORT if port is None else port)

    @property
    def loopback(self) -> bool:
        """Whether nothing sent there leaves this machine."""
        if self.socket or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def target(self) -> str:
        """The address as gRPC wants it."""
        if self.socket:
            return f"unix:{self.socket}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return self.target


def open_channel(address: Address, tls: TLS | bool = False, *, insecure: bool = False) -> grpc.aio.Channel:
    """Make a channel; it connects on first use.

    Raises `UnsafeConnection` for cleartext to another machine unless `insecure`, `CredentialsError` for bad TLS files.
    """
    options: list[tuple[str, str | int]] = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        # The client waits by its own `Backoff`; the channel's, of up to two minutes, must not come on top.
        ("grpc.initial_reconnect_backoff_ms", 50),
        ("grpc.min_reconnect_backoff_ms", 50),
        ("grpc.max_reconnect_backoff_ms", 1000),
    ]
    if tls is False or tls is None:
        if not (address.loopback or insecure):
            raise UnsafeConnection(
                f"{address} is another machine and the connection would carry your secrets in the clear: "
                "pass tls=True, or insecure=True if you trust the network between"
            )
        return grpc.aio.insecure_channel(address.target, options=options)
    settings = TLS() if tls is True else tls
    if settings.server_name:
        options.append(("grpc.ssl_target_name_override", settings.server_name))
    return grpc.aio.secure_channel(address.target, settings.credentials(), options=options)

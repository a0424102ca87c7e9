"""The address of a server and the channel to it."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from gouji_client.errors import BadInput, CredentialsError, UnsafeConnection

if TYPE_CHECKING:
    import os

DEFAULT_PORT = 50151
"""The port of an address that names none."""

_LAST_PORT = 65535
_HOST = re.compile(r"[\w.-]+").fullmatch
_OF_IPV4 = frozenset("0123456789.")

_LOOKING_UP = 2.0
"""Seconds that the name of a machine may take to be looked up."""

KEEPALIVE_SECONDS = 30.0
"""Silence after which the client pings the server, while a stream or a call is open. Servers refuse less than 10."""
KEEPALIVE_TIMEOUT_SECONDS = 10.0
"""A connection whose ping is not answered for so long is dead, and another one is made."""

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
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CredentialsError(f"cannot read {path}: {reason}") from error


def _no_address(text: object, why: str) -> BadInput:
    return BadInput(f"{text!r} is no address: {why}; expected host:port, such as 127.0.0.1:{DEFAULT_PORT}")


def _split(text: str) -> tuple[str, str]:
    """Return the host and the port of an address, empty where none is given. Raises `BadInput`."""
    if "://" in text:
        raise _no_address(text, f"leave out {text.partition('://')[0]}://, and pass tls=True for TLS")
    if text.startswith("["):
        host, closed, port = text[1:].partition("]")
        if not closed or port[:1] not in ("", ":") or not _is_ip(host):
            raise _no_address(text, "between [ and ] belongs an IPv6 address")
    elif text.count(":") > 1:  # IPv6 has colons of its own: only brackets can give it a port
        host, port = text, ""
        if not _is_ip(host):
            raise _no_address(text, "it has more than one colon")
    else:
        host, colon, port = text.partition(":")
        if not host:
            raise _no_address(text, "the host is missing")
        if host.isdecimal():
            raise _no_address(text, f"{host} is a number and no host")
        if not _HOST(host) or (set(host) <= _OF_IPV4 and not _is_ip(host)):
            raise _no_address(text, f"{host!r} is no name of a machine and no IP address")
        port = colon + port
    if port == ":":
        raise _no_address(text, "the port after the colon is missing")
    return host, port.removeprefix(":")


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: `host` without brackets and `port`, or the path of a unix socket."""

    host: str = ""
    port: int = 0
    socket: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `host`, `host:port`, `[ipv6]:port` or `unix:/path`; without a port it is 50151.

        Raises `BadInput` with the bad text named, what is wrong with it, and a good one.
        """
        if not isinstance(text, str):
            raise _no_address(text, "it is no text")
        if text.startswith("unix:"):
            path = text.removeprefix("unix:")
            if not path:
                raise _no_address(text, "the path of the socket is missing")
            return cls(socket=path)
        host, port = _split(text)
        if not port:
            return cls(host, DEFAULT_PORT)
        if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= _LAST_PORT):
            raise _no_address(text, f"the port {port!r} is no number from 1 to {_LAST_PORT}")
        return cls(host, int(port))

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


async def is_known(address: Address) -> bool:
    """Whether the name of a machine can be looked up, as far as one can tell."""
    if address.socket or _is_ip(address.host):
        return True
    try:
        async with asyncio.timeout(_LOOKING_UP):
            await asyncio.get_running_loop().getaddrinfo(address.host, address.port)
    except socket.gaierror:
        return False
    except (OSError, UnicodeError, TimeoutError):
        pass
    return True


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
        # A network that lost the connection says nothing: without pings a stream would wait for ever.
        ("grpc.keepalive_time_ms", round(KEEPALIVE_SECONDS * 1000)),
        ("grpc.keepalive_timeout_ms", round(KEEPALIVE_TIMEOUT_SECONDS * 1000)),
        (
            "grpc.http2.ping_timeout_ms",
            round(KEEPALIVE_TIMEOUT_SECONDS * 1000),
        ),  # else a minute
        ("grpc.http2.max_pings_without_data", 0),
    ]
    if tls is False or tls is None:
        if not (address.loopback or insecure):
            raise UnsafeConnection(
                f"{address} is another machine (this one is 127.0.0.1) and the connection would carry your secrets in "
                "the clear: pass tls=True, or insecure=True if you trust the network between"
            )
        return grpc.aio.insecure_channel(address.target, options=options)
    settings = TLS() if tls is True else tls
    if settings.server_name:
        options.append(("grpc.ssl_target_name_override", settings.server_name))
    return grpc.aio.secure_channel(address.target, settings.credentials(), options=options)

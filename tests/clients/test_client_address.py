"""Addresses, and what may be sent there in the clear."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import pytest

from gouji_client import TLS, BadInput, CredentialsError, ServerUnreachable, UnsafeConnection, connect
from gouji_client.channel import Address

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("127.0.0.1:50151", "127.0.0.1:50151"),
        ("localhost", "localhost:50151"),
        ("gouji.example:7", "gouji.example:7"),
        ("[::1]:9", "[::1]:9"),
        ("::1", "[::1]:50151"),
        ("[::1]", "[::1]:50151"),
        ("[fe80::1%eth0]:9", "[fe80::1%eth0]:9"),
        ("gouji_1.example", "gouji_1.example:50151"),
        ("unix:/run/gouji.sock", "unix:/run/gouji.sock"),
    ],
)
def test_an_address_is_read(text: str, target: str) -> None:
    """Host, host and port, IPv6 and unix sockets are understood; the port is 50151 where none is given."""
    assert Address.parse(text).target == target
    assert str(Address.parse(text)) == target


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the host is missing"),
        (":50151", "the host is missing"),
        ("127.0.0.1:", "the port after the colon is missing"),
        ("[::1]:", "the port after the colon is missing"),
        ("a:b", "the port 'b' is no number from 1 to 65535"),
        ("host:0", "the port '0' is no number from 1 to 65535"),
        ("host:99999", "the port '99999' is no number from 1 to 65535"),
        ("host:-1", "the port '-1' is no number from 1 to 65535"),
        ("host:٣", "is no number from 1 to 65535"),
        ("50151", "50151 is a number and no host"),
        (50151, "it is no text"),
        (None, "it is no text"),
        ("http://host:1", "leave out http://"),
        ("grpc://host", "leave out grpc://"),
        ("dns:///host:1", "leave out dns://"),
        ("tcp:host:1", "more than one colon"),
        ("[::1", "between [ and ] belongs an IPv6 address"),
        ("[host]:1", "between [ and ] belongs an IPv6 address"),
        ("[::1]50151", "between [ and ] belongs an IPv6 address"),
        ("256.0.0.1:1", "no IP address"),
        ("127.0.0.1.1", "no IP address"),
        ("127.0.0.1;50151", "no name of a machine"),
        ("127.0.0.1：50151", "no name of a machine"),
        ("host:1/path", "the port '1/path' is no number"),
        ("host/path", "no name of a machine"),
        ("a b", "no name of a machine"),
        ("me@host", "no name of a machine"),
        ("unix:", "the path of the socket is missing"),
    ],
)
def test_what_is_no_address_is_said(text: Any, said: str) -> None:
    """What is no address gives an error that repeats it, says what is wrong with it, and shows a good one."""
    with pytest.raises(BadInput) as caught:
        _ = connect(text)
    assert str(caught.value).startswith(f"{text!r} is no address: ")
    assert said in str(caught.value)
    assert str(caught.value).endswith("expected host:port, such as 127.0.0.1:50151")


async def test_nothing_at_an_address_is_said() -> None:
    """Where nothing answers the error names the address and what may be wrong with it."""
    with pytest.raises(ServerUnreachable, match=r"at 127\.0\.0\.1:1: .* check the address, .*tls=True.*gouji serve"):
        await connect("127.0.0.1:1", wait=0.05)


async def test_a_machine_that_nobody_knows_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that cannot be looked up is not told as a server that does not answer."""

    async def unknown(*_: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    with pytest.raises(ServerUnreachable, match=r"no machine by the name of gouji\.invalid is known"):
        await connect("gouji.invalid:1", insecure=True, wait=0.05)


@pytest.mark.parametrize("text", ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/x"])
def test_loopback_is_known(text: str) -> None:
    """What stays on this machine is loopback."""
    assert Address.parse(text).loopback


@pytest.mark.parametrize("text", ["10.0.0.1:1", "gouji.example:1", "[2001:db8::1]:1", "127.0.0.1.example:1"])
async def test_secrets_do_not_leave_the_machine_in_the_clear(text: str) -> None:
    """Cleartext to another machine is refused before anything is sent, and the error says what to do."""
    assert not Address.parse(text).loopback
    with pytest.raises(UnsafeConnection, match="tls=True"):
        await connect(text)


async def test_bad_tls_files_are_said(tmp_path: Path) -> None:
    """A missing certificate, or half of a pair, is an error of its own before anything is sent."""
    with pytest.raises(CredentialsError, match="nothing-here"):
        await connect("gouji.example", tls=TLS(ca_file=tmp_path / "nothing-here"))
    with pytest.raises(CredentialsError, match="both"):
        await connect("gouji.example", tls=TLS(cert_file=tmp_path / "cert.pem"))

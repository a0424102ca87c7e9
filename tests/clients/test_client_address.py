"""Addresses, and what may be sent there in the clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gouji_client import TLS, CredentialsError, UnsafeConnection, connect
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
        ("unix:/run/gouji.sock", "unix:/run/gouji.sock"),
    ],
)
def test_an_address_is_read(text: str, target: str) -> None:
    """Host, host and port, IPv6 and unix sockets are understood; the port is 50151 where none is given."""
    assert Address.parse(text).target == target
    assert str(Address.parse(text)) == target


@pytest.mark.parametrize(
    "text", ["", "a:b", "host:0", "host:99999", "http://host:1", "a b", "[::1", "unix:", "me@host"]
)
def test_what_is_no_address_is_said(text: str) -> None:
    """A text that is no address gives an error that repeats it and shows a good one."""
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:50151"):
        _ = connect(text)


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

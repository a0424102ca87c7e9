"""Addresses as limits count them."""

from __future__ import annotations

import pytest

from gouji_server.api.peers import address_of


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:4711", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:4711", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::1]:1", "2001:db8:1:2::/64"),
        ("ipv6:%5B::1%5D:4711", "::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:4711", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:4711", "fe80::/64"),
        ("unix:", "unix"),
        ("unix:/run/gouji.sock", "unix"),
        ("", ""),
    ],
)
def test_the_port_does_not_count(peer: str, address: str) -> None:
    """Ports, the half of an IPv6 address its holder may choose, and the writing of a mapped one make no new address."""
    assert address_of(peer) == address

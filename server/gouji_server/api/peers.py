"""The address a call comes from, as limits count it."""

from __future__ import annotations

import ipaddress
from urllib.parse import unquote


def address_of(peer: str) -> str:
    """Return the address in gRPC's name for a peer, such as `ipv4:192.0.2.7:4711`, without the port.

    Of an IPv6 address the first 64 bits: the rest is the holder's to choose. What is no IP address (a Unix socket)
    counts by its kind.
    """
    kind, _, rest = unquote(peer).partition(":")
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return kind
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)

"""`gouji server-info`: what a server says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gouji_cli.bots import DEFAULT_SERVER
from gouji_cli.signing_in import AsJson, Ca, Insecure, Server, UseTls, Way, carry_out, connected, when
from gouji_cli.terminal import plain, print_json

if TYPE_CHECKING:
    from gouji.session.v1 import session_pb2


def server_info(
    server: Server = DEFAULT_SERVER,
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """Show a server's version, its clock, and the least versions of clients that it takes. Nobody signs in."""
    way = Way(Path(), server, tls, ca, insecure)

    async def look() -> session_pb2.GetServerInfoResponse:
        async with connected(way) as client:
            return await client.server_info()

    info = carry_out(way, look())
    told = {
        "server_version": info.server_version,
        "protocol_version": info.protocol_version,
        "server_time": when(info.server_time),
        "minimum_client_versions": dict(info.minimum_client_versions),
    }
    if as_json:
        print_json(told)
        return
    for name, value in told.items():
        if isinstance(value, dict):
            value = ", ".join(f"{client}={least}" for client, least in sorted(value.items())) or "none"
        print(plain(f"{name}: {value}"))

"""Which clients are let in: each says its name and version, and one that is too old is told so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji_server.client_minimums import read_version
from gouji_server.tables import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

CLIENT_HEADER = "gouji-client"


class ClientGate:
    """Refuses clients below the minimum of their name, and those that do not say who they are where that is wanted.

    `minimums`: least version by client name; a name that is not there is let in whatever its version.
    """

    def __init__(self, minimums: Mapping[str, str], named_only: bool) -> None:
        self._minimums = {name: (text, read_version(text)) for name, text in minimums.items()}
        self._named_only = named_only

    def check(self, client: str) -> None:
        """Let a client in that calls itself `NAME/VERSION` (empty: it does not say). Raises Refused."""
        name, _, version = client.partition("/")
        if not name:
            if self._named_only:
                raise _not_named()
            return
        known = self._minimums.get(name.lower())
        if known is None:
            return
        wanted, least = known
        had = read_version(version)
        if had is None or least is None or had < least:
            raise _too_old(name.lower(), version, wanted)


def _too_old(name: str, version: str, wanted: str) -> Refused:
    return Refused(
        code_pb2.FAILED_PRECONDITION,
        "CLIENT_TOO_OLD",
        f"this client is too old for the server: {name} {wanted} or newer is wanted; please update it",
        f"客户端版本过旧：服务器需要 {name} {wanted} 或更新版本，请升级",
        metadata={"client": name, "version": version, "minimum": wanted},
    )


def _not_named() -> Refused:
    return Refused(
        code_pb2.FAILED_PRECONDITION,
        "CLIENT_NOT_NAMED",
        f"this server wants clients to say who they are: send the metadata {CLIENT_HEADER}: NAME/VERSION",
        f"此服务器要求客户端表明身份：请发送元数据 {CLIENT_HEADER}: 名称/版本",
    )

"""What a client sees of a server, without what differs from one run to the next: names, times, codes and secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from gouji_client import Client, Credentials, Refused, SignInFailed, connect
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Awaitable

_NAME = re.compile(r"(tables|accounts|tickets|parties|matches|sessions|tokens)/[A-Za-z0-9-]+")
_OWN_TO_EACH = {
    *("create_time", "expire_time", "last_use_time", "ready_until", "reserved_until", "block_time", "start_time"),
    *("end_time", "join_code", "token", "device_secret", "server_version", "server_time", "time", "client"),
    # What the fake server has no clock and no spectators' delay for.
    *("time_control", "decision_time", "spectator_delay", "most_spectators", "team_chat", "hints"),
}
"""Fields that need not be the same."""


class Witness:
    """Drives clients of one server and writes down what they see."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.seen: list[tuple[str, object]] = []
        self._names: dict[str, str] = {}
        self._clients: list[Client] = []

    async def person(self, name: str) -> Client:
        """Connect a new guest."""
        client = await self.stranger()
        await client.sign_in(name)
        return client

    async def stranger(self) -> Client:
        """Connect somebody who has not signed in."""
        client = await connect(self.address, backoff=AT_ONCE)
        self._clients.append(client)
        return client

    async def close(self) -> None:
        """Close all clients."""
        for client in self._clients:
            await client.close()

    async def ask(self, what: str, answer: Awaitable[Any]) -> Any:
        """Await a call and write down what it answers, or how it is refused; return the answer, None for a refusal."""
        try:
            told = await answer
        except Refused as refused:
            self.seen.append((what, ("refused", refused.code.name, refused.reason, refused.rule)))
            return None
        except SignInFailed:
            self.seen.append((what, "sign-in failed"))
            return None
        self.note(what, told)
        return told

    def note(self, what: str, told: object) -> None:
        """Write down what was seen."""
        self.seen.append((what, self._plain(told)))

    def _plain(self, told: Any) -> Any:
        if isinstance(told, Credentials):
            return "credentials"
        if isinstance(told, Message):
            return self._plain(MessageToDict(told, preserving_proto_field_name=True))
        if isinstance(told, dict):
            return {name: self._plain(part) for name, part in told.items() if name not in _OWN_TO_EACH}
        if isinstance(told, list | tuple):
            return [self._plain(part) for part in told]
        if isinstance(told, str):
            return _NAME.sub(lambda found: self._named(found[0]), told)
        return told

    def _named(self, name: str) -> str:
        """Return a name that tells which of the names that came up so far it is."""
        kind = name.partition("/")[0]
        count = sum(known.startswith(f"{kind}/") for known in self._names)
        return self._names.setdefault(name, f"{kind}/#{count + 1}")

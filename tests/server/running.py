"""A server in this process that a test can stop, start again, and move through time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from gouji_server.main import Server
from tests.server.players import HomeBots
from tests.server.raw_client import RawClient
from tests.server.virtual_time import VirtualClock

if TYPE_CHECKING:
    from gouji_server.config import Config


class Running:
    """A server, its clock, and the clients that were made for it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.clock = VirtualClock()
        self.server: Server
        self._clients: list[RawClient] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start the server on its directory, which may hold what an earlier one left."""
        self.server = await Server.start(self.config, clock=self.clock, house_bots=HomeBots())

    async def stop(self) -> None:
        """Close the clients and stop the server."""
        for client in self._clients:
            await client.channel.close()
        self._clients.clear()
        await self.server.stop()

    async def restart(self) -> None:
        """Stop, and start again on the same files."""
        await self.stop()
        await self.start()

    def client(self) -> RawClient:
        """Return a client that is connected and has not signed in."""
        client = RawClient(self.server.address)
        self._clients.append(client)
        return client

    async def player(self, name: str = "player") -> RawClient:
        """Return a client that has signed in as a new guest."""
        client = self.client()
        await client.sign_in(name)
        return client

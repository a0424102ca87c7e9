"""The real server, run in the test's own process on the system's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from gouji_server.config import Config
from gouji_server.main import Server
from tests.server.players import HomeBots

if TYPE_CHECKING:
    from pathlib import Path


class RealServer:
    """A server on a directory of its own, whose built-in bots answer at once; it can be stopped and started again."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        quick = {"bot_least_seconds": 0, "bot_most_seconds": 0, "stop_grace_seconds": 1, "password_memory_kib": 64}
        quick["entropy_wait_seconds"] = 0
        self._config = Config(data_dir=folder / "data", port=0, metrics_port=None, **(quick | settings))
        self._server: Server | None = None

    @property
    def address(self) -> str:
        """Where it listens now."""
        assert self._server is not None
        return self._server.address

    async def start(self) -> None:
        """Start on the directory, which may hold what was there before."""
        self._server = await Server.start(self._config, house_bots=HomeBots())

    async def stop(self) -> None:
        """Stop as on SIGTERM."""
        if self._server is not None:
            server, self._server = self._server, None
            await server.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

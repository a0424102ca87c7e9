"""A way to a server that a test can cut."""

from __future__ import annotations

import asyncio
from typing import Self


class CuttingProxy:
    """Passes bytes between clients and a server on loopback; `cut` breaks every connection there is,
    `fall_silent` makes them dead without a word.

    `to` may be changed, so that clients find a server that was started again on another port at the old address.
    """

    def __init__(self, to: str) -> None:
        self.to = to
        self.accepted = 0
        """How many connections clients have opened."""
        self.arrived = asyncio.Event()
        """Set with every connection that a client opens."""
        self._passing = asyncio.Event()
        self._passing.set()
        self._pairs: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        """Where clients connect to."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"{host}:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Break every connection, without a word."""
        for writer in list(self._pairs):
            writer.transport.abort()

    def fall_silent(self) -> None:
        """Pass nothing on any more over the connections there are, and keep them open, as a dead network does."""
        self._passing.clear()
        self._passing = asyncio.Event()
        self._passing.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self.arrived.set()
        host, port = self.to.rsplit(":", 1)
        try:
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        passing = self._passing
        for source, sink in ((reader, there_writer), (there_reader, writer)):
            self._pairs.add(sink)
            task = asyncio.create_task(self._pass_on(source, sink, passing))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, passing: asyncio.Event) -> None:
        try:
            while data := await source.read(65536):
                await passing.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            self._pairs.discard(sink)
            sink.transport.abort()

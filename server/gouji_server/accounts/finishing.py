"""What must be done to its end even when whoever asked for it goes away half-way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class Finishing:
    """Runs what writes to the records and then acts on it: a call that is cancelled between must not stop it there."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns. It goes on when the caller is cancelled."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait until everything is done."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # noted; whoever still waits for it is told

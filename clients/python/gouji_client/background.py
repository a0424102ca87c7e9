"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import atexit
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines in one thread, started when first needed; the caller waits for their results.

    One for the whole process: gRPC's own machinery serves a single loop best.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns, or raise what it raises. Ctrl-C cancels it.

        Raises RuntimeError when called from the loop's own thread, which would wait for itself for ever.
        """
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("gouji_client.sync cannot be used inside its own callbacks: use the async client there")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="gouji", daemon=True)
                self._thread.start()
                atexit.register(self._stop)
            return self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()
        remaining = asyncio.all_tasks(loop)
        for task in remaining:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*remaining, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    def _stop(self) -> None:
        """End the thread when the process ends, so that nothing is cut off in the middle."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5.0)

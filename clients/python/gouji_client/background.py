"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar

from gouji_client.errors import GoujiError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
    from concurrent.futures import Future

T = TypeVar("T")

_ENDED = "the background thread of gouji_client.sync has ended: nothing can be asked of it any more"
_CLOSING = 5.0
"""Seconds that anything may take to close when the process ends."""


class WrongThread(GoujiError, RuntimeError):
    """A plain call was made in the thread that has to carry it out, such as in the `choose` of a bot."""


class LoopEnded(GoujiError, RuntimeError):
    """There is no background thread any more: the process ends, or was forked from the one that had it."""


class BackgroundLoop:
    """Runs coroutines in one thread, started when first needed; the caller waits for their results.

    One for the whole process: gRPC's own machinery serves a single loop best.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._waiting: set[Future[Any]] = set()
        self._closers: dict[int, Callable[[], Coroutine[Any, Any, object]]] = {}

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns, or raise what it raises, `SystemExit` too. Ctrl-C cancels it.

        Raises `WrongThread` when called from the loop's own thread, which would wait for itself for ever, and
        `LoopEnded` when there is no such thread any more.
        """
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise WrongThread("gouji_client.sync cannot be used inside its own callbacks: use the async client there")
        future = self._submitted(coroutine)
        try:
            return future.result()
        except BaseException as error:
            future.cancel()
            if isinstance(error, CancelledError) and self._stopping:
                raise LoopEnded(_ENDED) from error
            raise
        finally:
            self._waiting.discard(future)

    def iterate(self, told: AsyncGenerator[T, None]) -> Iterator[T]:
        """Iterate over what an asynchronous generator gives. Who leaves the loop, or stops it by Ctrl-C, ends it."""
        one_at_a_time = asyncio.Lock()  # a wait that was called off may still be ending when it is closed

        async def next_one() -> tuple[T, ...]:
            async with one_at_a_time:
                try:
                    return (await anext(told),)
                except StopAsyncIteration:
                    return ()

        async def close() -> None:
            async with one_at_a_time:
                await told.aclose()

        try:
            while got := self.run(next_one()):
                yield got[0]
        finally:
            with contextlib.suppress(LoopEnded):
                self.run(close())

    def close_at_exit(self, closer: Callable[[], Coroutine[Any, Any, object]]) -> int:
        """Have something closed when the process ends, unless it was before; return the number to `forget` it by."""
        with self._lock:
            number = max(self._closers, default=0) + 1
            self._closers[number] = closer
            return number

    def forget(self, number: int) -> None:
        """It is closed. Twice is no error."""
        with self._lock:
            self._closers.pop(number, None)

    def _submitted(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Hand a coroutine to the loop, which is started when first needed."""
        with self._lock:
            if self._loop is None or self._thread is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="gouji", daemon=True)
                self._thread.start()
                atexit.register(self._stop)
            if self._stopping or not self._thread.is_alive():
                coroutine.close()
                raise LoopEnded(_ENDED)
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            self._waiting.add(future)
            return future

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            while not self._stopping:
                # What ends a process comes out of the loop as well as out of the task that raised it; the task's caller
                # is told by the loop, which therefore goes on.
                with contextlib.suppress(SystemExit, KeyboardInterrupt):
                    loop.run_forever()
            self._wind_up(loop)
        finally:
            with self._lock:
                self._stopping = True
                waiting = list(self._waiting)
            for future in waiting:
                future.cancel()

    @staticmethod
    def _wind_up(loop: asyncio.AbstractEventLoop) -> None:
        remaining = asyncio.all_tasks(loop)
        for task in remaining:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*remaining, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    def _stop(self) -> None:
        """Close what was left open and end the thread, so that nothing is cut off in the middle."""
        if self._loop is not None and self._thread is not None and self._thread.is_alive():
            for closer in reversed(list(self._closers.values())):
                with contextlib.suppress(Exception):
                    asyncio.run_coroutine_threadsafe(closer(), self._loop).result(timeout=_CLOSING)
            self._stopping = True
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=_CLOSING)

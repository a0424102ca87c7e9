"""Running tasks together, and ending them: by a failure of one, or because the user said so."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from typing import Any

STOPPED = 130
"""Exit status of a command that was stopped by Ctrl-C or SIGTERM."""

T = TypeVar("T")


class Stopped(Exception):
    """Ctrl-C or SIGTERM ended the run, in order."""


@asynccontextmanager
async def first_failure() -> AsyncIterator[None]:
    """Raise of several failures that came together only the first: the others followed from it."""
    try:
        yield
    except BaseExceptionGroup as failures:
        failure: BaseException = failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        # What a failure came of is its own: the bot's error, for one.
        raise failure from failure.__cause__ or failures


def run_until_stopped(running: Coroutine[Any, Any, T]) -> T:
    """Run to the end as `asyncio.run` does; Ctrl-C and SIGTERM call everything off and raise `Stopped`.

    What breaks off while it is called off, such as a command on its way, is no failure then.
    """
    return asyncio.run(_stoppable(running))


async def _stoppable(running: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(running)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        task.cancel()

    # Signals can only be caught in the main thread.
    signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        return await task
    except BaseException as error:
        if stopped:
            raise Stopped from error
        raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)

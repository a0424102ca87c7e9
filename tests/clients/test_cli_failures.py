"""How a command ends that runs several things at once."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from gouji_cli.failures import Stopped, first_failure, run_until_stopped


async def fail(error: Exception) -> None:
    """Fail at once."""
    raise error


async def wait_and_break(ready: asyncio.Event) -> None:
    """Wait for ever; break with an error of its own when called off, as a closed connection does."""
    ready.set()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise ConnectionError("the connection was closed") from None


async def test_of_failures_that_come_together_the_first_is_told() -> None:
    """A group's failure comes out as itself, not as a group."""

    async def together() -> None:
        async with first_failure(), asyncio.TaskGroup() as group:
            group.create_task(fail(ValueError("the cause")))
            group.create_task(wait_and_break(asyncio.Event()))

    with pytest.raises(ValueError, match="the cause"):
        await together()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_is_told_as_such_whatever_breaks_off(number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM call everything off; an error that comes of it does not pass for a failure."""

    async def running() -> None:
        ready = asyncio.Event()
        async with first_failure(), asyncio.TaskGroup() as group:
            group.create_task(wait_and_break(ready))
            await ready.wait()
            os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    with pytest.raises(Stopped):
        run_until_stopped(running())
    assert signal.getsignal(number) in (before, signal.SIG_DFL, signal.default_int_handler)


def test_what_is_not_stopped_ends_as_it_ends() -> None:
    """A result is returned and a failure raised."""

    async def result() -> int:
        return 7

    assert run_until_stopped(result()) == 7
    with pytest.raises(ValueError, match="no"):
        run_until_stopped(fail(ValueError("no")))

"""Runs a bot's `choose`, with or without a limit on its time."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Question = TypeVar("Question")
Answer = TypeVar("Answer")


async def within(
    limit: float | None, choose: Callable[[Question], Awaitable[Answer] | Answer], question: Question
) -> Answer:
    """Return `choose(question)`, awaited if it is async.

    With a `limit` in seconds it runs in a thread of its own and TimeoutError is raised when it takes longer; the thread
    cannot be stopped, but neither does it keep the process from ending.
    """
    if limit is None:
        answer = choose(question)
        return await answer if inspect.isawaitable(answer) else answer
    async with asyncio.timeout(limit):
        if inspect.iscoroutinefunction(choose):
            return await choose(question)  # type: ignore[no-any-return]
        answer = await _in_thread(choose, question)
        return await answer if inspect.isawaitable(answer) else answer


async def _in_thread(choose: Callable[[Question], Answer], question: Question) -> Answer:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Answer] = loop.create_future()

    def settle(answer: Answer | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(answer)  # type: ignore[arg-type]  # there is one when there is no error

    def think() -> None:
        answer: Answer | None = None
        failure: BaseException | None = None
        try:
            answer = choose(question)
        except StopIteration as error:  # no future takes it
            failure = RuntimeError("it raised StopIteration")
            failure.__cause__ = error
        except BaseException as error:  # noqa: BLE001 - it is for the caller to judge, in its own thread
            failure = error
        # The loop is gone when the client was closed while the bot still thought: then nobody waits for the answer.
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, answer, failure)

    threading.Thread(target=think, name="gouji bot", daemon=True).start()
    return await done

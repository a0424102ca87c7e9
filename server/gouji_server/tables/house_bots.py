"""Built-in bots that fill seats: they get what their seat may see, in a process of their own, and never the deal.

The worker imports the rules and the bots alone (:mod:`gouji_server.bot_worker`). Bots draw their delay from one
distribution whatever they hold, so that the time of an answer tells nothing (R36).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import structlog

import gouji_rules as gr
from gouji_bots import policies

if TYPE_CHECKING:
    from collections.abc import Collection

    from gouji_server.tables.clock import Entropy

WORKER = "gouji_server.bot_worker"
LENGTH_BYTES = 4

_log = structlog.get_logger(__name__)


class BotFailed(Exception):
    """A bot gave no answer."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A bot's answer, with the real cards it puts down (ascending; empty where none)."""

    action: gr.Action
    cards: bytes = b""


class HouseBots(Protocol):
    """Where built-in bots think."""

    @property
    def policies(self) -> Collection[str]:
        """The names of the bots there are."""

    def delay(self) -> float:
        """Draw how many seconds a bot takes to answer: the same distribution whatever is asked."""

    async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Choice:
        """Have a bot answer the question of `view`, its dice seeded. Raises :class:`BotFailed`."""


class WorkerBots:
    """Bots in a worker process, which is started at the first question and again if it dies.

    ``delays``: least and most seconds of a uniform distribution. ``seconds``: a worker that has not answered after so
    long hangs, and is ended.
    """

    def __init__(self, entropy: Entropy, delays: tuple[float, float] = (0.4, 1.2), seconds: float = 4.0) -> None:
        self.policies: Collection[str] = tuple(policies)
        self.seconds = seconds
        self._delays = delays
        self._dice = random.Random(entropy.token_bytes(16))  # noqa: S311 - delays are no secrets
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._asked: dict[int, asyncio.Future[Choice]] = {}
        self._serial = 0
        self._closed = False

    def delay(self) -> float:
        """See :class:`HouseBots`."""
        return self._dice.uniform(*self._delays)

    @property
    def pid(self) -> int | None:
        """The worker's process id, None while there is none."""
        return None if self._process is None else self._process.pid

    async def choose(self, policy: str, view: gr.SeatView, seed: bytes) -> Choice:
        """See :class:`HouseBots`."""
        process = await self._running()
        self._serial += 1
        serial = self._serial
        answer: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._asked[serial] = answer
        question = pickle.dumps((serial, policy, view, seed))
        try:
            self._send(process, question)
            async with asyncio.timeout(self.seconds):
                return await answer
        except TimeoutError:
            _log.warning("bot_worker_hangs", policy=policy)
            await self._end_worker()
            raise BotFailed("the bot took too long") from None
        finally:
            self._asked.pop(serial, None)

    async def _end_worker(self) -> None:
        """End the worker; the next question starts another."""
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """End the worker. Whoever still waits gets :class:`BotFailed`."""
        self._closed = True
        if self._starting is not None:
            with contextlib.suppress(OSError):
                await self._starting
        await self._end_worker()
        if self._reader is not None:
            await self._reader

    def _send(self, process: asyncio.subprocess.Process, question: bytes) -> None:
        if process.stdin is None or process.stdin.is_closing():
            raise BotFailed("the bots' worker is gone")
        process.stdin.write(len(question).to_bytes(LENGTH_BYTES, "big") + question)

    async def _running(self) -> asyncio.subprocess.Process:
        if self._closed:
            raise BotFailed("the bots have gone home")
        process = self._process
        if process is not None and process.returncode is None:
            return process
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._start())
        try:
            return await asyncio.shield(self._starting)
        except OSError as error:
            raise BotFailed("the bots' worker cannot be started") from error

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", WORKER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            self._process = process
            self._reader = asyncio.get_running_loop().create_task(self._read(process))
            return process
        finally:
            self._starting = None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand answers out until the worker ends; then nobody may go on waiting for it."""
        if process.stdout is None:
            return
        while line := await process.stdout.readline():
            told = json.loads(line)
            answer = self._asked.get(told["serial"])
            if answer is None or answer.done():
                continue
            if "action" in told:
                answer.set_result(Choice(gr.Action(told["action"]), bytes.fromhex(told["cards"])))
            else:
                answer.set_exception(BotFailed("the bot raised an exception"))
        code = await process.wait()
        if not self._closed:
            _log.warning("bot_worker_ended", code=code)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(BotFailed("the bots' worker ended"))

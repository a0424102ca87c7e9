"""Server processes: started, killed, started again on the same files and the same port."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
READY = "gouji: serving on "


def command(*arguments: str) -> list[str]:
    """Return the command that runs a server."""
    return [sys.executable, "-m", "gouji_server", *arguments]


def clean_environment() -> dict[str, str]:
    """Return this process's environment without settings of the server, output unbuffered."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    return kept | {"PYTHONUNBUFFERED": "1"}


class Nursery:
    """See tests.server.nursery. Close it at the end; servers that it started are its children and should have ended."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.nursery"],
            cwd=ROOT,
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._turn = asyncio.Lock()

    def close(self) -> None:
        """End it."""
        self._process.communicate()

    async def ask(self, **question: Any) -> dict[str, Any]:
        """Send a line and read the answer."""
        async with self._turn:
            line = await asyncio.to_thread(self._exchange, json.dumps(question).encode() + b"\n")
        assert line, "the nursery is gone"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _exchange(self, line: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return self._process.stdout.readline()


class KillableServer:
    """A server that dies and comes back: on the same directory, at the same address, with the same further settings."""

    def __init__(self, nursery: Nursery, folder: Path, *settings: str) -> None:
        self._nursery = nursery
        self._settings = settings
        self.data_dir = folder / "data"
        self.log = folder / "server.log"
        self._port = 0
        self._pid = 0
        self.kills = 0

    @property
    def address(self) -> str:
        """Where it listens, or did and will again."""
        return f"127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        """Its process, 0 when it has ended."""
        return self._pid

    async def start(self, *, ready: bool = True) -> None:
        """Start it, at the port it had before; wait until it is ready, unless told not to."""
        arguments = [
            *("--data-dir", str(self.data_dir), "--port", str(self._port), "--metrics-port", "none"),
            *("--bot-least-seconds", "0", "--bot-most-seconds", "0"),
            *self._settings,
        ]
        answer = await self._nursery.ask(arguments=arguments, log=str(self.log), ready=ready)
        self._pid = answer["pid"]
        if ready:
            line = answer["line"]
            assert line.startswith(READY), self.log.read_text()
            self._port = int(line.rpartition(":")[2])

    async def live_for(self, seconds: float) -> None:
        """Let a server that is to be killed live so long: a moment that no event of a test falls together with."""
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        loop.call_later(seconds, over.set_result, None)
        await over

    def kill(self) -> None:
        """Send SIGKILL, at this very moment."""
        os.kill(self._pid, signal.SIGKILL)
        self.kills += 1

    async def wait(self) -> int:
        """Wait until the process has ended and return its exit status, negative for a signal."""
        status: int = (await self._nursery.ask(wait=self._pid))["status"]
        self._pid = 0
        return status

    async def stop(self) -> int:
        """Ask it to stop and return its exit status; 0 too if it has ended before."""
        if not self._pid:
            return 0
        os.kill(self._pid, signal.SIGTERM)
        return await self.wait()

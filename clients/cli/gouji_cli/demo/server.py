"""The demo's server: `gouji serve` as a process of its own, on a free port and a data directory of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from gouji_cli.terminal import by_locale

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

READY = re.compile(r"gouji: serving on (\S+)")
START_SECONDS = 60.0
STOP_SECONDS = 10.0
LOG_TAIL = 12


class ServerDidNotStart(Exception):
    """The server ended or stayed silent before it served; the text holds the end of its log."""


def environment() -> dict[str, str]:
    """Return the environment for the server: ours, without settings meant for another server."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    return kept | {"PYTHONUNBUFFERED": "1"}


@asynccontextmanager
async def running_server(data_dir: Path, log: Path) -> AsyncIterator[str]:
    """Run a server on a free loopback port and give its address; it is stopped and waited for in the end.

    Its log is written to `log`. Raises `ServerDidNotStart`.
    """
    with log.open("wb") as log_file:
        # In a session of its own: Ctrl-C in the terminal reaches us alone, and we stop the server in order.
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "gouji_cli", "serve", "--host", "127.0.0.1", "--port", "0", "--metrics-port", "none"),
            *("--data-dir", str(data_dir)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=log_file,
            env=environment(),
            start_new_session=True,
        )
        try:
            yield await _address(process, log)
        finally:
            await _stop(process)


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    """Return the address that the server names when it serves."""
    if process.stdout is None:
        raise AssertionError("stdout is a pipe")
    try:
        async with asyncio.timeout(START_SECONDS):
            while line := await process.stdout.readline():
                if found := READY.search(line.decode(errors="replace")):
                    return found[1]
    except TimeoutError:
        seconds = f"{START_SECONDS:.0f}"
        said = by_locale(f"the server did not serve within {seconds} s", f"服务器 {seconds} 秒内没有就绪")
        raise ServerDidNotStart(said + _tail(log)) from None
    status = await process.wait()
    said = by_locale(f"the server ended with exit status {status}", f"服务器已退出，状态 {status}")
    raise ServerDidNotStart(said + _tail(log))


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_TAIL:]
    return "".join(f"\n  {line}" for line in lines)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Stop the server in order, or by force if it does not follow."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        # communicate() also drains the pipe, so that a talkative server cannot hang on a full one.
        await asyncio.wait_for(process.communicate(), STOP_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

"""Servers under test as processes: started on one core, their CPU time read, ended."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 90.0
STOP_SECONDS = 15.0


class ServerError(Exception):
    """A server did not start, did not answer or ended; the message is for people."""


def free_port() -> int:
    """Return a port of the loopback address that was free a moment ago, for a server that cannot pick one itself."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stat(pid: int) -> list[str]:
    text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    return text[text.rindex(")") + 2 :].split()


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
        except FileNotFoundError:
            continue
    return found


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process and all its children, ended ones too, have used. It ticks in 10 ms."""
    try:
        own = sum(int(value) for value in _stat(pid)[11:15]) / TICKS
        return own + sum(cpu_seconds(child) for child in _children(pid))
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process, without its children."""
    return int(_stat(pid)[21]) * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


@contextmanager
def server_process(
    command: Sequence[str], core: int | None, log: Path, folder: Path, settings: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server on one core, its output in a file; end it on leaving, by force if it does not end when asked."""

    with log.open("wb") as output:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        if core is not None:  # not in the child before it starts: a fork would take gRPC's locks along
            os.sched_setaffinity(process.pid, {core})
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def last_words(log: Path, lines: int = 15) -> str:
    """Return the end of a server's output, for an error message."""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until something listens on a port; raises `ServerError` when the server ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerError(f"the server ended with status {process.returncode}:\n{last_words(log)}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise ServerError(f"the server did not answer within {START_SECONDS:g} s:\n{last_words(log)}")


def thread_cpu_seconds(pid: int) -> dict[str, float]:
    """Return the CPU seconds of a process' threads, each named by its number and its name."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            text = (task / "stat").read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            continue
        fields = text[text.rindex(")") + 2 :].split()
        name = text[text.index("(") + 1 : text.rindex(")")]
        found[f"{task.name} {name}"] = (int(fields[11]) + int(fields[12])) / TICKS
    return found

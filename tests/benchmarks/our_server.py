"""Our server under test, as people run it: a process of its own, its journal on disk, metrics on."""

from __future__ import annotations

import re
import sys
import time
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.benchmarks.processes import START_SECONDS, ServerError, last_words, server_process

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LOOK_SECONDS = 0.005
SERVING = re.compile(rb"serving on ([^\s\"]+:\d+)")


@dataclass(frozen=True)
class OurServer:
    """A server that serves."""

    process: subprocess.Popen[bytes]
    address: str
    started_in: float
    """Seconds from the start of the process until it served."""

    @property
    def pid(self) -> int:
        """The process' number."""
        return self.process.pid


_packages: list[Path] = []
"""Where the packages of our server are, if not in this tree."""


def run_from(wheel: Path, folder: Path) -> None:
    """Have our servers run from a wheel of this tree, unpacked in a folder. Raises ServerError."""
    try:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise ServerError(f"the wheel {wheel} cannot be read: {error}") from error
    _packages[:] = [folder]


def our_settings() -> dict[str, str]:
    """Return the settings of our server: the defaults, but for limits that a load from one address would meet."""
    return {
        **({"PYTHONPATH": str(_packages[0])} if _packages else {}),
        "GOUJI_SIGN_IN_BURST": "100000",
        "GOUJI_SIGN_INS_PER_MINUTE": "100000",
        "GOUJI_MAX_TABLES_PER_ACCOUNT": "2000",
        "GOUJI_MAX_STREAMS": "20000",
        "GOUJI_MAX_STREAMS_PER_ADDRESS": "20000",
        "GOUJI_CALL_LIMIT_FACTOR": "10000",
        "GOUJI_ACCESS_TOKEN_SECONDS": "86400",
    }


@contextmanager
def our_server(
    data: Path, core: int | None, *, profiler: Sequence[str] = (), log: Path | None = None
) -> Iterator[OurServer]:
    """Run our server on a port that it picks, its files in a folder; end it on leaving. Raises ServerError."""
    data.mkdir(parents=True, exist_ok=True)
    log = log or data.with_suffix(".log")
    where = ["--port", "0", "--metrics-port", "0", "--data-dir", str(data)]
    command = [sys.executable, *profiler, "-m", "gouji_server", *where]
    started = time.monotonic()
    with server_process(command, core, log, data.parent, our_settings()) as process:
        address = _wait_until_serving(process, log)
        yield OurServer(process, address, time.monotonic() - started)


def _wait_until_serving(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address that the server prints when it is ready."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := SERVING.search(log.read_bytes()):
            return found[1].decode()
        if process.poll() is not None:
            raise ServerError(f"the server ended with status {process.returncode}:\n{last_words(log)}")
        time.sleep(LOOK_SECONDS)
    raise ServerError(f"the server did not say that it serves within {START_SECONDS:g} s:\n{last_words(log)}")

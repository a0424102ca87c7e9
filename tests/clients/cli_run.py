"""Runs the `gouji` command for the tests: in this process where that is enough, else as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from gouji_cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from typer.testing import Result

NEUTRAL = {"LANG": "en_US.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "GOUJI_ASCII": "", "NO_COLOR": "1", "COLUMNS": "200"}
"""The settings that the texts depend on; everything else comes from the machine."""

FAULT_WORDS = ("Traceback", "fault of gouji")


def gouji(*arguments: str, env: Mapping[str, str] | None = None, input: str | None = None) -> Result:  # noqa: A002
    """Run the command in this process; an exception that would reach the user fails the test."""
    result = CliRunner().invoke(app, list(arguments), env=NEUTRAL | dict(env or {}), input=input)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def gouji_process(
    *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process of its own, with the real streams and exit status."""
    return subprocess.run(
        [sys.executable, "-m", "gouji_cli", *arguments],
        env={**os.environ, **NEUTRAL, **(env or {})},
        cwd=cwd,
        capture_output=True,
        check=False,
        timeout=timeout,
    )


def has_no_traceback(text: str) -> bool:
    """Whether a text holds neither a traceback nor the word that stands for one."""
    return not any(word in text for word in FAULT_WORDS)


@dataclass
class Serving:
    """A `gouji serve` process: its address, and the two lines for people that it printed when it was ready."""

    process: subprocess.Popen[str]
    address: str
    said: list[str]

    def stop(self) -> int:
        """Ask it to stop and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


@contextmanager
def serving(folder: Path, *flags: str) -> Iterator[Serving]:
    """Run `gouji serve` on a free port with its data in `folder`; it is gone in the end."""
    # Of two equal flags the last one counts: nothing that a caller gives leads to a fixed port.
    own = ["--port", "0", "--metrics-port", "none", "--data-dir", str(folder / "data")]
    log = folder / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "gouji_cli", "serve", *flags, *own],
            env={**os.environ, **NEUTRAL},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        said = [process.stdout.readline().rstrip(), process.stdout.readline().rstrip()]
        assert said[0].startswith("gouji: serving on "), (said, log.read_text())
        yield Serving(process, said[0].rpartition(" ")[2], said)
    finally:
        process.kill()
        process.communicate()

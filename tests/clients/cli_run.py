"""Runs the `gouji` command for the tests: in this process where that is enough, else as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from gouji_cli.main import app

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from typer.testing import Result

NEUTRAL = {"LANG": "en_US.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "GOUJI_ASCII": "", "NO_COLOR": "1", "COLUMNS": "200"}
"""The settings that the texts depend on; everything else comes from the machine."""

FAULT_WORDS = ("Traceback", "fault of gouji")


def gouji(*arguments: str, env: Mapping[str, str] | None = None) -> Result:
    """Run the command in this process; an exception that would reach the user fails the test."""
    result = CliRunner().invoke(app, list(arguments), env=NEUTRAL | dict(env or {}))
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

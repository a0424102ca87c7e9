"""A compiled wheel of this tree, and an environment of its own that has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]


class BuildFailed(Exception):
    """There is no compiled wheel; the message says why."""


def missing() -> str:
    """Tell what this machine lacks to compile, empty if nothing."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"no C compiler ({compiler})"
    return "" if Path(sysconfig.get_path("include"), "Python.h").is_file() else "no headers of Python (Python.h)"


def run(*command: str, **environment: str) -> str:
    """Run a command in the tree; what it printed. Raises BuildFailed with what it said when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildFailed(f"{done.stdout}{done.stderr}".strip())
    return done.stdout


def build(folder: Path, *, compiled: str = "1") -> Path:
    """Build a wheel of this tree into a folder; `compiled` is what GOUJI_COMPILED says, 0 for a pure one."""
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps")
    run(*pip, "--no-build-isolation", "--wheel-dir", str(folder), ".", GOUJI_COMPILED=compiled)
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path) -> Path:
    """Make an environment that has this wheel and nothing else; the path of its interpreter."""
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-deps", "--no-index", str(wheel))
    return python

"""The files of the work tree as the house rules see them: tracked, or new and not ignored."""

from __future__ import annotations

import ast
import functools
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "gouji_rules": ROOT / "server/gouji_rules",
    "gouji_bots": ROOT / "server/gouji_bots",
    "gouji_server": ROOT / "server/gouji_server",
    "gouji_client": ROOT / "clients/python/gouji_client",
    "gouji_cli": ROOT / "clients/cli/gouji_cli",
}


@functools.cache
def files() -> tuple[Path, ...]:
    """Return the files that are, or would be, committed; skip the test where git does not know (an unpacked sdist)."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip(f"needs a git work tree: {listing.stderr.strip()}")
    found = (ROOT / name for name in listing.stdout.split("\0") if name)
    return tuple(sorted(path for path in found if path.is_file()))


def python_files() -> list[Path]:
    """Return the Python files among `files()`."""
    return [path for path in files() if path.suffix == ".py"]


def text_of(path: Path) -> str | None:
    """Return the text of a file, or None of a binary one."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def shown(path: Path) -> str:
    """Return the path as a reader of the repository knows it."""
    return path.relative_to(ROOT).as_posix()

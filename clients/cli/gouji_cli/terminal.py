"""The terminal: what it can show, and how the command speaks to it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console

from gouji_cli.folding import fold

if TYPE_CHECKING:
    from io import TextIOWrapper

SHOWN = "够级花─╭┏·→✓✗…"
"""Samples of what a terminal must be able to show if it is not to get ASCII alone."""

BAD_INPUT = 2
"""Exit status for what cannot be read or understood; 1 is for a check that found something."""


def can_show(text: str, encoding: str | None) -> bool:
    """Whether a stream of this encoding can show the text as it is."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def ascii_only() -> bool:
    """Whether to keep to ASCII: the stream cannot show Chinese or boxes, or GOUJI_ASCII is set."""
    return bool(os.environ.get("GOUJI_ASCII")) or not can_show(SHOWN, getattr(sys.stdout, "encoding", None))


def plain(text: str, *, only_ascii: bool | None = None) -> str:
    """Return `text` as this terminal can show it: every character that it cannot becomes `?`."""
    if not (ascii_only() if only_ascii is None else only_ascii):
        return text
    return text.encode("ascii", "replace").decode("ascii")


def own_command() -> str:
    """Return how this command is called here, to be pasted into a terminal: `gouji` where that finds this very one."""
    called = Path(sys.argv[0])
    if called.name != "gouji":
        return shlex.join([sys.executable, "-m", "gouji_cli"])
    found = shutil.which("gouji")
    return "gouji" if found and Path(found).absolute() == called.absolute() else shlex.quote(str(called))


def out() -> Console:
    """Return a console on stdout. Text is never taken for markup: names may hold brackets."""
    return Console(markup=False, highlight=False, emoji=False, safe_box=True)


def speaks_chinese() -> bool:
    """Whether the user's locale asks for Chinese texts, where there are two."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return locale.lower().startswith("zh") and not ascii_only()


def by_locale(english: str, chinese: str) -> str:
    """Return of two texts the one in the user's language."""
    return chinese if speaks_chinese() else english


def say_error(message: str) -> None:
    """Print one error on stderr: one line, folded between words where a terminal shows it."""
    said = f"gouji: {plain(message)}"
    if sys.stderr.isatty():
        said = "\n".join(fold(said, shutil.get_terminal_size().columns))
    print(said, file=sys.stderr, flush=True)


def fail(message: str, status: int = BAD_INPUT) -> NoReturn:
    """Print one error line on stderr and end with the exit status."""
    say_error(message)
    raise typer.Exit(status)


def folder_fault(folder: Path, error: OSError) -> str:
    """Return why a folder cannot be made or used; a file in its place is named as such."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return by_locale(f"{folder}: there is a file where a folder is needed", f"{folder}：需要文件夹，那里却是文件")
    return f"{folder}: {error.strerror}"


def print_json(value: Any) -> None:
    """Print one JSON document on stdout, Chinese readable where the stream can show it."""
    print(json.dumps(value, ensure_ascii=ascii_only(), indent=2))


def forgive_encoding(stream: TextIOWrapper | Any) -> None:
    """Make a stream replace what it cannot encode, so that no name of a player can end the program."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")

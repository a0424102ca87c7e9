"""How a bot's own error is told: what it was, and where in the bot's code."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_cli.terminal import by_locale
from gouji_client import Refused

if TYPE_CHECKING:
    from gouji_client import Bot, BotFailed

OURS = ("gouji_client", "gouji_rules")
"""Folders whose lines say nothing about the bot."""


def failure_text(failed: BotFailed, bot: Bot, time_limit: float | None) -> str:
    """Return what a bot did wrong in one line: for an error of its code the type, the text, the file and the line."""
    error = failed.__cause__
    said = by_locale(str(failed), failed.text_zh or str(failed))
    # What the rules or the server forbid is told by the failure itself, and is no error in the bot's code.
    if error is None or isinstance(error, gr.RuleViolation | Refused):
        return said
    if isinstance(error, TimeoutError) and time_limit is not None and not error.args:
        seconds = f"{time_limit:g}"
        late = by_locale(f"it took longer than {seconds} s (--time-limit)", f"超过了 {seconds} 秒（--time-limit）")
        return said + by_locale(": ", "：") + late
    place = _place(error, bot)
    if place is None and str(error) in said:
        return said
    what = " ".join("".join(traceback.format_exception_only(error)[-1:]).split())
    told = said.removesuffix(f"{error!r}").removesuffix(": ").removesuffix("：") + by_locale(": ", "：") + what
    return told if place is None else f"{told} ({place})"


def _place(error: BaseException, bot: Bot) -> str | None:
    """Return `file:line` in the bot's own file, else of where the error was raised if the bot's code led there."""
    frames = traceback.extract_tb(error.__traceback__)
    try:
        own = inspect.getsourcefile(type(bot))
    except TypeError:
        own = None
    mine = [frame for frame in frames if frame.filename == own]
    if mine:
        return f"{mine[-1].filename}:{mine[-1].lineno}"
    foreign = [frame for frame in frames if not any(package in frame.filename for package in OURS)]
    return f"{foreign[-1].filename}:{foreign[-1].lineno}" if foreign else None

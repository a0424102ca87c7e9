"""The least versions of clients that a server takes, as its settings say them: `python=0.2,typescript=1.0.3`."""

from __future__ import annotations

import re

_VERSION = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[.+-].*|[a-z].*)?", re.ASCII | re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,31}")


def read_version(text: str) -> tuple[int, int, int] | None:
    """Return the three numbers that a version begins with, those left out as 0; None for what is no version."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    major, minor, patch = (int(part or 0) for part in found.groups())
    return major, minor, patch


def read_minimums(text: str) -> dict[str, str]:
    """Return the least version by client name. Raises ValueError, saying what is wrong, for a text that says none."""
    minimums = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, version = (piece.strip() for piece in part.partition("="))
        if not equals or not _NAME.fullmatch(name) or read_version(version) is None:
            raise ValueError(f"{part!r} is no NAME=VERSION, such as python=0.2.0")
        if name in minimums:
            raise ValueError(f"{name} is there twice")
        minimums[name] = version
    return minimums

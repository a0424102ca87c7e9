"""Join codes: what one person reads to another, who then finds a private table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.clock import Entropy

SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without 0, 1, I, L and O, which are taken for each other."""
LENGTH = 6

_CODE = re.compile(f"[{SYMBOLS}]{{{LENGTH}}}").fullmatch
_FAIR = 256 - 256 % len(SYMBOLS)
"""Bytes from here on would make the first symbols likelier."""


def read_code(said: str) -> str | None:
    """Return a code as it is kept, from what a person typed: in small letters, with gaps; None if it is none."""
    code = re.sub(r"[\s-]", "", said[:40]).upper()
    return code if _CODE(code) else None


def draw_code(entropy: Entropy, taken: Callable[[str], bool]) -> str:
    """Draw a code that is not taken."""
    while True:
        drawn = [byte for byte in entropy.token_bytes(16) if byte < _FAIR]
        code = "".join(SYMBOLS[byte % len(SYMBOLS)] for byte in drawn[:LENGTH])
        if len(code) == LENGTH and not taken(code):
            return code

"""Names to sign in with: compared without regard to case, width and other ways to write the same."""

from __future__ import annotations

import unicodedata

MIN_LENGTH = 2
MAX_LENGTH = 32
_SIGNS = "._-"


def canonical(name: str) -> str:
    """Return the form in which names are compared and stored; empty for what is no name."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name.strip()).casefold())
    if not MIN_LENGTH <= len(folded) <= MAX_LENGTH or not _is_letter(folded[0]):
        return ""
    return folded if all(_is_letter(sign) or sign in _SIGNS for sign in folded) else ""


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign) in ("Ll", "Lm", "Lo", "Nd", "Mn", "Mc")

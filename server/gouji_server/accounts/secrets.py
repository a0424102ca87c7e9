"""Device secrets and refresh tokens: 256 random bits, given out once, kept as SHA-256.

A slow password hash would add nothing: nobody can try out 2^256 secrets, however fast.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_server.tables import Entropy

SECRET_BYTES = 32

_NO_SECRET = bytes(32)


def new_secret(entropy: Entropy) -> str:
    """Return a new secret, safe in URLs and metadata."""
    return as_text(entropy.token_bytes(SECRET_BYTES))


def as_text(secret: bytes) -> str:
    """Return a secret as text."""
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode("ascii")


def hash_of(secret: str) -> bytes:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def is_one_of(secret_hash: bytes, hashes: Iterable[bytes]) -> bool:
    """Compare in constant time; with no hashes at all one comparison is made all the same."""
    found = False
    for known in (_NO_SECRET, *hashes):
        found |= hmac.compare_digest(secret_hash, known)
    return found

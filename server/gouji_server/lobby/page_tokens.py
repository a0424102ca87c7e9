"""Page tokens: where a list goes on, signed, and good only for the caller and the question they were made for."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TOKEN_LENGTH = 512
"""Characters. A longer one is not ours and is not decoded."""
_SIGNATURE = 16


class PageTokenError(Exception):
    """A page token that this server did not make, or made for another question."""


class PageTokens:
    """Makes and reads page tokens with one key.

    A token holds where to go on, in the clear: nothing secret may be put there. `question`: everything the list depends
    on (method, account, filters); a token is read back only with the same.
    """

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, b"gouji page tokens", "sha256")

    def make(self, question: Sequence[str | int], position: str) -> str:
        """Return the token of a position in the list that `question` names."""
        said = position.encode()
        signed = self._signature(question, said) + said
        return base64.urlsafe_b64encode(signed).rstrip(b"=").decode("ascii")

    def read(self, question: Sequence[str | int], token: str) -> str:
        """Return the position that `make` was given. Raises PageTokenError."""
        if len(token) > MAX_TOKEN_LENGTH:
            raise PageTokenError
        try:
            signed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise PageTokenError from error
        said = signed[_SIGNATURE:]
        if not hmac.compare_digest(signed[:_SIGNATURE], self._signature(question, said)):
            raise PageTokenError
        return said.decode()

    def _signature(self, question: Sequence[str | int], said: bytes) -> bytes:
        asked = json.dumps(list(question), separators=(",", ":")).encode()
        return hmac.digest(self._key, hashlib.sha256(asked).digest() + said, "sha256")[:_SIGNATURE]

"""Where people come from, told apart without being told: a keyed digest of an address, for tables that compare them."""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.api.calls import Call
    from gouji_server.tables import Caller

_TAG = b"gouji/origin/1\0"
DIGEST_CHARACTERS = 16


class Origins:
    """Makes origins with a key of the data directory: who has the journal alone cannot work an address out."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def caller(self, call: Call) -> Caller:
        """Return who is calling, with the digest of where from."""
        digest = hmac.digest(self._key, _TAG + call.address.encode(), "sha256").hex()
        return replace(call.caller, origin=digest[:DIGEST_CHARACTERS])

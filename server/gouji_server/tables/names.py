"""How tables are named."""

from __future__ import annotations

import base64
import hashlib
import hmac

_NAME_TAG = b"gouji/table/1"


def table_name(account: str, request_id: str, key: bytes = b"") -> str:
    """Name a table after who asked for it: the same request makes the same table, on any node and after any crash.

    Without the server's `key` nobody can tell the name, not even who knows account and request id.
    """
    return _named(hmac.digest(key, _asked(account, request_id), "sha256"))


def keyless_name(account: str, request_id: str) -> str:
    """Name a table as it was done before there was a key: the requests of that time are remembered too."""
    return _named(hashlib.sha256(_asked(account, request_id)).digest())


def _asked(account: str, request_id: str) -> bytes:
    return b"\0".join((_NAME_TAG, account.encode(), request_id.encode()))


def _named(digest: bytes) -> str:
    return f"tables/{base64.b32encode(digest[:10]).decode().lower()}"

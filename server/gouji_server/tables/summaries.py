"""What the journal keeps beside a table's entries, so that lists need not read those: lobby facts and join code.

The code stands before the facts, in no field of theirs: whatever is sent to anybody is made from the facts.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError

from gouji.lobby.v1 import lobby_pb2

_WITH_CODE = 0
"""First byte of a summary with a code; that of a message is never 0."""


def write_summary(info: lobby_pb2.Table, code: str) -> bytes:
    """Write lobby facts, and the join code of a private table."""
    facts = info.SerializeToString()
    if not code:
        return facts
    said = code.encode()
    return bytes((_WITH_CODE, len(said))) + said + facts


def read_summary(summary: bytes) -> tuple[lobby_pb2.Table, str] | None:
    """Read lobby facts and join code (empty: none); None where the bytes are no summary."""
    try:
        if summary[:1] != bytes((_WITH_CODE,)):
            return lobby_pb2.Table.FromString(summary), ""
        start = 2 + summary[1]
        return lobby_pb2.Table.FromString(summary[start:]), summary[2:start].decode()
    except (DecodeError, IndexError, UnicodeDecodeError):
        return None

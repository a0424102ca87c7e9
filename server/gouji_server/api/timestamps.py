"""Times on the wire."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp


def timestamp(seconds: float) -> Timestamp:
    """Return Unix seconds as a protobuf timestamp, to the microsecond."""
    value = Timestamp()
    value.FromMicroseconds(round(seconds * 1_000_000))
    return value

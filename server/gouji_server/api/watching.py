"""Who may watch a table, in requests: how many, and how much later."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

    from gouji_server.api.validation import Shape

MOST_DELAY = 600
"""Seconds by which people without a seat are told later, at most."""
MOST_SPECTATORS = 500


def read_delay(shape: Shape, wanted: Duration, least: float, field: str) -> float:
    """Read a delay in seconds, or note what is wrong with it; `least` is the server's own."""
    shape.duration(wanted, 0, MOST_DELAY, field)
    seconds = wanted.seconds + wanted.nanos / 1e9
    if seconds < least:
        shape.bad(field, f"wanted: at least {least:g} s on this server", f"此服务器上至少 {least:g} 秒")
    return seconds if math.isfinite(seconds) and 0 <= seconds <= MOST_DELAY else 0.0


def read_most(shape: Shape, wanted: int, default: int, field: str) -> int:
    """Read how many may watch at once, or note what is wrong with it; 0 means `default`."""
    shape.within(wanted, 1, MOST_SPECTATORS, field, default)
    return wanted or default

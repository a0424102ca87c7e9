"""What one durable write costs on the disk that the journal is on."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096


def sync_times(folder: Path, count: int) -> list[float]:
    """Append a page to a file and `fdatasync` it, `count` times; return the seconds of each sync."""
    path = folder / "fdatasync"
    page = os.urandom(PAGE)
    times = []
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        for _ in range(count):
            os.write(handle, page)
            started = time.perf_counter()
            os.fdatasync(handle)
            times.append(time.perf_counter() - started)
    finally:
        os.close(handle)
        path.unlink()
    return times

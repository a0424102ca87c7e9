"""Where the server's time goes: py-spy where there is one, else cProfile, and a summary of either by room."""

from __future__ import annotations

import pstats
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.report import table

if TYPE_CHECKING:
    from collections.abc import Mapping

TOP = 40
RATE = 400  # samples a second
# The first of these that is in a file's name says whose time it is.
ROOMS = (
    ("gouji_rules/", "rules"),
    ("gouji_server/tables", "tables"),
    ("gouji_server/journal", "journal"),
    ("gouji_server/api", "api"),
    ("gouji_server/", "rest of the server"),
    ("grpc/", "grpc"),
    ("cygrpc", "grpc"),
    ("google/", "protobuf"),
    ("gouji/", "protobuf"),
    ("asyncio/", "asyncio"),
    ("uvloop", "asyncio"),
    ("structlog", "logs"),
    ("logging", "logs"),
    ("prometheus_client", "metrics"),
    ("sqlite3", "journal"),
)


def room_of(file: str) -> str:
    """Return which part of the server a source file belongs to."""
    return next((room for part, room in ROOMS if part in file), "other")


def py_spy(*folders: Path) -> str | None:
    """Return the path of py-spy, from PATH or one of these folders."""
    return next((found for where in (None, *map(str, folders)) if (found := shutil.which("py-spy", path=where))), None)


def start_py_spy(program: str, pid: int, seconds: float, out: Path) -> subprocess.Popen[bytes]:
    """Sample the thread that holds the interpreter lock for some seconds, into a file of folded stacks."""
    command = [program, "record", "--gil", "--pid", str(pid), "--duration", str(max(1, round(seconds)))]
    command += ["--rate", str(RATE)]
    command += ["--format", "raw", "--full-filenames", "--output", str(out)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def folded(path: Path) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Read folded stacks; return samples by frame itself, by frame and all below it, and by room."""
    own: Counter[str] = Counter()
    below: Counter[str] = Counter()
    rooms: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [frame for frame in stack.split(";") if not frame.startswith(("process ", "thread "))]
        if not frames:
            continue
        names = [_name(frame) for frame in frames]
        own[names[-1]] += int(count)
        rooms[room_of(frames[-1])] += int(count)
        for name in set(names):
            below[name] += int(count)
    return own, below, rooms


def _name(frame: str) -> str:
    """Shorten `function (a/long/path/file.py:12)` to `function (path/file.py)`: all its lines belong together."""
    function, _, place = frame.partition(" (")
    file = place.rstrip(")").rpartition(":")[0] or place.rstrip(")")
    return f"{function} ({'/'.join(Path(file).parts[-3:])})"


def by_thread(spent: Mapping[str, float], moves: int) -> str:
    """Lay out the CPU time of the server's threads; those of no account are left out."""
    rows = [
        [thread, f"{seconds:.2f}", f"{seconds * 1e6 / max(moves, 1):.1f}"]
        for thread, seconds in sorted(spent.items(), key=lambda pair: -pair[1])
        if seconds > 0.01 * sum(spent.values())
    ]
    return table(["thread", "CPU s", "µs a move"], rows)


def summary(
    own: Mapping[str, int], below: Mapping[str, int], rooms: Mapping[str, int], moves: int, cpu_s: float
) -> str:
    """Lay a profile out: microseconds of server CPU a move by room, by function itself, and with all below it."""
    total = sum(own.values()) or 1
    unit = cpu_s * 1e6 / max(moves, 1) / total

    def part(title: str, counts: Mapping[str, int], limit: int) -> str:
        rows = [
            [name, f"{100 * count / total:.1f}", f"{count * unit:.1f}"]
            for name, count in Counter(counts).most_common(limit)
        ]
        return table([title, "% of samples", "µs a move"], rows)

    return "\n\n".join(
        [part("room", rooms, len(rooms)), part("function, itself", own, TOP), part("function and below", below, TOP)]
    )


def cprofile_counts(path: Path) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Read what cProfile wrote, in the shape of `folded`; counts are microseconds, the profiler's own cost included."""
    own: Counter[str] = Counter()
    below: Counter[str] = Counter()
    rooms: Counter[str] = Counter()
    stats = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
    for (file, _line, function), (_, _, itself, with_below, _) in stats.items():
        name = _name(f"{function} ({file}:0)")
        own[name] += round(itself * 1e6)
        below[name] += round(with_below * 1e6)
        rooms[room_of(file if file != "~" else function)] += round(itself * 1e6)
    return own, below, rooms

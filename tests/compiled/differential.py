"""`make compiled`: a compiled wheel plays deals exactly as this tree does, answer by answer.

Builds the wheel into a temporary folder, installs it into an environment of its own, lets both builds play the same
deals (see replay.py) and compares what came of each. The exit status is 1 at the first deal that differs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.compiled.building import ROOT, BuildFailed, build, install, missing

if TYPE_CHECKING:
    from collections.abc import Sequence

REPLAY = Path(__file__).with_name("replay.py")


def start(python: Path, sources: Path | None, cwd: Path, first: int, count: int) -> subprocess.Popen[str]:
    """Start a replay, of the sources in a folder or of what the interpreter has installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if sources is not None:
        environment["PYTHONPATH"] = str(sources)
    command = [str(python), str(REPLAY), str(first), str(count)]
    return subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True)


def compare(compiled: Path, cwd: Path, first: int, count: int) -> tuple[list[str], Counter[str]]:
    """Play in both builds; what differs, one line each, and how many deals were equal, by preset."""
    both = [
        start(Path(sys.executable), ROOT / "server", cwd, first, count),
        start(compiled, None, cwd, first, count),
    ]
    equal: Counter[str] = Counter()
    try:
        pure_lines, compiled_lines = (process.stdout or () for process in both)
        lines = itertools.zip_longest(pure_lines, compiled_lines, fillvalue="")
        where = next(lines, ("", ""))
        if not where[0].rstrip().endswith(".py") or where[1].rstrip().endswith(".py"):
            return [f"not one pure and one compiled build: {where[0].strip()} and {where[1].strip()}"], equal
        for ours, theirs in lines:
            if ours != theirs:
                return [f"pure:     {ours.strip() or 'ended'}", f"compiled: {theirs.strip() or 'ended'}"], equal
            equal[ours.split()[3]] += 1
    finally:
        for process in both:
            process.kill()
            process.communicate()
    if equal.total() != count:
        return [f"{equal.total()} deals were played, not {count}"], equal
    return [], equal


def main(argv: Sequence[str] | None = None) -> int:
    """Build, play, compare, and say what came of it."""
    parser = argparse.ArgumentParser(prog="make compiled", description=__doc__)
    parser.add_argument("--deals", type=int, default=300, help="how many deals; ten thousand before a release")
    parser.add_argument("--first", type=int, default=0, help="number of the first deal")
    parser.add_argument("--wheel", type=Path, help="a compiled wheel of this tree that is there already")
    parser.add_argument("--keep", type=Path, help="keep the wheel in this folder")
    asked = parser.parse_args(argv)
    lacks = missing()
    if lacks and not asked.wheel:
        print(f"compiled: cannot be built here: {lacks}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="gouji-compiled-") as name:
        folder = Path(name)
        try:
            wheel = asked.wheel or build(asked.keep or folder)
            python = install(wheel, folder / "venv")
        except BuildFailed as problem:
            print(f"compiled: {problem}", file=sys.stderr)
            return 2
        print(f"{wheel.name}: playing {asked.deals} deals in both builds", flush=True)
        differences, equal = compare(python, folder, asked.first, asked.deals)
    counts = ", ".join(f"{preset} {deals}" for preset, deals in sorted(equal.items()))
    print(f"{equal.total()} deals equal ({counts})")
    for line in differences:
        print(line, file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

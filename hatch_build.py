"""Makes the Python stubs of `protos/` in `gen/`: as a hatch build hook, or by hand with `python hatch_build.py`.

For each `protos/gouji/<area>/v1/<name>.proto` this writes `<name>_pb2.py` and `<name>_pb2_grpc.py` with their `.pyi`
types below `gen/gouji/<area>/v1/`, and the package files around them. Files whose text did not change are left alone,
files whose proto is gone are removed, and each write is atomic, so a server or a test running meanwhile never sees half
a file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent
PROTOS = ROOT / "protos"
STUBS = ROOT / "gen"
STAMP = STUBS / ".generated"
"""Touched after each run; the Makefile compares it with the protos."""


class StubsError(RuntimeError):
    """The stubs could not be made; the message says why, without a traceback's help."""


def plugin(name: str) -> Path:
    """Return the path of mypy-protobuf's protoc plugin `name` in this very interpreter's environment.

    It is looked up by the package's own file list and not on PATH: without build isolation PATH need not name the
    environment.
    """
    try:
        files = distribution("mypy-protobuf").files or []
    except PackageNotFoundError as missing:
        raise StubsError("mypy-protobuf, which types the stubs, is not installed beside this Python") from missing
    for file in files:
        if file.name in (name, f"{name}.exe"):
            return Path(str(file.locate())).resolve()
    raise StubsError(f"mypy-protobuf is installed without its plugin {name}")


def run_protoc(protos: list[Path], out: Path) -> None:
    """Run protoc on `protos`, writing below `out`."""
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"--proto_path={PROTOS}",
        f"--plugin=protoc-gen-mypy={plugin('protoc-gen-mypy')}",
        f"--plugin=protoc-gen-mypy_grpc={plugin('protoc-gen-mypy_grpc')}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out=quiet:{out}",
        f"--mypy_grpc_out=quiet:{out}",
        *(str(proto) for proto in protos),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StubsError(f"protoc refused the protos:\n{done.stdout}{done.stderr}".rstrip())


def add_package_files(out: Path) -> None:
    """Make `gouji` and every folder below it a typed package."""
    top = out / "gouji"
    top.mkdir(exist_ok=True)
    for folder in (top, *(path for path in top.rglob("*") if path.is_dir())):
        dotted = ".".join(folder.relative_to(out).parts)
        text = f'"""Generated from the protobuf package `{dotted}`."""\n'
        (folder / "__init__.py").write_text(text, encoding="utf-8")
    (top / "py.typed").touch()


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` relative to it, byte code left out."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            yield path.relative_to(folder)


def bring_over(fresh: Path, stubs: Path) -> None:
    """Make `stubs/gouji` equal to `fresh/gouji`, touching only what differs."""
    wanted = set(files_below(fresh))
    for name in sorted(wanted):
        target = stubs / name
        if target.is_file() and target.read_bytes() == (fresh / name).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(fresh / name, target)  # noqa: PTH105 - Path.replace reads as a string's
    for name in set(files_below(stubs / "gouji")):
        if Path("gouji") / name not in wanted:
            (stubs / "gouji" / name).unlink(missing_ok=True)


def generate() -> int:
    """Bring the stubs up to date with the protos and return how many protos there are."""
    protos = sorted(PROTOS.glob("gouji/**/*.proto"))
    if not protos:
        raise StubsError(f"no .proto file below {PROTOS}")
    STUBS.mkdir(exist_ok=True)
    # Beside the target, so that moving a finished file is one atomic rename on one file system.
    with tempfile.TemporaryDirectory(prefix=".making-", dir=STUBS) as making:
        fresh = Path(making)
        run_protoc(protos, fresh)
        add_package_files(fresh)
        bring_over(fresh, STUBS)
    STAMP.touch()
    return len(protos)


def main() -> int:
    """Make the stubs and say so; return the exit status."""
    try:
        count = generate()
    except StubsError as error:
        print(f"stubs: {error}", file=sys.stderr)
        return 1
    print(f"stubs: {count} protos → {STUBS.relative_to(ROOT)}/")
    return 0


if __name__ != "__main__":
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class StubsHook(BuildHookInterface[Any]):
        """Makes the stubs before a wheel, an sdist or an editable install is put together."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Run before every build of every target."""
            generate()


if __name__ == "__main__":
    sys.exit(main())

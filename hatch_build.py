"""Makes the Python stubs of `protos/` in `gen/`: as a hatch build hook, or by hand with `python hatch_build.py`.

With `GOUJI_COMPILED=1` the hook also compiles the hot modules of the rules engine and of the server into a wheel, never
into this tree; with `GOUJI_COMPILED=plain` it compiles them once and little optimised, to see whether they are right.

For each `protos/gouji/<area>/v1/<name>.proto` this writes `<name>_pb2.py` and `<name>_pb2_grpc.py` with their `.pyi`
types below `gen/gouji/<area>/v1/`, and the package files around them. Files whose text did not change are left alone,
files whose proto is gone are removed, and each write is atomic, so a server or a test running meanwhile never sees half
a file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
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


COMPILED_RULES = (
    *("actions", "answer_log", "answers", "burning", "buying", "calls", "comparison", "conduct", "deal", "dealing"),
    *("digests", "enumeration", "finishing", "first_lead", "handover", "hold_three", "leads", "legality", "opening"),
    *("playout", "plays", "position", "question", "reporting", "revolution", "revolution_answers", "scoring"),
    *("shuffle", "soundness", "state", "steps", "tribute", "trick"),
)
COMPILED_TABLES = (
    *("absence", "absence_state", "actor", "convert", "deciding", "digests", "following", "handle", "house_seats"),
    *("lobby_state", "messages", "moves", "outbox", "peek_state", "promise", "requests", "seat_leases", "seats"),
    *("standing_still", "steps", "story", "subscriptions", "table", "table_clock", "time_control"),
)
COMPILED = (
    *(f"gouji_rules/{name}.py" for name in COMPILED_RULES),
    *(f"gouji_server/tables/{name}.py" for name in COMPILED_TABLES),
    *(f"gouji_server/{name}.py" for name in ("api/limits", "rate_limits")),
)
"""What mypyc compiles, below `server/`: what every move of a game goes through. The others stay as they are."""

PLAIN = "plain"
"""The value of `GOUJI_COMPILED` for a wheel that is compiled once, without counts."""

COMPILER_NEEDS = ("mypy>=1.19", "setuptools>=77", "googleapis-common-protos", "grpcio", "protobuf", "structlog")
"""What a compiled wheel needs to be built, besides a C compiler and Python's headers; for the most part to play at a
table, so that the C compiler can count what runs."""


class CompilerError(RuntimeError):
    """The modules could not be compiled; the message says why, without a traceback's help."""


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


def need_compiler() -> None:
    """Raise `CompilerError` unless there are a C compiler and Python's headers."""
    command = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(command) is None:
        raise CompilerError(f"GOUJI_COMPILED=1 needs a C compiler, and there is no {command}; on Debian install gcc")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        raise CompilerError(
            f"GOUJI_COMPILED=1 needs Python's headers: {header} is missing; on Debian install python3-dev"
        )


def compile_modules(folder: Path) -> dict[str, str]:
    """Compile copies of the modules in this folder; return where each extension module is and where a wheel has it."""
    need_compiler()
    for package in (
        *(ROOT / "server" / name for name in ("gouji_rules", "gouji_server", "gouji_bots")),
        STUBS / "gouji",
    ):
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    # A Python of its own: setuptools wants a program to itself.
    how = ["--plain"] if os.environ.get("GOUJI_COMPILED") == PLAIN else []
    done = subprocess.run(
        [sys.executable, str(ROOT / "compile_modules.py"), *how, *COMPILED],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CompilerError(f"the modules were not compiled:\n{done.stdout}{done.stderr}".rstrip())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    made = list(folder.rglob(f"*{suffix}"))
    made = [path for path in made if "build" not in path.relative_to(folder).parts]
    if len(made) != len(COMPILED) + 1:
        raise CompilerError(f"mypyc made {len(made)} extension modules, not {len(COMPILED) + 1}")
    return {str(path): str(path.relative_to(folder)) for path in made}


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

    class BuildHook(BuildHookInterface[Any]):
        """Makes the stubs before anything is put together, and compiles the hot modules for a wheel that asks."""

        PLUGIN_NAME = "custom"

        def dependencies(self) -> list[str]:
            """Name what this build needs besides what every build does."""
            return list(COMPILER_NEEDS) if self.compiles else []

        @property
        def compiles(self) -> bool:
            """Whether a compiled wheel is asked for; an sdist is the same either way."""
            asked = os.environ.get("GOUJI_COMPILED", "")
            if asked not in ("", "0", "1", PLAIN):
                self.app.abort(
                    f"GOUJI_COMPILED is 1 or {PLAIN} for a compiled wheel, 0 or nothing for a pure one, not {asked}"
                )
            return asked in ("1", PLAIN) and self.target_name == "wheel"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Run before every build of every target."""
            if self.compiles and version == "editable":
                self.app.abort(
                    "GOUJI_COMPILED=1 is for `pip wheel .` alone: in an editable install stale extension modules would"
                    " hide the edited sources"
                )
            generate()
            self.folder = ""
            if self.compiles:
                self.folder = tempfile.mkdtemp(prefix="gouji-compiled-")
                try:
                    build_data["force_include"].update(compile_modules(Path(self.folder)))
                except CompilerError as error:
                    shutil.rmtree(self.folder)
                    self.app.abort(str(error))
                build_data["pure_python"] = False
                build_data["infer_tag"] = True

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            """Run after it."""
            if self.folder:
                shutil.rmtree(self.folder)


if __name__ == "__main__":
    sys.exit(main())

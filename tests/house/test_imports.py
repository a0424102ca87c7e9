"""Imports run one way, and the base install is enough for a bot."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import distribution, distributions, packages_distributions
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import PACKAGES, ROOT, parsed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with the contracts of `folder`'s pyproject.toml on the packages it finds there first."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": ":".join([str(folder), *sys.path]), "COLUMNS": "200", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_hold() -> None:
    """The packages keep the import contracts of pyproject.toml."""
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", done.stdout)


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("gouji_rules", "import time"),
        ("gouji_rules", "from random import Random"),
        ("gouji_rules", "def f() -> None:\n    import socket"),
        ("gouji_rules", "import gouji.cards.v1"),
        ("gouji_rules", "import gouji_bots"),
        ("gouji_bots", "import gouji_server"),
        ("gouji_bots", "import grpc"),
        ("gouji_server", "import gouji_client"),
        ("gouji_server", "import gouji_cli"),
        ("gouji_client", "import gouji_server"),
        ("gouji_client", "def f() -> None:\n    import gouji_cli"),
        ("gouji", "import gouji_rules"),
    ],
)
def test_the_contracts_refuse(package: str, code: str, tmp_path: Path) -> None:
    """The contracts are not blind: a tree of empty packages keeps them, and one wrong import breaks them."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name in [*PACKAGES, "gouji", "gouji/cards", "gouji/cards/v1"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    kept = lint_imports(tmp_path)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    (tmp_path / package / "wrong.py").write_text(code, encoding="utf-8")
    broken = lint_imports(tmp_path)
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "1 broken" in broken.stdout


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the top-level name of each absolute import of a file, wherever in it."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, (node.module or "").split(".")[0]


@pytest.mark.parametrize("package", ["gouji_rules", "gouji_bots"])
def test_rules_and_bots_need_the_standard_library_alone(package: str) -> None:
    """`gouji_rules` and `gouji_bots` import nothing that must be installed."""
    allowed = {*sys.stdlib_module_names, "gouji_rules", package}
    foreign = [
        f"{shown(path)}:{line} {name}"
        for path in sorted(PACKAGES[package].rglob("*.py"))
        for line, name in imported(path)
        if name not in allowed
    ]
    assert foreign == []


def base_distributions() -> set[str]:
    """Return the distributions that `pip install gouji` brings, extras left out."""
    found: set[str] = set()
    waiting = ["gouji"]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        requirements = map(Requirement, distribution(name).requires or [])
        waiting += [entry.name for entry in requirements if not entry.marker or entry.marker.evaluate({"extra": ""})]
    return found


def names_beyond_the_base() -> list[str]:
    """Return the import names that only an extra brings."""
    base = base_distributions()
    assert {canonicalize_name(d.metadata["Name"]) for d in distributions()} > base
    return sorted(
        name for name, owners in packages_distributions().items() if not {*map(canonicalize_name, owners)} & base
    )


IMPORT_ALL = """
import importlib, pkgutil, sys
blocked, wanted = sys.argv[1].split(","), sys.argv[2].split(",")
for name in blocked:
    sys.modules[name] = None  # importing it now raises ImportError
for package in wanted:
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), package + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
"""


@pytest.mark.parametrize("wanted", ["gouji_rules,gouji_bots", "gouji,gouji_client", "gouji_cli.main"])
def test_the_base_install_is_enough(wanted: str) -> None:
    """Rules, bots, stubs, client and the `gouji` command load without anything that only an extra brings."""
    blocked = [*names_beyond_the_base(), "gouji_server"]
    assert {"sqlalchemy", "structlog", "matplotlib", "textual", "pytest"} <= set(blocked)
    assert not {"grpc", "google", "typer", "rich"} & set(blocked)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, ",".join(blocked), wanted], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

"""What `pip install gouji` unpacks."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.house.tree import PACKAGES, ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel and the sdist of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def stub_names() -> set[str]:
    """Return the files of the stubs that the protos of this tree call for."""
    bases = [path.relative_to(ROOT / "protos").with_suffix("") for path in (ROOT / "protos").rglob("*.proto")]
    return {f"{base}{end}" for base in bases for end in ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")}


def test_the_wheel_holds_the_packages_and_the_stubs(built: Path) -> None:
    """The wheel holds our packages and the typed stubs, and nothing beside them."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert stub_names() | {"gouji/py.typed"} <= names
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {*PACKAGES, "gouji"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_sdist_can_be_built_from(built: Path) -> None:
    """The sdist holds the protos and the build hook, with which the stubs can be made again, and the stubs."""
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames()}
    protos = {path.relative_to(ROOT).as_posix() for path in (ROOT / "protos").rglob("*.proto")}
    assert protos
    assert protos | {"hatch_build.py", "pyproject.toml", "LICENSE", "README.md"} <= names
    assert {f"gen/{name}" for name in stub_names()} <= names
    assert not any(name.startswith((".venv", ".git/", "build/")) for name in names)

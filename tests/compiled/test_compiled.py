"""The compiled build of rules and tables: built, installed elsewhere, and equal to the interpreted one."""

from __future__ import annotations

import os
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.compiled import building
from tests.compiled.differential import compare

DEALS = 300

needs_compiler = pytest.mark.skipif(
    bool(building.missing()), reason=f"the compiled build is not tested here: {building.missing()}"
)


@pytest.mark.timeout(900)
@needs_compiler
def test_the_compiled_wheel_plays_as_the_sources_do(tmp_path: Path) -> None:
    """A wheel of this Python and platform, installed apart, plays deals of all presets, also with options at random,
    answer by answer as the sources do.
    """
    wheel = building.build(tmp_path / "wheel", compiled="plain")
    assert wheel.name.split("-")[2] == f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert "-none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert {f"gouji_rules/trick{suffix}", "gouji_rules/trick.py", f"gouji__mypyc{suffix}"} <= names
    differences, equal = compare(building.install(wheel, tmp_path / "venv"), tmp_path, 0, DEALS)
    assert differences == []
    assert equal.total() == DEALS
    assert len(equal) == 6
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "unpacked")
    pure, compiled = (matches_at_tables(folder) for folder in (building.ROOT / "server", tmp_path / "unpacked"))
    assert (pure[0], compiled[0]) == (".py", ".so")
    assert pure[1:] == compiled[1:]
    assert len(pure) == 13


def matches_at_tables(packages: Path) -> list[str]:
    """Play each preset by the packages in a folder, at a table and by bots: what the module is, and digests."""
    environment = {"PYTHONPATH": f"{packages}{os.pathsep}{building.ROOT / 'gen'}"}
    return building.run(sys.executable, str(Path(__file__).with_name("tables.py")), **environment).split()


def test_nothing_compiled_lies_in_the_tree() -> None:
    """No extension module lies beside the sources, where it would hide what is edited."""
    assert [str(path) for path in (building.ROOT / "server").rglob("*.so")] == []


def test_an_editable_install_is_never_compiled(tmp_path: Path) -> None:
    """Asked to compile an editable install, the build says no and why, and makes nothing."""
    command = "import hatchling.build as build, sys; build.build_editable(sys.argv[1])"
    environment = {"GOUJI_COMPILED": "1"}
    with pytest.raises(building.BuildFailed, match="stale extension modules"):
        building.run(sys.executable, "-c", command, str(tmp_path), **environment)
    assert list(tmp_path.glob("*.whl")) == []


def test_without_a_compiler_the_build_says_what_is_missing(tmp_path: Path) -> None:
    """A compiled wheel asked for on a machine without a C compiler: one sentence that names it."""
    environment = {"GOUJI_COMPILED": "1", "CC": "no-such-compiler"}
    with pytest.raises(building.BuildFailed, match="needs a C compiler, and there is no no-such-compiler"):
        building.run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), **environment)
    assert list(tmp_path.glob("*.whl")) == []


def test_a_build_is_not_compared_with_itself(tmp_path: Path) -> None:
    """A pure wheel in the place of the compiled one is noticed: else the comparison would hold nothing."""
    python = building.install(building.build(tmp_path / "pure", compiled="0"), tmp_path / "other")
    differences, _ = compare(python, tmp_path, 0, 2)
    assert len(differences) == 1
    assert differences[0].startswith("not one pure and one compiled build")

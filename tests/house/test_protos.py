"""The public contract: linted, commented, and compatible with the last release."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

BUF = Path(sys.executable).with_name("buf")


def buf(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run buf, away from any network it might look for."""
    return subprocess.run(
        [BUF, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "HOME": "", "BUF_CACHE_DIR": ""},
    )


@pytest.fixture
def protos(tmp_path: Path) -> Path:
    """Return a copy of protos/ that a test may spoil."""
    return shutil.copytree(ROOT / "protos", tmp_path / "protos")


@pytest.fixture
def proto(protos: Path) -> Path:
    """Return a proto of that copy, with one message more."""
    path = next(protos.glob("gouji/cards/v1/*.proto"))
    with path.open("a", encoding="utf-8") as file:
        file.write("\n// One more.\nmessage More {\n  // How many.\n  int32 count = 1;\n}\n")
    return path


def test_a_field_without_a_comment_is_refused(protos: Path, proto: Path) -> None:
    """The lint passes on our protos and fails on a field that nobody explained."""
    clean = buf("lint", protos)
    assert clean.returncode == 0, clean.stdout + clean.stderr
    proto.write_text(proto.read_text(encoding="utf-8").replace("  // How many.\n", ""), encoding="utf-8")
    refused = buf("lint", protos)
    assert refused.returncode != 0
    assert "count" in refused.stdout
    assert "non-empty comment" in refused.stdout


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("int32 count = 1; // words may change", True),
        ("int32 count = 1;\n  // New.\n  int32 other = 2;", True),
        ("int64 count = 1;", False),
        ("int32 count = 2;", False),
        ("int32 number = 1;", False),
        ("", False),
    ],
)
def test_a_breaking_change_is_refused(protos: Path, proto: Path, tmp_path: Path, new: str, kept: bool) -> None:
    """A released field may get company and other words; its type, number and name may not change, nor may it go."""
    image = tmp_path / "release.binpb"
    built = buf("build", protos, "--exclude-source-info", "--output", image)
    assert built.returncode == 0, built.stderr
    text = proto.read_text(encoding="utf-8")
    proto.write_text(text.replace("int32 count = 1;", new), encoding="utf-8")
    compared = buf("breaking", protos, "--against", image)
    assert (compared.returncode == 0) is kept, compared.stdout + compared.stderr
    assert kept or "gouji/cards/v1/" in compared.stdout

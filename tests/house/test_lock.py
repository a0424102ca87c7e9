"""requirements.lock: what a fresh machine installs."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked() -> list[tuple[Requirement, list[str]]]:
    """Return each requirement of the lock file with its hashes."""
    entries = LOCK.replace("\\\n", " ").splitlines()
    return [
        (Requirement(entry.split(" --hash=", 1)[0].strip()), re.findall(r"--hash=(\S+)", entry)) for entry in entries
    ]


def declared() -> list[Requirement]:
    """Return what pyproject.toml asks for: to run, to build and for every extra."""
    project = PROJECT["project"]
    texts = [*project["dependencies"], *PROJECT["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        texts += extra
    return [requirement for requirement in map(Requirement, texts) if requirement.name != project["name"]]


def test_every_entry_is_pinned_and_hashed() -> None:
    """Each entry names one version and at least one SHA-256 hash, so what is installed cannot change unseen."""
    assert len(locked()) > 50
    for requirement, hashes in locked():
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), requirement


def test_the_lock_holds_no_address() -> None:
    """The lock file holds no address, option or path: the machine's own settings say where packages come from."""
    assert "://" not in LOCK
    assert [line for line in LOCK.splitlines() if not re.match(r"[a-z0-9]|    --hash=sha256:", line)] == []
    assert not any(requirement.url for requirement, _ in locked())


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_the_lock_fulfils_pyproject(requirement: Requirement) -> None:
    """Every requirement of pyproject.toml is in the lock file at a version it allows; `make lock` brings it in."""
    versions = [
        str(entry.specifier).removeprefix("==")
        for entry, _ in locked()
        if canonicalize_name(entry.name) == canonicalize_name(requirement.name)
    ]
    assert versions, f"{requirement.name} is not in requirements.lock"
    assert all(requirement.specifier.contains(version) for version in versions), versions

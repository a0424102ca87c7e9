"""What may stand in the work tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.house.tree import PACKAGES, files, parsed, python_files, shown, text_of

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 500
LONG_FILES: dict[str, str] = {
    "server/gouji_rules/deal.py": "the one face of a deal: many short methods that each call into a rule family",
    "server/gouji_rules/legality.py": "what may be answered and why not, for every verb in one place",
    "server/gouji_rules/option_texts.py": "a table of texts, read by looking up a name",
}
"""Python files that may be longer than LONGEST lines, each with the reason."""

VAGUE_NAMES = {"common", "helper", "helpers", "misc", "util", "utils"}

# Written so that no pattern matches itself.
MACHINE = re.compile(
    r"(?<![\w.])/(?:wor[k]|roo[t]|opt/whee[l]s|opt/pyp[i]|tmp/brie[f]|home/[u]ser)/|\bshare[d]/(?:rules|design|bench)"
)
REGISTRY = re.compile(
    r"pyp[i]\.org|pythonhoste[d]\.org|registry\.np[m]js|np[m]js\.com|yarnpk[g]\.com|deb\.debia[n]\.org|repo1?\.mave[n]"
    r"|crate[s]\.io|proxy\.golan[g]|\bPyP[I]\b"
)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE, "see /wor~k/main/README.md"),
        (MACHINE, "share~d/rules.md"),
        (REGISTRY, "https://pyp~i.org/simple"),
        (REGISTRY, "https://registry.npm~js.org/a.tgz"),
    ],
)
def test_the_patterns_see_what_they_forbid(pattern: re.Pattern[str], text: str) -> None:
    """The patterns are not blind: each finds the kind of text it is there for (written here with a ~ inside)."""
    assert not pattern.search(text)
    assert pattern.search(text.replace("~", ""))


@pytest.mark.parametrize(
    ("pattern", "what"),
    [(MACHINE, "a path of one machine"), (REGISTRY, "a package registry")],
    ids=["machine", "registry"],
)
def test_no_file_names_a_machine_path_or_a_registry(pattern: re.Pattern[str], what: str) -> None:
    """No file names a path of somebody's machine or a package registry, so a clone works anywhere."""
    found = [
        f"{shown(path)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in enumerate((text_of(path) or "").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"these lines name {what}"


def line_count(path: Path) -> int:
    """Return the number of lines of a text file."""
    return len((text_of(path) or "").splitlines())


def test_no_python_file_is_longer_than_a_sitting() -> None:
    """A Python file has at most 500 lines or is listed with its reason; the list holds no file that got shorter."""
    long = {shown(path): line_count(path) for path in python_files() if line_count(path) > LONGEST}
    assert {name: lines for name, lines in long.items() if name not in LONG_FILES} == {}
    assert sorted(set(LONG_FILES) - set(long)) == [], "listed, but gone or short enough"


def test_no_module_has_a_vague_name() -> None:
    """No Python module is called utils, helpers, common or the like: a thing is found by its word."""
    assert [shown(path) for path in python_files() if path.stem in VAGUE_NAMES or path.parent.name in VAGUE_NAMES] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed_and_says_what_it_is(package: str) -> None:
    """Each import package carries py.typed and a docstring."""
    folder = PACKAGES[package]
    doc = parsed(folder / "__init__.py").body[0]
    assert (folder / "py.typed").is_file()
    assert getattr(getattr(doc, "value", None), "value", "")

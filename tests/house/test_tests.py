"""What a test must be like."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.house.tree import ROOT, parsed, python_files, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

SLEEPERS: dict[str, str] = dict.fromkeys(
    (
        f"tests/benchmarks/{name}.py"
        for name in ("footprint", "game_load", "load", "our_server", "processes", "starting")
    ),
    "programs that measure real time; no test calls them in its own process",
)
"""Test files that may sleep for real, each with the reason."""


def test_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the test functions of a module, those of its classes included."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            yield node


test_functions.__test__ = False  # type: ignore[attr-defined]


def real_sleeps(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that call `….sleep(x)` with an x other than the constant 0, which only yields to the loop."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sleep":
            nothing = node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
            on_module = isinstance(node.func.value, ast.Name) and node.func.value.id in {"time", "asyncio", "anyio"}
            if on_module and not nothing:
                yield node.lineno


TEST_FILES = [path for path in sorted((ROOT / "tests").rglob("*.py")) if "__pycache__" not in path.parts]


def test_every_test_says_what_it_holds() -> None:
    """Every test function has a docstring: one sentence of what it holds."""
    mute = [
        f"{shown(path)}:{node.lineno} {node.name}"
        for path in TEST_FILES
        if path.name.startswith("test_")
        for node in test_functions(parsed(path))
        if not ast.get_docstring(node)
    ]
    assert mute == []


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("time.sleep(1)", [1]),
        ("await asyncio.sleep(delay)", [1]),
        ("await asyncio.sleep(0)", []),
        ("clock.sleep(5)", []),
    ],
)
def test_a_real_sleep_is_told_from_a_virtual_one(code: str, lines: list[int]) -> None:
    """Only the sleeps of the real clock are found; giving way to the loop and an injected clock are not."""
    assert list(real_sleeps(ast.parse(f"{code}\n".replace("await ", "")))) == lines


def test_no_test_sleeps() -> None:
    """No test waits for the real clock: clocks are injected and events awaited."""
    sleeping = [
        f"{shown(path)}:{line}"
        for path in python_files()
        if path.is_relative_to(ROOT / "tests") and shown(path) not in SLEEPERS
        for line in real_sleeps(parsed(path))
    ]
    assert sleeping == []

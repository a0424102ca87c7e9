"""Every command on README.md and the pages of docs/ works as it is written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.clients.cli_run import NEUTRAL, has_no_traceback, serving
from tests.docs.pages import ROOT, Block, Step, blocks, pages, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LANGUAGES = {"sh", "console", "python", "toml", "json", "text", "proto"}
"""What a fenced block may be; commands stand in `sh` and `console` alone."""


FOLLOWED_ELSEWHERE = {ROOT / "docs/write-a-bot-in-python.md": ROOT / "tests/clients/test_docs_write_a_bot.py"}
"""Pages whose commands a test of their own follows."""


@dataclass
class World:
    """Where the commands of one page are run: a folder like a clone after `make`, and the address of a server."""

    folder: Path
    server: str

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command line in the folder, errors in the output, as a terminal shows them."""
        path = f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env={**os.environ, **NEUTRAL, "PATH": path, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=110,
        )


def run(world: World, step: Step) -> None:
    """Run the command as it is; it succeeds, and prints what the page shows."""
    done = world.shell(step.command)
    assert done.returncode == 0, done.stdout
    assert has_no_traceback(done.stdout)
    if step.output is not None:
        assert matches(done.stdout, step.output), (
            f"{step.command} prints\n{done.stdout}\nand the page shows\n{step.output}"
        )


def run_demo(world: World, step: Step) -> None:
    """Run a demo without waiting, one deal of it; `make demo` is `gouji demo`."""
    if step.command == "make demo":
        assert recipe("demo").strip() == ".venv/bin/gouji demo"
    command = step.command.replace("make demo", "gouji demo")
    run(world, Step(f"{command} --fast" + ("" if "--deals" in command else " --deals 1"), None, step.line))


def run_bot(world: World, step: Step) -> None:
    """Let the bot play one deal at the test's own server, whatever address the page names.

    At a table of its own if the page names none: those of other pages wait for people who do not come.
    """
    command = re.sub(r" --server \S+", "", step.command) + f" --server {world.server}"
    if not re.search(r" --(table|join-code) ", command):
        command += " --table new"
    run(world, Step(command + ("" if "--deals" in command else " --deals 1"), None, step.line))


def run_there(world: World, step: Step) -> None:
    """Run a command that means the server of this machine at the test's own."""
    run(world, Step(f"{step.command} --server {world.server}", step.output, step.line))


def run_server(world: World, step: Step) -> None:
    """Start the server on a free port and a data directory of the test's own, and stop it."""
    command = recipe("serve") if step.command == "make serve" else step.command
    words = shlex.split(command)
    assert words[0] in (".venv/bin/gouji", "gouji")
    assert words[1] == "serve"
    # The flags that the page gives come first, so the test's own, which come last, count.
    folder = world.folder / f"server-{step.line}"
    folder.mkdir()
    with serving(folder, *words[2:]) as server:
        assert server.stop() == 0


def run_backup(world: World, step: Step) -> None:
    """Run a command at the data of a server that runs meanwhile."""
    with serving(world.folder):
        run(world, step)


def dry_run(_world: World, step: Step) -> None:
    """Ask make what it would do: the target exists and its commands can be found."""
    done = subprocess.run(
        ["make", "--dry-run", *shlex.split(step.command)[1:]],
        cwd=ROOT,
        env=outside_make(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def outside_make() -> dict[str, str]:
    """The environment without what tells a make that another make called it: `make test` runs these tests."""
    return {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}}


def leave_to_the_reader(_world: World, _step: Step) -> None:
    """Do nothing: the command is about a folder of the reader's own and other people's packages."""


WAYS: list[tuple[str, Callable[[World, Step], None]]] = [
    (r"make demo", run_demo),
    (r"gouji demo( .*)?", run_demo),
    (r"make serve", run_server),
    (r"gouji serve --help", run),
    (r"gouji serve( .*)?", run_server),
    (r"gouji bot run( .*)?", run_bot),
    (r"gouji (backup|admin) .*", run_backup),
    (r"gouji restore .*", run),
    (r"gouji bot (account|token) .*", run),
    (r'echo "[a-z ]+" \| gouji account sign-in .*', run_there),
    (r'echo "[a-z ]+" \| gouji account .*', run),
    (r"gouji (table (list|watch)|account new|server-info)( .*)?", run_there),
    (r"gouji (rules|record|replay|verify|account|table|match) .*", run),
    (r"(python3 -m venv |cd )?~/peers/.*", leave_to_the_reader),
    # These take long, need the network or change the tree; what they run is tested elsewhere.
    (r"make (test|lint|format|stubs|picture|rule-pages|exact-counts|leak|clean|help)( \w+=\S+)*", dry_run),
    (r"make (bench-server|bench-rules|compiled)( \w+=\S+)*", dry_run),
]
"""How each kind of command is run, first match first. A command that none knows fails the test."""


def way_of(step: Step) -> tuple[Callable[[World, Step], None], Step]:
    """Return how a command is run, and the command with `gouji` found on the path."""
    command = step.command.removeprefix(".venv/bin/")
    for pattern, way in WAYS:
        if re.fullmatch(pattern, command):
            return way, Step(command, step.output, step.line)
    pytest.fail(f"line {step.line}: no way is known to run {step.command!r}; add one to WAYS")


def recipe(target: str) -> str:
    """Return the command that a target of the Makefile ends with."""
    command = ["make", "--dry-run", target]
    done = subprocess.run(command, cwd=ROOT, env=outside_make(), capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def matches(printed: str, shown: str) -> bool:
    """Whether a page shows what was printed; a line `…` stands for any lines, spaces at the ends of lines for none."""
    lines = [re.escape(line.rstrip()) + "\n" for line in shown.splitlines()]
    pattern = "".join("(.*\n)*" if line.rstrip("\n") == "…" else line for line in lines)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines())) is not None


def file_blocks(page: Path) -> list[Block]:
    """Return the blocks that a page names as files: a second word after the fence."""
    return [block for block in blocks(page) if len(block.info) == 2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running.address


@pytest.fixture
def world(tmp_path: Path, server: str) -> World:
    """A folder with the command in `.venv/bin` and the repository's tests."""
    command = tmp_path / ".venv" / "bin" / "gouji"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gouji_cli "$@"\n')
    command.chmod(0o755)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    return World(tmp_path, server)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "page",
    [page for page in pages() if page not in FOLLOWED_ELSEWHERE],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_commands_of_a_page_work_in_their_order(page: Path, world: World) -> None:
    """Whoever types a page's commands one after the other gets what the page promises."""
    for block in file_blocks(page):
        (world.folder / block.info[1]).write_text(block.text, encoding="utf-8")
    for block in blocks(page):
        if block.language in ("sh", "console"):
            for step in steps(block):
                way, normal = way_of(step)
                way(world, normal)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_fenced_block_says_what_it_is(page: Path) -> None:
    """No command hides in a block that no test looks into."""
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}:{block.line}: a fence needs one of {sorted(LANGUAGES)}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_python_on_a_page_compiles(page: Path) -> None:
    """Python shown on a page is Python."""
    for block in blocks(page):
        if block.language == "python":
            compile(block.text, f"{page.name}:{block.line}", "exec", flags=0x2000)  # PyCF_ALLOW_TOP_LEVEL_AWAIT


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A link within the repository leads to a file, and one to a heading to a heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        found = (page.parent / file).resolve() if file else page
        assert found.exists(), f"{page.name}: {target}"
        if heading:
            slugs = {
                re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
                for line in found.read_text(encoding="utf-8").splitlines()
                if line.startswith("#")
            }
            assert heading in slugs, f"{page.name}: {target}"


@pytest.mark.parametrize(("page", "test"), FOLLOWED_ELSEWHERE.items(), ids=lambda path: path.name)
def test_a_page_followed_elsewhere_is_followed(page: Path, test: Path) -> None:
    """A page left out here is named by the test that follows it."""
    assert page.name in test.read_text(encoding="utf-8")


def test_readmes_bot_is_about_twenty_lines() -> None:
    """README promises a bot that fits on a napkin."""
    (bot,) = (block for block in file_blocks(ROOT / "README.md") if block.language == "python")
    assert len(bot.text.splitlines()) <= 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```sh\nmake demo   # see it\n\n# nothing\ngouji serve\n```\n", [("make demo", None), ("gouji serve", None)]),
        ("```console\n$ a\nx\ny\n$ b\n$ c\nz\n```\n", [("a", "x\ny\n"), ("b", ""), ("c", "z\n")]),
        ("```text\n$ a\n```\n```sh\nb\n```\n", [("b", None)]),
    ],
)
def test_commands_are_found(tmp_path: Path, text: str, expected: list[tuple[str, str | None]]) -> None:
    """The pages are not read blindly: comments are no commands, output belongs to its command."""
    page = tmp_path / "page.md"
    page.write_text(text)
    found = [step for block in blocks(page) if block.language in ("sh", "console") for step in steps(block)]
    assert [(step.command, step.output) for step in found] == expected


def test_an_unknown_command_fails() -> None:
    """A page with a command that nobody runs does not pass."""
    for command in ("curl example.org", "gouji nonsense", "make nonsense", "make demo; rm -rf x"):
        with pytest.raises(pytest.fail.Exception):
            way_of(Step(command, None, 1))


def test_shown_output_must_be_the_printed_output() -> None:
    """A page that shows something else than is printed does not pass; `…` stands for what is left out."""
    assert matches("a\nb  \nc\n", "a\nb\nc\n")
    assert matches("a\nb\nc\n", "a\n…\n")
    assert not matches("a\nb\n", "a\n")
    assert not matches("a\n", "b\n")
    assert not matches("a\nb\n", "")

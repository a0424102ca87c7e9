"""The `gouji` command as a whole."""

from __future__ import annotations

import io
import sys
from importlib.metadata import version

import pytest
from rich.console import Console

from gouji_cli import main as command
from gouji_cli.demo.display import fits
from tests.clients.cli_run import gouji, gouji_process, has_no_traceback


def test_the_version_is_the_distributions() -> None:
    """`gouji --version` prints the installed version and nothing else."""
    result = gouji("--version")
    assert (result.exit_code, result.stdout) == (0, f"gouji {version('gouji')}\n")


def test_help_lists_what_there_is() -> None:
    """`gouji --help` names every command; without arguments it is shown too."""
    for arguments in (("--help",), ("-h",), ()):
        text = gouji(*arguments).output
        for name in ("rules", "record", "bot", "serve", "demo"):
            assert f" {name} " in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("--nonsense",),
        ("rules",),
        ("rules", "nonsense"),
        ("record", "nonsense"),
        ("bot", "nonsense"),
        ("",),
    ],
)
def test_a_command_that_is_none_is_a_clear_error(arguments: tuple[str, ...]) -> None:
    """An unknown command or option ends with exit status 2, and no traceback."""
    result = gouji(*arguments)
    assert result.exit_code == 2
    assert has_no_traceback(result.output)


@pytest.mark.parametrize(
    "command_line", [("rules", "beats"), ("record", "check"), ("record", "show"), ("bot", "run"), ("demo",)]
)
def test_every_command_explains_itself(command_line: tuple[str, ...]) -> None:
    """Each command has a help with its options and what its exit status means, if that is more than success."""
    result = gouji(*command_line, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout
    assert "exit status" in " ".join(result.stdout.split())


def test_ascii_can_be_asked_for() -> None:
    """`gouji --ascii` keeps to ASCII on a terminal that could show more."""
    done = gouji_process("--ascii", "rules", "beats", "3", "4", env={"LANG": "zh_CN.UTF-8"})
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_a_fault_of_the_program_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody thought of is told in a line and ends with 70; the traceback comes when asked for."""

    def broken() -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(command, "app", broken)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == command.FAULT
    assert capsys.readouterr().err.startswith(
        "gouji: this is a fault of gouji, please report it: ZeroDivisionError: oh\n"
    )
    monkeypatch.setenv("GOUJI_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        command.main()


def test_ctrl_c_ends_with_its_own_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C anywhere ends with 130 and no traceback."""

    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "app", stopped)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 130


@pytest.mark.parametrize(
    ("width", "height", "term", "terminal", "expected"),
    [
        (100, 30, "xterm", True, True),
        (70, 24, "xterm", True, True),
        (69, 24, "xterm", True, False),
        (80, 23, "xterm", True, False),
        (100, 30, "dumb", True, False),
        (100, 30, "xterm", False, False),
    ],
)
def test_the_live_table_needs_a_terminal_that_can_show_it(
    width: int, height: int, term: str, terminal: bool, expected: bool
) -> None:
    """A terminal too small or too simple for the live table, or none, gets plain lines."""
    environment = {"TERM": term}
    console = Console(
        file=io.StringIO(),
        width=width,
        height=height,
        force_terminal=terminal,
        _environ=environment,
        legacy_windows=False,
    )
    assert fits(console) is expected


def test_the_interpreter_can_run_it_as_a_module() -> None:
    """`python -m gouji_cli` is the same command."""
    assert gouji_process("--version").stdout.decode().strip() == f"gouji {version('gouji')}"
    assert sys.modules["gouji_cli"].__doc__

"""`gouji serve`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gouji_cli.terminal import own_command
from gouji_server.config import Config
from tests.clients.cli_run import gouji, gouji_process, has_no_traceback, serving


def test_it_says_where_it_is_and_how_to_join(tmp_path: Path) -> None:
    """When it serves it names its address and a command that joins it; SIGTERM ends it with 0."""
    with serving(tmp_path) as server:
        host, _, port = server.address.rpartition(":")
        assert host == "127.0.0.1"
        socket.create_connection((host, int(port)), timeout=10).close()
        command = f"{sys.executable} -m gouji_cli bot run --server {server.address} --name NAME"
        assert server.said[1] == f"gouji: play there: {command}"
        assert server.stop() == 0


def test_the_command_it_names_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a clone, where `gouji` is not on the path, it is the script's own path; else the plain word."""
    scripts = [tmp_path / "one" / "gouji", tmp_path / "another's one" / "gouji"]
    for script in scripts:
        script.parent.mkdir()
        script.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "one"))
    monkeypatch.setattr(sys, "argv", [str(scripts[0]), "serve"])
    assert own_command() == "gouji"
    monkeypatch.setattr(sys, "argv", [str(scripts[1]), "serve"])
    assert own_command() == f"'{scripts[1]}'".replace("another's", "another'\"'\"'s")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["one/gouji", "serve"])
    assert own_command() == "one/gouji"


def test_a_second_server_on_the_same_data_is_refused_in_one_line(tmp_path: Path) -> None:
    """The data directory belongs to one server; another is told so, and the first goes on."""
    with serving(tmp_path) as server:
        second = gouji_process("serve", "--port", "0", "--metrics-port", "none", "--data-dir", str(tmp_path / "data"))
        assert second.returncode == 2
        assert len(second.stderr.decode().strip().splitlines()) == 1
        assert str(tmp_path / "data") in second.stderr.decode()
        assert server.process.poll() is None


def test_help_lists_every_setting() -> None:
    """Every field of the server's Config is a flag of the command; there is no second list to forget one in."""
    done = gouji("serve", "--help")
    assert done.exit_code == 0
    text = done.stdout
    assert text.startswith("usage: gouji serve")
    for field in Config.model_fields:
        assert f"--{field.replace('_', '-')}" in text
    assert "Traceback" not in text
    assert "ValidationError" not in text


@pytest.mark.parametrize(
    ("flags", "env", "named"),
    [
        (("--port", "x"), {}, "port"),
        (("--port", "70000"), {}, "port"),
        (("--port", "-1"), {}, "port"),
        (("--port",), {}, "port"),
        ((), {"GOUJI_PORT": "x"}, "port"),
        (("--log-level", "loud"), {}, "log"),
        (("--nonsense", "1"), {}, "nonsense"),
        (("extra",), {}, "extra"),
        (("--host", "0.0.0.0"), {}, "loopback"),  # noqa: S104 - refused is what it should be
        (("--tls-cert", "c.pem"), {}, "--tls-key"),
        (("--max-calls", "0"), {}, "max_calls"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(flags: tuple[str, ...], env: dict[str, str], named: str) -> None:
    """A bad setting ends with exit status 2 and names the setting, whichever way it was given."""
    done = gouji("serve", "--metrics-port", "none", *flags, env=env)
    assert done.exit_code == 2
    assert named in done.stderr
    assert has_no_traceback(done.output)


def test_a_data_directory_that_cannot_be_is_a_clear_error() -> None:
    """A data directory below a file ends with exit status 2 and one line that names it."""
    done = gouji_process("serve", "--port", "0", "--metrics-port", "none", "--data-dir", "/dev/null/data")
    assert done.returncode == 2
    assert "/dev/null/data" in done.stderr.decode()
    assert len(done.stderr.decode().strip().splitlines()) == 1


def test_without_the_server_installed_it_says_what_to_install(tmp_path: Path) -> None:
    """On a base install `gouji serve` and `gouji demo` name the extra that brings the server."""
    for module in ("pydantic_settings", "structlog", "sqlalchemy"):
        missing = f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n"
        (tmp_path / f"{module}.py").write_text(missing)
    env = {"PYTHONPATH": str(tmp_path)}
    done = gouji_process("serve", env=env)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("gouji: the server is not installed: pip install 'gouji[server]'")
    by_module = subprocess.run(
        [sys.executable, "-m", "gouji_server"], env={**os.environ, **env}, capture_output=True, check=False, timeout=60
    )
    assert by_module.returncode == 1
    assert by_module.stderr.decode().startswith("gouji: the server is not installed: pip install 'gouji[server]'")
    demo = gouji_process("demo", "--out", str(tmp_path / "demo"), env=env)
    assert demo.returncode == 1
    assert "pip install 'gouji[server]'" in demo.stderr.decode()
    assert gouji_process("rules", "beats", "3", "4", env=env).returncode == 0

"""`gouji serve`: run a server."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import typer

from gouji_cli.terminal import by_locale, fail, own_command, say_error

if TYPE_CHECKING:
    from pydantic import ValidationError

    from gouji_server.main import Server

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""The server's settings are listed in one place, gouji_server.config: its own parser reads the flags and helps."""

INSTALL = "pip install 'gouji[server]'"


def serve(context: typer.Context) -> None:
    """Run a server. `gouji serve --help` lists its settings."""
    try:
        from pydantic import ValidationError

        from gouji_server.config import Config
        from gouji_server.main import serve as run

        class Settings(Config):
            """Run a Gouji server. Every setting may also be given as environment variable: --port as GOUJI_PORT."""

    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in ("gouji_server", "gouji_rules"):
            raise
        lacks = missing.name
        fail(
            by_locale(
                f"the server is not installed: {INSTALL} ({lacks} is missing)",
                f"没有安装服务器：{INSTALL}（缺 {lacks}）",
            ),
            status=1,
        )
    try:
        config = Settings(_cli_parse_args=list(context.args), _cli_prog_name="gouji serve")  # type: ignore[call-arg]
    except ValidationError as error:
        complain(error)
        raise typer.Exit(2) from None
    raise typer.Exit(run(config, on_ready=invite))


def invite(server: Server) -> None:
    """Say how to join a server that serves now."""
    # Whoever started the server may be gone; that is no reason to stop.
    with contextlib.suppress(OSError):
        there = by_locale("play there: ", "加入牌局：")
        print(f"gouji: {there}{own_command()} bot run --server {server.address} --name NAME", flush=True)


def complain(error: ValidationError) -> None:
    """Say what is wrong with the settings, a line each."""
    for detail in error.errors(include_url=False):
        name = ".".join(str(part) for part in detail["loc"])
        message = detail["msg"].removeprefix("Value error, ")
        given = f", not {detail['input']!r}" if name and isinstance(detail["input"], str | int | float) else ""
        say_error(f"serve: {name}: {message}{given}" if name else f"serve: {message}")

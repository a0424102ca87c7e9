"""The `gouji` command."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from gouji_cli import (
    account,
    backing_up,
    bot_accounts,
    bots,
    matching,
    own_tables,
    records,
    rules,
    serving,
    sharing,
    talking,
)
from gouji_cli.demo.command import demo
from gouji_cli.operating import commands as operators
from gouji_cli.replaying.command import replay
from gouji_cli.server_info import server_info
from gouji_cli.terminal import by_locale, forgive_encoding, say_error
from gouji_cli.verifying import verify
from gouji_cli.watching import watch

FAULT = 70
"""Exit status for a fault of the program itself (EX_SOFTWARE)."""

app = typer.Typer(
    name="gouji",
    help="Gouji 够级: rules, records, bots and a server for the card game of six players and four decks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(rules.app, name="rules")
app.add_typer(records.app, name="record")
app.add_typer(bots.app, name="bot")
bots.app.add_typer(bot_accounts.accounts, name="account")
bots.app.add_typer(bot_accounts.tokens, name="token")
talking.add_to(account.app, own_tables.app)
app.add_typer(account.app, name="account")
app.add_typer(own_tables.app, name="table")
app.add_typer(matching.app, name="match")
app.add_typer(sharing.app, name="share")
app.add_typer(operators.app, name="admin")
app.command("server-info")(server_info)
app.command("serve", context_settings=serving.PASS_ON)(serving.serve)
app.command("demo")(demo)
app.command("backup")(backing_up.backup)
app.command("restore")(backing_up.restore)
app.command("replay")(replay)
app.command("watch")(watch)
app.command("verify")(verify)


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        try:
            print(f"gouji {version('gouji')}")
        except PackageNotFoundError:
            print("gouji (not installed: running from its source)")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
    keep_ascii: Annotated[
        bool, typer.Option("--ascii", help="Keep to ASCII, for terminals that show neither Chinese nor box characters.")
    ] = False,
) -> None:
    """Take the options that come before the command's name."""
    if keep_ascii:
        os.environ["GOUJI_ASCII"] = "1"


def main() -> None:
    """Run the command line: the entry point of the `gouji` script."""
    forgive_encoding(sys.stdout)
    forgive_encoding(sys.stderr)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get("GOUJI_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}"
        say_error(
            by_locale(f"this is a fault of gouji, please report it: {what}", f"这是 gouji 的错误，请报告：{what}")
        )
        say_error(by_locale("GOUJI_TRACEBACK=1 shows where it happened", "设 GOUJI_TRACEBACK=1 可看出错之处"))
        sys.exit(FAULT)

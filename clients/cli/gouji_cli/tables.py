"""`gouji table`: the tables of a server."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gouji_cli.bots import DEFAULT_SERVER
from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.signing_in import AsJson, Ca, Insecure, UseTls, Way, carry_out
from gouji_cli.terminal import by_locale, fail, out, plain, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji.lobby.v1 import lobby_pb2
    from gouji_client.table_list import TableWishes

app = typer.Typer(help="The tables of a server.", no_args_is_help=True)

Server = Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="The server.")]
Rules = Annotated[str | None, typer.Option("--rules", metavar="PRESET", help="Only tables of this rule set.")]
Text = Annotated[str, typer.Option("--title", metavar="TEXT", help="Only tables with this text in their title.")]
Free = Annotated[bool, typer.Option("--free", help="Only tables with a free seat.")]
NoBots = Annotated[bool, typer.Option("--no-bots", help="Only tables at which no bot sits.")]


@app.callback()
def table() -> None:
    """Find, make and fill the tables of a server. Private ones are in no list.

    `--keep FILE` names the file of the account that acts, which `gouji account new` writes.
    """


@app.command("list")
def list_tables(
    server: Server = DEFAULT_SERVER,
    rules: Rules = None,
    title: Text = "",
    free: Free = False,
    no_bots: NoBots = False,
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """List the open tables, newest first."""
    way, wishes = Way(Path(), server, tls, ca, insecure), _wishes(rules, title, free=free, no_bots=no_bots)

    async def look() -> list[lobby_pb2.Table]:
        async with _guest(way) as client:
            await client.sign_in("guest")
            return [found async for found in client.lobby.tables(**wishes)]

    _show(carry_out(way, look()), as_json=as_json)


@app.command("watch")
def watch_tables(
    server: Server = DEFAULT_SERVER,
    rules: Rules = None,
    title: Text = "",
    free: Free = False,
    no_bots: NoBots = False,
    times: Annotated[int, typer.Option(min=0, help="End after so many lists; 0: at Ctrl-C.")] = 0,
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """Show the list of open tables again whenever it changes, until Ctrl-C."""
    way, wishes = Way(Path(), server, tls, ca, insecure), _wishes(rules, title, free=free, no_bots=no_bots)

    async def look() -> None:
        shown = 0
        async with _guest(way) as client:
            await client.sign_in("guest")
            async with aclosing(client.lobby.watch_tables(**wishes)) as lists:
                async for found in lists:
                    _show(found, as_json=as_json)
                    shown += 1
                    if shown == times:
                        return

    carry_out(way, look())


def _guest(way: Way) -> Any:
    from gouji_client import BadInput, connect

    try:
        return connect(DEFAULT_SERVER if way.server is None else way.server, tls=way.channel(), insecure=way.insecure)
    except BadInput as error:
        fail(str(error))


def _wishes(rules: str | None, title: str, *, free: bool, no_bots: bool) -> TableWishes:
    wishes: TableWishes = {"with_free_seat": free, "text": title, "without_bots": no_bots}
    if rules is not None:
        wishes["rule_set"] = understand(lambda: rule_set(rules, ())).name
    return wishes


def _show(found: Sequence[lobby_pb2.Table], *, as_json: bool) -> None:
    if as_json:
        print_json([as_data(one) for one in found])
        return
    if not found:
        print(plain(by_locale("no table is open", "没有开着的牌桌")), flush=True)
        return
    heads = (
        ("table", "牌桌"),
        ("rules", "规则"),
        ("deals", "盘数"),
        ("seats", "座位"),
        ("state", "状态"),
        ("title", "名称"),
    )
    shown = Table(*(by_locale(*head) for head in heads))
    for one in found:
        data = as_data(one)
        seats = f"{6 - data['free_seats']}/6"
        shown.add_row(data["name"], data["rule_set"], str(data["deals"]), seats, data["state"], plain(data["title"]))
    out().print(shown)


def as_data(info: lobby_pb2.Table) -> dict[str, Any]:
    """Return what there is to say of a table in a list."""
    from gouji.lobby.v1 import lobby_pb2
    from gouji_client.lobby import free_seats

    return {
        "name": info.name,
        "title": info.title,
        "rule_set": info.rule_set.removeprefix("ruleSets/"),
        "deals": info.deals,
        "state": lobby_pb2.TableState.Name(info.state).removeprefix("TABLE_STATE_").lower(),
        "players": [player.display_name for player in info.players if player.display_name],
        "free_seats": len(free_seats(info)),
    }

"""`gouji bot`: run bots."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gouji_cli.terminal import fail, out, plain, print_json

if TYPE_CHECKING:
    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Bot, Client, MatchResult, NewTable

app = typer.Typer(help="Run bots.", no_args_is_help=True)

DEFAULT_SERVER = "127.0.0.1:50151"
FAILED = 1

logger = logging.getLogger("gouji_cli")


@app.callback()
def bot() -> None:
    """Run bots."""


@dataclass(frozen=True, slots=True)
class Order:
    """What `gouji bot run` was asked for."""

    server: str
    table: str
    new: NewTable
    seat: int | None
    fill: str | None
    keep: Path | None
    time_limit: float | None
    strict: bool
    tls: bool
    insecure: bool
    quiet: bool

    def say(self, text: str) -> None:
        """Tell people how far it is."""
        if not self.quiet:
            print(plain(text), flush=True)


@app.command("run")
def run(
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server.")] = DEFAULT_SERVER,
    policy: Annotated[
        str, typer.Option(metavar="POLICY", help="simple, random, module:Class or file.py:Class.")
    ] = "simple",
    name: Annotated[str, typer.Option(help="The display name, instead of the bot's own.")] = "",
    table: Annotated[
        str, typer.Option(metavar="TABLE", help="tables/…, `new`, or `any`: an open one, else a new one.")
    ] = "any",
    seat: Annotated[int | None, typer.Option(min=0, max=5, help="The seat wanted; else the lowest free one.")] = None,
    fill: Annotated[
        str,
        typer.Option(metavar="POLICY", help="Built-in bots for the free seats of a new table; none: wait for others."),
    ] = "simple",
    rules: Annotated[str, typer.Option(metavar="PRESET", help="The rule set of a new table.")] = "qingdao",
    deals: Annotated[int, typer.Option(min=1, max=100, help="Deals of a match at a new table.")] = 3,
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the account here, to come back as the same one.")
    ] = None,
    records: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write the match's records here.")] = None,
    seed: Annotated[int | None, typer.Option(help="Fixes the choices of a built-in policy.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.001, metavar="SECONDS", help="Time for one choice of the bot.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="End at the bot's first mistake, instead of playing on for it.")
    ] = False,
    tls: Annotated[bool, typer.Option("--tls", help="Connect over TLS.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow cleartext to another machine, on a network you trust.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the result, as JSON for a program.")] = False,
) -> None:
    """Play one match with a bot and print what came of it.

    The exit status is 0 when the match was played to its end, 1 when it was not, 2 for options that make no sense.
    """
    from gouji_cli.policies import NoSuchBot, load_bot
    from gouji_client import GoujiError, NewTable

    logging.basicConfig(format="gouji: %(message)s")
    try:
        player = load_bot(policy, seed)
    except NoSuchBot as error:
        fail(str(error))
    if name:
        player.name = name
    order = Order(
        server=server,
        table=table,
        new=NewTable(rule_set=rules, deals=deals, title=player.display_name),
        seat=seat,
        fill=None if fill == "none" else fill,
        keep=keep,
        time_limit=time_limit,
        strict=strict,
        tls=tls,
        insecure=insecure,
        quiet=as_json,
    )
    try:
        result, info = asyncio.run(play(order, player))
        written = result.write_records(records) if records is not None else []
    except GoujiError as error:
        fail(str(error), status=FAILED)
    except ValueError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{records}: {error.strerror}", status=FAILED)
    except KeyboardInterrupt:
        fail("stopped", status=130)
    conclude(result, info, written, as_json=as_json)


async def play(order: Order, player: Bot) -> tuple[MatchResult, lobby_pb2.Table]:
    """Sign in, take a seat, play the match; return its result and the table's lobby facts."""
    from gouji_client import Manners, connect, play_match

    manners = Manners(on_error="raise" if order.strict else "default", time_limit=order.time_limit)
    async with connect(order.server, tls=order.tls, insecure=order.insecure) as client:
        await client.sign_in(player.display_name, keep=order.keep)
        name = await take_seat(client, order)
        result = await play_match(client, player, table=name, seat=order.seat, manners=manners)
        return result, client.table(result.table).view.info


async def take_seat(client: Client, order: Order) -> str:
    """Return the table asked for, or join an open one, or make one."""
    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Refused

    if order.table not in ("any", "new"):
        return order.table  # where it may sit already, from an earlier run
    if order.table == "any":
        async for found in client.lobby.tables(state=lobby_pb2.TABLE_STATE_WAITING, with_free_seat=True):
            try:
                seat = await client.lobby.join(found.name, order.seat)
            except Refused as refused:
                logger.info("%s could not be joined: %s", found.name, refused)
            else:
                order.say(f"joined {found.name}, seat {seat}")
                return found.name
    return await make_table(client, order)


async def make_table(client: Client, order: Order) -> str:
    """Make a table, fill it if asked to, and return its name."""
    new = order.new if order.seat is None else replace(order.new, seat=order.seat)
    made = await client.lobby.create(new)
    order.say(f"made {made.name}")
    if order.fill is None:
        order.say(f"waiting for five others: gouji bot run --server {order.server} --table {made.name}")
        return made.name
    for player in made.players:
        if not player.account and not player.bot:
            await client.lobby.add_bot(made.name, order.fill, player.seat)
    return made.name


def conclude(result: MatchResult, info: lobby_pb2.Table, written: list[Path], *, as_json: bool) -> None:
    """Print the result and end with the exit status."""
    from gouji.table.v1 import events_pb2

    over = result.close_reason == events_pb2.CLOSE_REASON_MATCH_OVER
    if as_json:
        print_json(as_data(result, written))
    else:
        show(result, info, over=over)
        for file in written:
            print(plain(str(file)))
    if not over:
        reason = events_pb2.CloseReason.Name(result.close_reason)
        fail(f"{result.table} was closed before the match was over ({reason})", status=FAILED)


def as_data(result: MatchResult, written: list[Path]) -> dict[str, Any]:
    """Return a match's result as JSON data."""
    from gouji.table.v1 import events_pb2

    data = asdict(result)
    for deal in data["deals"]:
        del deal["record"]
    data["close_reason"] = events_pb2.CloseReason.Name(result.close_reason)
    return data | {"own_score": result.own_score, "won": result.won, "records": [str(file) for file in written]}


def show(result: MatchResult, info: lobby_pb2.Table, *, over: bool) -> None:
    """Print a match's result for people."""
    from gouji_cli.narration import Narrator
    from gouji_cli.scene import DealOutcome, Scene
    from gouji_cli.screen import result_table

    scene = Scene(table=info, final_scores=list(result.scores))
    scene.outcomes = [DealOutcome(deal.deal, list(deal.places), list(deal.scores), deal.sweep) for deal in result.deals]
    out().print(result_table(Narrator.for_terminal(scene)))
    if over:
        verdict = (
            "won" if result.won else "lost" if any(score > result.own_score for score in result.scores) else "drew"
        )
        print(plain(f"{result.table}: {verdict} in seat {result.seat}"))
    if result.faults:
        print(f"the bot failed in {result.faults} decisions; the default action was played there")

"""`gouji bot`: run bots."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import gouji_bots
from gouji_cli.failures import STOPPED, Stopped, first_failure, run_until_stopped
from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.terminal import fail, out, own_command, plain, print_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Bot, Client, MatchResult, NewTable, Table

app = typer.Typer(help="Run bots.", no_args_is_help=True)

DEFAULT_SERVER = "127.0.0.1:50151"
FAILED = 1
LEAVE_SECONDS = 2.0
"""How long a stopped command tries to give its seat up."""

logger = logging.getLogger("gouji_cli")


@app.callback()
def bot() -> None:
    """Run bots."""


@dataclass(frozen=True, slots=True)
class Order:
    """What `gouji bot run` was asked for."""

    server: str
    name: str
    table: str
    new: NewTable
    seat: int | None
    fill: str | None
    house: bool
    keep: Path | None
    time_limit: float | None
    strict: bool
    tls: bool
    insecure: bool
    watch: bool
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
        str, typer.Option(metavar="POLICY", help="Bots for a new table's free seats; none: wait for others to join.")
    ] = "simple",
    house: Annotated[
        bool, typer.Option("--house", help="Have the server play those bots, at a person's pace, and not this command.")
    ] = False,
    rules: Annotated[str, typer.Option(metavar="PRESET", help="The rule set of a new table.")] = "qingdao",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of that rule set.")
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Deals of a match at a new table; else as many as the rules say, or 3."),
    ] = None,
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
    watch: Annotated[bool, typer.Option("--watch", help="Tell the match trick by trick.")] = False,
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
    if fill != "none" and fill not in gouji_bots.policies:
        fail(f"there is no policy {fill!r} to fill the table with: use {', '.join(gouji_bots.policies)}, or none")
    changes = understand(lambda: rule_set(rules, settings)).overrides() if settings else {}
    order = Order(
        server=server,
        name=name or player.display_name,
        table=table,
        new=NewTable(rule_set=rules, options=changes, deals=deals or 0, title=name or player.display_name),
        seat=seat,
        fill=None if fill == "none" else fill,
        house=house,
        keep=keep,
        time_limit=time_limit,
        strict=strict,
        tls=tls,
        insecure=insecure,
        watch=watch,
        quiet=as_json,
    )
    if records is not None:
        make_folder(records)  # a match takes long, and its records are told once
    try:
        result, info = run_until_stopped(play(order, player))
        written = result.write_records(records) if records is not None else []
    except GoujiError as error:
        fail(str(error), status=FAILED)
    except ValueError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{records}: {error.strerror}", status=FAILED)
    except Stopped:
        fail("stopped", status=STOPPED)
    conclude(result, info, written, as_json=as_json)


def make_folder(folder: Path) -> None:
    """Make the folder that the records will be written to; end with a clear error if they could not be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{folder}: {error.strerror}", status=FAILED)
    if not os.access(folder, os.W_OK | os.X_OK):
        fail(f"{folder}: may not be written to", status=FAILED)


async def play(order: Order, player: Bot) -> tuple[MatchResult, lobby_pb2.Table]:
    """Sign in, take a seat, play the match; return its result and the table's lobby facts."""
    from gouji_client import Manners, PolicyBot, connect, play_match, run_bot

    manners = Manners(on_error="raise" if order.strict else "default", time_limit=order.time_limit)
    async with connect(order.server, tls=order.tls, insecure=order.insecure) as client:
        await client.sign_in(order.name, keep=order.keep)
        name, free = await take_seat(client, order)
        table = client.table(name)
        async with seat_given_up(client, name), first_failure(), asyncio.TaskGroup() as group:
            if not order.quiet:
                group.create_task(narrate(table, plays=order.watch))
            for seat in free:
                partner = PolicyBot(order.fill or "simple")
                partner.name = f"{order.fill} {seat}"
                group.create_task(
                    run_bot(order.server, partner, table=name, seat=seat, tls=order.tls, insecure=order.insecure)
                )
            result = await play_match(client, player, table=name, seat=order.seat, manners=manners)
        return result, table.view.info


@asynccontextmanager
async def seat_given_up(client: Client, table: str) -> AsyncIterator[None]:
    """When it is called off before the match began, leave the table: nobody should wait for a bot that is gone."""
    from gouji_client import GoujiError

    try:
        yield
    except asyncio.CancelledError:
        with suppress(GoujiError, TimeoutError):
            await asyncio.wait_for(client.lobby.leave(table), LEAVE_SECONDS)
        raise


async def narrate(table: Table, *, plays: bool) -> None:
    """Tell how the deals end, or with `plays` every trick."""
    from gouji_cli.demo.display import PlainDisplay
    from gouji_cli.narration import Narrator
    from gouji_cli.scene import Scene

    scene = Scene()
    narrator = Narrator.for_terminal(scene)
    display = PlainDisplay(narrator, out())
    async with aclosing(table.updates()) as updates:
        async for update in updates:
            scene.apply(update)
            if plays:
                display.show(update)
            elif any(event.HasField("deal_ended") for event in update.events):
                ended = scene.outcomes[-1]
                out().print(Text.assemble(f"deal {ended.deal}: ", narrator.scores(ended.scores)))


async def take_seat(client: Client, order: Order) -> tuple[str, list[int]]:
    """Return the table asked for, or join an open one, or make one; and the seats that this command should fill."""
    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Refused

    if order.table not in ("any", "new"):
        name = order.table if order.table.startswith("tables/") else f"tables/{order.table}"
        return name, []  # where it may sit already, from an earlier run
    if order.table == "any":
        async for found in client.lobby.tables(state=lobby_pb2.TABLE_STATE_WAITING, with_free_seat=True):
            try:
                seat = await client.lobby.join(found.name, order.seat)
            except Refused as refused:
                logger.info("%s could not be joined: %s", found.name, refused)
            else:
                order.say(f"joined {found.name}, seat {seat}")
                async with seat_given_up(client, found.name):
                    await say_who_is_missing(client, found.name, order)
                return found.name, []
    return await make_table(client, order)


async def say_who_is_missing(client: Client, table: str, order: Order) -> None:
    """Tell at a table that somebody else made whom it waits for, and the way not to wait."""
    from gouji_client.lobby import free_seats

    if missing := len(free_seats(await client.lobby.get(table))):
        others = "another player" if missing == 1 else f"{missing} other players"
        order.say(f"waiting for {others}; `--table new` makes a table that is filled at once")


async def make_table(client: Client, order: Order) -> tuple[str, list[int]]:
    """Make a table; return its name and the seats that this command should fill."""
    new = order.new if order.seat is None else replace(order.new, seat=order.seat)
    made = await client.lobby.create(new)
    order.say(f"made {made.name}")
    if order.fill is None:
        order.say(f"waiting for five others: {own_command()} bot run --server {order.server} --table {made.name}")
        return made.name, []
    free = [player.seat for player in made.players if not player.account and not player.bot]
    if not order.house:
        return made.name, free
    for seat in free:
        await client.lobby.add_bot(made.name, order.fill, seat)
    return made.name, []


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
    from gouji_cli.screen import ResultTable

    scene = Scene(table=info, final_scores=list(result.scores))
    scene.outcomes = [DealOutcome(deal.deal, list(deal.places), list(deal.scores), deal.sweep) for deal in result.deals]
    out().print(ResultTable(Narrator.for_terminal(scene)))
    if over:
        verdict = (
            "won" if result.won else "lost" if any(score > result.own_score for score in result.scores) else "drew"
        )
        print(plain(f"{result.table}: {verdict} in seat {result.seat}"))
    if result.faults:
        print(f"the bot failed in {result.faults} decisions; the default action was played there")

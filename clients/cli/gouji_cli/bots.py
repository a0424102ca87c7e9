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
from gouji_cli.asked_rules import AskedRules, OtherRules, told
from gouji_cli.channel_security import security
from gouji_cli.failures import STOPPED, Stopped, first_failure, run_until_stopped
from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.server_failures import as_options, failure_of, in_the_clear, name_hint
from gouji_cli.terminal import by_locale, fail, folder_fault, out, own_command, plain, print_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import TLS, Bot, Client, MatchResult, NewTable, Table

app = typer.Typer(help="Run bots.", no_args_is_help=True)

DEFAULT_SERVER = "127.0.0.1:50151"
DEFAULT_RULES = "qingdao"
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
    asked: AskedRules
    new: NewTable
    join_code: str
    seat: int | None
    fill: str | None
    house: bool
    keep: Path | None
    token: str | None
    time_limit: float | None
    strict: bool
    tls: TLS | bool
    insecure: bool
    watch: bool
    quiet: bool

    def say(self, english: str, chinese: str) -> None:
        """Tell people how far it is."""
        if not self.quiet:
            print(plain(by_locale(english, chinese)), flush=True)


@app.command("run")
def run(
    server: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help=f"The server; else the one of --keep's file, else {DEFAULT_SERVER}."),
    ] = None,
    policy: Annotated[
        str, typer.Option(metavar="POLICY", help="simple, random, module:Class or file.py:Class.")
    ] = "simple",
    name: Annotated[str, typer.Option(help="The display name, instead of the bot's own.")] = "",
    table: Annotated[
        str,
        typer.Option(
            metavar="TABLE", help="tables/…, `new`, or `any`: an open one of the rules asked for, else a new one."
        ),
    ] = "any",
    join_code: Annotated[
        str, typer.Option(metavar="CODE", help="Join the private table that this code opens, instead of --table.")
    ] = "",
    private: Annotated[
        bool, typer.Option("--private", help="Make a new table that others find by its join code alone.")
    ] = False,
    seat: Annotated[int | None, typer.Option(min=0, max=5, help="The seat wanted; else the lowest free one.")] = None,
    fill: Annotated[
        str, typer.Option(metavar="POLICY", help="Bots for a new table's free seats; none: wait for others to join.")
    ] = "simple",
    house: Annotated[
        bool, typer.Option("--house", help="Have the server play those bots, at a person's pace, and not this command.")
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(metavar="PRESET", help="The rule set; else any at an open table, and qingdao at a new one."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of that rule set.")
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Deals of the match; else any number at an open table, and at a new one what the rules say, or 3.",
        ),
    ] = None,
    time: Annotated[
        str, typer.Option(metavar="TIME", help="Time at a new table: blitz, normal, slow or none; else no clock.")
    ] = "",
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the account here, to come back as the same one.")
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Play as a bot's account by the token in this file; GOUJI_BOT_TOKEN holds one, too."
        ),
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
    ca: Annotated[
        Path | None, typer.Option("--ca", metavar="FILE", help="Over TLS, trusting the roots in this file.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow cleartext to another machine, on a network you trust.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Tell the match trick by trick.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the result, as JSON for a program.")] = False,
) -> None:
    """Play one match with a bot and print what came of it.

    The exit status is 0 when the match was played to its end, 1 when it was not, 2 for options that make no sense.
    """
    from gouji_cli.bot_failures import failure_text
    from gouji_cli.policies import NoSuchBot, load_bot
    from gouji_client import BotFailed, GoujiError, NewTable, UnsafeConnection
    from gouji_client.table_changes import TIME_PRESETS

    logging.basicConfig(format="gouji: %(message)s")
    server = server_of(keep) or DEFAULT_SERVER if server is None else server
    try:
        player = load_bot(policy, seed)
    except NoSuchBot as error:
        fail(str(error))
    if fill != "none" and fill not in gouji_bots.policies:
        known = (*gouji_bots.policies, "none")
        fail(
            by_locale(
                f"there is no policy {fill!r} to fill the table with: use {', '.join(known)}",
                f"没有 {fill!r} 这种机器人可以补位：请用 {'、'.join(known)}",
            )
        )
    if join_code and (private or table != "any"):
        fail(
            by_locale(
                "--join-code names the table: leave --table and --private out",
                "--join-code 已指定牌桌：请不要再用 --table 或 --private",
            )
        )
    if private and table not in ("any", "new"):
        fail(by_locale("--private is for a new table: leave --table out", "--private 只用于新桌：请不要再用 --table"))
    if time and time not in TIME_PRESETS:
        known = (*TIME_PRESETS,)
        fail(
            by_locale(
                f"there is no time control {time!r}: use {', '.join(known)}",
                f"没有 {time!r} 这种用时：请用 {'、'.join(known)}",
            )
        )
    played = understand(lambda: rule_set(rules or DEFAULT_RULES, settings or ()))
    set_deals = [setting for setting in settings or () if setting.partition("=")[0].strip() == "deals"]
    if deals and set_deals and deals != played.deals:
        fail(
            by_locale(
                f"--deals {deals} and --set {set_deals[-1]} are two lengths of one match: leave one out",
                f"--deals {deals} 与 --set {set_deals[-1]} 给出的盘数不同：请只写一个",
            )
        )
    changes = played.overrides() if settings else {}
    order = Order(
        server=server,
        name=name or player.display_name,
        table="new" if private else table,
        join_code=join_code,
        asked=AskedRules(
            rules=played if rules is not None or settings else None,
            deals=deals or (played.deals if "deals" in changes else 0) or None,
        ),
        new=NewTable(
            rule_set=played.name,
            options=changes,
            deals=deals or 0,
            title=name or player.display_name,
            private=private,
            time=time,
        ),
        seat=seat,
        fill=None if fill == "none" else fill,
        house=house,
        keep=keep,
        token=bot_token(token_file),
        time_limit=time_limit,
        strict=strict,
        tls=security(tls, ca),
        insecure=insecure,
        watch=watch,
        quiet=as_json,
    )
    if records is not None:
        make_folder(records)  # a match takes long, and its records are told once
    try:
        result, info = run_until_stopped(play(order, player))
        written = result.write_records(records) if records is not None else []
    except BotFailed as failed:
        fail(failure_text(failed, player, time_limit), status=FAILED)
    except UnsafeConnection:
        fail(in_the_clear(server), status=FAILED)
    except ValueError as error:  # what was given is no address, no name …
        fail(as_options(str(error)))
    except (GoujiError, OtherRules) as error:
        fail(as_options(failure_of(error)) + name_hint(error, table), status=FAILED)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int | None) else 1
        fail(
            by_locale(
                f"the bot's own code ended the program, with sys.exit({code or 0}): the match is not over",
                f"机器人的代码用 sys.exit({code or 0}) 结束了程序：这一局没有打完",
            ),
            status=FAILED,
        )
    except OSError as error:
        fail(f"{records}: {error.strerror}", status=FAILED)
    except Stopped:
        fail(by_locale("stopped", "已停止"), status=STOPPED)
    conclude(result, info, written, as_json=as_json)


def server_of(keep: Path | None) -> str:
    """Return the server of an account's file; empty where there is none that can be read."""
    from gouji_client import Credentials, CredentialsError

    try:
        return Credentials.load(keep).server if keep is not None and keep.exists() else ""
    except CredentialsError:  # told when it is used
        return ""


def bot_token(file: Path | None) -> str | None:
    """Return the bot's token to play with: the one in a file, else the one in the environment, else none."""
    if file is None:
        return os.environ.get("GOUJI_BOT_TOKEN") or None
    try:
        return file.read_text(encoding="utf-8")[:1024].strip()
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    except UnicodeDecodeError:
        fail(by_locale(f"{file}: holds no token", f"{file}：里面没有令牌"))


def make_folder(folder: Path) -> None:
    """Make the folder that the records will be written to; end with a clear error if they could not be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(folder_fault(folder, error), status=FAILED)
    if not os.access(folder, os.W_OK | os.X_OK):
        fail(by_locale(f"{folder}: may not be written to", f"{folder}：没有写入权限"), status=FAILED)


async def play(order: Order, player: Bot) -> tuple[MatchResult, lobby_pb2.Table]:
    """Sign in, take a seat, play the match; return its result and the table's lobby facts."""
    from gouji_client import Manners, PolicyBot, connect, play_match, run_bot

    manners = Manners(on_error="raise" if order.strict else "default", time_limit=order.time_limit)
    async with connect(order.server, tls=order.tls, insecure=order.insecure) as client:
        if order.token is not None:
            await client.sign_in_as_bot(order.token)
        else:
            await client.sign_in(order.name, keep=order.keep)
        name, free = await take_seat(client, order)
        table = client.table(name)
        code = await client.lobby.join_code(name) if free and order.new.private else ""
        async with seat_given_up(client, name), first_failure(), asyncio.TaskGroup() as group:
            if not order.quiet:
                group.create_task(narrate(table, plays=order.watch))
            for seat in free:
                partner = PolicyBot(order.fill or "simple")
                partner.name = f"{order.fill} {seat}"
                group.create_task(
                    run_bot(
                        order.server,
                        partner,
                        table=name,
                        join_code=code,
                        seat=seat,
                        tls=order.tls,
                        insecure=order.insecure,
                    )
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
                deal = by_locale(f"deal {ended.deal}: ", f"第 {ended.deal} 盘：")
                out().print(Text.assemble(deal, narrator.scores(ended.scores)))


async def take_seat(client: Client, order: Order) -> tuple[str, list[int]]:
    """Return the table asked for, or join an open one, or make one; and the seats that this command should fill."""
    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Refused

    if order.join_code:
        return await take_place(client, order, await client.lobby.find(order.join_code)), []
    if order.table not in ("any", "new"):
        name = order.table if order.table.startswith("tables/") else f"tables/{order.table}"
        return await take_place(client, order, await client.lobby.get(name)), []
    if order.table == "any":
        async for found in client.lobby.tables(state=lobby_pb2.TABLE_STATE_WAITING, with_free_seat=True):
            if not order.asked.met_by(found):
                continue
            try:
                seat = await client.lobby.join(found.name, order.seat)
            except Refused as refused:
                logger.info("%s could not be joined: %s", found.name, refused)
            else:
                await say_joined(client, found, seat, order)
                return found.name, []
    return await make_table(client, order)


async def take_place(client: Client, order: Order, found: lobby_pb2.Table) -> str:
    """Take a seat at a table, or keep the one held there from an earlier run; return its full name."""
    from gouji_client.lobby import seat_of

    order.asked.insist(found)
    seat = seat_of(found, client.account.name)
    if seat is None:
        seat = await client.lobby.join(found.name, order.seat, join_code=order.join_code)
    await say_joined(client, found, seat, order)
    return found.name


async def say_joined(client: Client, table: lobby_pb2.Table, seat: int, order: Order) -> None:
    """Tell where it sits now, by what rules and how long, and whom the table waits for."""
    rules = told(table)
    order.say(f"joined {table.name}, seat {seat}: {rules}", f"已加入 {table.name}，座位 {seat}：{rules}")
    async with seat_given_up(client, table.name):
        await say_who_is_missing(client, table.name, order)


async def say_who_is_missing(client: Client, table: str, order: Order) -> None:
    """Tell at a table that somebody else made whom it waits for, and the way not to wait."""
    from gouji_client.lobby import free_seats

    if missing := len(free_seats(await client.lobby.get(table))):
        others = "another player" if missing == 1 else f"{missing} other players"
        order.say(
            f"waiting for {others}; `--table new` makes a table that is filled at once",
            f"还差 {missing} 人；`--table new` 另开一桌，立即坐满",
        )


async def make_table(client: Client, order: Order) -> tuple[str, list[int]]:
    """Make a table; return its name and the seats that this command should fill."""
    new = order.new if order.seat is None else replace(order.new, seat=order.seat)
    made = await client.lobby.create(new)
    rules = told(made)
    order.say(f"made {made.name}: {rules}", f"已开桌 {made.name}：{rules}")
    if order.new.private:
        code = await client.lobby.join_code(made.name)
        order.say(f"its join code is {code}", f"入桌码是 {code}")
        where = f"--join-code {code}"
    else:
        where = f"--table {made.name}"
    if order.fill is None:
        joining = f"{own_command()} bot run --server {order.server} {where}"
        order.say(f"waiting for five others: {joining}", f"等待其他五人加入：{joining}")
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
        fail(
            by_locale(
                f"{result.table} was closed before the match was over ({reason})",
                f"{result.table} 在打完之前已关闭（{reason}）",
            ),
            status=FAILED,
        )


def as_data(result: MatchResult, written: list[Path]) -> dict[str, Any]:
    """Return a match's result as JSON data."""
    from gouji.table.v1 import events_pb2

    data = asdict(result)
    for deal in data["deals"]:
        del deal["record"]
    data["close_reason"] = events_pb2.CloseReason.Name(result.close_reason)
    told = {"own_score": result.own_score, "winner": result.winner, "won": result.won}
    return data | told | {"records": [str(file) for file in written]}


def show(result: MatchResult, info: lobby_pb2.Table, *, over: bool) -> None:
    """Print a match's result for people."""
    from gouji_cli.narration import Narrator
    from gouji_cli.scene import DealOutcome, Scene
    from gouji_cli.screen import ResultTable

    scene = Scene(table=info, final_scores=list(result.scores), lot=result.lot)
    scene.outcomes = [DealOutcome(deal.deal, list(deal.places), list(deal.scores), deal.sweep) for deal in result.deals]
    out().print(ResultTable(Narrator.for_terminal(scene)))
    if over:
        level = result.winner is None and result.own_score == max(result.scores, default=0)
        english, chinese = ("won", "胜") if result.won else ("drew", "平") if level else ("lost", "负")
        if result.lot is not None:
            english, chinese = f"{english} by lot", f"抽签{chinese}"
        seat = result.seat
        print(plain(f"{result.table}" + by_locale(f": {english} in seat {seat}", f"：座位 {seat}，{chinese}")))
    if result.faults:
        decisions = "1 decision" if result.faults == 1 else f"{result.faults} decisions"
        print(
            by_locale(
                f"the bot failed in {decisions}; the default action was played there",
                f"机器人有 {result.faults} 次决定出错，已代以默认动作",
            )
        )

"""`gouji table`, as an account: making a table, sitting down at it, changing it while it waits, playing again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.signing_in import AsJson, Way, by_way, carry_out, signed_in
from gouji_cli.tables import app as app
from gouji_cli.tables import as_data
from gouji_cli.terminal import by_locale, fail, own_command, plain, print_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from gouji.lobby.v1 import lobby_pb2
    from gouji_client import Client
    from gouji_client.table_changes import TableChanges

T = TypeVar("T")

TableName = Annotated[str, typer.Argument(metavar="TABLE", help="tables/…, from `gouji table list`, new or find.")]
Seat = Annotated[int | None, typer.Option("--seat", min=0, max=5, help="The seat wanted; else the lowest free one.")]
JoinCode = Annotated[str, typer.Option("--join-code", metavar="CODE", help="The join code of a private table.")]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="A title for lists.")]
Rules = Annotated[str | None, typer.Option("--rules", metavar="PRESET", help="The rule set.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of the rule set.")
]
Deals = Annotated[int | None, typer.Option("--deals", min=1, max=100, help="Deals of the match.")]
Time = Annotated[str | None, typer.Option("--time", metavar="TIME", help="blitz, normal, slow or none.")]
Private = Annotated[bool | None, typer.Option("--private/--public", help="In no list, and found by a join code alone.")]
Spectators = Annotated[
    bool | None, typer.Option("--spectators/--no-spectators", help="Whether people without a seat may watch.")
]
Delay = Annotated[
    float | None,
    typer.Option("--delay", min=0, max=600, metavar="SECONDS", help="Tell them what happens so much later."),
]
TeamChat = Annotated[
    bool | None, typer.Option("--team-chat/--no-team-chat", help="Whether allies may talk in the match.")
]
Hints = Annotated[bool | None, typer.Option("--hints/--no-hints", help="Whether players may ask for hints.")]


def _do(way: Way, work: Callable[[Client], Awaitable[T]]) -> T:
    """Do something as the account, in one session."""

    async def work_signed_in() -> T:
        async with signed_in(way) as client:
            return await work(client)

    return carry_out(way, work_signed_in())


@app.command("new")
@by_way
def new(
    way: Way,
    title: Title = None,
    rules: Rules = None,
    settings: Settings = None,
    deals: Deals = None,
    time: Time = None,
    private: Private = None,
    spectators: Spectators = None,
    delay: Delay = None,
    team_chat: TeamChat = None,
    hints: Hints = None,
    rated: Annotated[
        bool,
        typer.Option("--rated", help="The match counts: no hints, no team chat; seats of one address are told."),
    ] = False,
    seat: Annotated[int, typer.Option("--seat", min=0, max=5, help="The seat to take.")] = 0,
    without_seat: Annotated[bool, typer.Option("--without-seat", help="Take no seat.")] = False,
    fill: Annotated[
        str, typer.Option("--fill", metavar="POLICY", help="Put the server's built-in bots in the free seats.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make a table of your own, and sit down at it.

    It waits until six seats are taken and ready. `gouji bot run --keep FILE --table TABLE` plays your seat.
    """
    from gouji_client import NewTable
    from gouji_client.lobby import free_seats

    asked = understand(lambda: rule_set(rules or "qingdao", settings or ()))
    wanted = NewTable(
        title=title or "",
        rule_set=asked.name,
        options=asked.overrides() if settings else {},
        deals=deals or 0,
        time=time or "",
        private=bool(private),
        spectators=spectators is not False,
        spectator_delay_seconds=delay,
        team_chat=bool(team_chat),
        hints=hints is not False,
        rated=rated,
        seat=seat,
        with_seat=not without_seat,
    )

    async def make(client: Client) -> tuple[lobby_pb2.Table, str]:
        made = await client.lobby.create(wanted)
        for free in free_seats(made) if fill else ():
            await client.lobby.add_bot(made, fill, free)
        return await client.lobby.get(made), await client.lobby.join_code(made) if private else ""

    made, code = _do(way, make)
    _show(made, code, way, as_json=as_json)


@app.command("show")
@by_way
def show(table: TableName, way: Way, join_code: JoinCode = "", as_json: AsJson = False) -> None:
    """Show a table: what is played there, and who sits where."""
    _show(_do(way, lambda client: client.lobby.get(table, join_code=join_code)), as_json=as_json)


@app.command("find")
@by_way
def find(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The join code, as somebody told it to you.")],
    way: Way,
    as_json: AsJson = False,
) -> None:
    """Find a private table by its join code."""
    _show(_do(way, lambda client: client.lobby.find(code)), as_json=as_json)


@app.command("join")
@by_way
def join(table: TableName, way: Way, seat: Seat = None, join_code: JoinCode = "") -> None:
    """Sit down at a table that waits.

    Who is not seen at a table for a while loses the seat again: `gouji bot run --keep FILE --table TABLE` plays it.
    """
    taken = _do(way, lambda client: client.lobby.join(table, seat, join_code=join_code))
    print(plain(by_locale(f"you sit in seat {taken}", f"你坐在座位 {taken}")))


@app.command("leave")
@by_way
def leave(table: TableName, way: Way) -> None:
    """Give your seat up, before the match begins."""
    _do(way, lambda client: client.lobby.leave(table))
    print(plain(by_locale("the seat is free", "已离座")))


@app.command("ready")
@by_way
def ready(
    table: TableName,
    way: Way,
    off: Annotated[bool, typer.Option("--off", help="Not ready any more.")] = False,
) -> None:
    """Say that you are ready: with six who are the match begins at once, and your seat is asked."""
    _do(way, lambda client: client.lobby.set_ready(table, ready=not off))
    print(plain(by_locale("not ready", "已取消准备") if off else by_locale("ready", "已准备")))


@app.command("add-bot")
@by_way
def add_bot(
    table: TableName,
    way: Way,
    policy: Annotated[str, typer.Option("--policy", metavar="POLICY", help="simple or random.")] = "simple",
    seat: Seat = None,
) -> None:
    """Put one of the server's built-in bots in a free seat of your table."""
    taken = _do(way, lambda client: client.lobby.add_bot(table, policy, seat))
    print(plain(by_locale(f"it sits in seat {taken}", f"机器人坐在座位 {taken}")))


@app.command("kick")
@by_way
def kick(
    table: TableName,
    seat: Annotated[int, typer.Argument(min=0, max=5, metavar="SEAT", help="The seat, 0 to 5.")],
    way: Way,
    account: Annotated[
        str, typer.Option("--account", metavar="ACCOUNT", help="Only if this account, accounts/…, sits there.")
    ] = "",
    ban: Annotated[bool, typer.Option("--ban", help="It may not sit down at this table again.")] = False,
) -> None:
    """Take a seat of your table, while it waits, from who sits there."""
    _do(way, lambda client: client.lobby.kick(table, seat, account=account, ban=ban))
    print(plain(by_locale(f"seat {seat} is free", f"座位 {seat} 已空出")))


@app.command("opposite")
@by_way
def opposite(
    table: TableName,
    seat: Annotated[int, typer.Argument(min=0, max=5, metavar="SEAT", help="Where the one wanted sits.")],
    way: Way,
) -> None:
    """Choose your opposite, where the rules have it so (R9, seating = choose_opposite)."""
    now = _do(way, lambda client: client.lobby.choose_opposite(table, seat))
    print(plain(by_locale(f"you sit in seat {now}", f"你坐在座位 {now}")))


@app.command("update")
@by_way
def update(
    table: TableName,
    way: Way,
    title: Title = None,
    rules: Rules = None,
    settings: Settings = None,
    deals: Deals = None,
    time: Time = None,
    private: Private = None,
    spectators: Spectators = None,
    delay: Delay = None,
    team_chat: TeamChat = None,
    hints: Hints = None,
    as_json: AsJson = False,
) -> None:
    """Change your table while it waits. What you do not name stays as it is.

    `--set` replaces all that differs from the rule set; `--rules` without it drops that. Where rules, deals or times
    change, all who were ready have to say so again.
    """
    changes = _changes(title=title, deals=deals, time=time, private=private, spectators=spectators)
    changes |= _changes(team_chat=team_chat, hints=hints)
    if delay is not None:
        changes["spectator_delay_seconds"] = delay
    if not changes and rules is None and settings is None:
        fail(by_locale("say what is to change: --help lists what can", "请说明要改什么：--help 列出可改的"))

    async def change(client: Client) -> tuple[lobby_pb2.Table, str]:
        before = await client.lobby.get(table)
        changed = await client.lobby.update(table, **(changes | _changed_rules(before, rules, settings)))
        became_private = changed.private and not before.private
        return changed, await client.lobby.join_code(table) if became_private else ""

    changed, code = _do(way, change)
    _show(changed, code, way, as_json=as_json)


def _changes(**given: Any) -> TableChanges:
    changes: TableChanges = {}
    changes.update({name: value for name, value in given.items() if value is not None})  # type: ignore[typeddict-item]
    return changes


def _changed_rules(table: lobby_pb2.Table, rules: str | None, settings: Sequence[str] | None) -> TableChanges:
    """Return what is to change about a table's rules, checked before it is sent."""
    if rules is None and settings is None:
        return {}
    played = rules or table.rule_set.removeprefix("ruleSets/")
    asked = understand(lambda: rule_set(played, settings or ()))
    changes: TableChanges = {"rule_set": asked.name}
    if settings:
        changes["options"] = asked.overrides()
    return changes


@app.command("code")
@by_way
def code_of(
    table: TableName,
    way: Way,
    reset: Annotated[bool, typer.Option("--reset", help="Have another one drawn; the old one opens nothing.")] = False,
) -> None:
    """Print the join code of a private table at which you sit, to tell it to others."""
    lobby = _do(way, lambda client: (client.lobby.reset_join_code if reset else client.lobby.join_code)(table))
    print(lobby)


@app.command("rematch")
@by_way
def rematch(table: TableName, way: Way, as_json: AsJson = False) -> None:
    """Play the match of a table that is over again: sit down at the new table, the same for all who ask.

    `gouji bot run --keep FILE --table TABLE` plays your seat there.
    """
    again, _seat = _do(way, lambda client: client.lobby.rematch(table))
    _show(again, as_json=as_json)


def _show(table: lobby_pb2.Table, code: str = "", way: Way | None = None, *, as_json: bool) -> None:
    told = as_data(table) | _details(table)
    if code:
        told["join_code"] = code
    if as_json:
        print_json(told)
        return
    seats = told.pop("seats")
    del told["players"], told["free_seats"]
    for name, value in told.items():
        shown = " ".join(f"{option}={text}" for option, text in value.items()) if isinstance(value, dict) else value
        if isinstance(value, list):  # groups of seats
            shown = ", ".join("+".join(map(str, group)) for group in value)
        if shown not in ("", None):
            print(plain(f"{name}: {shown}"))
    for seat in seats:
        ready = by_locale("  ready", "  已准备") if seat["ready"] else ""
        print(plain(f"seat {seat['seat']}: {_who(seat)}{ready}"))
    if code and way is not None:
        hint = f"{own_command()} bot run --server {way.server or way.credentials().server} --join-code {code}"
        print(plain(by_locale(f"others join it by: {hint}", f"他人加入：{hint}")))


def _who(seat: dict[str, Any]) -> str:
    if seat["account"]:
        return f"{seat['display_name']} ({seat['account']})"
    if seat["bot"]:
        return by_locale(f"built-in bot {seat['bot']}", f"内置机器人 {seat['bot']}")
    if seat["reserved_for"]:
        return by_locale(f"kept for {seat['reserved_for']}", f"留给 {seat['reserved_for']}")
    return by_locale("free", "空")


def _details(table: lobby_pb2.Table) -> dict[str, Any]:
    """Return what there is to say of one table, beyond what lists show."""
    from gouji.lobby.v1 import lobby_pb2

    control = table.time_control
    named = lobby_pb2.TimePreset.Name(control.preset).removeprefix("TIME_PRESET_").lower()
    own = f"{control.decision_time.ToSeconds()} s + {control.bank.ToSeconds()} s"
    return {
        "owner": table.owner,
        "time": named if control.preset else own,
        "options": {option.field: option.value for option in table.options},
        "private": table.private,
        "spectators": table.spectators_allowed,
        "hints": table.hints,
        "team_chat": table.team_chat,
        "rated": table.rated,
        "same_address": [list(group.seats) for group in table.same_address],
        "rematch": table.rematch,
        "seats": [
            {
                "seat": player.seat,
                "account": player.account,
                "display_name": player.display_name,
                "bot": player.bot,
                "ready": player.ready,
                "reserved_for": player.reserved_for,
            }
            for player in table.players
        ],
    }

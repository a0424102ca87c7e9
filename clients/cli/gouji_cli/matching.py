"""`gouji match`: being put together with others by the server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.signing_in import AsJson, Way, by_way, carry_out, signed_in, when
from gouji_cli.terminal import by_locale, fail, out, own_command, plain, print_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gouji.matchmaking.v1 import matchmaking_pb2
    from gouji_client import Client

app = typer.Typer(help="Find people to play with.", no_args_is_help=True)
parties = typer.Typer(help="Wait together with one or two allies.", no_args_is_help=True)
app.add_typer(parties, name="party")

CANCEL_SECONDS = 2.0
"""How long a stopped command tries to give its ticket up."""

Ticket = Annotated[str, typer.Argument(metavar="TICKET", help="tickets/…, from `gouji match find`.")]
PartyName = Annotated[str, typer.Argument(metavar="PARTY", help="parties/…, from `gouji match party new`.")]


@app.callback()
def match() -> None:
    """Wait until six people can be put together.

    `--keep FILE` names the file of the account that waits, which `gouji account new` writes.
    """


@app.command("find")
@by_way
def find(
    way: Way,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", metavar="PRESET", help="A rule set that will do; several may be given. Else qingdao."),
    ] = None,
    region: Annotated[str, typer.Option("--region", metavar="NAME", help="Only people of this region.")] = "",
    party: Annotated[str, typer.Option("--party", metavar="PARTY", help="Wait with the party that you lead.")] = "",
    bots_after: Annotated[
        float | None,
        typer.Option("--bots-after", min=0, max=1800, metavar="SECONDS", help="Built-in bots may fill up then."),
    ] = None,
    window: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--window",
            metavar="FIRST STEP MOST",
            help="By how much ratings may differ: at first, more for every ten seconds, at most.",
        ),
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Print the ticket and end; it goes on waiting.")] = False,
    as_json: AsJson = False,
) -> None:
    """Wait for others, and tell how far it is until the match begins; Ctrl-C gives the ticket up.

    When the ticket is called, play the seat that is kept for you, in time, from another terminal; the command is shown.
    The exit status is 0 when the match began, 1 when it did not.
    """
    names = [understand(partial(rule_set, name, ())).name for name in rules or ["qingdao"]]

    async def wait() -> matchmaking_pb2.Ticket:
        async with signed_in(way) as client:
            ticket = await client.matchmaking.queue(
                names, region=region, party=party, window=window, fill_with_bots_after=bots_after
            )
            if detach:
                return ticket
            try:
                return await _followed(client, ticket.name, way, as_json=as_json)
            except asyncio.CancelledError:
                with suppress(Exception):
                    await asyncio.wait_for(client.matchmaking.cancel(ticket.name), CANCEL_SECONDS)
                raise

    ticket = carry_out(way, wait())
    if detach:
        _tell(ticket, way, as_json=as_json)
    else:
        _conclude(ticket)


@app.command("watch")
@by_way
def watch(ticket: Ticket, way: Way, as_json: AsJson = False) -> None:
    """Tell how far a ticket is, whenever that changes; Ctrl-C leaves it waiting.

    The exit status is 0 when the match began, 1 when it did not.
    """

    async def look() -> matchmaking_pb2.Ticket:
        async with signed_in(way) as client:
            return await _followed(client, ticket, way, as_json=as_json)

    _conclude(carry_out(way, look()))


@app.command("show")
@by_way
def show(ticket: Ticket, way: Way, as_json: AsJson = False) -> None:
    """Show how far a ticket is."""
    _tell(_ask(way, lambda client: client.matchmaking.get(ticket)), way, as_json=as_json)


@app.command("cancel")
@by_way
def cancel(ticket: Ticket, way: Way, as_json: AsJson = False) -> None:
    """Give a ticket up. One that is over stays as it is."""
    _tell(_ask(way, lambda client: client.matchmaking.cancel(ticket)), way, as_json=as_json)


@app.command("queues")
@by_way
def queues(way: Way, as_json: AsJson = False) -> None:
    """Show how many wait for each rule set, and for how long one waits. Fewer than three are not counted aloud."""

    async def look() -> list[matchmaking_pb2.Queue]:
        async with signed_in(way) as client:
            return await client.matchmaking.queues()

    rows = [
        {
            "rule_set": queue.rule_set.removeprefix("ruleSets/"),
            "people": queue.people if queue.HasField("people") else None,
            "expected_wait_seconds": queue.expected_wait.ToMilliseconds() / 1000
            if queue.HasField("expected_wait")
            else None,
        }
        for queue in carry_out(way, look())
    ]
    if as_json:
        print_json(rows)
        return
    heads = (("rules", "规则"), ("people", "人数"), ("seconds one waits", "等待秒数"))
    shown = Table(*(by_locale(*head) for head in heads))
    for row in rows:
        people = by_locale("few", "很少") if row["people"] is None else str(row["people"])
        wait = row["expected_wait_seconds"]
        shown.add_row(str(row["rule_set"]), people, "–" if wait is None else f"{wait:.0f}")
    out().print(shown)


# ── parties ──


@parties.command("new")
@by_way
def new_party(way: Way, as_json: AsJson = False) -> None:
    """Make a party of allies that you lead, and print the code by which up to two others enter it."""
    _tell_party(_ask(way, lambda client: client.matchmaking.create_party()), as_json=as_json)


@parties.command("join")
@by_way
def join_party(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The party's code, as its leader told it to you.")],
    way: Way,
    as_json: AsJson = False,
) -> None:
    """Enter a party by its code."""
    _tell_party(_ask(way, lambda client: client.matchmaking.join_party(code)), as_json=as_json)


@parties.command("show")
@by_way
def show_party(party: PartyName, way: Way, as_json: AsJson = False) -> None:
    """Show a party of yours: who is in it, its code, and its ticket."""
    _tell_party(_ask(way, lambda client: client.matchmaking.party(party)), as_json=as_json)


@parties.command("leave")
@by_way
def leave_party(party: PartyName, way: Way) -> None:
    """Leave a party; its ticket is cancelled if it waits. Without its leader it is no more."""
    _ask(way, lambda client: client.matchmaking.leave_party(party))
    print(plain(by_locale("left", "已离队")))


# ── telling ──


def _ask(way: Way, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def ask() -> Any:
        async with signed_in(way) as client:
            return await work(client)

    return carry_out(way, ask())


async def _followed(client: Client, name: str, way: Way, *, as_json: bool) -> matchmaking_pb2.Ticket:
    """Tell of a ticket whenever its state changes, and return it as it ended."""
    told = None
    async with aclosing(client.matchmaking.watch(name)) as changes:
        async for ticket in changes:
            if told is None or (ticket.state, ticket.table) != (told.state, told.table):
                _tell(ticket, way, as_json=as_json)
            told = ticket
    if told is None:
        fail(by_locale(f"nothing was told of {name}", f"没有 {name} 的消息"), status=1)
    return told


def _state(ticket: matchmaking_pb2.Ticket) -> str:
    from gouji.matchmaking.v1 import matchmaking_pb2

    return matchmaking_pb2.TicketState.Name(ticket.state).removeprefix("TICKET_STATE_").lower()


def _conclude(ticket: matchmaking_pb2.Ticket) -> None:
    if _state(ticket) != "matched":
        raise typer.Exit(1)


def _tell(ticket: matchmaking_pb2.Ticket, way: Way, *, as_json: bool) -> None:
    state = _state(ticket)
    if as_json:
        print_json(
            {
                "ticket": ticket.name,
                "state": state,
                "accounts": list(ticket.accounts),
                "rule_sets": [name.removeprefix("ruleSets/") for name in ticket.rule_sets],
                "region": ticket.region,
                "table": ticket.table,
                "ready_until": when(ticket.ready_until) if ticket.HasField("ready_until") else None,
            }
        )
        return
    words = {
        "queued": by_locale("waiting for others", "等待其他人"),
        "called": by_locale(f"called to {ticket.table}", f"已被叫到 {ticket.table}"),
        "matched": by_locale(f"the match at {ticket.table} has begun", f"{ticket.table} 的牌局已开始"),
        "cancelled": by_locale("given up", "已取消"),
        "expired": by_locale("over: it waited too long, or somebody did not come", "已过期：等得太久，或有人没来"),
    }
    print(plain(f"{ticket.name}: {words[state]}"), flush=True)
    if state == "called":
        command = f"{own_command()} bot run --keep {way.keep} --table {ticket.table}"
        if way.server:
            command += f" --server {way.server}"
        until = when(ticket.ready_until)
        print(plain(by_locale(f"play by {until}: {command}", f"请在 {until} 前入座：{command}")), flush=True)


def _tell_party(party: matchmaking_pb2.Party, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "party": party.name,
                "join_code": party.join_code,
                "accounts": list(party.accounts),
                "ticket": party.ticket,
            }
        )
        return
    print(plain(f"{party.name}: " + ", ".join(party.accounts)))
    print(plain(by_locale(f"its code is {party.join_code}", f"入队码是 {party.join_code}")))
    if party.ticket:
        print(plain(party.ticket))

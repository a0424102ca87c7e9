"""`gouji bot account` and `gouji bot token`: bots of one's own, and what programs sign in with as them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gouji_cli.signing_in import AsJson, Way, by_way, carry_out, signed_in, when
from gouji_cli.terminal import by_locale, out, plain, print_json

if TYPE_CHECKING:
    from gouji.session.v1 import session_pb2

accounts = typer.Typer(help="Accounts for your bots.", no_args_is_help=True)
tokens = typer.Typer(help="Tokens by which programs sign in as your bots.", no_args_is_help=True)

Bot = Annotated[str, typer.Argument(metavar="BOT", help="accounts/…, from `gouji bot account list`.")]


@accounts.command("create")
@by_way
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's display name.")],
    way: Way,
) -> None:
    """Make an account for a bot; print its resource name."""

    async def make() -> str:
        async with signed_in(way) as client:
            return (await client.accounts.create_bot(name)).name

    print(carry_out(way, make()))


@accounts.command("list")
@by_way
def list_bots(
    way: Way,
    as_json: AsJson = False,
) -> None:
    """List the bots of the account."""

    async def look() -> list[session_pb2.Account]:
        async with signed_in(way) as client:
            return await client.accounts.bots()

    rows = [{"account": bot.name, "display_name": bot.display_name} for bot in carry_out(way, look())]
    _show(rows, by_locale("no bots", "没有机器人"), as_json=as_json)


@accounts.command("delete")
@by_way
def delete(
    bot: Bot,
    way: Way,
) -> None:
    """Delete a bot's account; its tokens are void at once."""

    async def end() -> None:
        async with signed_in(way) as client:
            await client.accounts.delete_bot(bot)

    carry_out(way, end())
    print(plain(by_locale("deleted", "已删除")))


@tokens.command("create")
@by_way
def create_token(
    bot: Bot,
    way: Way,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="SCOPE", help="play, lobby, watch, chat; else the first three."),
    ] = None,
    description: Annotated[str, typer.Option("--for", metavar="TEXT", help="What it is for.")] = "",
    days: Annotated[float | None, typer.Option("--days", min=0.001, max=36500, help="How long it is good.")] = None,
) -> None:
    """Make a token and print it. It is shown this once: keep it where only the program reads it."""
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)

    async def make() -> str:
        async with signed_in(way) as client:
            made = await client.accounts.create_bot_token(
                bot, scopes=scope or (), description=description, expires=expires
            )
            return made[1]

    print(carry_out(way, make()))


@tokens.command("list")
@by_way
def list_tokens(
    bot: Bot,
    way: Way,
    as_json: AsJson = False,
) -> None:
    """List the tokens of a bot that are good."""
    from gouji.session.v1 import session_pb2

    async def look() -> list[session_pb2.BotToken]:
        async with signed_in(way) as client:
            return await client.accounts.bot_tokens(bot)

    rows = [
        {
            "token": token.name,
            "for": token.description,
            "scopes": " ".join(
                session_pb2.BotScope.Name(scope).removeprefix("BOT_SCOPE_").lower() for scope in token.scopes
            ),
            "lapses": when(token.expire_time) if token.HasField("expire_time") else "",
            "used": when(token.last_use_time) if token.HasField("last_use_time") else "",
        }
        for token in carry_out(way, look())
    ]
    _show(rows, by_locale("no tokens", "没有令牌"), as_json=as_json)


@tokens.command("revoke")
@by_way
def revoke_token(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="accounts/…/tokens/…, from `gouji bot token list`.")],
    way: Way,
) -> None:
    """Make a token void at once: whoever signed in with it is out."""

    async def end() -> None:
        async with signed_in(way) as client:
            await client.accounts.revoke_bot_token(token)

    carry_out(way, end())
    print(plain(by_locale("revoked", "已撤销")))


def _show(rows: list[dict[str, Any]], nothing: str, *, as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    if not rows:
        print(plain(nothing))
        return
    table = Table(box=None)
    for heading in rows[0]:
        table.add_column(heading, no_wrap=heading in ("account", "token"))
    for row in rows:
        table.add_row(*(plain(value) for value in row.values()))
    out().print(table)

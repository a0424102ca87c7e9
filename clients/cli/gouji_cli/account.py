"""`gouji account`: an account and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gouji_cli.signing_in import AsJson, Ca, Insecure, Keep, Server, UseTls, Way, carry_out, signed_in, when
from gouji_cli.terminal import by_locale, out, plain, print_json

if TYPE_CHECKING:
    from gouji.session.v1 import session_pb2

app = typer.Typer(help="An account: where it is signed in, and what belongs to it.", no_args_is_help=True)


@app.callback()
def account() -> None:
    """Show and change an account. `--keep FILE` names the file that `gouji bot run --keep FILE` wrote."""


@app.command("show")
def show(
    keep: Keep,
    server: Server = "",
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """Show whose file it is, as the server knows the account."""
    way = Way(keep, server, tls, ca, insecure)

    async def look() -> session_pb2.Account:
        async with signed_in(way) as client:
            return await client.accounts.me()

    told = as_data(carry_out(way, look()))
    if as_json:
        print_json(told)
        return
    for name, value in told.items():
        print(plain(f"{name}: {value}"))


@app.command("sessions")
def sessions(
    keep: Keep,
    server: Server = "",
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """List where the account is signed in, last used first. The session of this command itself is left out."""
    way = Way(keep, server, tls, ca, insecure)

    async def look() -> list[session_pb2.OpenSession]:
        async with signed_in(way) as client:
            return [session for session in await client.accounts.sessions() if not session.current]

    found = carry_out(way, look())
    if as_json:
        print_json(
            [
                {
                    "name": session.name,
                    "client": session.client,
                    "begun": when(session.create_time),
                    "used": when(session.last_use_time),
                    "lapses": when(session.expire_time),
                }
                for session in found
            ]
        )
    elif found:
        table = Table(box=None)
        for heading in (by_locale("session", "会话"), by_locale("client", "客户端"), by_locale("used", "最近使用")):
            table.add_column(heading, no_wrap=True)
        for session in found:
            table.add_row(session.name, plain(session.client), when(session.last_use_time))
        out().print(table)
    else:
        print(plain(by_locale("signed in nowhere else", "没有在别处登录")))


@app.command("revoke")
def revoke(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="sessions/…, from `gouji account sessions`.")],
    keep: Keep,
    server: Server = "",
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
) -> None:
    """End one session at once: whoever uses it is signed out."""
    way = Way(keep, server, tls, ca, insecure)

    async def end() -> None:
        async with signed_in(way) as client:
            await client.accounts.revoke_session(session)

    carry_out(way, end())
    print(plain(by_locale("ended", "已结束")))


@app.command("sign-out-everywhere")
def sign_out_everywhere(
    keep: Keep,
    server: Server = "",
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
    replace_secret: Annotated[
        bool,
        typer.Option("--replace-secret", help="Make every copy of the file useless too, and write it anew here."),
    ] = False,
) -> None:
    """End all sessions of the account at once."""
    way = Way(keep, server, tls, ca, insecure)

    async def end() -> None:
        async with signed_in(way) as client:
            if replace_secret:
                (await client.accounts.replace_device_secret()).save(keep)
            else:
                await client.accounts.sign_out_everywhere()

    carry_out(way, end())
    print(plain(by_locale("signed out everywhere", "已在各处登出")))


def as_data(account: session_pb2.Account) -> dict[str, Any]:
    """Return what there is to say of an account."""
    return {
        "account": account.name,
        "display_name": account.display_name,
        "made": when(account.create_time),
    }

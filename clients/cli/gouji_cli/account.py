"""`gouji account`: an account and what belongs to it."""

from __future__ import annotations

import asyncio
import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gouji_cli.signing_in import (
    AsJson,
    Ca,
    Insecure,
    Server,
    UseTls,
    Way,
    by_way,
    carry_out,
    connected,
    signed_in,
    when,
)
from gouji_cli.terminal import by_locale, fail, out, plain, print_json

if TYPE_CHECKING:
    from gouji.session.v1 import session_pb2

app = typer.Typer(help="An account: where it is signed in, and what belongs to it.", no_args_is_help=True)


@app.callback()
def account() -> None:
    """Make, show and change an account. `--keep FILE` names its file, which `new` writes."""


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What others are to see.")],
    keep: Annotated[Path, typer.Option("--keep", metavar="FILE", help="Write the account's credentials here.")],
    server: Server = None,
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
) -> None:
    """Make a guest's account, keep what makes later commands come back as it, and print its resource name."""
    way = Way(keep, server, tls, ca, insecure)
    if keep.exists():
        fail(by_locale(f"{keep} is there already: name another file", f"{keep} 已存在：请换一个文件名"))
    if not keep.absolute().parent.is_dir():  # before there is an account that nobody could come back as
        fail(by_locale(f"{keep}: there is no such folder", f"{keep}：没有这个文件夹"))

    async def make() -> str:
        async with connected(way) as client:
            made = await client.sign_in(name, keep=keep)
            await client.sign_out()
            return made.account

    print(carry_out(way, make()))


@app.command("show")
@by_way
def show(
    way: Way,
    as_json: AsJson = False,
) -> None:
    """Show whose file it is, as the server knows the account."""

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
@by_way
def sessions(
    way: Way,
    as_json: AsJson = False,
) -> None:
    """List where the account is signed in, last used first. The session of this command itself is left out."""

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
@by_way
def revoke(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="sessions/…, from `gouji account sessions`.")],
    way: Way,
) -> None:
    """End one session at once: whoever uses it is signed out."""

    async def end() -> None:
        async with signed_in(way) as client:
            await client.accounts.revoke_session(session)

    carry_out(way, end())
    print(plain(by_locale("ended", "已结束")))


@app.command("sign-out-everywhere")
@by_way
def sign_out_everywhere(
    way: Way,
    replace_secret: Annotated[
        bool,
        typer.Option("--replace-secret", help="Make every copy of the file useless too, and write it anew here."),
    ] = False,
) -> None:
    """End all sessions of the account at once."""

    async def end() -> None:
        async with signed_in(way) as client:
            if replace_secret:
                (await client.accounts.replace_device_secret()).save(way.keep)
            else:
                await client.accounts.sign_out_everywhere()

    carry_out(way, end())
    print(plain(by_locale("signed out everywhere", "已在各处登出")))


@app.command("password")
@by_way
def password(
    way: Way,
    login: Annotated[str, typer.Option("--login", metavar="NAME", help="The name to sign in with.")] = "",
) -> None:
    """Set or change the password; a guest becomes an account that comes back from any device.

    Passwords are asked for and not shown. Where input is no terminal they are lines of it: the current one, if there is
    one, then the new one.
    """

    async def change() -> str:
        async with signed_in(way) as client:
            had = (await client.accounts.me()).login_name
            if not had and not login:
                fail(by_locale("choose a name to sign in with: --login NAME", "请选一个登录名：--login NAME"))
            current = await asyncio.to_thread(ask_password, "current password", "当前密码") if had else ""
            new = await asyncio.to_thread(ask_new_password)
            return (await client.accounts.set_password(login, new, current)).login_name

    name = carry_out(way, change())
    print(plain(by_locale(f"{name} signs in with this password now", f"{name} 现在用此密码登录")))


@app.command("sign-in")
def sign_in(
    login: Annotated[str, typer.Argument(metavar="NAME", help="The name that `gouji account password` set.")],
    keep: Annotated[Path, typer.Option("--keep", metavar="FILE", help="Write the account's credentials here.")],
    server: Server = None,
    tls: UseTls = False,
    ca: Ca = None,
    insecure: Insecure = False,
) -> None:
    """Come back on this machine by name and password, and keep what makes later commands come back without it."""
    way = Way(keep, server, tls, ca, insecure)
    if keep.exists():
        fail(by_locale(f"{keep} is there already: name another file", f"{keep} 已存在：请换一个文件名"))
    given = ask_password("password", "密码")

    async def enter() -> str:
        from gouji_client import SignInFailed

        async with connected(way) as client:
            try:
                return (await client.sign_in_with_password(login, given, keep=keep)).account
            except SignInFailed:
                fail(by_locale("this name and password fit nobody", "登录名或密码不正确"), status=1)

    print(carry_out(way, enter()))


@app.command("rename")
@by_way
def rename(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What others are to see.")],
    way: Way,
    bot: Annotated[str, typer.Option("--bot", metavar="BOT", help="Rename this bot of yours, accounts/….")] = "",
) -> None:
    """Change the display name. At tables where the account sits it stays the old one."""

    async def change() -> str:
        async with signed_in(way) as client:
            return (await client.accounts.update(display_name=name, bot=bot)).display_name

    print(plain(carry_out(way, change())))


@app.command("block")
@by_way
def block(
    other: Annotated[str, typer.Argument(metavar="ACCOUNT", help="accounts/…, whom you want nothing to do with.")],
    way: Way,
    off: Annotated[bool, typer.Option("--off", help="Block it no more.")] = False,
) -> None:
    """Keep an account from your waiting tables. Nobody is told."""

    async def change() -> None:
        async with signed_in(way) as client:
            await (client.accounts.unblock(other) if off else client.accounts.block(other))

    carry_out(way, change())
    print(plain(by_locale("not blocked any more", "已解除屏蔽") if off else by_locale("blocked", "已屏蔽")))


@app.command("blocked")
@by_way
def blocked(
    way: Way,
    as_json: AsJson = False,
) -> None:
    """List whom the account has blocked."""

    async def look() -> list[session_pb2.BlockedAccount]:
        async with signed_in(way) as client:
            return await client.accounts.blocked()

    found = carry_out(way, look())
    if as_json:
        print_json([{"account": entry.account.name, "since": when(entry.block_time)} for entry in found])
        return
    for entry in found:
        print(plain(f"{entry.account.name}  {entry.account.display_name}"))


@app.command("delete")
@by_way
def delete(
    way: Way,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete the account and its bots, for good, and the file with it."""

    async def end() -> None:
        async with signed_in(way) as client:
            me = await client.accounts.me()
            if not yes and not await asyncio.to_thread(_is_sure, me.display_name):
                fail(by_locale("nothing was deleted", "没有删除"), status=1)
            known = await asyncio.to_thread(ask_password, "password", "密码") if me.login_name else ""
            await client.accounts.delete(known)

    carry_out(way, end())
    way.keep.unlink(missing_ok=True)
    print(plain(by_locale("deleted", "已删除")))


def _is_sure(name: str) -> bool:
    asked = by_locale(f"delete {name} for good? type yes: ", f"永久删除 {name}？请输入 yes：")
    print(plain(asked), end="", flush=True)
    return sys.stdin.readline().strip() == "yes"


def ask_password(english: str, chinese: str) -> str:
    """Ask for a password without showing it; where nobody can be asked, read a line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return getpass.getpass(plain(by_locale(f"{english}: ", f"{chinese}：")))


def ask_new_password() -> str:
    """Ask for a new password twice."""
    new = ask_password("new password", "新密码")
    if sys.stdin.isatty() and ask_password("once more", "再输入一次") != new:
        fail(by_locale("the two are not the same", "两次输入不一致"))
    return new


def as_data(account: session_pb2.Account) -> dict[str, Any]:
    """Return what there is to say of an account."""
    return {
        "account": account.name,
        "display_name": account.display_name,
        "made": when(account.create_time),
        "login_name": account.login_name,
        "locale": account.locale,
    }

"""`gouji share`: links by which others watch a table, or look at a match that is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from gouji_cli.signing_in import AsJson, Way, by_way, carry_out, signed_in, when
from gouji_cli.terminal import by_locale, plain, print_json

if TYPE_CHECKING:
    from gouji.sharing.v1 import sharing_pb2
    from gouji_client import NewShareLink

app = typer.Typer(name="share", help="Share links to tables and matches.", no_args_is_help=True)

Shared = Annotated[str, typer.Argument(metavar="TABLE|MATCH", help="tables/… or matches/….")]


@app.command("new")
@by_way
def new(
    shared: Shared,
    way: Way,
    days: Annotated[int, typer.Option("--days", min=1, max=90, help="Days that it is good for.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Make a link to a table where you sit, or to a match that you played, and print what opens it.

    It is told once: who has it watches by `gouji watch TABLE --share-link TOKEN`.
    """

    async def make() -> NewShareLink:
        async with signed_in(way) as client:
            # A minute less: the server's clock decides what is too far away.
            expires = datetime.now(UTC) + timedelta(days=days) - timedelta(minutes=1)
            return await client.sharing.create(shared, expires=expires)

    made = carry_out(way, make())
    if as_json:
        print_json(_as_data(made.link) | {"token": made.token})
    else:
        until = when(made.link.expire_time)
        print(plain(by_locale(f"{made.link.name} is good until {until}", f"{made.link.name} 有效至 {until}")))
        print(made.token)


@app.command("list")
@by_way
def list_links(shared: Shared, way: Way, as_json: AsJson = False) -> None:
    """List the good links to a table or match: yours, and of your own table everybody's."""

    async def ask() -> list[sharing_pb2.ShareLink]:
        async with signed_in(way) as client:
            return await client.sharing.links(shared)

    links = carry_out(way, ask())
    if as_json:
        print_json([_as_data(link) for link in links])
        return
    for link in links:
        print(f"{link.name}  {link.account}  {when(link.expire_time)}")


@app.command("end")
@by_way
def end(
    link: Annotated[str, typer.Argument(metavar="LINK", help="tables/…/shareLinks/…, from `gouji share list`.")],
    way: Way,
) -> None:
    """Make a link void; who watches by it watches no more."""

    async def revoke() -> None:
        async with signed_in(way) as client:
            await client.sharing.revoke(link)

    carry_out(way, revoke())
    print(plain(by_locale("the link is void", "链接已作废")))


def _as_data(link: sharing_pb2.ShareLink) -> dict[str, object]:
    return {
        "name": link.name,
        "account": link.account,
        "create_time": when(link.create_time),
        "expire_time": when(link.expire_time),
    }

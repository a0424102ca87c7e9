"""`gouji watch`: somebody else's match, as people without a seat are told it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gouji_cli.signing_in import Way, carry_out, connected
from gouji_cli.terminal import by_locale, out
from gouji_cli.terminal import plain as in_terminal

if TYPE_CHECKING:
    from gouji_cli.demo.display import Display
    from gouji_cli.scene import Scene

NAME = "watcher"
ShareLink = Annotated[str, typer.Option("--share-link", metavar="TOKEN", help="The token of a share link.")]


def watch(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="tables/…, from `gouji table list`.")],
    share_link: ShareLink = "",
    join_code: Annotated[str, typer.Option("--join-code", metavar="CODE", help="A private table's join code.")] = "",
    plain: Annotated[bool, typer.Option("--plain", help="Print it, a line a trick.")] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FILE", help="An account's credentials; else a new guest watches.")
    ] = None,
    server: Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="The server.")] = "",
    tls: Annotated[bool, typer.Option("--tls", help="Connect over TLS.")] = False,
    ca: Annotated[
        Path | None, typer.Option("--ca", metavar="FILE", help="Over TLS, trusting the roots in this file.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow cleartext to another machine, on a network you trust.")
    ] = False,
) -> None:
    """Watch a match until its end, later by the table's delay; Ctrl-C leaves.

    A private table wants a share link, its join code, or the account of somebody who sits there. Without a terminal of
    at least 70 by 24 it is told line by line.
    """
    from gouji_cli.demo.display import LiveDisplay, PlainDisplay, fits
    from gouji_cli.narration import Narrator
    from gouji_cli.scene import Scene

    scene = Scene()
    narrator = Narrator.for_terminal(scene)
    console = out()
    way = Way(keep or Path(NAME), server, tls, ca, insecure)
    live = fits(console) and not plain
    display: Display = LiveDisplay(narrator, console, table) if live else PlainDisplay(narrator, console)
    with display:
        carry_out(way, _follow(way, table, (share_link, join_code), keep, scene, display))
    if live or scene.final_scores is None:
        _conclude(scene)


async def _follow(
    way: Way, name: str, ways_in: tuple[str, str], keep: Path | None, scene: Scene, display: Display
) -> None:
    from gouji_client import Credentials, GoujiError

    known = None if keep is None else await asyncio.to_thread(Credentials.load, keep)
    async with connected(way, "" if known is None else known.server) as client:
        await client.sign_in(NAME, credentials=known)
        share_link, join_code = ways_in
        table = client.table(name, join_code=join_code, share_link=share_link)
        try:
            async with aclosing(table.updates()) as updates:
                async for update in updates:
                    scene.apply(update)
                    display.show(update)
        finally:
            with suppress(GoujiError):
                await client.sign_out()


def _conclude(scene: Scene) -> None:
    """Say how it ended, where nothing else on the terminal's own screen does."""
    if scene.final_scores is None:
        en, zh = (
            "the table is closed: `gouji replay` shows a match that was played there",
            "牌桌已关闭：可用 gouji replay 回放",
        )
    else:
        scores = ", ".join(map(str, scene.final_scores))
        en, zh = f"the match is over: {scores}", f"牌局结束：{scores}"
    print(in_terminal(by_locale(en, zh)))

"""The command itself: find the match or the record, and show it on a screen with keys, or print it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import gouji_rules as gr
from gouji_cli.narration import cards_style
from gouji_cli.records import DIFFERS, Unreadable, load, place_in, said_in, said_of
from gouji_cli.terminal import by_locale, fail, out, say_error
from gouji_rules.records import RecordError

if TYPE_CHECKING:
    from rich.console import Console

    from gouji_cli.narration import Narrator
    from gouji_cli.replaying.film import Film, Frame, RecordFilm
    from gouji_cli.replaying.served import Eyes

FAILED = 1
_MATCH = re.compile(r"(matches|tables)/[A-Za-z0-9_-]+|[a-z2-7]{32}")


def replay(
    what: Annotated[
        str, typer.Argument(metavar="FILE|MATCH", help="A record file (- is standard input), matches/… or tables/….")
    ],
    eyes: Annotated[
        str, typer.Option(metavar="EYES", help="Of a match: open (all hands), spectator, or a seat, 0 to 5.")
    ] = "open",
    deal: Annotated[int, typer.Option(min=1, help="The deal to begin with.")] = 1,
    plain: Annotated[bool, typer.Option("--plain", help="Print it, a line a trick, from that deal on.")] = False,
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server that keeps the match.")] = "",
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The account's credentials, for matches that not all may see.")
    ] = None,
    share_link: Annotated[
        str, typer.Option("--share-link", metavar="TOKEN", help="The token of a share link to the match.")
    ] = "",
    tls: Annotated[bool, typer.Option("--tls", help="Connect over TLS.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow cleartext to another machine, on a network you trust.")
    ] = False,
) -> None:
    """Look at a match that is over, or at a record, step by step.

    On a terminal of at least 70 by 24: n and p go one step on and back, space lets it run, d and u change the deal, g
    and G go to the beginning and the end, q quits. Elsewhere everything is printed. The exit status is 1 for a record
    that the rules disagree with, and for a match that cannot be had; 2 for what cannot be read as a record.
    """
    seen = read_eyes(eyes)
    if _MATCH.fullmatch(what) and not Path(what).exists():
        from gouji_cli.replaying.reaching import Reach, reached

        with reached(what, seen, Reach(server, keep, tls, insecure, share_link)) as film:
            show(film, deal, plain=plain)
        return
    record_film = of_record(what)
    if record_film.deals:
        show(record_film, deal, plain=plain)
    for difference in record_film.differences:
        say_error(said_of(what, difference))
    raise typer.Exit(DIFFERS if record_film.differences else 0)


def read_eyes(text: str) -> Eyes:
    """Return whose eyes a text names; end with a clear error for nobody's."""
    if text == "open":
        return "open"
    if text == "spectator":
        return "spectator"
    if text not in ("0", "1", "2", "3", "4", "5"):
        fail(
            by_locale(
                f"--eyes {text}: use open, spectator, or a seat from 0 to 5",
                f"--eyes {text}：请用 open、spectator 或座位 0 至 5",
            )
        )
    return int(text)


def of_record(file: str) -> RecordFilm:
    """Return a record file as a film; end with a clear error for what is none."""
    from gouji_cli.replaying.film import RecordFilm

    try:
        _, record = load(file)
        return RecordFilm(record, "-" if file == "-" else Path(file).name)
    except Unreadable as error:
        fail(str(error))
    except RecordError as error:
        fail(f"{place_in(file, error.line)}: {said_in(error)}")


def show(film: Film, deal: int, *, plain: bool) -> None:
    """Show a film from a deal on: with keys where there is a terminal for it, else printed."""
    from gouji_cli.demo.display import fits
    from gouji_cli.narration import Narrator
    from gouji_cli.replaying.keyboard import can_read_keys
    from gouji_cli.scene import Scene

    if deal > film.deals:
        fail(by_locale(f"--deal {deal}: there are {film.deals}", f"--deal {deal}：共有 {film.deals} 盘"))
    narrator = Narrator.for_terminal(Scene())
    console = out()
    if plain or not fits(console) or not can_read_keys():
        print_all(film, deal - 1, narrator, console)
    else:
        project(film, deal - 1, narrator, console)


def print_all(film: Film, deal: int, narrator: Narrator, console: Console) -> None:
    """Print a film: the hands at the beginning of each deal, then a line a trick."""
    from gouji_cli.demo.display import PlainDisplay

    for number in range(deal, film.deals):
        reel = film.reel(number)
        narrator.scene = reel.scene_at(-1)
        display = PlainDisplay(narrator, console)
        for frame in reel.frames:
            narrator.scene.apply(frame.update)
            display.show(frame.update)
            if any(event.HasField("deal_started") for event in frame.update.events):
                _print_hands(frame, narrator, console)


def _print_hands(frame: Frame, narrator: Narrator, console: Console) -> None:
    for seat, hand in enumerate(frame.hands):
        if hand:
            line = Text.assemble(f"  {seat} ", narrator.name(seat), "  ", cards_style(gr.format_cards(hand)))
            console.print(line, soft_wrap=True)


def project(film: Film, deal: int, narrator: Narrator, console: Console) -> None:
    """Show a film on the terminal's other screen, led by keys."""
    from rich.live import Live

    from gouji_cli.replaying.keyboard import keyboard
    from gouji_cli.replaying.projector import PLAY_SECONDS, Projector

    projector = Projector(film, narrator, deal)
    with keyboard() as keys, Live(projector.draw(), console=console, screen=True, auto_refresh=False) as live:
        while not projector.over:
            key = keys.read(PLAY_SECONDS if projector.running else None)
            if key is None:
                projector.tick()
            else:
                projector.press(key)
            live.update(projector.draw(), refresh=True)

"""The command itself: set up, play, show the result, write and check the records."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gouji_rules as gr
from gouji_cli.demo.pace import Pace
from gouji_cli.failures import STOPPED, Stopped, run_until_stopped
from gouji_cli.reading_rules import rule_set, understand
from gouji_cli.records import check_file, report, status_of
from gouji_cli.server_failures import failure_of
from gouji_cli.terminal import by_locale, fail, folder_fault, out, plain, print_json, say_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from gouji_cli.demo.display import Display, Photographer
    from gouji_cli.narration import Narrator
    from gouji_cli.records import Verdict
    from gouji_cli.scene import Scene

FAILED = 1
DEALS = 3
"""Of a match whose rules leave open how many."""
SERVER_LOG = "server.log"
TITLE = "够级 Gouji"


@dataclass(frozen=True, slots=True)
class Show:
    """What is shown: a match of so many deals by some rules, in about so many seconds (0: without waiting)."""

    rules: gr.RuleSet
    deals: int
    seconds: float


def demo(
    rules: Annotated[str, typer.Option(metavar="PRESET", help="The rule set.")] = "qingdao",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Change an option of that rule set.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, max=100, help="Deals of the match; else as many as the rules say, or 3.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0, max=3600, help="How long it takes, from the start to the last play, if the machine can."),
    ] = 22,
    fast: Annotated[
        bool, typer.Option("--fast", help="Plain lines and no waiting; so it is too where there is no terminal.")
    ] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the records of the match are written.")
    ] = Path("build/demo"),
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Keep a picture of the moment that shows most.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the result, as JSON for a program.")] = False,
) -> None:
    """Play a match before your eyes: a real server, six bots on connections of their own, the records checked.

    The exit status is 0 if the match was played to its end and every record agrees with the rules.
    """
    from gouji_cli.demo.display import Photographer, fits
    from gouji_cli.narration import Narrator
    from gouji_cli.scene import Scene
    from gouji_cli.screen import SMALLEST

    played = understand(lambda: rule_set(rules, settings or ()))
    console = out()
    paced = console.is_terminal and not fast and not as_json
    scene = Scene()
    narrator = Narrator.for_terminal(scene)
    if paced and not fits(console):
        wide, high = SMALLEST
        say_error(
            by_locale(
                f"the terminal is too small for the table, which takes {wide} by {high}: telling it line by line",
                f"终端太小，画不下牌桌（须 {wide} × {high}）：改为逐行播报",
            )
        )
    photographer = Photographer(narrator, TITLE) if picture is not None else None
    _prepare(folder)
    display = _display(narrator, console, live=paced and fits(console), silent=as_json)
    show = Show(played, deals or played.deals or DEALS, seconds if paced else 0.0)
    _play(scene, display, photographer, show, folder)
    records = write_records(scene, folder)
    verdicts = [check_file(str(record)) for record in records]
    if picture is not None and photographer is not None:
        _write_picture(picture, photographer)
    if as_json:
        print_json(as_data(scene, verdicts))
    else:
        _conclude(console, narrator, verdicts)
    raise typer.Exit(status_of(verdicts) and FAILED)


def _display(narrator: Narrator, console: Console, *, live: bool, silent: bool) -> Display:
    from gouji_cli.demo.display import LiveDisplay, PlainDisplay

    if live:
        return LiveDisplay(narrator, console, plain(TITLE) if not narrator.only_ascii else "Gouji")
    if silent:
        from rich.console import Console

        return PlainDisplay(narrator, Console(quiet=True))
    return PlainDisplay(narrator, console)


def _prepare(folder: Path) -> None:
    """Make the folder and take away the records of an earlier demo, so that what is there belongs together."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("deal-*.toml"):
            old.unlink()
    except OSError as error:
        fail(folder_fault(folder, error))


def _play(scene: Scene, display: Display, photographer: Photographer | None, show: Show, folder: Path) -> None:
    """Play the match, or end with a clear line and exit status 1; Ctrl-C ends it with 130."""
    from gouji_cli.demo.match import MatchFailed
    from gouji_cli.demo.server import ServerDidNotStart
    from gouji_client import GoujiError

    watching = [display] if photographer is None else [display, photographer]
    try:
        with display:
            run_until_stopped(_run(scene, watching, show, folder / SERVER_LOG))
    except (ServerDidNotStart, MatchFailed, GoujiError) as error:
        log = folder / SERVER_LOG
        fail(
            by_locale(f"demo: {error} (the server's log: {log})", f"demo：{failure_of(error)}（服务器日志：{log}）"),
            status=FAILED,
        )
    except Stopped:
        fail(by_locale("demo: stopped", "demo：已停止"), status=STOPPED)


async def _run(scene: Scene, watching: Sequence[Any], show: Show, log: Path) -> None:
    from gouji_cli.demo.match import play
    from gouji_cli.demo.server import running_server

    # The time that the server takes to start is the audience's too.
    pace = Pace(show.seconds, show.deals, cards=len(gr.pack(show.rules)))
    with tempfile.TemporaryDirectory(prefix="gouji-demo-") as data:
        async with running_server(Path(data), log) as address:
            await play(address, show.rules, show.deals, scene, watching, pace)


def write_records(scene: Scene, folder: Path) -> list[Path]:
    """Write each revealed deal as `deal-1.toml`, … and return the files; void deals have no record."""
    files = []
    for revealed in scene.revealed:
        if revealed.record:
            file = folder / f"deal-{revealed.deal}.toml"
            file.write_text(revealed.record, encoding="utf-8")
            files.append(file)
    return files


def _write_picture(file: Path, photographer: Photographer) -> None:
    if photographer.picture is None:
        fail(by_locale(f"{file}: there was nothing to take a picture of", f"{file}：没有可画的局面"), status=FAILED)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(photographer.picture, encoding="utf-8")
    except OSError as error:
        fail(f"{file}: {error.strerror}")


def _conclude(console: Console, narrator: Narrator, verdicts: list[Verdict]) -> None:
    from gouji_cli.screen import ResultTable

    console.print(ResultTable(narrator))
    for verdict in verdicts:
        said = by_locale("agrees", "合乎规则") if verdict.ok else by_locale("DIFFERS", "不合规则")
        console.print(plain(f"{verdict.file}: {said}"), soft_wrap=True)
    report(verdicts)


def as_data(scene: Scene, verdicts: list[Verdict]) -> dict[str, Any]:
    """Return the match's result as JSON data."""
    return {
        "scores": scene.totals,
        "lot": scene.lot,
        "deals": [
            {"deal": deal.deal, "places": deal.places, "scores": deal.scores, "sweep": deal.sweep}
            for deal in scene.outcomes
        ],
        "players": [scene.name(seat) for seat in range(6)],
        "records": [{"file": verdict.file, "agrees": verdict.ok} for verdict in verdicts],
    }

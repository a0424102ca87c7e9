"""What a watcher of the demo sees: a live screen, or plain lines where there is no terminal."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import CONSOLE_SVG_FORMAT, Console  # type: ignore[attr-defined]  # documented, though not listed
from rich.live import Live
from rich.text import Text

from gouji_cli.screen import SMALLEST, Screen

if TYPE_CHECKING:
    from types import TracebackType

    from gouji.table.v1 import events_pb2
    from gouji_cli.narration import Narrator
    from gouji_client import Update

SMALL_TALK = {"passed", "yielded", "wind_asked"}
"""Events that plain lines leave out."""

ENDS = {"deal_ended", "deal_voided", "match_ended", "table_closed"}
"""Events that may come in the middle of a trick and end it."""

FRAMES = 12
"""Drawings a second."""

DRAWING = 0.2
"""Share of the time that drawing may take."""

ARROWS = (" → ", " -> ")


class Watching(Protocol):
    """Somebody who is shown every update."""

    def show(self, update: Update) -> None:
        """Show an update that the scene has taken in already."""


class Display(Watching, Protocol):
    """Shows what happens; a context manager, so that the terminal is given back whatever happens."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def fits(console: Console) -> bool:
    """Whether the live screen fits into a terminal."""
    return (
        console.is_terminal
        and not console.is_dumb_terminal
        and console.width >= SMALLEST[0]
        and console.height >= SMALLEST[1]
    )


class LiveDisplay:
    """The table on the terminal's other screen.

    Drawing takes longer than a step of the game does: it is drawn `FRAMES` times a second at most, and on a busy
    machine so much less often that it takes no more than `DRAWING` of the time.
    """

    def __init__(self, narrator: Narrator, console: Console, title: str) -> None:
        self.screen = Screen(narrator, title=title)
        self._live = Live(self.screen.draw(), console=console, screen=True, auto_refresh=False)
        self._next_frame: asyncio.TimerHandle | None = None
        self._next_at = float("-inf")

    def show(self, update: Update) -> None:
        """Add what was said to the log, and draw now or with the next frame."""
        for event in update.events:
            told = self.screen.narrator.tell(event)
            if told is not None:
                self.screen.log.append(told)
        if self._next_frame is None:
            loop = asyncio.get_running_loop()
            self._next_frame = loop.call_at(max(self._next_at, loop.time()), self._draw)

    def _draw(self) -> None:
        self._next_frame = None
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._live.update(self.screen.draw(), refresh=True)
        self._next_at = begun + max(1 / FRAMES, (loop.time() - begun) / DRAWING)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._next_frame is not None:
            self._next_frame.cancel()
        self._live.__exit__(kind, error, trace)


class PlainDisplay:
    """One line a trick, and after it one for each thing that it brought about."""

    def __init__(self, narrator: Narrator, console: Console) -> None:
        self._narrator = narrator
        self._console = console
        self._plays: list[Text] = []
        self._outcomes: list[Text] = []

    def show(self, update: Update) -> None:
        """Print what happened."""
        for event in update.events:
            self._show_event(event)

    def _show_event(self, event: events_pb2.TableEvent) -> None:
        kind = event.WhichOneof("event")
        told = self._narrator.tell(event)
        if told is None or kind in SMALL_TALK:
            return
        if kind == "played":
            self._plays.append(told)
        elif kind == "trick_ended":
            self._print_trick(event.trick_ended)
        elif self._plays and kind not in ENDS:
            self._outcomes.append(told)
        else:
            self._print_trick(None)
            self._console.print(told, soft_wrap=True)

    def _print_trick(self, ended: events_pb2.TrickEnded | None) -> None:
        """Print the trick so far and what it brought about; nothing if there is neither."""
        if self._plays:
            line = Text("  ").append_text(Text(", ").join(self._plays))
            if ended is not None and ended.HasField("owner"):
                line.append(ARROWS[self._narrator.only_ascii]).append_text(self._narrator.name(ended.owner))
            self._console.print(line, soft_wrap=True)
        for outcome in self._outcomes:
            self._console.print(outcome, soft_wrap=True)
        self._plays.clear()
        self._outcomes.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the lines where they are."""


class Photographer:
    """Wraps a display and keeps a picture of the moment of the match that shows most."""

    SIZE = (100, 30)

    def __init__(self, narrator: Narrator, title: str) -> None:
        self._screen = Screen(narrator, title=title)
        self._best = 0
        self.picture: str | None = None

    def show(self, update: Update) -> None:
        """Look at the table after an update; take a picture if no earlier moment showed more."""
        for event in update.events:
            told = self._screen.narrator.tell(event)
            if told is not None:
                self._screen.log.append(told)
        worth = self._worth()
        if worth > self._best:
            self._best = worth
            self.picture = self._take()

    def _worth(self) -> int:
        state = self._screen.narrator.scene.state
        if state is None or not state.trick.HasField("top"):
            return 0
        out = sum(seat.place > 0 for seat in state.seats)
        known = sum(seat.HasField("cards_left") for seat in state.seats)
        words = len(self._screen.narrator.scene.words)
        return 20 * state.HasField("burn") + 4 * min(out, 1) + 2 * min(known, 2) + 2 * min(words, 4) + (state.deal > 1)

    def _take(self) -> str:
        width, height = self.SIZE
        console = Console(
            width=width,
            height=height,
            record=True,
            file=io.StringIO(),
            markup=False,
            highlight=False,
            force_terminal=True,
        )
        console.print(self._screen.draw(), height=height)
        return console.export_svg(title="gouji demo", code_format=without_web_fonts(CONSOLE_SVG_FORMAT))


def without_web_fonts(svg_format: str) -> str:
    """Return the template without its fonts from the web: the picture must not fetch anything when it is looked at."""
    kept, inside = [], False
    for line in svg_format.splitlines(keepends=True):
        inside = inside or "@font-face" in line
        if not inside:
            kept.append(line)
        elif line.strip() == "}}":
            inside = False
    return "".join(kept)

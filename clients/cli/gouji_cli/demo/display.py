"""What a watcher of the demo sees: a live screen, or plain lines where there is no terminal."""

from __future__ import annotations

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

QUIET = {"passed", "yielded", "wind_asked", "trick_ended", "played", "deal_revealed"}
"""Events that plain lines tell as part of a trick's line."""

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
    return console.is_terminal and console.width >= SMALLEST[0] and console.height >= SMALLEST[1]


class LiveDisplay:
    """The table on the terminal's other screen, drawn anew with every update."""

    def __init__(self, narrator: Narrator, console: Console, title: str) -> None:
        self.screen = Screen(narrator, title=title)
        self._live = Live(self.screen.draw(), console=console, screen=True, auto_refresh=False)

    def show(self, update: Update) -> None:
        """Add what was said to the log and draw."""
        for event in update.events:
            told = self.screen.narrator.tell(event)
            if told is not None:
                self.screen.log.append(told)
        self._live.update(self.screen.draw(), refresh=True)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)


class PlainDisplay:
    """One line a trick, and one for each event worth a line of its own."""

    def __init__(self, narrator: Narrator, console: Console) -> None:
        self._narrator = narrator
        self._console = console
        self._trick: list[Text] = []

    def show(self, update: Update) -> None:
        """Print what happened."""
        for event in update.events:
            self._show_event(event)

    def _show_event(self, event: events_pb2.TableEvent) -> None:
        kind = event.WhichOneof("event")
        told = self._narrator.tell(event)
        if told is None:
            return
        if kind not in QUIET:
            self._console.print(told, soft_wrap=True)
        elif kind == "trick_ended":
            arrow = ARROWS[self._narrator.only_ascii]
            line = Text("  ").append_text(Text(", ").join(self._trick)).append(arrow).append_text(told)
            self._console.print(line, soft_wrap=True)
            self._trick.clear()
        elif kind == "played":
            self._trick.append(told)

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

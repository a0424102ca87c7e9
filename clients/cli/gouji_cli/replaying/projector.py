"""Where somebody is in a film, what each key does, and what the screen shows then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.layout import Layout
from rich.table import Table
from rich.text import Text

import gouji_rules as gr
from gouji_cli.narration import Narrator, cards_style
from gouji_cli.screen import Screen

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gouji_cli.replaying.film import Film, Frame, Reel

PLAY_SECONDS = 0.7
"""Between steps while the film runs by itself."""
NAME_CELLS = 12
TITLE_CELLS = 24

NEXT = frozenset({"n", "l", "right", "enter", "down"})
BACK = frozenset({"p", "h", "left", "backspace", "up"})
RUN = frozenset({" "})
NEXT_DEAL = frozenset({"d", "pagedown"})
DEAL_BEFORE = frozenset({"u", "pageup"})
FIRST = frozenset({"g", "home"})
LAST = frozenset({"G", "end"})
QUIT = frozenset({"q", "escape"})


KEYS_EN = (("n", "next"), ("p", "back"), ("space", "run"), ("d/u", "deal"), ("q", "quit"))
KEYS_ZH = (("n", "下一步"), ("p", "上一步"), ("空格", "连播"), ("d/u", "换盘"), ("q", "退出"))


class Projector:
    """Shows a film frame by frame. `running`: it goes on by itself until a key is pressed or the film is over."""

    def __init__(self, film: Film, narrator: Narrator, deal: int = 0) -> None:
        self._film = film
        self._narrator = narrator
        self._deal = deal
        self._reel: Reel = film.reel(deal)
        self._at = 0
        self.running = False
        self.over = False

    @property
    def frame(self) -> Frame:
        """What is shown now."""
        return self._reel.frames[self._at]

    @property
    def deal(self) -> int:
        """Which deal is shown, from 0."""
        return self._deal

    def press(self, key: str) -> None:
        """Do what a key stands for; keys that stand for nothing stop a film that runs, as every key does."""
        was_running, self.running = self.running, False
        if key in NEXT:
            self._step(1)
        elif key in BACK:
            self._step(-1)
        elif key in RUN:
            self.running = not was_running and not self._is_last()
        elif key in NEXT_DEAL:
            self._go(self._deal + 1)
        elif key in DEAL_BEFORE:
            self._go(self._deal - 1 if self._at == 0 else self._deal)
        elif key in FIRST:
            self._go(0)
        elif key in LAST:
            self._go(self._film.deals - 1)
            self._at = len(self._reel.frames) - 1
        elif key in QUIT:
            self.over = True

    def tick(self) -> None:
        """Go on by itself, to the end."""
        if self.running:
            self._step(1)
            self.running = not self._is_last()

    def _is_last(self) -> bool:
        return self._deal == self._film.deals - 1 and self._at == len(self._reel.frames) - 1

    def _step(self, by: int) -> None:
        at = self._at + by
        if 0 <= at < len(self._reel.frames):
            self._at = at
        elif at < 0 < self._deal:
            self._go(self._deal - 1)
            self._at = len(self._reel.frames) - 1
        elif at > 0 and self._deal + 1 < self._film.deals:
            self._go(self._deal + 1)

    def _go(self, deal: int) -> None:
        if 0 <= deal < self._film.deals:
            self._deal = deal
            self._reel = self._film.reel(deal)
            self._at = 0

    def draw(self) -> Layout:
        """Return the screen as it is now."""
        narrator = self._narrator
        narrator.scene = self._reel.scene_at(self._at)
        sentences = [told for event in self.frame.update.events if (told := narrator.tell(event)) is not None]
        said = Text("  ").join(sentences)
        where = f"{self.frame.number}/{self._film.steps}"
        title = Text(self._film.title)
        title.truncate(TITLE_CELLS, overflow="crop")
        return ReplayScreen(narrator, title=title.plain, hands=self.frame.hands, said=said, where=where).draw()


@dataclass(slots=True)
class ReplayScreen(Screen):
    """The table as `Screen` draws it, below it the hands that are open, what was said, and the keys."""

    hands: tuple[tuple[gr.Card, ...], ...] = ()
    said: Text | None = None
    where: str = ""

    def draw(self) -> Layout:
        """Return the whole screen."""
        hands = self._hands()
        parts = [Layout(self._header(), size=1), Layout(self._table(), name="table")]
        if hands is not None:
            parts.append(Layout(hands, size=6))
        screen = Layout()
        screen.split_column(*parts, Layout(self._foot(), size=2))
        return screen

    def _hands(self) -> RenderableType | None:
        if not any(self.hands):
            return None
        lines = Table.grid(padding=(0, 1))
        lines.add_column(no_wrap=True, width=NAME_CELLS)
        lines.add_column(no_wrap=True, overflow="ellipsis")
        for seat, hand in enumerate(self.hands):
            name = Text(f"{seat} ").append_text(self.narrator.name(seat))
            name.truncate(NAME_CELLS, overflow="ellipsis" if not self.narrator.only_ascii else "crop")
            lines.add_row(name, cards_style(gr.format_cards(hand)))
        return lines

    def _foot(self) -> RenderableType:
        said = self.said or Text()
        said.no_wrap, said.overflow = True, "ellipsis"
        keys = Table.grid(expand=True)
        keys.add_column(no_wrap=True)
        keys.add_column(justify="right", no_wrap=True)
        words = KEYS_ZH if self.narrator.chinese and not self.narrator.only_ascii else KEYS_EN
        told = Text("  ").join(Text.assemble((key, "bold"), " ", (word, "dim")) for key, word in words)
        keys.add_row(told, Text(self.where, "dim"))
        return Group(said, keys)

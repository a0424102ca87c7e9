"""The table drawn for a terminal: six seats around it, what lies on it, and what was said."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.align import Align
from rich.box import ASCII2, HEAVY, ROUNDED, Box
from rich.console import Group
from rich.layout import Layout
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gouji.table.v1 import state_pb2
from gouji_cli.narration import TEAM_STYLES, Narrator, cards_style
from gouji_cli.scene import play_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

SMALLEST = (70, 24)
"""The fewest columns and lines that the table fits into."""

SEAT_LINES = 5
LOG_LINES = 7
MORE_THAN_TEN = "> 10"
UNBOUNDED = 10_000
"""A width that no terminal has: to measure what a thing would take."""


def label(narrator: Narrator, english: str, chinese: str) -> str:
    """Return a word for the screen: both languages where the terminal can, else the one that fits."""
    if narrator.only_ascii:
        return english
    return chinese if narrator.chinese else f"{english} {chinese}"


@dataclass(slots=True)
class Screen:
    """Draws a scene; `log` holds the newest sentences, oldest first."""

    narrator: Narrator
    log: deque[Text] = field(default_factory=lambda: deque(maxlen=LOG_LINES - 2))
    title: str = ""

    def draw(self) -> Layout:
        """Return the whole screen. It adapts to the size it is shown in, from `SMALLEST` up."""
        screen = Layout()
        screen.split_column(
            Layout(self._header(), size=1),
            Layout(self._table(), name="table"),
            Layout(self._sayings(), size=LOG_LINES),
        )
        return screen

    @property
    def _scene_state(self) -> state_pb2.DealState | None:
        return self.narrator.scene.state

    def _box(self, *, heavy: bool = False) -> Box:
        if self.narrator.only_ascii:
            return ASCII2
        return HEAVY if heavy else ROUNDED

    def _header(self) -> RenderableType:
        scene = self.narrator.scene
        left = Text(self.title, "bold")
        if scene.deal:
            left.append(f"  {label(self.narrator, 'deal', '盘')} {scene.deal}")
            if scene.table is not None and scene.table.deals:
                left.append(f"/{scene.table.deals}")
        line = Table.grid(expand=True)
        line.add_column()
        line.add_column(justify="right")
        line.add_row(left, self.narrator.scores(scene.totals) if scene.totals else Text())
        return line

    def _sayings(self) -> RenderableType:
        lines = Text("\n").join(self.log)
        lines.no_wrap = True
        lines.overflow = "ellipsis"
        return Panel(lines, box=self._box(), border_style="dim", padding=(0, 1))

    def _table(self) -> RenderableType:
        # Seen from above, each next seat sits to the right of the one before: 0 below, 3 opposite it.
        table = Layout()
        left, middle, right = Layout(), Layout(), Layout()
        table.split_row(left, middle, right)
        left.split_column(*self._side(4, 5))
        right.split_column(*self._side(2, 1))
        middle.split_column(
            Layout(self._seat(3), size=SEAT_LINES),
            Layout(Align.center(self._centre(), vertical="middle")),
            Layout(self._seat(0), size=SEAT_LINES),
        )
        return table

    def _side(self, upper: int, lower: int) -> list[Layout]:
        gap = Text(" ")  # an empty text counts as none
        return [
            Layout(gap),
            Layout(self._seat(upper), size=SEAT_LINES),
            Layout(gap),
            Layout(self._seat(lower), size=SEAT_LINES),
            Layout(gap),
        ]

    def _seat(self, seat: int) -> RenderableType:
        state = self._scene_state
        asked = state is not None and seat in state.question.seats
        burning = state is not None and state.HasField("burn") and state.burn.burner == seat
        body = Group(
            self._word(seat),
            *(self._standing(state.seats[seat]) if state is not None and len(state.seats) > seat else ()),
        )
        title = Text.assemble((f"{seat} ", "dim"), self.narrator.name(seat))
        player = self.narrator.scene.player(seat)
        if player is not None and player.bot:
            title = Text.assemble(title, (f" ({player.bot})", "dim"))
        style = "bold red" if burning else "bold white" if asked else TEAM_STYLES[seat % 2].removeprefix("bold ")
        return Panel(
            Align.center(body), title=title, box=self._box(heavy=asked or burning), border_style=style, padding=(0, 1)
        )

    def _word(self, seat: int) -> Text:
        word = self.narrator.scene.words.get(seat, "")
        spoken = {
            "pass": label(self.narrator, "pass", "过牌"),
            "yield": label(self.narrator, "yield", "让牌"),
            "wind": label(self.narrator, "wind", "接风"),
        }
        if word in spoken:
            return Text(spoken[word], "dim", justify="center")
        text = cards_style(word)
        text.justify = "center"
        return text

    def _standing(self, seat: state_pb2.SeatState) -> tuple[Text, Text]:
        narrator = self.narrator
        one = seat.HasField("cards_left") and seat.cards_left == 1
        cards = label(narrator, "card" if one else "cards", "张")
        if seat.standing == state_pb2.STANDING_FINISHED:
            first = Text(narrator.place(seat.place), "bold green")
        elif seat.standing == state_pb2.STANDING_REVOLTED:
            first = Text(label(narrator, "revolted", "革命"), "bold red")
        elif seat.standing == state_pb2.STANDING_BUSTED:
            first = Text(f"{label(narrator, 'busted', '烧败')} {narrator.place(seat.place)}", "bold red")
        else:
            count = str(seat.cards_left) if seat.HasField("cards_left") else MORE_THAN_TEN
            first = Text(f"{count} {cards}", "bold" if seat.HasField("cards_left") else "")
        return _centred(first), _centred(self.narrator.comma().join(self._flags(seat)))

    def _flags(self, seat: state_pb2.SeatState) -> list[Text]:
        state = self._scene_state
        flags = []
        if state is not None and state.HasField("burn") and state.burn.burner == seat.seat:
            flags.append(Text(label(self.narrator, "burning", "烧牌"), "bold red"))
        if seat.standing == state_pb2.STANDING_ACTIVE and seat.headless:
            flags.append(Text(label(self.narrator, "headless", "无头"), "italic"))
        if seat.autopilot:
            flags.append(Text(label(self.narrator, "autopilot", "托管"), "italic"))
        elif state is not None and seat.standing == state_pb2.STANDING_ACTIVE and not seat.connected:
            flags.append(Text(label(self.narrator, "gone", "掉线"), "dim"))
        if seat.HasField("dead_goujis_left"):
            flags.append(Text(f"{label(self.narrator, 'head', '要头')} {seat.dead_goujis_left}", "italic"))
        return flags

    def _centre(self) -> RenderableType:
        state = self._scene_state
        if state is None:
            return _centred(Text(label(self.narrator, "waiting for the first deal", "等待发牌"), "dim"))
        lines: list[Text] = []
        if state.melee:
            lines.append(Text(label(self.narrator, "melee", "四人乱缠"), "bold reverse"))
        if state.HasField("burn"):
            fire = self.narrator.sentence(
                "burning", who=self.narrator.name(state.burn.burner), whom=self.narrator.name(state.burn.burned)
            )
            lines.append(fire)
        if state.trick.HasField("top"):
            top = state.trick.top
            lines.append(cards_style(" ".join(play_text(top.cards))))
            marks = [self.narrator.name(top.seat)]
            if top.play.gouji and not state.melee:
                marks.append(Text(label(self.narrator, "gouji", "够级"), "red"))
            if top.dead:
                marks.append(Text(label(self.narrator, "dead", "够死级"), "bold red"))
            if top.last:
                marks.append(Text(label(self.narrator, "last", "底牌"), "green"))
            lines.append(Text(" · " if not self.narrator.only_ascii else " - ").join(marks))
        lines.append(self._asked(state.question))
        return Group(*(_centred(line) for line in lines))

    def _asked(self, question: state_pb2.Question) -> Text:
        if not question.seats:
            return Text()
        kind = QUESTIONS.get(question.kind)
        who = self.narrator.comma().join(self.narrator.name(seat) for seat in question.seats)
        if kind is None:
            return who
        if len(question.seats) == 1:
            return Text.assemble((f"{label(self.narrator, *kind)}: ", "dim"), who)
        return Text.assemble((label(self.narrator, *kind), "dim"))


QUESTIONS = {
    state_pb2.QUESTION_KIND_LEAD: ("to lead", "发牌"),
    state_pb2.QUESTION_KIND_FOLLOW: ("asked", "上牌"),
    state_pb2.QUESTION_KIND_WINDOW: ("burn window", "烧牌窗口"),
    state_pb2.QUESTION_KIND_REVOLT: ("revolution?", "革命?"),
    state_pb2.QUESTION_KIND_HEAD: ("keep a head?", "要头?"),
    state_pb2.QUESTION_KIND_SHOW: ("show for the lead?", "亮牌?"),
}


def _centred(text: Text) -> Text:
    text.justify = "center"
    return text


def _by_seat(scores: Iterable[int]) -> str:
    """Write the scores of individual play, seat 0 first."""
    return " ".join(map(str, scores))


def _two_lines(narrator: Narrator, english: str, chinese: str) -> str:
    return label(narrator, english, chinese).replace(" ", "\n")


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A match's result: a row a deal, the seats in finishing order, and the totals.

    Where it is too wide it is drawn closer together, then names are broken into lines. Figures are always whole.
    """

    narrator: Narrator

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        roomy = self._drawn(padding=1)
        unbounded = options.update_width(UNBOUNDED)
        fits = roomy.__rich_measure__(console, unbounded).maximum <= options.max_width
        yield roomy if fits else self._drawn(padding=0)

    def _drawn(self, padding: int) -> Table:
        narrator, scene = self.narrator, self.narrator.scene
        box = ASCII2 if narrator.only_ascii else ROUNDED
        table = Table(box=box, show_footer=True, header_style="bold", footer_style="bold", padding=(0, padding))
        table.add_column(_two_lines(narrator, "deal", "盘"), footer=_two_lines(narrator, "match", "全局"), no_wrap=True)
        for place in range(1, 7):
            table.add_column(narrator.place(place).replace(" ", "\n"), overflow="fold")
        totals = scene.totals
        for team, style in enumerate(TEAM_STYLES[: len(totals)] if len(totals) == 2 else ()):
            names = (_two_lines(narrator, "even", "双号"), _two_lines(narrator, "odd", "单号"))
            total = Text(str(totals[team]), style)
            table.add_column(Text(names[team], style), footer=total, justify="right", no_wrap=True)
        if len(totals) > 2:
            header = _two_lines(narrator, "by seat", "按座")
            table.add_column(header, footer=_by_seat(totals), justify="right", no_wrap=True)
        if any(outcome.sweep for outcome in scene.outcomes):
            table.add_column(no_wrap=True)
        for outcome in scene.outcomes:
            scores = list(map(str, outcome.scores)) if len(outcome.scores) == 2 else [_by_seat(outcome.scores)]
            sweep = [Text("sweep" if narrator.only_ascii else "串三户", "bold red")] if outcome.sweep else []
            table.add_row(str(outcome.deal), *(narrator.name(seat) for seat in outcome.places), *scores, *sweep)
        if scene.lot is not None:
            table.caption, table.caption_justify = narrator.lot(scene.lot), "left"
        return table

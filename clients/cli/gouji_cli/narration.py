"""What happened at a table, one sentence an event, in English or Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from gouji.table.v1 import events_pb2, state_pb2
from gouji_cli.scene import SEATS, Scene, play_text
from gouji_cli.terminal import ascii_only, speaks_chinese

if TYPE_CHECKING:
    from collections.abc import Sequence

TEAM_STYLES = ("bold cyan", "bold yellow")
"""By `seat % 2`: even seats are one side, odd seats the other (R7)."""

PLACES = ("头科", "二科", "三科", "四科", "二落", "大落")
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")


class Phrase(NamedTuple):
    """One sentence in both languages; `{…}` stands for a part put in."""

    en: str
    zh: str


PHRASES = {
    "deal_started": Phrase("deal {deal} begins", "第{deal}盘开始"),
    "shown": Phrase("{who} shows {cards} for the first lead", "{who} 亮{cards}争上班"),
    "lead_shown": Phrase("{who} has the first lead", "{who} 上班"),
    "lead_lot": Phrase("{who} has the first lead, by lot", "{who} 抽签上班"),
    "lead_revolution": Phrase("{who} leads in the revolutionary's place", "{who} 接替革命者首发"),
    "revolts": Phrase("{who} revolts", "{who} 革命"),
    "head_kept": Phrase("{who} keeps a head for three gouji plays", "{who} 要头"),
    "head_dropped": Phrase("{who} plays headless", "{who} 不要头"),
    "voided": Phrase("two or more revolted: the deal is void and dealt again", "两家以上革命：本盘作废重发"),
    "leads": Phrase("{who} leads {cards}", "{who} 发 {cards}"),
    "follows": Phrase("{who} plays {cards}", "{who} 上 {cards}"),
    "burns": Phrase("{who} burns with {cards}", "{who} 用 {cards} 烧牌"),
    "dead": Phrase("{who} plays {cards}, a dead gouji", "{who} 够死级 {cards}"),
    "passes": Phrase("{who} passes", "{who} 过牌"),
    "yields": Phrase("{who} yields", "{who} 让牌"),
    "wind": Phrase("{who} asks for the wind", "{who} 申请接风"),
    "burning": Phrase("{who} burns {whom}", "{who} 烧 {whom}"),
    "counter_burned": Phrase("{who}'s burn is counter-burned", "{who} 被反烧"),
    "defused": Phrase("{who}'s burn is defused", "{who} 被解烧"),
    "burn_answered": Phrase("{who}'s burn is beaten by a headless seat", "{who} 的烧牌被无头家打下"),
    "burn_melee": Phrase("the melee ends {who}'s burn", "进入乱缠，{who} 的烧牌作罢"),
    "burn_succeeded": Phrase("{who}'s burn of {whom} succeeds", "{who} 烧成 {whom}"),
    "busted": Phrase("{who}'s burn fails: {place}", "{who} 烧败：{place}"),
    "finished": Phrase("{who} is out: {place}", "{who} 走科：{place}"),
    "melee": Phrase("four are left: the melee begins", "四人乱缠开始"),
    "trick_won": Phrase("{who} holds the trick", "{who} 得本轮"),
    "deal_ended": Phrase("deal over, {scores}", "本盘结束，{scores}"),
    "sweep": Phrase("deal over with a sweep, {scores}", "串三户！本盘结束，{scores}"),
    "match_ended": Phrase("the match is over: {scores}", "全局结束：{scores}"),
    "frozen": Phrase("the server froze the table after a fault of its own", "服务器发现自身错误，已冻结本桌"),
    "closed_empty": Phrase("everyone left: the table is closed", "人已走光，牌桌关闭"),
    "scores": Phrase("even seats {even} : odd seats {odd}", "双号 {even} : 单号 {odd}"),
}

PLAIN_EVENTS = {
    "melee_began": "melee",
    "deal_voided": "voided",
}

SEAT_EVENTS = {"passed": "passes", "yielded": "yields", "wind_asked": "wind"}

BURN_ENDS = {
    events_pb2.BURN_END_REASON_COUNTER_BURNED: "counter_burned",
    events_pb2.BURN_END_REASON_DEFUSED: "defused",
    events_pb2.BURN_END_REASON_ANSWERED: "burn_answered",
    events_pb2.BURN_END_REASON_MELEE: "burn_melee",
}

LEADS = {
    events_pb2.LEAD_REASON_SHOWN: "lead_shown",
    events_pb2.LEAD_REASON_LOT: "lead_lot",
    events_pb2.LEAD_REASON_REVOLUTION: "lead_revolution",
}

MANNERS = {
    state_pb2.MANNER_LEAD: "leads",
    state_pb2.MANNER_FOLLOW: "follows",
    state_pb2.MANNER_BURN: "burns",
}


def cards_style(text: str) -> Text:
    """Return a play's text with its jokers and twos standing out."""
    styled = Text()
    for char in text:
        style = "bold red" if char in "sb" else "bold magenta" if char == "2" else "bold"
        styled.append(char, style)
    return styled


@dataclass(slots=True)
class Narrator:
    """Tells the events of one table. `chinese` and `only_ascii` follow the terminal unless given."""

    scene: Scene
    chinese: bool = False
    only_ascii: bool = False

    @classmethod
    def for_terminal(cls, scene: Scene) -> Narrator:
        """Make one that speaks as the terminal and the locale ask for."""
        return cls(scene, chinese=speaks_chinese(), only_ascii=ascii_only())

    def sentence(self, key: str, **parts: str | Text) -> Text:
        """Put `parts` into a phrase."""
        phrase = PHRASES[key]
        text = Text()
        for piece in re.split(r"(\{\w+\})", phrase.zh if self.chinese else phrase.en):
            part = parts[piece[1:-1]] if piece.startswith("{") else piece
            text.append_text(part) if isinstance(part, Text) else text.append(part)
        return text

    def name(self, seat: int) -> Text:
        """Return the seat's display name in the colour of its side."""
        name = self.scene.name(seat)
        if self.only_ascii and not name.isascii():
            name = f"seat {seat}"
        return Text(name, TEAM_STYLES[seat % 2])

    def place(self, place: int) -> str:
        """Return what a place is called: `1st 头科`."""
        if not 1 <= place <= SEATS:
            return "-"
        if self.only_ascii:
            return ORDINALS[place - 1]
        return PLACES[place - 1] if self.chinese else f"{ORDINALS[place - 1]} {PLACES[place - 1]}"

    def scores(self, scores: Sequence[int]) -> Text:
        """Return scores by team as words; those of individual play by seat."""
        if len(scores) == 2:
            return self.sentence(
                "scores", even=Text(str(scores[0]), TEAM_STYLES[0]), odd=Text(str(scores[1]), TEAM_STYLES[1])
            )
        return Text(" ").join(self.name(seat).append(f" {score}") for seat, score in enumerate(scores))

    def tell(self, event: events_pb2.TableEvent) -> Text | None:
        """Return the sentence for an event, or None for one that says nothing to a watcher."""
        kind = event.WhichOneof("event")
        if kind is None:
            return None
        if kind in SEAT_EVENTS:
            return self.sentence(SEAT_EVENTS[kind], who=self.name(getattr(event, kind).seat))
        if kind in PLAIN_EVENTS:
            return self.sentence(PLAIN_EVENTS[kind])
        method = getattr(self, f"_tell_{kind}", None)
        told: Text | None = method(getattr(event, kind)) if method is not None else None
        return told

    def _tell_deal_started(self, event: events_pb2.DealStarted) -> Text:
        return self.sentence("deal_started", deal=str(event.deal))

    def _tell_cards_shown(self, event: events_pb2.CardsShown) -> Text:
        return self.sentence("shown", who=self.name(event.seat), cards=cards_style("3" * len(event.cards)))

    def _tell_lead_fixed(self, event: events_pb2.LeadFixed) -> Text:
        return self.sentence(LEADS.get(event.reason, "lead_shown"), who=self.name(event.seat))

    def _tell_revolution_settled(self, event: events_pb2.RevolutionSettled) -> Text | None:
        if not event.seats:
            return None
        return Text(", ").join(self.sentence("revolts", who=self.name(seat)) for seat in event.seats)

    def _tell_head_chosen(self, event: events_pb2.HeadChosen) -> Text:
        return self.sentence("head_kept" if event.keep else "head_dropped", who=self.name(event.seat))

    def _tell_played(self, event: events_pb2.Played) -> Text:
        play = event.play
        key = "dead" if play.dead else MANNERS.get(play.manner, "follows")
        return self.sentence(key, who=self.name(play.seat), cards=cards_style(play_text(play.cards)))

    def _tell_burn_ended(self, event: events_pb2.BurnEnded) -> Text:
        return self.sentence(BURN_ENDS.get(event.reason, "defused"), who=self.name(event.burner))

    def _tell_burn_succeeded(self, event: events_pb2.BurnSucceeded) -> Text:
        return self.sentence("burn_succeeded", who=self.name(event.burner), whom=self.name(event.burned))

    def _tell_busted(self, event: events_pb2.Busted) -> Text:
        return self.sentence("busted", who=self.name(event.seat), place=self.place(event.place))

    def _tell_finished(self, event: events_pb2.Finished) -> Text:
        return self.sentence("finished", who=self.name(event.seat), place=self.place(event.place))

    def _tell_trick_ended(self, event: events_pb2.TrickEnded) -> Text | None:
        return self.sentence("trick_won", who=self.name(event.owner)) if event.HasField("owner") else None

    def _tell_deal_ended(self, event: events_pb2.DealEnded) -> Text:
        return self.sentence("sweep" if event.sweep else "deal_ended", scores=self.scores(event.scores))

    def _tell_match_ended(self, event: events_pb2.MatchEnded) -> Text:
        return self.sentence("match_ended", scores=self.scores(event.scores))

    def _tell_table_closed(self, event: events_pb2.TableClosed) -> Text | None:
        keys = {events_pb2.CLOSE_REASON_FROZEN: "frozen", events_pb2.CLOSE_REASON_EMPTY: "closed_empty"}
        return self.sentence(keys[event.reason]) if event.reason in keys else None

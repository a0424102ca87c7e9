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
    "table_changed": Phrase("the owner changes the table: {fields}", "桌主改了牌桌：{fields}"),
    "player_kicked": Phrase("the owner takes the seat of {who} away", "桌主请 {who} 离座"),
    "player_banned": Phrase("the owner shuts {who} out of this table", "桌主不让 {who} 再入此桌"),
    "seats_drawn": Phrase("the seats are drawn: {seats}", "抽签定座：{seats}"),
    "opposite_chosen": Phrase("{who} chooses {whom} as opposite", "{who} 选 {whom} 作对头"),
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
    "kills": Phrase("{who} kills with {cards}", "{who} 用 {cards} 杀牌"),
    "burn_killed": Phrase("{who}'s burn is over: its jokers are killed", "{who} 的烧牌被杀"),
    "swapped": Phrase("{who} and {whom} swap the last two places", "{who} 与 {whom} 互换二落大落"),
    "called_open": Phrase("{who} calls that {whom} will not open", "{who} 明点 {whom}"),
    "called_blind": Phrase("{who} calls blind that {whom} will not open", "{who} 预点 {whom}"),
    "bought": Phrase("{who} buys {cards} from {whom} for {paid}", "{who} 用 {paid} 向 {whom} 买 {cards}"),
    "given": Phrase("{who} is given {cards} by {whom}", "{whom} 白给 {who} {cards}"),
    "paid": Phrase("{who} pays {whom} {cards}: {kind}", "{who} 向 {whom} 进贡 {cards}（{kind}）"),
    "paid_nothing": Phrase("{who} has nothing to pay {whom}: {kind}", "{who} 无牌可进贡给 {whom}（{kind}）"),
    "tribute_refused": Phrase("{who} does not take {whom}'s tribute: {kind}", "{who} 不收 {whom} 的贡（{kind}）"),
    "waived": Phrase("{who} and {whom} waive the tribute", "{who} 与 {whom} 免贡"),
    "returned": Phrase("{who} gives {cards} back to {whom}", "{who} 还给 {whom} {cards}"),
    "return_refused": Phrase("{whom} does not take {cards} back from {who}", "{whom} 不要 {who} 还的 {cards}"),
    "opens": Phrase("{who} has opened", "{who} 开点"),
    "stifled": Phrase("{who} was stifled by {whom}", "{who} 被 {whom} 闷"),
    "slam": Phrase("{who} makes a slam", "{who} 满贯"),
    "owes": Phrase("{who} owes {whom} {count}: {kind}", "{who} 欠 {whom} {count} 张（{kind}）"),
    "dissolved": Phrase("all agreed to end the match", "全体同意散局"),
    "lot": Phrase("the tie is settled by lot: {who}", "平局抽签：{who}"),
    "even": Phrase("the even seats", "双号一方"),
    "odd": Phrase("the odd seats", "单号一方"),
    "count": Phrase("{whom} tells {who}: {count} cards", "{whom} 报牌（{who} 问）：{count} 张"),
    "count_one": Phrase("{whom} tells {who}: 1 card", "{whom} 报牌（{who} 问）：1 张"),
    "count_many": Phrase("{whom} tells {who}: more than ten cards", "{whom} 报牌（{who} 问）：不够报"),
    "felt": Phrase("{who} feels {whom}'s hand", "{who} 摸 {whom} 的班"),
    "for_ending": Phrase("{who} is for ending the match", "{who} 同意散局"),
    "against_ending": Phrase("{who} is against ending the match", "{who} 不同意散局"),
    "gone": Phrase("{who} is gone", "{who} 掉线"),
    "back": Phrase("{who} is back", "{who} 回来了"),
    "autopilot_expiries": Phrase("{who} let the clock run out: a bot plays on", "{who} 多次超时，转为托管"),
    "autopilot_away": Phrase("{who} is away: a bot plays on", "{who} 离开已久，转为托管"),
    "autopilot_kicked": Phrase(
        "the operators took {who}'s seat: a bot plays on", "管理员收回了 {who} 的座位，转为托管"
    ),
    "autopilot_asked": Phrase("{who} has a bot play", "{who} 托管"),
    "clock_moved": Phrase("the server is back: there is more time", "服务器已恢复，顺延时限"),
    "suspended": Phrase("nobody who plays is there: the match stands still", "牌局无人在场，暂停"),
    "resumed": Phrase("the match goes on", "牌局继续"),
    "held": Phrase("the server's operators have the match stand still", "管理员暂停了牌局"),
    "released": Phrase("the server's operators let the match go on", "管理员恢复了牌局"),
    "autopilot_off": Phrase("{who} plays again", "{who} 取消托管"),
    "deal_ended": Phrase("deal over, {scores}", "本盘结束，{scores}"),
    "sweep": Phrase("deal over with a sweep, {scores}", "串三户！本盘结束，{scores}"),
    "match_ended": Phrase("the match is over: {scores}", "全局结束：{scores}"),
    "frozen": Phrase("the server froze the table after a fault of its own", "服务器发现自身错误，已冻结本桌"),
    "closed_empty": Phrase("everyone left: the table is closed", "人已走光，牌桌关闭"),
    "closed_not_ready": Phrase("not all were ready in time: the table is closed", "有人未及时准备：牌桌已关闭"),
    "closed_by_operators": Phrase("the server's operators closed the table", "管理员关闭了牌桌"),
    "scores": Phrase("even seats {even} : odd seats {odd}", "双号 {even} : 单号 {odd}"),
}

PLAIN_EVENTS = {
    "table_suspended": "suspended",
    "table_resumed": "resumed",
    "table_held": "held",
    "table_released": "released",
    "clock_compensated": "clock_moved",
    "melee_began": "melee",
    "deal_voided": "voided",
    "match_dissolved": "dissolved",
}

SEAT_EVENTS = {
    "passed": "passes",
    "yielded": "yields",
    "wind_asked": "wind",
    "opened": "opens",
    "slam_made": "slam",
}

AUTOPILOT = {
    events_pb2.AUTOPILOT_REASON_EXPIRIES: "autopilot_expiries",
    events_pb2.AUTOPILOT_REASON_AWAY: "autopilot_away",
    events_pb2.AUTOPILOT_REASON_KICKED: "autopilot_kicked",
}

BURN_ENDS = {
    events_pb2.BURN_END_REASON_COUNTER_BURNED: "counter_burned",
    events_pb2.BURN_END_REASON_DEFUSED: "defused",
    events_pb2.BURN_END_REASON_ANSWERED: "burn_answered",
    events_pb2.BURN_END_REASON_MELEE: "burn_melee",
    events_pb2.BURN_END_REASON_KILLED: "burn_killed",
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
    state_pb2.MANNER_KILL: "kills",
}

TRIBUTE_KINDS = {
    state_pb2.TRIBUTE_KIND_STIFLE: Phrase("stifle tribute", "闷贡"),
    state_pb2.TRIBUTE_KIND_BURN: Phrase("burn tribute", "烧贡"),
    state_pb2.TRIBUTE_KIND_POINT: Phrase("point tribute", "点贡"),
    state_pb2.TRIBUTE_KIND_LOSER: Phrase("loser tribute", "落贡"),
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

    def comma(self) -> Text:
        """Return the sign between the parts of a list."""
        return Text("、" if self.chinese else ", ")

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

    def _tell_seats_moved(self, event: events_pb2.SeatsMoved) -> Text:
        if event.HasField("chooser"):
            return self._pair("opposite_chosen", event.chooser, (event.chooser + 3) % SEATS)
        seats = self.comma().join(Text(f"{player.seat} ").append(self.name(player.seat)) for player in event.players)
        return self.sentence("seats_drawn", seats=seats)

    def _tell_table_changed(self, event: events_pb2.TableChanged) -> Text:
        return self.sentence("table_changed", fields=self.comma().join(Text(field) for field in event.fields))

    def _tell_player_kicked(self, event: events_pb2.PlayerKicked) -> Text:
        who = Text(event.display_name or str(event.seat))
        return self.sentence("player_banned" if event.banned else "player_kicked", who=who)

    def _tell_deal_started(self, event: events_pb2.DealStarted) -> Text:
        return self.sentence("deal_started", deal=str(event.deal))

    def _tell_cards_shown(self, event: events_pb2.CardsShown) -> Text:
        return self.sentence("shown", who=self.name(event.seat), cards=cards_style("3" * len(event.cards)))

    def _tell_lead_fixed(self, event: events_pb2.LeadFixed) -> Text:
        return self.sentence(LEADS.get(event.reason, "lead_shown"), who=self.name(event.seat))

    def _tell_revolution_settled(self, event: events_pb2.RevolutionSettled) -> Text | None:
        if not event.seats:
            return None
        return self.comma().join(self.sentence("revolts", who=self.name(seat)) for seat in event.seats)

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
        keys = {
            events_pb2.CLOSE_REASON_FROZEN: "frozen",
            events_pb2.CLOSE_REASON_EMPTY: "closed_empty",
            events_pb2.CLOSE_REASON_NOT_READY: "closed_not_ready",
            events_pb2.CLOSE_REASON_BY_OPERATORS: "closed_by_operators",
        }
        return self.sentence(keys[event.reason]) if event.reason in keys else None

    # ── before and between deals ──

    def _pair(self, key: str, who: int, whom: int, **parts: str | Text) -> Text:
        return self.sentence(key, who=self.name(who), whom=self.name(whom), **parts)

    def _kind(self, kind: int) -> str:
        phrase = TRIBUTE_KINDS.get(state_pb2.TributeKind.ValueType(kind), Phrase("tribute", "贡"))
        return phrase.zh if self.chinese else phrase.en

    def _tell_places_swapped(self, event: events_pb2.PlacesSwapped) -> Text:
        return self._pair("swapped", *event.seats)

    def _tell_called(self, event: events_pb2.Called) -> Text:
        return self._pair("called_blind" if event.blind else "called_open", event.seat, (event.seat + 3) % SEATS)

    def _tell_card_bought(self, event: events_pb2.CardBought) -> Text:
        cards = cards_style(play_text([event.card]))
        if not event.paid:
            return self._pair("given", event.buyer, event.seller, cards=cards)
        return self._pair("bought", event.buyer, event.seller, cards=cards, paid=cards_style(play_text([event.paid])))

    def _tell_tribute_paid(self, event: events_pb2.TributePaid) -> Text:
        kind = self._kind(event.kind)
        if not event.cards:
            return self._pair("paid_nothing", event.payer, event.receiver, kind=kind)
        return self._pair("paid", event.payer, event.receiver, cards=cards_style(play_text(event.cards)), kind=kind)

    def _tell_tribute_refused(self, event: events_pb2.TributeRefused) -> Text:
        return self._pair("tribute_refused", event.receiver, event.payer, kind=self._kind(event.kind))

    def _tell_tribute_waived(self, event: events_pb2.TributeWaived) -> Text:
        return self._pair("waived", event.payer, event.receiver)

    def _tell_card_returned(self, event: events_pb2.CardReturned) -> Text:
        return self._pair("returned", event.receiver, event.payer, cards=cards_style(play_text([event.card])))

    def _tell_return_refused(self, event: events_pb2.ReturnRefused) -> Text:
        return self._pair("return_refused", event.receiver, event.payer, cards=cards_style(play_text([event.card])))

    def _tell_stifled(self, event: events_pb2.Stifled) -> Text:
        return self._pair("stifled", event.seat, event.by)

    def _tell_obligations_recorded(self, event: events_pb2.ObligationsRecorded) -> Text | None:
        if not event.obligations:
            return None
        owed = [
            self._pair("owes", debt.payer, debt.receiver, count=str(debt.count), kind=self._kind(debt.kind))
            for debt in event.obligations
        ]
        return self.comma().join(owed)

    def _tell_lot_drawn(self, event: events_pb2.LotDrawn) -> Text:
        return self.lot(event.team)

    def lot(self, side: int) -> Text:
        """Return who won a tied match by lot: a side, or in individual play a seat (R64)."""
        individual = len(self.scene.totals) > 2
        who = self.name(side) if individual else self.sentence("odd" if side else "even")
        return self.sentence("lot", who=who)

    def _tell_count_told(self, event: events_pb2.CountTold) -> Text:
        if not event.HasField("count"):
            return self._pair("count_many", event.asker, event.seat)
        if event.count == 1:
            return self._pair("count_one", event.asker, event.seat)
        return self._pair("count", event.asker, event.seat, count=str(event.count))

    def _tell_felt(self, event: events_pb2.Felt) -> Text:
        return self._pair("felt", event.asker, event.seat)

    def _tell_dissolution_voted(self, event: events_pb2.DissolutionVoted) -> Text:
        return self.sentence("for_ending" if event.agrees else "against_ending", who=self.name(event.seat))

    # ── who is there ──

    def _tell_presence_changed(self, event: events_pb2.PresenceChanged) -> Text:
        return self.sentence("back" if event.connected else "gone", who=self.name(event.seat))

    def _tell_autopilot_changed(self, event: events_pb2.AutopilotChanged) -> Text:
        key = AUTOPILOT.get(event.reason, "autopilot_asked") if event.on else "autopilot_off"
        return self.sentence(key, who=self.name(event.seat))

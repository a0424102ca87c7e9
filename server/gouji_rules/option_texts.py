"""What people are told of every option of a rule set, and of the presets: data, in the order of docs/rules.md §12.

The lobby's settings, ``gouji rules`` and the pages of docs/rules/ all take their words from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from gouji_rules.rule_set import MOST_DEALS, PRESETS, OptionValue, RuleSetError, format_option


@dataclass(frozen=True, slots=True)
class Text:
    """One text in both languages."""

    en: str
    zh: str


class OptionType(Enum):
    """What an option's value is."""

    BOOL = "bool"
    CHOICE = "choice"
    NUMBER = "number"
    NUMBERS = "numbers"
    SET = "set"
    CARDS = "cards"


class Group(Enum):
    """The parts of a settings page, in order."""

    CARDS = Text("Cards and seats", "牌与座位")
    PLAYS = Text("Plays and tricks", "出牌")
    BURNING = Text("Burning", "烧牌")
    OPENING = Text("Opening and calls", "开点与宣点")
    HOLD_THREE = Text("Holding threes", "憋三")
    REVOLUTION = Text("Revolution", "革命")
    SCORING = Text("Scoring", "计分")
    TRIBUTE = Text("Tribute", "进贡")
    SEEING = Text("What may be seen", "看牌与报牌")


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option.

    ``title`` is its short name, ``text`` what it does; ``values`` says what each of its values means, written as
    :func:`~gouji_rules.rule_set.format_option` does (empty where the values are numbers or cards); ``rules`` the
    numbers of docs/rules.md, ``source`` the rule texts that know it; ``count`` how many numbers a list has, each from
    ``low`` to ``high``; ``needs`` the option that must be on for this one to mean anything.
    """

    name: str
    group: Group
    type: OptionType
    title: Text
    text: Text
    rules: tuple[str, ...]
    source: str
    values: tuple[tuple[str, Text], ...] = ()
    count: int = 0
    low: int = 0
    high: int = 0
    needs: str = ""


@dataclass(frozen=True, slots=True)
class PresetText:
    """One preset: what it is called, what is special about it, and the text that it follows."""

    name: str
    title: Text
    text: Text
    source: str


Values: TypeAlias = tuple[tuple[str, Text], ...]

_YES_NO: Values = (("false", Text("no", "否")), ("true", Text("yes", "是")))

_MOST = 1000
"""Scores are small numbers; this keeps sums far from any limit."""


def _switch(
    name: str, group: Group, title: Text, text: Text, rules: tuple[str, ...], source: str, needs: str = ""
) -> OptionText:
    return OptionText(name, group, OptionType.BOOL, title, text, rules, source, _YES_NO, needs=needs)


def _choice(
    name: str,
    group: Group,
    title: Text,
    text: Text,
    rules: tuple[str, ...],
    source: str,
    values: Values,
    needs: str = "",
) -> OptionText:
    return OptionText(name, group, OptionType.CHOICE, title, text, rules, source, values, needs=needs)


_BUYERS: Values = (
    ("off", Text("nobody buys", "不买")),
    ("S0", Text("the opposite, then in turn order", "先对头，再依次")),
    ("S1", Text("the opposite, its allies, the own allies", "先对头，再对头的联邦，再自己的联邦")),
    ("S3", Text("the opposite for pay, else an ally for nothing", "先向对头买，否则联邦白给")),
    ("S4", Text("as S1; fours too where they are needed", "同 S1；需要时也买 4")),
)

OPTION_TEXTS: tuple[OptionText, ...] = (
    _choice(
        "decks",
        Group.CARDS,
        Text("packs", "牌副数"),
        Text("How many packs of 54 cards are played with.", "用几副牌，每副 54 张。"),
        ("R1",),
        "S0, S1, S2, S3, S4: 4; 6 is an override",
        (
            ("4", Text("216 cards, 36 a seat, less those removed", "216 张，每家 36 张，去掉的除外")),
            ("6", Text("324 cards, 54 a seat, less those removed", "324 张，每家 54 张，去掉的除外")),
        ),
    ),
    OptionText(
        "removed",
        Group.CARDS,
        OptionType.CARDS,
        Text("cards taken out", "去掉的牌"),
        Text(
            "Cards taken out before the deal, by rank; the competition rules take out ten 3s, ten 4s and four 5s.",
            "发牌前去掉的牌，按点数写；竞赛规则去掉十张 3、十张 4、四张 5。",
        ),
        ("R1",),
        "S4",
    ),
    _choice(
        "direction",
        Group.CARDS,
        Text("direction", "出牌方向"),
        Text("Which way round the table turns go; only the display differs.", "行牌方向，只影响显示。"),
        (),
        "S3: clockwise; the others counter-clockwise",
        (("ccw", Text("counter-clockwise", "逆时针")), ("cw", Text("clockwise", "顺时针"))),
    ),
    _choice(
        "teams",
        Group.CARDS,
        Text("sides", "分边"),
        Text("Whether three play against three, or everybody for themselves.", "三对三联邦，或各自为战（个人计分）。"),
        ("R7",),
        "S0: individual; the others federation",
        (
            ("federation", Text("seats of one parity are allies", "隔位为联邦")),
            ("individual", Text("no allies: no sweep, no waiver, no peeking", "无联邦：不串三户，不免贡，不看牌")),
        ),
    ),
    _choice(
        "seating",
        Group.CARDS,
        Text("seating", "入座"),
        Text("How people come to their seats.", "如何定座位。"),
        ("R9",),
        "S0: three ways; S4: by lot",
        (
            ("free", Text("everyone picks a seat", "自由选座")),
            ("choose_opposite", Text("everyone picks an opposite", "自选对头")),
            ("draw", Text("opposites are drawn", "抽签定对头")),
        ),
    ),
    _choice(
        "show",
        Group.CARDS,
        Text("showing for the first lead", "亮牌争上班"),
        Text(
            "Whoever first draws two 3s of one suit shows them and leads; more of one suit takes the lead over.",
            "摸牌时先摸到两张同花色 3 者亮牌上班，后摸到更多者可顶班。",
        ),
        ("R5",),
        "S1",
        (
            ("auto", Text("everyone who can shows", "凡能亮者自动亮")),
            ("ask", Text("every seat is asked", "逐家询问，同时作答")),
        ),
    ),
    _choice(
        "mixed_jokers",
        Group.PLAYS,
        Text("both jokers in one play", "大小花同出"),
        Text("What a play with big and small jokers is worth.", "大花小花同在一手牌时如何算。"),
        ("R12",),
        "S1: as small",
        (
            ("by_card", Text("each joker counts as itself", "各按本牌算")),
            ("as_small", Text("each big joker counts as a small one", "大花都按小花算")),
        ),
    ),
    _choice(
        "gouji_twos",
        Group.PLAYS,
        Text("twos that are gouji", "几张 2 为够级"),
        Text("Fewest twos alone that are a gouji play.", "只出 2 时，至少几张算够级。"),
        ("R13",),
        "S0 names no twos: 1 in every preset",
        (("1", Text("one two", "一张")), ("2", Text("two twos", "两张"))),
    ),
    _choice(
        "joker_kill",
        Group.PLAYS,
        Text("killing jokers", "杀花"),
        Text(
            "Whether more jokers beat a joker though the numbers of cards differ.",
            "能否用更多的花去杀带花的牌（张数可以不同）。",
        ),
        ("R15",),
        "S0 (剑刻), S1 option 1: full; S2 (济南), S4: two_big",
        (
            ("off", Text("no", "不可")),
            (
                "two_big",
                Text(
                    "a big joker falls to two big; a small beside it to one big",
                    "两张大花杀一张大花；同出的小花用一张大花杀",
                ),
            ),
            (
                "full",
                Text(
                    "a small falls to one big or two small, a big to two big or three small",
                    "小花用一大或两小杀，大花用两大或三小杀",
                ),
            ),
        ),
    ),
    _switch(
        "kill_anyone",
        Group.PLAYS,
        Text("kills out of turn", "乱杀"),
        Text(
            "Any seat may kill a big joker out of turn, not the opposite alone.", "不单对头，任何一家都可越位杀大花。"
        ),
        ("R15",),
        "S4",
        needs="joker_kill",
    ),
    _choice(
        "burn",
        Group.BURNING,
        Text("burning", "烧牌"),
        Text(
            "Beating a gouji play out of turn, and what the rest of the hand must be like.",
            "越位打别人的够级牌，以及对余牌的要求。",
        ),
        ("R30", "R31"),
        "S0, S1q, S3: strict; S1, S2, S4: bluff (诈烧)",
        (
            (
                "strict",
                Text("every later play but the last must be able to hold a joker", "余牌除最后一手外每手须能带花"),
            ),
            ("bluff", Text("beating is enough", "可诈烧：打得过即可")),
            ("off", Text("no burning", "不烧牌")),
        ),
    ),
    OptionText(
        "burn_points",
        Group.BURNING,
        OptionType.NUMBERS,
        Text("points for a burn", "烧牌分"),
        Text(
            "What a burn that succeeds gives: the burner first, then the burned seat, as burner/burned.",
            "烧成后的得分：前一个是烧牌者的，后一个是被烧者的。",
        ),
        ("R35",),
        "S0 individual: 1/-1; S4: 0/-2",
        count=2,
        low=-_MOST,
        high=_MOST,
        needs="burn",
    ),
    _switch(
        "burn_after_pass",
        Group.BURNING,
        Text("burning after a pass", "过牌后可烧"),
        Text("Whether a seat that passed in this trick may still burn.", "本轮过过牌的还能否烧牌（一般过牌不烧）。"),
        ("R30",),
        "no in every preset",
        needs="burn",
    ),
    _switch(
        "counter_burn_doubles",
        Group.BURNING,
        Text("counter-burns double", "反烧加倍"),
        Text("A counter-burn that succeeds is owed twice the burn tribute.", "反烧成功，烧贡加倍。"),
        ("R35", "R72"),
        "S2",
        needs="burn",
    ),
    _choice(
        "pass_after_last",
        Group.PLAYS,
        Text("passing after a last play", "底牌后过牌"),
        Text(
            "What a pass costs in a trick in which the first or second finisher puts its last play down.",
            "头科或二科出底牌的那一轮，过过牌的还能否再上。",
        ),
        ("R21",),
        "S0, S1q, S2: closed; the others open",
        (
            ("closed", Text("who passes is out of this trick", "过牌即不可再上（只有走者的对头可上这手底牌）")),
            ("open", Text("as in any trick", "同平常一轮")),
        ),
    ),
    _choice(
        "dead_gouji",
        Group.PLAYS,
        Text("dead gouji", "够死级"),
        Text(
            "When the first or second finisher is out, its opposite may answer the last play with a gouji play that "
            "nobody may answer.",
            "头科、二科出底牌时，其对头可用够级牌压住，别家不得再上（只可烧、杀）。",
        ),
        ("R26",),
        "S0, S1q, S2: any last play; S1: a gouji last play; S3, S4: none",
        (
            ("any_last", Text("on any last play", "任何底牌")),
            ("gouji_last", Text("only on a gouji last play", "底牌须为够级")),
            ("none", Text("no dead goujis", "无够死级")),
        ),
    ),
    _choice(
        "melee_at",
        Group.PLAYS,
        Text("the melee", "四人乱缠"),
        Text(
            "When four are left: no gouji rules, no burning, a pass does not shut out.",
            "剩四家时何时进入乱缠：不讲够级，不烧牌，过牌可再上。",
        ),
        ("R28",),
        "S0, S1q, S2: after_second; S1, S4: active_four; S3: at_once",
        (
            ("after_second", Text("with the trick after the second finisher", "二科走后的下一轮起")),
            ("active_four", Text("with the next trick once four still play", "场上只剩四家后的下一轮起")),
            ("at_once", Text("as soon as the second finisher is out", "二科一走立即开始")),
        ),
    ),
    _switch(
        "opening",
        Group.OPENING,
        Text("opening", "开点"),
        Text(
            "A seat opens by winning the lead with a gouji play; who does not owes point tribute or loses points.",
            "用够级牌得到发牌权即为开点；未开点要进点贡或扣分。",
        ),
        ("R40",),
        "S1, S2, S3, S4; S0 as an option",
    ),
    _choice(
        "open_excludes",
        Group.OPENING,
        Text("plays that do not open", "不算开点的牌"),
        Text("Which gouji plays do not open their seat.", "哪些够级牌赢了也不算开点。"),
        ("R40",),
        "S0, S3, S1 option 0: big_joker; S1's note: jokers; S1 option 1: jokers_and_singles; S1 option 2, S4: "
        "jokers_and_twos",
        (
            ("big_joker", Text("with a big joker", "带大花的")),
            ("jokers", Text("with any joker", "带花的")),
            ("jokers_and_singles", Text("with a joker, and single cards", "带花的和单张")),
            ("jokers_and_twos", Text("with a joker, and twos alone", "带花的和只出 2 的")),
        ),
        needs="opening",
    ),
    _choice(
        "open_deadline",
        Group.OPENING,
        Text("until when one may open", "开点期限"),
        Text("Until when a seat may open.", "到何时为止可以开点。"),
        ("R41",),
        "S0, S3: strict; S1: melee",
        (
            (
                "strict",
                Text(
                    "first place and its opposite before first place finishes, the rest before second place does",
                    "头科及其对头须在头科走前，其余须在二科走前",
                ),
            ),
            ("melee", Text("until the melee begins", "乱缠开始之前")),
        ),
        needs="opening",
    ),
    _switch(
        "open_leads_four",
        Group.OPENING,
        Text("who opens leads fours", "开点发 4"),
        Text(
            "A seat's first lead after opening must hold a 4; who has none buys one.",
            "开点后的那一发须带 4；没有 4 的去买。",
        ),
        ("R43",),
        "S4",
        needs="opening",
    ),
    _choice(
        "calls",
        Group.OPENING,
        Text("calls", "明点与预点"),
        Text(
            "Saying beforehand that one's opposite will not open, for a higher tribute.",
            "事先宣称对头开不了点，贡牌加倍。",
        ),
        ("R42",),
        "S1: both; S2: open; S0 as an option",
        (
            ("none", Text("no calls", "无")),
            ("open", Text("open calls, with the cards seen", "明点：看牌后宣")),
            ("both", Text("open calls, and blind ones before the deal", "明点，以及发牌前的预点")),
        ),
        needs="opening",
    ),
    _switch(
        "double_backfire",
        Group.OPENING,
        Text("backfiring doubles", "翻车加倍"),
        Text("A caller whose opposite opens after all pays twice.", "宣点而对头开了点（翻车），贡牌加倍。"),
        ("R74",),
        "S0 as an option",
        needs="calls",
    ),
    _choice(
        "point_table",
        Group.OPENING,
        Text("how much point tribute", "点贡表"),
        Text("By which table the tribute for not opening and for calls is reckoned.", "未开点与宣点按哪一种算法进贡。"),
        ("R74",),
        "each by its own text",
        (
            (
                "S0",
                Text(
                    "the unopened pays 1, 2 or 4; a caller that was wrong pays 2 or 4",
                    "未开点者进 1、2 或 4；翻车者进 2 或 4",
                ),
            ),
            (
                "S1",
                Text(
                    "1, 2 or 4 by the other's call; both opened: nothing", "按对方宣点进 1、2 或 4；双方都开点互不进贡"
                ),
            ),
            ("S2", Text("open calls alone: 1 to 4 by who called and who opened", "只有明点：按谁宣谁开进 1 至 4")),
            ("S3", Text("the unopened pays 1, both if neither opened", "未开点者进 1，都未开则都进")),
        ),
        needs="opening",
    ),
    _switch(
        "point_returned",
        Group.OPENING,
        Text("point tribute is returned", "点贡要还"),
        Text("Whether as many cards come back for point tribute as for loser tribute.", "点贡是否同落贡一样要还。"),
        ("R74",),
        "S3",
        needs="opening",
    ),
    _choice(
        "revolution",
        Group.REVOLUTION,
        Text("revolution", "革命"),
        Text(
            "A seat dealt no 2 and no joker may lay its cards down for fourth place.", "无 2 无花者可弃牌革命，得四科。"
        ),
        ("R50", "R51"),
        "S0, S1, S1q, S2, S4; S3 and S0's 三一手: hold_three_only",
        (
            ("off", Text("no", "无")),
            ("may", Text("a seat without 2s and jokers may", "无 2 无花者可革命")),
            ("hold_three_only", Text("only a seat that has no 3 either", "还须没有 3")),
        ),
    ),
    _choice(
        "revolution_by",
        Group.REVOLUTION,
        Text("which hand counts for revolution", "按何时的手牌革命"),
        Text(
            "Whether the cards dealt decide, or those held after buying and tribute.",
            "按发到的牌算，还是按买牌、进贡之后的牌算。",
        ),
        ("R50",),
        "S1: held; the others dealt",
        (
            ("dealt", Text("the cards dealt", "发到的牌")),
            ("held", Text("the cards held when asked", "问时手中的牌")),
        ),
        needs="revolution",
    ),
    _choice(
        "revolution_opens",
        Group.REVOLUTION,
        Text("when a revolutionary's opposite has opened", "革命者对头何时算开点"),
        Text("When the opposite of a revolutionary counts as having opened.", "革命者的对头何时算作开点。"),
        ("R44", "R53"),
        "S1: at_once; S0: three",
        (
            ("at_once", Text("at once", "立即")),
            ("three", Text("when three of its dead goujis were live before second place", "二科走前有三手够死级成活")),
        ),
    ),
    _switch(
        "hold_three",
        Group.HOLD_THREE,
        Text("holding threes", "憋三"),
        Text("3s may only be led as one's last play, all of them and alone.", "手中的 3 须全部留到最后一手单独发出。"),
        ("R45",),
        "S3, S4; S0, S1, S2 as an option",
    ),
    _choice(
        "stifle",
        Group.HOLD_THREE,
        Text("being stifled", "被闷"),
        Text(
            "What it costs when the play before one's last 3s is beaten.",
            "剩 3 之前的那一手被人打下的代价。",
        ),
        ("R46",),
        "S1, S2, S3: tribute; S4: last_place",
        (
            ("off", Text("nothing", "无")),
            ("tribute", Text("a card to who beat it", "进闷贡一张")),
            ("last_place", Text("out at once, in the lowest free place", "立即出局，落到空着的最低名次")),
        ),
        needs="hold_three",
    ),
    _choice(
        "buy_from",
        Group.HOLD_THREE,
        Text("buying threes: from whom", "向谁买三"),
        Text("From whom a seat without a 3 gets one before play.", "没有 3 的向谁买。"),
        ("R49",),
        "each by its own text",
        _BUYERS,
        needs="hold_three",
    ),
    _choice(
        "buy_with",
        Group.HOLD_THREE,
        Text("buying threes: for what", "用什么买三"),
        Text("With what a bought 3 is paid: the first that the buyer has.", "用什么牌买，按次序取自己有的第一种。"),
        ("R49",),
        "each by its own text",
        (
            ("off", Text("nobody buys", "不买")),
            ("S0", Text("a 2, a small joker, a big joker", "2、小花、大花")),
            ("S1", Text("a 2, a small joker, a big joker", "2、小花、大花")),
            ("S3", Text("a 2, a small joker, a big joker; an ally gives for nothing", "2、小花、大花；联邦白给")),
            ("S4", Text("a 2, else a small or big joker", "2，没有则小花、大花")),
        ),
        needs="hold_three",
    ),
    _choice(
        "buy_none",
        Group.HOLD_THREE,
        Text("no 3 and nothing to pay with", "无 3 又买不起"),
        Text("What becomes of a seat that has no 3 and no means to buy one.", "没有 3 又无牌可买的怎么办。"),
        ("R49",),
        "S1: auto; S0, S3, S4: may",
        (
            ("off", Text("nothing", "无")),
            ("auto", Text("it revolts", "自动革命")),
            ("may", Text("it may revolt, or play without 3s", "可革命，也可无 3 照打")),
        ),
        needs="hold_three",
    ),
    OptionText(
        "points",
        Group.SCORING,
        OptionType.NUMBERS,
        Text("points by place", "名次分"),
        Text("Points for places 1 to 6.", "头科至大落各得几分。"),
        ("R61",),
        "S0 federation, S1q: 4/2/0/0/-2/-4; S1, S0 individual: 2/1/0/0/-1/-2; S4: 7/5/4/3/2/1",
        count=6,
        low=-_MOST,
        high=_MOST,
    ),
    _choice(
        "record",
        Group.SCORING,
        Text("negative sums", "负分"),
        Text("Whether a side's negative sum counts.", "一方合计为负时如何记。"),
        ("R62",),
        "S0, S1q: positive_only",
        (
            ("positive_only", Text("it counts as nothing", "记零")),
            ("signed", Text("it counts", "照记")),
        ),
    ),
    _switch(
        "sweep_doubles",
        Group.SCORING,
        Text("a sweep doubles", "串三户加倍"),
        Text("Places 1, 2 and 3 of one side double the scores.", "一方包揽前三名，得分加倍。"),
        ("R60", "R63"),
        "S0, S1, S1q; S4: no",
    ),
    OptionText(
        "fault_points",
        Group.SCORING,
        OptionType.NUMBER,
        Text("points for a fault", "失误扣分"),
        Text(
            "What a seat gets for not having opened, and for having been stifled.",
            "未开点、被闷，每项给该家记几分。",
        ),
        ("R64",),
        "S4: -2",
        low=-_MOST,
        high=_MOST,
    ),
    _switch(
        "tie_by_lot",
        Group.SCORING,
        Text("a tied match goes by lot", "平局抽签"),
        Text("A match that ends even is settled by a recorded lot.", "一局打平时抽签定胜负，抽签可查。"),
        ("R64",),
        "S4",
    ),
    _switch(
        "gap_doubles",
        Group.SCORING,
        Text("a gap doubles", "隔山二重分"),
        Text(
            "The deal counts twice if place 6 sits two seats from place 1, or place 5 two seats from place 2.",
            "头科与大落隔位，或二科与二落隔位，本盘得分加倍。",
        ),
        ("R65",),
        "S0 individual, as an option",
        needs="teams",
    ),
    _switch(
        "slam",
        Group.SCORING,
        Text("slam", "满贯（韩国）"),
        Text(
            "A seat that plays all its cards while nobody else plays one ends the deal and takes +6, or +10.",
            "从第一手到最后一手别家一张未出，立即结束，得 6 分（首发者 10 分）。",
        ),
        ("R66",),
        "S0 Korea, as an option",
        needs="teams",
    ),
    OptionText(
        "tribute",
        Group.TRIBUTE,
        OptionType.SET,
        Text("tribute", "进贡"),
        Text(
            "Which debts of a deal are paid in cards before the next one, by kind, as burn/loser; none: none is paid.",
            "哪些欠账在下一盘前用牌进贡，按种类写，如 burn/loser；none：都不进。",
        ),
        ("R70", "R71", "R72", "R73", "R74", "R75", "R77"),
        "S1, S2: burn, point, loser; S3: all four; S0, S1q: loser as an option; S4: none",
        (
            ("stifle", Text("one card to who stifled", "闷贡：一张给闷者")),
            ("burn", Text("one card to the burner", "烧贡：一张给烧者")),
            ("point", Text("for not having opened, by the calls", "点贡：未开点者按宣点进贡")),
            (
                "loser",
                Text("place 6 pays place 1 two, place 5 pays place 2 one", "落贡：大落进头科两张，二落进二科一张"),
            ),
        ),
    ),
    _choice(
        "return",
        Group.TRIBUTE,
        Text("returns", "还贡"),
        Text("Which card the receiver of loser tribute gives back.", "收落贡者还什么牌。"),
        ("R73",),
        "S1, S3: free; S0, S1q: may_refuse; S2: must_match",
        (
            ("free", Text("any card", "任意一张")),
            ("may_refuse", Text("the payer may refuse a rank it does not hold", "对方没有这种牌时可以不要")),
            ("must_match", Text("a rank that the payer holds, if there is one", "须是对方手里有的点数（若有）")),
        ),
        needs="tribute",
    ),
    _switch(
        "tribute_refusable",
        Group.TRIBUTE,
        Text("tribute may be refused", "可以拒贡"),
        Text("The receiver is asked whether it takes the tribute.", "收贡者可以不收。"),
        ("R73",),
        "S1",
        needs="tribute",
    ),
    _choice(
        "sweep_tribute",
        Group.TRIBUTE,
        Text("after a sweep", "串三户之后"),
        Text("What a sweep does to the match and to loser tribute.", "串三户后本局与落贡如何。"),
        ("R76",),
        "S1: match_ends; S0, S1q: redeal; S2: by_place",
        (
            ("match_ends", Text("the match is over", "本局结束")),
            ("redeal", Text("the next deal has no loser tribute", "下一盘不进落贡")),
            (
                "opposites",
                Text("each of the swept pays its opposite one, which is returned", "被串者各进对头一张，须还"),
            ),
            ("by_place", Text("by places as ever", "照名次进贡")),
        ),
    ),
    _switch(
        "swap_places",
        Group.TRIBUTE,
        Text("places 5 and 6 may swap", "二落大落可互换"),
        Text(
            "Allies on places 5 and 6 may agree before the deal to swap them.",
            "二落、大落同为联邦时，可商定互换。",
        ),
        ("R73",),
        "S0, S1q",
        needs="tribute",
    ),
    _switch(
        "waiver_shows",
        Group.TRIBUTE,
        Text("who is waived shows", "免贡须亮牌"),
        Text(
            "Where allies waive tribute the payer still shows its largest card to all.",
            "联邦之间免贡时，进贡者仍须亮出最大的一张牌。",
        ),
        ("R73",),
        "S0",
        needs="tribute",
    ),
    _choice(
        "report",
        Group.SEEING,
        Text("reports", "报牌"),
        Text("Who learns how many cards a seat still holds.", "剩余张数何时让人知道。"),
        ("R80", "R47"),
        "S0, S1q, S2: shown; S1: asked; hold-three: none",
        (
            ("shown", Text("everyone, from ten cards down", "十张及以下公开")),
            ("asked", Text("whoever asks; all hear it", "问了才报，大家都听见")),
            ("none", Text("nobody", "不报")),
        ),
    ),
    _choice(
        "peek",
        Group.SEEING,
        Text("looking at allies' cards", "挑牌·看牌"),
        Text("When allies may look at a hand and suggest a play.", "联邦何时可以看牌、挑牌。"),
        ("R81",),
        "S0, S1q: full; S2: ten; the others none",
        (
            ("full", Text("a hand of ten or fewer; a finished ally any hand", "十张及以下可看；走完的联邦随时可看")),
            ("ten", Text("a hand of ten or fewer", "十张及以下可看")),
            ("none", Text("never", "不可")),
        ),
    ),
    OptionText(
        "feel_chances",
        Group.SEEING,
        OptionType.CHOICE,
        Text("feeling the opposite's hand", "摸班"),
        Text(
            "How often a deal a seat may learn its opposite's count of cards, in buckets of six.",
            "每盘可摸对头几次牌的厚薄（以六张为一档）。",
        ),
        ("R82",),
        "S0 as an option",
        (("0", Text("never", "不可")), ("3", Text("three times a deal", "每盘三次"))),
    ),
    OptionText(
        "deals",
        Group.SCORING,
        OptionType.NUMBER,
        Text("deals a match", "每局盘数"),
        Text("How many deals a match has; 0 is open: as many as the table says.", "一局打几盘；0：由牌桌定。"),
        ("R68",),
        "S1: 5; S4: 3",
        low=0,
        high=MOST_DEALS,
    ),
)
"""Every option, in the order of docs/rules.md §12."""

TEXT_OF: dict[str, OptionText] = {text.name: text for text in OPTION_TEXTS}
"""The same by name."""


def meaning_of(option: OptionText, value: OptionValue) -> Text | None:
    """What a value of an option means, None where that is no more than the value itself."""
    if option.name == "deals" and value == 0:
        return Text("as many as the table says", "由牌桌定")
    if option.name == "tribute" and value == ():
        return Text("nobody owes any", "不进贡")
    if option.name == "burn_points" and isinstance(value, tuple) and len(value) == 2:
        burner, burned = value
        return Text(f"the burner {burner}, the burned seat {burned}", f"烧牌者 {burner}，被烧者 {burned}")
    known = dict(option.values)
    if isinstance(value, tuple):
        parts = [known[str(part)] for part in value if str(part) in known]
        return Text("; ".join(part.en for part in parts), "；".join(part.zh for part in parts)) if parts else None
    return known.get(format_option(value))


PRESET_TEXTS: dict[str, PresetText] = {
    "qingdao": PresetText(
        "qingdao",
        Text("Qingdao", "青岛够级"),
        Text(
            "Two sides of three. Burning is strict: what is left after a burn must let every play but the last hold a "
            "joker. A seat without 2s and jokers may revolt. Places score 4/2/0/0/-2/-4, a side below zero gets zero, "
            "and taking the first three places doubles. No opening, no holding of threes, no tribute.",
            "三人一方，两方对抗。烧牌从严：烧后余牌除最后一手外每手须带花。无 2 无花者可革命。"
            "名次记分 4/2/0/0/-2/-4，负分记零，串三户加倍。不开点、不憋三、不进贡。",
        ),
        "S1q",
    ),
    "hokkaido": PresetText(
        "hokkaido",
        Text("Hokkaido", "北海道够级（个人计分）"),
        Text(
            "Everybody plays for themselves; opposites remain enemies. Burning is strict and moves a point from the "
            "burned to the burner. Places score 2/1/0/0/-1/-2. A seat is told another's count only when it asks.",
            "各自为战，对头仍是对头。烧牌从严，烧成者加 1 分、被烧者减 1 分。名次记分 2/1/0/0/-1/-2。问了才报牌。",
        ),
        "S0",
    ),
    "chinagames": PresetText(
        "chinagames",
        Text("China Games", "中游够级"),
        Text(
            "With opening, open and blind calls, and tribute for burns, points and places. Burning may bluff. Big and "
            "small jokers in one play all count as small. Five deals a match, or until a sweep.",
            "开点，可明点、预点；烧贡、点贡、落贡俱全。可诈烧。大小花同出按小花算。五盘一局，串三户即止。",
        ),
        "S1",
    ),
    "shandong": PresetText(
        "shandong",
        Text("Shandong", "山东够级"),
        Text(
            "With opening, open calls, and tribute for burns, points and places; what is returned must suit the payer. "
            "Burning may bluff, and a counter-burn that succeeds is owed double.",
            "开点，可明点；烧贡、点贡、落贡俱全，还贡须还对方有的牌。可诈烧，反烧成功加倍。",
        ),
        "S2",
    ),
    "lianzhong": PresetText(
        "lianzhong",
        Text("Lianzhong", "联众够级"),
        Text(
            "Holding threes: they are kept for the last play, and being beaten just before costs a card. Opening, and "
            "tribute of all four kinds. The melee begins as soon as the second finisher is out. No counts are told.",
            "憋三：3 留到最后一手，临门被打下须进闷贡。开点，四种贡俱全。二科一走立即乱缠。不报牌。",
        ),
        "S3",
    ),
    "competition": PresetText(
        "competition",
        Text("Competition", "竞赛够级"),
        Text(
            "192 cards. Holding threes, opening with a 4 to lead, and kills of big jokers by anybody. Places score "
            "7/5/4/3/2/1; not opening, being burned and being stifled cost two points each. No tribute, three deals.",
            "192 张牌。憋三，开点发 4，乱杀大花。名次记分 7/5/4/3/2/1，未开点、被烧、被闷各扣 2 分。不进贡，三盘一局。",
        ),
        "S4",
    ),
}
"""Every preset of docs/rules.md §12, by name."""


def preset_texts(name: str) -> PresetText:
    """What people are told of a preset. Raises :class:`RuleSetError` if it has a column or texts, but not both."""
    texts = PRESET_TEXTS.get(name)
    if texts is None:
        raise RuleSetError(
            ("rules",),
            f"preset {name} has no texts: give it an entry in PRESET_TEXTS of option_texts.py",
            f"{name} 规则没有说明文字：请在 option_texts.py 的 PRESET_TEXTS 中加上",
        )
    if name not in PRESETS:
        raise RuleSetError(
            ("rules",),
            f"preset {name} has texts but no options: give it an entry in COLUMNS of presets.py",
            f"{name} 规则有说明文字而没有选项：请在 presets.py 的 COLUMNS 中加上",
        )
    return texts

"""The words in which a record is told to people, in Chinese where the terminal asks for it."""

from __future__ import annotations

import re

from gouji_cli.narration import PLACES
from gouji_cli.terminal import speaks_chinese

STEPS = {
    "lead": "发牌",
    "follow": "上牌",
    "burn": "烧牌",
    "kill": "杀牌",
    "pass": "过牌",
    "yield": "让牌",
    "wind": "接风",
    "burn over": "烧牌结束",
    "burn succeeded": "烧成",
    "busted": "烧败",
    "finished": "走科",
    "show": "亮牌",
    "first lead": "上班",
    "revolt": "革命",
    "head keep": "要头",
    "head drop": "不要头",
    "void": "本盘作废重发",
    "melee": "四人乱缠开始",
    "deal over": "本盘结束",
    "swaps": "换科",
    "call blind": "预点",
    "call open": "明点",
    "buy": "买牌",
    "pay": "进贡",
    "refuse tribute": "不收贡",
    "waived": "免贡",
    "return": "还贡",
    "refuse": "不要还贡",
    "owed": "欠贡",
    "opened": "开点",
    "stifled": "被闷",
    "slam": "满贯",
    "ask": "问张数",
    "feel": "摸班",
    "dissolved": "散局",
    "refused": "不合规则",
}
"""Everything that a step may be called (`gouji_rules.records.telling.WORDS`), and a record of what is refused."""

_NOTES = {
    "gouji": "够级牌",
    "dead": "够死级",
    "last": "底牌",
    "headless": "无头",
    "given": "白给",
    "sweep": "串三户",
    "clubs": "梅花",
    "diamonds": "方块",
    "hearts": "红桃",
    "spades": "黑桃",
    "shown": "亮牌",
    "lot": "抽签",
    "revolution": "接替革命者",
    "counter burned": "被反烧",
    "defused": "被解烧",
    "answered": "被无头家打下",
    "melee": "进入乱缠",
    "killed": "被杀",
    "busted": "烧败",
    "more than ten": "不够报",
}

_KINDS = {"stifle": "闷贡", "burn": "烧贡", "point": "点贡", "loser": "落贡"}

_PATTERNS = (
    (re.compile(r"(\d)>(\d) (stifle|burn|point|loser) (\d+)"), r"\1 号欠 \2 号 \3 \4 张"),
    (re.compile(r"(stifle|burn|point|loser) (\d+)"), r"\1 \2 张"),
    (re.compile(r"from seat (\d)"), r"向 \1 号"),
    (re.compile(r"to seat (\d)"), r"给 \1 号"),
    (re.compile(r"of seat (\d)"), r"\1 号的"),
    (re.compile(r"by seat (\d)"), r"被 \1 号"),
    (re.compile(r"with seat (\d)"), r"与 \1 号"),
    (re.compile(r"burned seat (\d)"), r"烧 \1 号"),
    (re.compile(r"seat (\d)"), r"\1 号"),
    (re.compile(r"paid (\S+)"), r"付 \1"),
    (re.compile(r"places (.+)"), r"名次 \1"),
    (re.compile(r"scores (.+)"), r"得分 \1"),
)


def step_word(what: str) -> str:
    """Return what a step is called."""
    if not speaks_chinese():
        return what
    deal = re.fullmatch(r"deal (\d+)", what)
    return f"第 {deal[1]} 盘" if deal else STEPS.get(what, what)


def note(text: str) -> str:
    """Return a note of a step."""
    if not speaks_chinese():
        return text
    place = re.fullmatch(r"place ([1-6])", text)
    if place:
        return PLACES[int(place[1]) - 1]
    if text in _NOTES:
        return _NOTES[text]
    for pattern, chinese in _PATTERNS:
        found = pattern.fullmatch(text)
        if found:
            said = found.expand(chinese)
            return re.sub(r"stifle|burn|point|loser", lambda kind: _KINDS[kind[0]], said)
    return text

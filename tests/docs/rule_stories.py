"""A record told as a story, line by line, in English or Chinese: what the pages of docs/rules/ show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules.actions import VERB_WORDS
from gouji_rules.cards import SUIT_NAMES, format_cards, suit_of
from gouji_rules.plays import format_play
from gouji_rules.records import LineKind, read_record, replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gouji_rules.events import Event
    from gouji_rules.records import Line, Record

ZH_VERBS = {
    "play": "出牌",
    "pass": "过牌",
    "yield": "让牌",
    "wind": "接风",
    "burn": "烧牌",
    "decline": "不烧",
    "kill": "乱杀",
    "show": "亮牌",
    "no": "不",
    "revolt": "革命",
    "head keep": "要头",
    "head drop": "无头",
    "call open": "明点",
    "call blind": "预点",
    "give": "还牌",
    "refuse": "不要",
    "accept": "收下",
    "waive": "免贡",
    "swap": "互换",
}
EN_VERBS = {
    "wind": "ask for the wind",
    "no": "say no",
    "head keep": "keep its head",
    "head drop": "drop it",
    "call open": "make an open call",
    "call blind": "make a blind call",
    "give": "return",
}
"""The record's words that want another in a sentence."""
ZH_KINDS = {"stifle": "闷贡", "burn": "烧贡", "point": "点贡", "loser": "落贡"}
ZH_SUITS = dict(zip(SUIT_NAMES, ("梅花", "方块", "红桃", "黑桃"), strict=True))
ZH_PLACES = ("头科", "二科", "三科", "四科", "二落", "大落")
ZH_MANNERS = {gr.Manner.LEAD: "发", gr.Manner.FOLLOW: "上", gr.Manner.BURN: "烧牌，出", gr.Manner.KILL: "乱杀，出"}
EN_MANNERS = {
    gr.Manner.LEAD: "leads",
    gr.Manner.FOLLOW: "plays",
    gr.Manner.BURN: "burns with",
    gr.Manner.KILL: "kills with",
}


def story(text: str, language: str) -> list[str]:
    """Return the lines of a record's story, without its hands."""
    record = read_record(text)
    lines: list[str] = []

    def watch(line: Line | None, events: list[Event]) -> None:
        lines.extend(_told(line, events, zh=language == "zh"))

    differences, _ = replay(record, watch)
    assert not differences, differences
    return list(_joined(lines, language))


def result_of(text: str, language: str) -> str:
    """Return what a record expects of its end, empty where nothing."""
    record = read_record(text)
    parts = list(_result_zh(record) if language == "zh" else _result_en(record))
    return ("；".join(parts) + "。" if language == "zh" else "; ".join(parts) + ".") if parts else ""


def _result_en(record: Record) -> Iterator[str]:
    if record.places:
        yield "Places: " + ", ".join(map(str, record.places))
    if record.scores is not None:
        yield ("scores by seat: " if len(record.scores) == 6 else "scores of seats 0, 2, 4 and 1, 3, 5: ") + ", ".join(
            map(str, record.scores)
        )
    if record.owed is not None:
        yield "owed next: " + (", ".join(map(_debt_en, record.owed)) or "nothing")


def _result_zh(record: Record) -> Iterator[str]:
    if record.places:
        yield "名次：" + "、".join(f"{seat} 号" for seat in record.places)
    if record.scores is not None:
        yield ("各座位得分：" if len(record.scores) == 6 else "0、2、4 号方与 1、3、5 号方得分：") + "、".join(
            map(str, record.scores)
        )
    if record.owed is not None:
        yield "下一盘进贡：" + ("，".join(map(_debt_zh, record.owed)) or "无")


def debts(text: str, language: str) -> str:
    """Return the tribute owed from the deal before in words, empty where there is none."""
    record = read_record(text)
    said = [_debt_zh(owed) if language == "zh" else _debt_en(owed) for owed in record.obligations]
    return ("，" if language == "zh" else ", ").join(said)


def _debt_en(owed: gr.Obligation) -> str:
    return f"seat {owed.payer} pays seat {owed.receiver} {owed.count} ({owed.kind})"


def _debt_zh(owed: gr.Obligation) -> str:
    return f"{owed.payer} 号向 {owed.receiver} 号进 {owed.count} 张（{ZH_KINDS[owed.kind]}）"


def _told(line: Line | None, events: Iterable[Event], *, zh: bool) -> Iterator[str]:
    """One line of a record: what it brought about, or what it states."""
    told = [said for event in events if (said := (_zh(event) if zh else _en(event)))]
    if line is not None and line.kind == LineKind.REFUSED:
        yield from told
        yield _refused(line, zh=zh)
        return
    yield from told
    if line is not None and line.kind == LineKind.OPEN:
        yield _asked(line, zh=zh)
    elif line is not None and line.kind == LineKind.NOT_ASKED:
        yield f"不问 {line.seat} 号。" if zh else f"Seat {line.seat} is not asked."
    elif line is not None and line.kind == LineKind.LEADS:
        yield f"轮到 {line.seat} 号发牌。" if zh else f"Seat {line.seat} has the lead."
    elif line is not None and line.kind == LineKind.FACT:
        yield from (
            said for pattern, en, chinese in FACTS if (said := _fact(line.said, pattern, chinese if zh else en))
        )
    elif line is not None and line.kind in (LineKind.ACTION, LineKind.ASIDE) and not told:
        yield _hidden(line, zh=zh)
    if line is not None and line.kind == LineKind.ASIDE and line.told:
        yield f"答：{'不够报' if line.told == 'more' else line.told}。" if zh else f"The answer: {line.told}."


FACTS = (
    (r"([0-5]) shows (\d+)", "Everyone sees that seat {0} holds {1}.", "人人看得到 {0} 号还有 {1} 张。"),
    (r"([0-5]) shows -", "Nobody is told how many cards seat {0} holds.", "{0} 号余牌多少，无人知道。"),
    (r"([0-5]) holds ([^-]+)", "Seat {0} holds `{1}`.", "{0} 号手中是 `{1}`。"),
    (r"([0-5]) lets -( )look", "Seat {0} may let nobody look at its hand.", "{0} 号的牌谁也不能看。"),
    (r"([0-5]) lets ([0-5,]+) look", "Seat {0} may let seats {1} look at its hand.", "{0} 号可让 {1} 号看牌。"),
    (r"([0-5]) not( )opened", "Seat {0} has not opened.", "{0} 号还没有开点。"),
    (r"([0-5]) not( )stifled", "Nobody knows of seat {0} being stifled.", "{0} 号是否被闷，无人知道。"),
    (r"([0-5]) headless", "Seat {0} is headless.", "{0} 号无头。"),
    (r"([0-5]) revolted", "Seat {0}'s cards lie face down.", "{0} 号的牌扣着。"),
)
"""Facts of a record that a story tells, in both languages; what the events tell anyway is left out."""


def _fact(said: str, pattern: str, words: str) -> str:
    found = re.fullmatch(pattern, said)
    comma = ", " if words.isascii() else "、"
    return words.format(*(part.replace(",", comma) for part in found.groups())) if found else ""


def _said(words: str, *, zh: bool) -> str:
    """An action in a record's words, such as ``play KK``."""
    verb = next(verb for verb in sorted(VERB_WORDS, key=len, reverse=True) if words.startswith(verb))
    cards = words[len(verb) :].strip()
    named = ZH_VERBS[verb] if zh else EN_VERBS.get(verb, verb)
    return f"{named} `{cards}`" if cards else named


def _refused(line: Line, *, zh: bool) -> str:
    rule = f" ({line.rule})" if line.rule and not zh else f"（{line.rule}）" if line.rule else ""
    said = _said(line.said, zh=zh)
    return f"✗ {line.seat} 号不可{said}{rule}。" if zh else f"✗ Seat {line.seat} may not {said}{rule}."


def _asked(line: Line, *, zh: bool) -> str:
    words = [word for word, verb in VERB_WORDS.items() if line.verbs >> verb & 1]
    if zh:
        # The refusal comes last: “可不革命、革命” reads as if one might well not revolt.
        named = [ZH_VERBS[word] for word in words if word != "no"] + [_zh_no(words)] * ("no" in words)
        return f"问 {line.seat} 号：可{'、'.join(named)}。"
    return f"Seat {line.seat} is asked: it may {' or '.join(EN_VERBS.get(word, word) for word in words)}."


def _zh_no(words: list[str]) -> str:
    """The refusal among some verbs: what is declined is named. A seat that can only refuse cannot revolt."""
    for word, said in (("show", "不亮牌"), ("call open", "不宣点"), ("call blind", "不宣点")):
        if word in words:
            return said
    return "不革命"


def _hidden(line: Line, *, zh: bool) -> str:
    said = _said(line.said, zh=zh)
    return f"{line.seat} 号暗答：{said}。" if zh else f"Seat {line.seat} answers, unseen: {said}."


def _joined(lines: list[str], language: str) -> Iterator[str]:
    """Lines that say the same of several seats become one: passes and declines."""
    same = ("号过牌。", " 号过牌") if language == "zh" else (" passes.", "")
    passing: list[str] = []
    for line in [*lines, ""]:
        if line.endswith(same[0]):
            passing.append(line.split()[0 if language == "zh" else 1])
            continue
        if passing:
            yield _passes(passing, language)
            passing = []
        if line:
            yield line


def _passes(seats: list[str], language: str) -> str:
    if language == "zh":
        return f"{'、'.join(seats)} 号过牌。"
    return f"Seat {seats[0]} passes." if len(seats) == 1 else f"Seats {', '.join(seats)} pass."


# ── events in words ──────────────────────────────────────────────────────────────────────────────────────────────────


def _en(event: Event) -> str:
    match event:
        case gr.Played():
            marks = [word for word, so in (("dead", event.dead), ("its last", event.last)) if so]
            note = f" ({', '.join(marks)})" if marks else ""
            return f"Seat {event.seat} {EN_MANNERS[event.manner]} `{format_play(event.play)}`{note}."
        case gr.Passed(seat):
            return f"Seat {seat} passes."
        case gr.Yielded(seat):
            return f"Seat {seat} yields."
        case gr.WindAsked(seat):
            return f"Seat {seat} asks for the wind."
        case gr.BurnEnded(seat, reason):
            return f"Seat {seat}'s burn is over ({reason.name.lower().replace('_', ' ')})."
        case gr.BurnSucceeded(seat, burned):
            return f"Seat {seat}'s burn has succeeded: seat {burned} is burned."
        case gr.Busted(seat, place):
            return f"Seat {seat} is busted and takes place {place}."
        case gr.Finished(seat, place):
            return f"Seat {seat} is out, in place {place}."
        case gr.MeleeBegan():
            return "The melee begins."
        case gr.Opened(seat):
            return f"Seat {seat} has opened."
        case gr.Stifled(seat, by, _):
            return f"Seat {seat} was stifled by seat {by}."
        case gr.SlamMade(seat):
            return f"Seat {seat} has made a slam."
        case gr.DealVoided():
            return "The deal is void."
    return _en_before_play(event)


def _en_before_play(event: Event) -> str:
    match event:
        case gr.CardsShown(seat, cards):
            return f"Seat {seat} shows `{format_cards(cards)}` of {SUIT_NAMES[suit_of(cards[0])]}."
        case gr.RevolutionSettled(seats) if seats:
            return f"Seat {seats[0]} revolts." if len(seats) == 1 else f"Seats {', '.join(map(str, seats))} revolt."
        case gr.HeadChosen(seat, keep):
            return f"Seat {seat} {'keeps a' if keep else 'drops its'} head."
        case gr.Called(seat, blind):
            return f"Seat {seat} makes {'a blind' if blind else 'an open'} call."
        case gr.CardBought(buyer, seller, card, paid):
            price = "for nothing" if paid is None else f"for `{format_cards([paid])}`"
            return f"Seat {buyer} buys `{format_cards([card])}` from seat {seller} {price}."
        case gr.TributePaid(payer, receiver, kind, owed, cards):
            paid_cards = f"`{format_cards(cards)}`" if cards else "nothing, having none"
            return f"Seat {payer} pays seat {receiver} {paid_cards} ({kind}, {owed} owed)."
        case gr.TributeRefused(receiver, payer, kind, _):
            return f"Seat {receiver} refuses the {kind} tribute of seat {payer}."
        case gr.TributeWaived(payer, receiver, shown):
            showing = "" if shown is None else f"; it shows `{format_cards([shown])}`"
            return f"The tribute of seat {payer} to seat {receiver} is waived{showing}."
        case gr.CardReturned(receiver, payer, card):
            return f"Seat {receiver} returns `{format_cards([card])}` to seat {payer}."
        case gr.ReturnRefused(payer, _, card):
            return f"`{format_cards([card])}` is refused: seat {payer} holds none."
        case gr.CountTold(asker, of, _):
            return f"Seat {asker} asks seat {of} for its count; all hear it."
        case gr.Felt(asker, of):
            return f"Seat {asker} feels the hand of seat {of}; it alone learns how thick it is."
    return ""


def _zh(event: Event) -> str:
    match event:
        case gr.Played():
            marks = [word for word, so in (("够死级", event.dead), ("底牌", event.last)) if so]
            note = f"（{'，'.join(marks)}）" if marks else ""
            return f"{event.seat} 号{ZH_MANNERS[event.manner]} `{format_play(event.play)}`{note}。"
        case gr.Passed(seat):
            return f"{seat} 号过牌。"
        case gr.Yielded(seat):
            return f"{seat} 号让牌。"
        case gr.WindAsked(seat):
            return f"{seat} 号申请接风。"
        case gr.BurnEnded(seat, _):
            return f"{seat} 号的烧牌到此为止。"
        case gr.BurnSucceeded(seat, burned):
            return f"{seat} 号烧成功，{burned} 号被烧。"
        case gr.Busted(seat, place):
            return f"{seat} 号出局，落为{ZH_PLACES[place - 1]}。"
        case gr.Finished(seat, place):
            return f"{seat} 号走科，为{ZH_PLACES[place - 1]}。"
        case gr.MeleeBegan():
            return "四人乱缠开始。"
        case gr.Opened(seat):
            return f"{seat} 号开点。"
        case gr.Stifled(seat, by, _):
            return f"{seat} 号被 {by} 号闷住。"
        case gr.SlamMade(seat):
            return f"{seat} 号满贯。"
        case gr.DealVoided():
            return "本盘作废。"
    return _zh_before_play(event)


def _zh_before_play(event: Event) -> str:
    match event:
        case gr.CardsShown(seat, cards):
            return f"{seat} 号亮{ZH_SUITS[SUIT_NAMES[suit_of(cards[0])]]} `{format_cards(cards)}`。"
        case gr.RevolutionSettled(seats) if seats:
            return f"{'、'.join(map(str, seats))} 号革命。"
        case gr.HeadChosen(seat, keep):
            return f"{seat} 号{'要头' if keep else '无头'}。"
        case gr.Called(seat, blind):
            return f"{seat} 号{'预点' if blind else '明点'}。"
        case gr.CardBought(buyer, seller, card, paid):
            price = "不付牌" if paid is None else f"付 `{format_cards([paid])}`"
            return f"{buyer} 号向 {seller} 号买 `{format_cards([card])}`，{price}。"
        case gr.TributePaid(payer, receiver, kind, owed, cards):
            paid_cards = f"`{format_cards(cards)}`" if cards else "无牌可贡"
            return f"{payer} 号向 {receiver} 号进{ZH_KINDS[kind]} {paid_cards}（应进 {owed} 张）。"
        case gr.TributeRefused(receiver, payer, kind, _):
            return f"{receiver} 号不吃 {payer} 号的{ZH_KINDS[kind]}。"
        case gr.TributeWaived(payer, receiver, shown):
            showing = "" if shown is None else f"，亮出 `{format_cards([shown])}`"
            return f"{payer} 号免向 {receiver} 号进贡{showing}。"
        case gr.CardReturned(receiver, payer, card):
            return f"{receiver} 号还 `{format_cards([card])}` 给 {payer} 号。"
        case gr.ReturnRefused(payer, _, card):
            return f"`{format_cards([card])}` 被退回：{payer} 号没有这个点数。"
        case gr.CountTold(asker, of, _):
            return f"{asker} 号问 {of} 号余牌，众人皆闻。"
        case gr.Felt(asker, of):
            return f"{asker} 号摸 {of} 号的班，厚薄只有自己知道。"
    return ""

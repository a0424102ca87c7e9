"""The entries of a record that begin with ``=``: facts that hold at that moment (docs/records.md)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gouji_rules.cards import (
    RANKS,
    SEATS,
    SUIT_NAMES,
    format_cards,
    format_counts,
    parse_ranks,
    rank_of,
    suit_of,
)
from gouji_rules.errors import DealRunning, Wording
from gouji_rules.peeking import may_look
from gouji_rules.plays import counts_of_play
from gouji_rules.records.telling import WORDS, step_of
from gouji_rules.state import Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gouji_rules.deal import Deal
    from gouji_rules.events import Event

    Holds = Callable[[Deal, "re.Match[str]"], Wording | None]

_CARDS = r"([2-9TJQKAsb]+|-)"
_WHYS = "buy|pay|tribute|return"
_STANDINGS = "|".join(standing.name.lower() for standing in Standing)

SILENT = "silent"
"""The answer before this entry told nobody anything (R32, R36)."""
_TOLD = re.compile(rf"told ([0-5]|-) ({WORDS})(?: {_CARDS})?")


def is_fact(said: str) -> bool:
    """Whether these words, those after the ``=``, are a fact that a record may state."""
    return said == SILENT or _TOLD.fullmatch(said) is not None or any(pattern.fullmatch(said) for pattern, _ in _FACTS)


def wrong_fact(deal: Deal, said: str, last: Sequence[Event], since: Sequence[Event]) -> Wording | None:
    """What is the case instead of a fact that :func:`is_fact` takes, None where it holds.

    ``last`` is what the last answer brought about, ``since`` all since the entry with it.
    """
    if said == SILENT:
        return Wording("it told something", "却传出了消息") if last else None
    told = _TOLD.fullmatch(said)
    if told is not None:
        return _not_told(told, since)
    return next(holds(deal, found) for pattern, holds in _FACTS if (found := pattern.fullmatch(said)) is not None)


def _not_told(said: re.Match[str], since: Sequence[Event]) -> Wording | None:
    steps = [step for event in since if (step := step_of(event)) is not None]
    counts = _counts(said[3] or "-")
    for step in steps:
        seat = "-" if step.seat < 0 else str(step.seat)
        if (seat, step.what) == (said[1], said[2]) and parse_ranks(step.play) == counts:
            return None
    told = [f"{'-' if step.seat < 0 else step.seat} {step.what} {step.play}".rstrip() for step in steps]
    return Wording(f"told was {'; '.join(told) or 'nothing'}", f"传出的是：{'；'.join(told) or '无'}")


WAYS = (
    "3 leads",
    "3 shows 7",
    "3 holds 345",
    "3 lets 1,5 look",
    "3 showed 33 hearts",
    "3 opened",
    "3 headless",
    "3 called open",
    "3 felt 2",
    "3 stifled by 4",
    "3 finished",
    "3 place 1",
    "5>0 tribute b2",
    "216 cards",
    "melee",
    "sealed",
    "told 5 pay b",
    SILENT,
)
"""One of each kind of fact."""


def _shows(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat, said = int(found[1]), found[2]
    count = deal.public.count_shown[seat]
    told = "-" if count < 0 else str(count)
    return None if said == told else Wording(f"seat {seat} shows {told}", f"{seat} 号报的是 {told}")


def _holds(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    return (
        None
        if _counts(found[2]) == list(deal.hand(seat))
        else Wording(f"seat {seat} holds {_cards(deal.hand(seat))}", f"{seat} 号手里是 {_cards(deal.hand(seat))}")
    )


def _lets(deal: Deal, found: re.Match[str]) -> Wording | None:
    holder = int(found[1])
    wanted = 0 if found[2] == "-" else sum({1 << int(seat) for seat in found[2].split(",")})
    mask = may_look(deal.public, holder, sum(deal.hand(holder)))
    return (
        None
        if mask == wanted
        else Wording(f"seat {holder} lets {_seats(mask)} look", f"{holder} 号让 {_seats(mask)} 看牌")
    )


def _showed(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    shown = [
        f"{format_cards(cards)} {SUIT_NAMES[suit_of(cards[0])]}" for by, cards in deal.public.shown if by == seat
    ] or ["-"]
    return (
        None
        if found[2] in shown
        else Wording(f"seat {seat} showed {', '.join(shown)}", f"{seat} 号亮的是 {', '.join(shown)}")
    )


def _opened(deal: Deal, found: re.Match[str]) -> Wording | None:
    return _of_mask(found, deal.public.opened, "opened", "开点")


def _headless(deal: Deal, found: re.Match[str]) -> Wording | None:
    return _of_mask(found, deal.public.headless, "headless", "无头")


def _of_mask(found: re.Match[str], mask: int, word: str, chinese: str) -> Wording | None:
    seat, so = int(found[1]), found[2] is None
    if bool(mask >> seat & 1) == so:
        return None
    if so:
        return Wording(f"seat {seat} is not {word}", f"{seat} 号没有{chinese}")
    return Wording(f"seat {seat} is {word}", f"{seat} 号已经{chinese}")


def _called(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    called = ("not called", "called open", "called blind")[deal.public.calls[seat]]
    return None if found[2] == called else Wording(f"seat {seat} has {called}", f"{seat} 号是 {called}")


def _felt(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    felt = deal.public.felt[seat]
    return None if int(found[2]) == felt else Wording(f"seat {seat} felt {felt} times", f"{seat} 号摸班 {felt} 次")


def _stifled(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    by = dict(deal.public.stifled).get(seat, -1)
    wanted = -1 if found[2] is None else int(found[2])
    if by == wanted:
        return None
    return (
        Wording(f"nobody knows of seat {seat} stifled", f"没有人知道 {seat} 号被闷")
        if by < 0
        else Wording(f"seat {seat} is known to be stifled by {by}", f"已知 {seat} 号被 {by} 号所闷")
    )


def _stands(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    standing = deal.public.standing[seat].name.lower()
    return None if standing == found[2] else Wording(f"seat {seat} is {standing}", f"{seat} 号是 {standing}")


def _placed(deal: Deal, found: re.Match[str]) -> Wording | None:
    seat = int(found[1])
    place = str(deal.public.place[seat] or "-")
    return None if place == found[2] else Wording(f"seat {seat} has place {place}", f"{seat} 号的名次是 {place}")


def _moved(deal: Deal, found: re.Match[str]) -> Wording | None:
    giver, taker, why = int(found[1]), int(found[2]), found[3]
    counts = [0] * len(RANKS)
    for move in deal.public.moves:
        if (move.giver, move.taker, move.why) == (giver, taker, why):
            for rank in move.ranks:
                counts[rank] += 1
    return (
        None
        if counts == _counts(found[4])
        else Wording(
            f"seen was {giver}>{taker} {why} {_cards(counts)}", f"看到的是 {giver}>{taker} {why} {_cards(counts)}"
        )
    )


def _conserved(deal: Deal, found: re.Match[str]) -> Wording | None:
    """R29: hands + played + laid down = the cards dealt, rank by rank."""
    now = [list(deal.hand(seat)) for seat in range(SEATS)]
    now += [counts_of_play(played.play) for played in deal.public.plays]
    there = [sum(counts) for counts in zip(*now, strict=True)]
    if there != [sum(column) for column in zip(*_dealt(deal), strict=True)]:
        return Wording(
            f"in hands and played are {_cards(there)}, which is not what was dealt",
            f"手里和打出的共是 {_cards(there)}，与发出的牌不符",
        )
    return None if sum(there) == int(found[1]) else Wording(f"there are {sum(there)} cards", f"共有 {sum(there)} 张牌")


def _melee(deal: Deal, found: re.Match[str]) -> Wording | None:
    if deal.public.melee == (found[1] is None):
        return None
    return Wording("it is the melee", "正在乱缠") if deal.public.melee else Wording("it is not the melee", "不在乱缠")


def _sealed(deal: Deal, found: re.Match[str]) -> Wording | None:
    """R84: all hands, windows and the seed are open once the deal is over, and not before."""
    try:
        revealed = deal.reveal()
    except DealRunning:
        return (
            None
            if found[0] == "sealed"
            else Wording("nothing is open before the deal is over (R84)", "这盘打完之前什么都不公开（R84）")
        )
    whole = [len(hand) for hand in revealed.hands] == [len(held) for held in deal.dealt]
    if not whole or revealed.answers != deal.answers:
        return Wording("not all is open", "没有全部公开")
    return (
        None
        if found[0] == "revealed"
        else Wording("the deal is over and all is open (R84)", "这盘已打完，全部公开（R84）")
    )


_FACTS: tuple[tuple[re.Pattern[str], Holds], ...] = tuple(
    (re.compile(pattern), holds)
    for pattern, holds in (
        (r"([0-5]) shows (\d+|-)", _shows),
        (rf"([0-5]) holds {_CARDS}", _holds),
        (r"([0-5]) lets ([0-5](?:,[0-5])*|-) look", _lets),
        (rf"([0-5]) showed (\d+ (?:{'|'.join(SUIT_NAMES)})|-)", _showed),
        (r"([0-5]) (not )?opened", _opened),
        (r"([0-5]) (not )?headless", _headless),
        (r"([0-5]) (called open|called blind|not called)", _called),
        (r"([0-5]) felt (\d)", _felt),
        (r"([0-5]) (?:not stifled|stifled by ([0-5]))", _stifled),
        (rf"([0-5]) ({_STANDINGS})", _stands),
        (r"([0-5]) place ([1-6]|-)", _placed),
        (rf"([0-5])>([0-5]) ({_WHYS}) {_CARDS}", _moved),
        (r"(\d{1,3}) cards", _conserved),
        (r"(no )?melee", _melee),
        (r"sealed|revealed", _sealed),
    )
)


def _dealt(deal: Deal) -> Iterator[Sequence[int]]:
    for held in deal.dealt:
        counts = [0] * len(RANKS)
        for card in held:
            counts[rank_of(card)] += 1
        yield counts


def _counts(said: str) -> list[int]:
    return [0] * len(RANKS) if said == "-" else parse_ranks(said)


def _cards(counts: Sequence[int]) -> str:
    return format_counts(counts) or "-"


def _seats(mask: int) -> str:
    return ",".join(str(seat) for seat in range(SEATS) if mask >> seat & 1) or "-"

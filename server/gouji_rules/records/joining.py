"""A match made of the records of its deals, as tables hand them out one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gouji_rules.cards import rank_of
from gouji_rules.match import Match
from gouji_rules.option_values import difference
from gouji_rules.records.checking import owed_words, replay
from gouji_rules.records.model import Record, RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence


def join_records(records: Sequence[Record], match_length: int = 0) -> Record:
    """The match of these deals, in order, with its scores and its lot.

    ``match_length`` is how many deals it has (0: as the rules say). Raises RecordError for what is no record of one
    deal, for deals of several rule sets, for a deal given twice, for one that does not follow from those before it and
    for one that the rules disagree with. What a deal follows from is the tribute that they leave owed (R70): where they
    leave the same, one order is as good as another to the rules.
    """
    if not records:
        raise RecordError(0, "a match has at least one deal", "一局至少有一盘")
    rules = records[0].rules
    match = Match(rules, match_length)
    seen: dict[tuple[tuple[int, ...], ...], int] = {}
    for number, record in enumerate(records, 1):
        if record.deals or record.refused:
            raise RecordError(0, f"record {number} is not of one deal", f"第 {number} 份牌谱不是单独一盘")
        if record.rules.name != rules.name or difference(record.rules, rules):
            raise RecordError(
                0, f"record {number} has other rules than the first", f"第 {number} 份牌谱的规则与第一份不同"
            )
        if match.over:
            raise RecordError(0, f"the match was over before record {number}", f"第 {number} 份牌谱之前整局已经结束")
        if record.obligations != match.obligations:
            owed = owed_words(match.obligations)
            raise RecordError(
                0,
                f"record {number} does not follow: the deals before leave {owed.en}",
                f"第 {number} 份牌谱接不上：前面各盘留下的欠贡是：{owed.zh}",
            )
        differences, deal = replay(replace(record, rules=rules), number=match.deal_number)
        if differences:
            found = differences[0]
            raise RecordError(
                0,
                f"record {number}, line {found.line}: {found.text_en}",
                f"第 {number} 份牌谱，第 {found.line} 行：{found.text_zh}",
            )
        hands = tuple(tuple(sorted(map(rank_of, held))) for held in deal.dealt)
        if hands in seen:
            raise RecordError(
                0,
                f"record {number} is the deal of record {seen[hands]} again: all hands are the same",
                f"第 {number} 份牌谱与第 {seen[hands]} 份是同一盘：各家的牌都一样",
            )
        seen[hands] = number
        if not deal.over and number < len(records):
            raise RecordError(0, f"the deal of record {number} is not over", f"第 {number} 份牌谱这盘没有打完")
        if deal.over:
            match.finish(deal)
    return Record(
        rules=rules,
        scores=match.scores,
        deals=tuple(replace(record, key_lines={}) for record in records),
        match_length=match_length,
        lot=None if match.lot is None else match.lot.team,
    )

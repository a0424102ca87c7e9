"""A match made of the records of its deals, as tables hand them out one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gouji_rules.match import Match
from gouji_rules.option_values import difference
from gouji_rules.records.checking import replay
from gouji_rules.records.model import Record, RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence


def join_records(records: Sequence[Record], match_length: int = 0) -> Record:
    """The match of these deals, in order, with its scores and its lot.

    ``match_length`` is how many deals it has (0: as the rules say). Raises RecordError for what is no record of one
    deal, for deals of several rule sets, for a deal that does not follow from those before it and for one that the
    rules disagree with.
    """
    if not records:
        raise RecordError(0, "a match has at least one deal")
    rules = records[0].rules
    match = Match(rules, match_length)
    for number, record in enumerate(records, 1):
        if record.deals or record.refused:
            raise RecordError(0, f"record {number} is not of one deal")
        if record.rules.name != rules.name or difference(record.rules, rules):
            raise RecordError(0, f"record {number} has other rules than the first")
        if match.over:
            raise RecordError(0, f"the match was over before record {number}")
        if record.obligations != match.obligations:
            owed = ", ".join(map(str, match.obligations)) or "nothing"
            raise RecordError(0, f"record {number} does not follow: the deals before leave {owed}")
        differences, deal = replay(replace(record, rules=rules), number=match.deal_number)
        if differences:
            raise RecordError(0, f"record {number}, line {differences[0].line}: {differences[0].message}")
        if not deal.over and number < len(records):
            raise RecordError(0, f"the deal of record {number} is not over")
        if deal.over:
            match.finish(deal)
    return Record(
        rules=rules,
        scores=match.scores,
        deals=tuple(replace(record, key_lines={}) for record in records),
        match_length=match_length,
        lot=None if match.lot is None else match.lot.team,
    )

"""The game's text format ``gouji-record/1``: read, write, check and show a deal or a match."""

from gouji_rules.records.checking import check_record, differences_of, replay
from gouji_rules.records.joining import join_records
from gouji_rules.records.model import Difference, Line, LineKind, Record, RecordError
from gouji_rules.records.reading import read_record
from gouji_rules.records.showing import ShownTrick, show_record
from gouji_rules.records.telling import ShownStep
from gouji_rules.records.writing import record_of_deal, record_of_match, write_record

__all__ = [
    "Difference",
    "Line",
    "LineKind",
    "Record",
    "RecordError",
    "ShownStep",
    "ShownTrick",
    "check_record",
    "differences_of",
    "join_records",
    "read_record",
    "record_of_deal",
    "record_of_match",
    "replay",
    "show_record",
    "write_record",
]

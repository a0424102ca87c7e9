"""The tables' write-ahead journal: nothing that happens at a table is told to anyone before it is written here."""

from gouji_server.journal.entries import Entry, Fenced, Journal, JournalDamaged, JournalError, JournalFailed
from gouji_server.journal.sqlite import SqliteJournal

__all__ = ["Entry", "Fenced", "Journal", "JournalDamaged", "JournalError", "JournalFailed", "SqliteJournal"]

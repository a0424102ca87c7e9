"""What outlives tables: accounts and their sessions, finished matches.

SQLAlchemy over SQLite, brought up to date at start by Alembic."""

from gouji_server.records.account_record import AccountRecord
from gouji_server.records.accounts import AccountRecords, Retry
from gouji_server.records.blocks import BlockRecords, NotBlocked
from gouji_server.records.bots import BotRecords, BotTokenRecord, NotAdded
from gouji_server.records.database import Database, RecordsFailed
from gouji_server.records.matches import MatchRecords
from gouji_server.records.passwords import NotSet, PasswordRecords
from gouji_server.records.profiles import ProfileRecords
from gouji_server.records.sessions import NewSession, Reused, Rotated, SessionRecord, SessionRecords, Unknown

__all__ = [
    "AccountRecord",
    "AccountRecords",
    "BlockRecords",
    "BotRecords",
    "BotTokenRecord",
    "Database",
    "MatchRecords",
    "NewSession",
    "NotAdded",
    "NotBlocked",
    "NotSet",
    "PasswordRecords",
    "ProfileRecords",
    "RecordsFailed",
    "Retry",
    "Reused",
    "Rotated",
    "SessionRecord",
    "SessionRecords",
    "Unknown",
]

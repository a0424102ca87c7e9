"""What outlives tables: accounts and their sessions. SQLAlchemy over SQLite, brought up to date at start by Alembic."""

from gouji_server.records.accounts import AccountRecord, AccountRecords, NewSession, Refused, Retry
from gouji_server.records.database import Database, RecordsFailed

__all__ = ["AccountRecord", "AccountRecords", "Database", "NewSession", "RecordsFailed", "Refused", "Retry"]

"""The tables of finished matches. Times are whole milliseconds since 1970-01-01 UTC."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, LargeBinary, String, false
from sqlalchemy.orm import Mapped, mapped_column

from gouji_server.records.models import Base


class MatchRow(Base):
    """A finished match."""

    __tablename__ = "matches"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    table_name: Mapped[str] = mapped_column(String(80))
    rule_set: Mapped[str] = mapped_column(String(64))
    ended: Mapped[int] = mapped_column(BigInteger)
    open_to_all: Mapped[bool] = mapped_column(Boolean)
    open_from: Mapped[int] = mapped_column(BigInteger)
    """When it may be seen by those who did not play it: its end, and the delay with which people watched."""
    facts: Mapped[bytes] = mapped_column(LargeBinary)
    """What lists tell of it: a gouji.replay.v1.Match."""
    record: Mapped[bytes] = mapped_column(LargeBinary)
    """Its record's text, compressed with zlib."""

    __table_args__ = (
        Index("ix_matches_table_name", "table_name", unique=True),
        Index("ix_matches_ended", "ended", "id"),
        Index("ix_matches_open", "open_to_all", "ended", "id"),
        Index("ix_matches_open_rules", "open_to_all", "rule_set", "ended", "id"),
    )


class MatchPlayerRow(Base):
    """A person who played a match. The account may be deleted: it stays under its bare id."""

    __tablename__ = "match_players"

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(80), primary_key=True)
    ended: Mapped[int] = mapped_column(BigInteger)
    open_to_all: Mapped[bool] = mapped_column(Boolean, server_default=false())
    """As of the match: lists of an account's matches find those that others may see by it."""

    __table_args__ = (
        Index("ix_match_players_account_id", "account_id", "ended", "match_id"),
        Index("ix_match_players_open", "account_id", "open_to_all", "ended", "match_id"),
    )


class MatchPartRow(Base):
    """A stretch of a match's replay: number 0 what came before the first deal, then a part for each deal."""

    __tablename__ = "match_parts"

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    last_step: Mapped[int] = mapped_column(BigInteger)
    opening: Mapped[bytes] = mapped_column(LargeBinary)
    """The table before it: a gouji.replay.v1.ReplayStep, compressed with zlib."""
    said: Mapped[str] = mapped_column(String(120))
    """How often something was said to each seat alone before it."""
    deal: Mapped[bytes] = mapped_column(LargeBinary)
    """A gouji.replay.v1.MatchDeal; empty for number 0."""
    steps: Mapped[bytes] = mapped_column(LargeBinary)
    """A gouji.replay.v1.WatchReplayResponse, all hands open, compressed with zlib."""


class KeptTableRow(Base):
    """A table that is over and needs no more looking at: its match is kept, or none was played."""

    __tablename__ = "kept_tables"

    table_name: Mapped[str] = mapped_column(String(80), primary_key=True)
    match_id: Mapped[str | None] = mapped_column(String(32))

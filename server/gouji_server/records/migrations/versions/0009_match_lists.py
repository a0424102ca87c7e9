"""Indexes by which lists of matches find what somebody may see without passing over what they may not."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Note with each player whether the match is open to all, and index by it."""
    op.add_column("match_players", sa.Column("open_to_all", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE match_players SET open_to_all = (SELECT open_to_all FROM matches WHERE matches.id = match_id)")
    op.create_index("ix_match_players_open", "match_players", ["account_id", "open_to_all", "ended", "match_id"])
    op.create_index("ix_matches_open", "matches", ["open_to_all", "ended", "id"])
    op.create_index("ix_matches_open_rules", "matches", ["open_to_all", "rule_set", "ended", "id"])

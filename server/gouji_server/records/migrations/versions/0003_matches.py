"""Finished matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for them."""
    op.create_table(
        "matches",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("table_name", sa.String(80), nullable=False),
        sa.Column("rule_set", sa.String(64), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("open_to_all", sa.Boolean(), nullable=False),
        sa.Column("facts", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
    )
    op.create_index("ix_matches_table_name", "matches", ["table_name"], unique=True)
    op.create_index("ix_matches_ended", "matches", ["ended", "id"])
    op.create_table(
        "match_players",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(80), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], "fk_match_players_match_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", "account_id", name="pk_match_players"),
    )
    op.create_index("ix_match_players_account_id", "match_players", ["account_id", "ended", "match_id"])
    op.create_table(
        "match_parts",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("opening", sa.LargeBinary(), nullable=False),
        sa.Column("said", sa.String(120), nullable=False),
        sa.Column("deal", sa.LargeBinary(), nullable=False),
        sa.Column("steps", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], "fk_match_parts_match_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", "number", name="pk_match_parts"),
    )
    op.create_table(
        "kept_tables",
        sa.Column("table_name", sa.String(80), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("table_name", name="pk_kept_tables"),
    )

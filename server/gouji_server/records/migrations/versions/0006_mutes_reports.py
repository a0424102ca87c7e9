"""Whom people do not want to hear, and what they reported."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for both."""
    op.create_table(
        "mutes",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("blocked_id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_mutes_account_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["blocked_id"], ["accounts.id"], "fk_mutes_blocked_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", "blocked_id", name="pk_mutes"),
    )
    op.create_index("ix_mutes_blocked_id", "mutes", ["blocked_id"])
    op.create_table(
        "reports",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("reporter_id", sa.String(80), nullable=False),
        sa.Column("sender_id", sa.String(80), nullable=False),
        sa.Column("table_name", sa.String(80), nullable=False),
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("around", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
    )
    for column in ("created", "reporter_id", "sender_id"):
        op.create_index(f"ix_reports_{column}", "reports", [column])

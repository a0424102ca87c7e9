"""Who is shut out, and what operators did."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for both."""
    op.create_table(
        "bans",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=True),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("operator", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_bans_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", name="pk_bans"),
    )
    op.create_index("ix_bans_created", "bans", ["created"])
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("operator", sa.String(64), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("target", sa.String(80), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("detail", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_target", "audit_entries", ["target"])

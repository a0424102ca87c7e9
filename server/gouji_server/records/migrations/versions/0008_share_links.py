"""Links by which others may watch a table, or look at a match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for them."""
    op.create_table(
        "share_links",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("target", sa.String(80), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_share_links_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_share_links"),
        sa.UniqueConstraint("hash", name="uq_share_links_hash"),
    )
    for column in ("target", "account_id", "expires"):
        op.create_index(f"ix_share_links_{column}", "share_links", [column])

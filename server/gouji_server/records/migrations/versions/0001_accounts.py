"""Accounts, their device secrets and sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("display_name", sa.String(64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
    )
    op.create_table(
        "device_secrets",
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_device_secrets_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_device_secrets"),
    )
    op.create_index("ix_device_secrets_account_id", "device_secrets", ["account_id"])
    op.create_table(
        "refresh_families",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("revoked", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_refresh_families_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_refresh_families"),
    )
    op.create_index("ix_refresh_families_account_id", "refresh_families", ["account_id"])
    op.create_table(
        "refresh_tokens",
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("family_id", sa.String(32), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["family_id"], ["refresh_families.id"], "fk_refresh_tokens_family_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_refresh_tokens"),
    )
    op.create_index("ix_refresh_tokens_family_id", "refresh_tokens", ["family_id"])
    op.create_index("ix_refresh_tokens_expires", "refresh_tokens", ["expires"])
    op.create_table(
        "sign_in_retries",
        sa.Column("key", sa.LargeBinary(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_sign_in_retries_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_retries"),
    )
    op.create_index("ix_sign_in_retries_account_id", "sign_in_retries", ["account_id"])
    op.create_index("ix_sign_in_retries_expires", "sign_in_retries", ["expires"])

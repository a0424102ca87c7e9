"""Sessions that can be listed, bots' accounts and tokens, passwords, profiles, blocked accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns in place: copying a table to change it would, in SQLite, delete what refers to it."""
    op.create_table(
        "bot_tokens",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("scopes", sa.String(128), nullable=False),
        sa.Column("description", sa.String(64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=True),
        sa.Column("revoked", sa.Float(), nullable=True),
        sa.Column("used", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_bot_tokens_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_bot_tokens"),
    )
    op.create_index("ix_bot_tokens_account_id", "bot_tokens", ["account_id"])
    op.create_index("ix_bot_tokens_hash", "bot_tokens", ["hash"], unique=True)
    op.create_table(
        "blocks",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("blocked_id", sa.String(32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], "fk_blocks_account_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["blocked_id"], ["accounts.id"], "fk_blocks_blocked_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", "blocked_id", name="pk_blocks"),
    )
    op.create_index("ix_blocks_blocked_id", "blocks", ["blocked_id"])

    op.add_column("accounts", sa.Column("locale", sa.String(35), nullable=False, server_default=""))
    op.add_column("accounts", sa.Column("login_name", sa.String(64), nullable=True))
    op.add_column("accounts", sa.Column("password_hash", sa.String(256), nullable=True))
    _add_reference("accounts", "owner_id", "accounts")
    op.add_column("accounts", sa.Column("renamed", sa.Float(), nullable=True))
    op.add_column("accounts", sa.Column("deleted", sa.Float(), nullable=True))
    op.create_index("ix_accounts_login_name", "accounts", ["login_name"], unique=True)
    op.create_index("ix_accounts_owner_id", "accounts", ["owner_id"])
    op.create_index("ix_accounts_renamed", "accounts", ["renamed"])

    op.add_column("refresh_families", sa.Column("used", sa.Float(), nullable=False, server_default="0"))
    op.add_column("refresh_families", sa.Column("client", sa.String(64), nullable=False, server_default=""))
    op.add_column("refresh_families", sa.Column("device_hash", sa.LargeBinary(32), nullable=True))
    _add_reference("refresh_families", "bot_token_id", "bot_tokens")
    op.create_index("ix_refresh_families_revoked", "refresh_families", ["revoked"])
    op.create_index("ix_refresh_families_bot_token_id", "refresh_families", ["bot_token_id"])


def _add_reference(table: str, column: str, to: str) -> None:
    op.execute(
        f"ALTER TABLE {table} ADD COLUMN {column} VARCHAR(32) "
        f"CONSTRAINT fk_{table}_{column} REFERENCES {to} (id) ON DELETE CASCADE"
    )

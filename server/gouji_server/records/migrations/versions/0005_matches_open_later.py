"""When finished matches may be seen by those who did not play them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Matches kept so far were told at once."""
    op.add_column("matches", sa.Column("open_from", sa.BigInteger(), nullable=False, server_default="0"))

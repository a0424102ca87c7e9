"""Alembic's migrations of the records, run at every start."""

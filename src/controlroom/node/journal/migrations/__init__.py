"""Alembic migrations of the node's journal."""

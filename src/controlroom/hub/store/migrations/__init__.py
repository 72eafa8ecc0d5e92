"""Migrations of the hub's database, oldest first in ``versions``."""

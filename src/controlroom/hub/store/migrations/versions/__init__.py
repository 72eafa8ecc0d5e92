"""The revisions of the hub's database."""

"""How Alembic runs here: on the connection that ``kit.schema`` hands it."""

from controlroom.kit.schema import run_migrations

run_migrations()

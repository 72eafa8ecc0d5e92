"""The hub's own id, which stays while its database does."""

from __future__ import annotations

from sqlalchemy import insert, select

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import facts
from controlroom.kit.clock import new_id


def hub_id(change: Change) -> str:
    """The id, made at the first start. Letters, digits and "_": it is part of a cookie's name."""
    found = change.connection.execute(select(facts.c.value).where(facts.c.name == "hub_id")).scalar()
    if found is not None:
        return str(found)
    made = new_id("hub")
    change.connection.execute(insert(facts).values(name="hub_id", value=made))
    return made

"""What people set on agents: pinned, muted, archived."""

from __future__ import annotations

from controlroom.hub.errors import no_agent
from controlroom.hub.store import fleet_rows
from controlroom.hub.store.store import Change, Store
from controlroom.wire.client import PatchAgent
from controlroom.wire.model import Agent


async def set_marks(store: Store, agent_id: str, patch: PatchAgent) -> Agent:
    """Set what the patch names; the rest stays. Raises HubError ``not_found``."""

    def job(change: Change) -> Agent:
        agent = fleet_rows.put_marks(change, agent_id, patch.pinned, patch.muted, patch.archived)
        if agent is None:
            raise no_agent(agent_id)
        return agent

    return await store.change(job)

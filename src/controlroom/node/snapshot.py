"""The newest snapshot of this machine, and waiting for the next one."""

from __future__ import annotations

import asyncio

import msgspec

from controlroom.kit.clock import Clock
from controlroom.wire.model import Health
from controlroom.wire.node import AgentState, Snapshot
from controlroom.wire.usage import UsageState


class SnapshotBoard:
    """Holds one snapshot. Its ``rev`` moves only when something a person could see changed."""

    def __init__(self, boot_id: str, clock: Clock) -> None:
        self._clock = clock
        self._snapshot = Snapshot(boot_id=boot_id, rev=0, now_ms=clock.now_ms(), agents=(), health=())
        self._changed = asyncio.Condition()

    @property
    def current(self) -> Snapshot:
        return self._snapshot

    async def publish(self, agents: tuple[AgentState, ...], health: tuple[Health, ...]) -> bool:
        """Show a new state. Returns whether it differs from the last one."""
        old = self._snapshot
        if old.rev and old.agents == agents and old.health == health:
            return False
        await self._show(msgspec.structs.replace(old, agents=agents, health=health))
        return True

    async def publish_usage(self, usage: UsageState) -> None:
        """Show what is known of usage, beside the agents: once they were looked at."""
        if self._snapshot.usage == usage:
            return
        if self._snapshot.rev == 0:
            self._snapshot = msgspec.structs.replace(self._snapshot, usage=usage)
        else:
            await self._show(msgspec.structs.replace(self._snapshot, usage=usage))

    async def _show(self, new: Snapshot) -> None:
        self._snapshot = msgspec.structs.replace(new, rev=new.rev + 1, now_ms=self._clock.now_ms())
        async with self._changed:
            self._changed.notify_all()

    async def wait(self, after: int, wait_s: float) -> Snapshot | None:
        """The snapshot once its rev differs from ``after``, None when ``wait_s`` passed without that."""
        try:
            async with asyncio.timeout(wait_s), self._changed:
                await self._changed.wait_for(lambda: self._snapshot.rev != after and self._snapshot.rev > 0)
        except TimeoutError:
            return None
        return self._snapshot

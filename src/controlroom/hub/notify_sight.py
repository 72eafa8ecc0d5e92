"""What notifications are decided on and whom they may reach, out of the hub's parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, tzinfo

from controlroom.core.rights import is_active
from controlroom.hub.acts import Acts
from controlroom.hub.channels.base import Target
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.devices import DeviceBook
from controlroom.kit.clock import Clock
from controlroom.kit.zone import zone_here, zone_of
from controlroom.wire.model import Fleet, Health, Screen

ZONE_MS = 60_000  # how late a new zone of the machine is noticed


class Sight:
    """Implements ``notifications.Sees``."""

    def __init__(
        self,
        *,
        fleet: Callable[[], Fleet],
        health: Callable[[], Sequence[Health]],
        is_open: Callable[[str], bool],
        acts: Acts,
        book: Subscriptions,
        devices: DeviceBook,
        clock: Clock,
    ) -> None:
        self.fleet = fleet
        self.health = health
        self.is_open = is_open
        self._acts = acts
        self._book = book
        self._devices = devices
        self._clock = clock
        self._zone: tuple[int, tzinfo] | None = None

    async def screen(self, agent_id: str) -> Screen:
        return await self._acts.screen(agent_id)

    def targets(self) -> Iterator[tuple[Target, bool]]:
        """Living subscriptions of devices that may read, and those of the person. From a notification only a
        device answers that may answer and has no lock: a locked phone shows notifications to everybody."""
        now = self._clock.now_ms()
        for target in self._book.all():
            if target.device_id is None:
                yield target, False
                continue
            device = self._devices.get(target.device_id)
            if device is None or not is_active(device.grants, "chat", now):
                continue
            has_lock = bool(device.passkeys) and (device.lock.app or device.lock.terminal)
            yield target, is_active(device.grants, "answers", now) and not has_lock

    def zone(self) -> tzinfo:
        """The hub's machine's."""
        now = self._clock.now_ms()
        if self._zone is None or not 0 <= now - self._zone[0] < ZONE_MS:
            self._zone = now, zone_of(zone_here()) or UTC
        return self._zone[1]

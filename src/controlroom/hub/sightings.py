"""When devices were last seen: known at once in memory, stored now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from controlroom.kit.clock import Clock
from controlroom.wire.device import Device

SEEN_AGAIN_MS = 60_000  # a device on an open socket: people read minutes, and what was seen is stored


class Sightings:
    """Of all devices of the book."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen_ms: dict[str, int] = {}
        self._unstored: set[str] = set()
        self._connected: list[Callable[[], Iterable[str]]] = []

    def see(self, device_id: str) -> None:
        """It is here now."""
        self._seen_ms[device_id] = self._clock.now_ms()
        self._unstored.add(device_id)

    def touch(self, device_id: str) -> None:
        """Something else that is known of it shall be stored with the next round."""
        self._unstored.add(device_id)

    def connected(self, call: Callable[[], Iterable[str]]) -> None:
        """``call()`` names the devices that have an open socket now: they are seen as long as it lives."""
        self._connected.append(call)

    def see_connected(self, known: Callable[[str], Device | None]) -> None:
        """Look which sockets are open; ``known`` tells a device of the book."""
        now_ms = self._clock.now_ms()
        for device_id in {device_id for call in self._connected for device_id in call()}:
            device = known(device_id)
            if device is not None and abs(now_ms - device.last_seen_ms) >= SEEN_AGAIN_MS:
                self.see(device_id)

    def shown(self, device: Device) -> Device:
        """The device as it is now, with when it was seen."""
        seen_ms = self._seen_ms.get(device.id, device.last_seen_ms)
        return device if seen_ms == device.last_seen_ms else replace(device, last_seen_ms=seen_ms)

    def take_unstored(self) -> set[str]:
        """The devices to store; from now on they count as stored."""
        taken, self._unstored = self._unstored, set()
        return taken

    def put_back(self, device_ids: Iterable[str]) -> None:
        """They could not be stored."""
        self._unstored.update(device_ids)

    def forget(self, device_id: str) -> None:
        self._seen_ms.pop(device_id, None)
        self._unstored.discard(device_id)

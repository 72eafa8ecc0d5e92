"""The book of subscriptions: which ways lead to which device.

They end with their device (revoked, or paired anew), when the other side says so, and when a device
subscribes anew. Those of a device whose time is over are kept while it may still be extended, and are
not used, nor are those of a device that may not read. An endpoint belongs to one device:
whoever subscribes with it takes it over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from controlroom.core.rights import is_active
from controlroom.hub.channels.base import Target
from controlroom.hub.devices import DeviceBook
from controlroom.hub.store import subscription_rows
from controlroom.hub.store.store import Change, Store
from controlroom.hub.store.subscription_rows import SubscriptionRow
from controlroom.kit.clock import Clock, new_id
from controlroom.wire.device import Device, DeviceEnd
from controlroom.wire.push import Subscription

MOST: Final = 3  # of one channel for one device: a native client that was installed anew


class Subscriptions:
    """Implements ``base.Targets``. ``settled``: targets that the person set up in the settings."""

    def __init__(
        self,
        store: Store,
        devices: DeviceBook,
        clock: Clock,
        settled: Callable[[], Sequence[Target]] = lambda: (),
    ) -> None:
        self._store = store
        self._devices = devices
        self._clock = clock
        self._settled = settled
        self._rows: dict[str, SubscriptionRow] = {}
        self._at_change: list[Callable[[], None]] = []
        self._lock = asyncio.Lock()
        devices.on_end(self._ended)

    async def start(self) -> None:
        for row in await self._store.read(subscription_rows.subscription_rows):
            self._rows[row.target.id] = row

    def on_change(self, call: Callable[[], None]) -> None:
        self._at_change.append(call)

    def all(self) -> Sequence[Target]:
        return tuple(target for target, _ in self._living())

    def of(self, device_id: str) -> Sequence[Target]:
        return tuple(target for target in self.all() if target.device_id == device_id)

    def shown(self) -> tuple[Subscription, ...]:
        """All that are in use, without their addresses."""
        return tuple(_shown(target, made_ms) for target, made_ms in self._living())

    def _living(self) -> list[tuple[Target, int | None]]:
        living: list[tuple[Target, int | None]] = []
        now_ms = self._clock.now_ms()
        for row in self._rows.values():
            device = self._devices.get(row.device_id)
            if device is not None and is_active(device.grants, "chat", now_ms):
                living.append((replace(row.target, name=device.name), row.made_ms))
        return living + [(target, None) for target in self._settled()]

    async def subscribe(
        self, device: Device, channel: str, address: str, keys: dict[str, str]
    ) -> Subscription:
        """Keep a way to this device; the same one again gives the one that is there."""
        async with self._lock:
            for row in self._rows.values():
                target = row.target
                if (target.channel, target.address, target.keys, row.device_id) == (
                    channel,
                    address,
                    keys,
                    device.id,
                ):
                    return _shown(replace(target, name=device.name), row.made_ms)
            target = Target(
                id=new_id("sub"), channel=channel, device_id=device.id, address=address, keys=keys
            )
            new = SubscriptionRow(target=target, device_id=device.id, made_ms=self._clock.now_ms())
            own = [
                row.target.id
                for row in self._rows.values()
                if row.device_id == device.id and row.target.channel == channel
            ]
            keep = 0 if channel == "webpush" else MOST - 1
            over = set(own[: max(0, len(own) - keep)]) | {
                row.target.id
                for row in self._rows.values()
                if (row.target.channel, row.target.address) == (channel, address)
            }

            def job(change: Change) -> None:
                for id_ in over:
                    subscription_rows.remove(change, id_)
                subscription_rows.add(change, new)

            await self._store.change(job)
            for id_ in over:
                self._rows.pop(id_, None)
            self._rows[target.id] = new
        self._tell()
        return _shown(replace(target, name=device.name), new.made_ms)

    async def forget(self, target_id: str) -> None:
        async with self._lock:
            if target_id not in self._rows:
                return
            await self._store.change(lambda change: subscription_rows.remove(change, target_id))
            self._rows.pop(target_id, None)
        self._tell()

    def get(self, target_id: str) -> Target | None:
        row = self._rows.get(target_id)
        return None if row is None else row.target

    def _ended(self, device_id: str, why: DeviceEnd) -> None:
        """The rows went with the device, in its own transaction."""
        if why not in ("revoked", "replaced"):
            return
        over = [row.target.id for row in self._rows.values() if row.device_id == device_id]
        for id_ in over:
            self._rows.pop(id_)
        if over:
            self._tell()

    def _tell(self) -> None:
        for call in self._at_change:
            call()


def _shown(target: Target, made_ms: int | None) -> Subscription:
    return Subscription(
        id=target.id,
        channel=target.channel,
        device_id=target.device_id,
        name=target.name,
        made_ms=made_ms,
    )

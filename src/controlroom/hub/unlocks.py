"""Which browsers are unlocked now: ``core.unlock`` for each device, in memory.

A hub that starts anew has forgotten all unlocks: everybody shows the passkey once more.
"""

from __future__ import annotations

from collections.abc import Callable

from controlroom.core import unlock
from controlroom.core.access import Rule
from controlroom.core.unlock import Challenge, Lock, Purpose, Site, State
from controlroom.kit import tokens
from controlroom.kit.clock import Clock
from controlroom.wire.device import Device


class Unlocks:
    """Asked at each request and frame, so it waits for nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, State] = {}
        self._at_lock: list[Callable[[Device], None]] = []

    def is_due(self, device: Device, rule: Rule) -> bool:
        """Whether this device has to show its passkey before it may do this."""
        if rule.locked or rule.right in ("open", "cookie"):
            return False
        return unlock.is_due(lock_of(device), device.passkeys, rule.right, self.is_open(device))

    def is_open(self, device: Device) -> bool:
        """Whether an unlock is present."""
        return self.until_ms(device) is not None

    def until_ms(self, device: Device) -> int | None:
        """When the unlock ends if nothing happens; None: there is none. One that was seen ended stays so."""
        state = self._states.get(device.id)
        if state is None:
            return None
        until_ms = unlock.open_until_ms(state, lock_of(device), self._clock.now_ms())
        if until_ms is None and state.idle_from_ms is not None:
            self._states[device.id] = unlock.shut(state)
        return until_ms

    def acted(self, device: Device) -> None:
        """The person does something."""
        state = self._states.get(device.id)
        if state is not None and state.idle_from_ms is not None:
            self._states[device.id] = unlock.acted(state, lock_of(device), self._clock.now_ms())

    def open(self, device: Device) -> int:
        """The passkey was shown; until when that holds."""
        now_ms = self._clock.now_ms()
        state = unlock.unlocked(self._states.get(device.id, State()), now_ms)
        self._states[device.id] = state
        return now_ms + device.lock.idle_s * 1000

    def shut(self, device: Device) -> None:
        """The unlock ends now, on all sockets of the device."""
        if device.id in self._states:
            self._states[device.id] = unlock.shut(self._states[device.id])
        if device.passkeys and (device.lock.app or device.lock.terminal):
            for call in self._at_lock:
                call(device)

    def on_lock(self, call: Callable[[Device], None]) -> None:
        """``call(device)`` when a device was locked: its sockets must look at what it still may."""
        self._at_lock.append(call)

    def forget(self, device_id: str) -> None:
        """The device is no more."""
        self._states.pop(device_id, None)

    # ---- challenges ------------------------------------------------------------------------------------

    def ask(self, device: Device, purpose: Purpose, site: Site) -> Challenge:
        """A new challenge, good for one try."""
        challenge = Challenge(tokens.long_token(), purpose, site, self._clock.now_ms())
        self._states[device.id] = unlock.asked(self._states.get(device.id, State()), challenge)
        return challenge

    def take(self, device: Device, value: str, purpose: Purpose, site: Site) -> Challenge | None:
        """Use a challenge up; None when it is not one of this device, purpose and site, or too old."""
        state = self._states.get(device.id, State())
        self._states[device.id], found = unlock.taken(state, value, purpose, self._clock.now_ms())
        return found if found is not None and found.site == site else None


def lock_of(device: Device) -> Lock:
    """A device's settings as the decisions take them."""
    return Lock(device.lock.app, device.lock.idle_s, device.lock.terminal)

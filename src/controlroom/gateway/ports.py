"""What the relay door needs from others; ``app`` fills these in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Protocol

from controlroom.core.media import MediaEntry
from controlroom.core.screen import Frame
from controlroom.core.typed import Typed
from controlroom.kit.http import Peer
from controlroom.wire.device import Device, DeviceEnd, DeviceHello, Issued, PairingCode, PairingPolicy
from controlroom.wire.push import PhoneMessage


class Devices(Protocol):
    """The book of paired devices (``hub.devices``). Everything in it survives a restart; codes, tokens and
    refresh tokens are stored as hashes and compared in constant time."""

    async def mint(self, policy: PairingPolicy, code: str | None = None) -> PairingCode:
        """A code for one use within ten minutes (relay contract section 6). ``code``: this one instead of a
        fresh one; minting the same code again replaces its policy and restarts its clock."""

    async def claim(self, code: str, who: DeviceHello) -> Issued | None:
        """Trade a code for a device. One of two that race wins; None for every failure. A device with a real
        ``device_id`` replaces its earlier sessions and refresh records."""

    async def by_token(self, token: str) -> Device | None:
        """The living device of a session token; None when unknown, revoked or expired."""

    def seen_from(self, device_id: str, peer: Peer) -> None:
        """A device calls from there now."""

    def connected(self, call: Callable[[], Iterable[str]]) -> None:
        """``call()`` names the devices that have an open socket now: they are seen as long as it lives."""

    async def refresh(self, refresh_token: str, who: DeviceHello) -> Issued | None:
        """Rotate: a new session token and a new refresh token, never outliving or widening what was granted.
        A reply that was lost may be asked for again within a short grace with the old refresh token."""

    async def give_refresh_token(self, device: Device) -> str | None:
        """A first refresh token for a device that has none (contract section 5.3), None when it has one."""

    async def update(self, device: Device, who: DeviceHello) -> Device:
        """Take over what a reconnect says of itself (name, model, platform, surfaces: only what is given),
        its address and the time."""

    async def all(self) -> list[Device]:
        """Living devices, newest ``last_seen`` first."""

    async def reduce(
        self, device: Device, *, expires_ms: int | None, grants: Mapping[str, int | None]
    ) -> Device:
        """Store a shorter policy. The caller has checked that it only reduces."""

    async def revoke(self, device: Device, by: str) -> None:
        """End a device: its tokens die, its refresh records too, and ``on_end`` callbacks run at once."""

    def on_end(self, call: Callable[[str, DeviceEnd], None]) -> None:
        """``call(device id, why)`` when a device is out: its live sockets must close."""

    def on_change(self, call: Callable[[Device], None]) -> None:
        """``call(device)`` when the rights or the lifetime of a device changed, or a right has run out: its
        live sockets go by them from now on."""


class AgentPanes(Protocol):
    """Agents' panes as the terminal channel shows them: our mirror, never a terminal client."""

    async def find(self, name: str) -> str | None:
        """The agent id that a session name means (``agent:NAME`` or an agent id), None when it means none."""

    def frames(self, agent_id: str) -> AsyncIterator[Frame]:
        """Frames at the pane's own size; ends when the pane is gone."""

    async def type(self, agent_id: str, typed: Typed, seen_revision: str, by: str) -> str | None:
        """Keys or a paste of a device, through the same checks as all keys. ``seen_revision``: the frame that
        was sent to it last. None, or why it was refused."""


class MediaRows(Protocol):
    """Offers of files, kept over a restart."""

    async def all(self) -> list[MediaEntry]:
        """The longest unused first. A row that cannot be read is left out."""

    async def put(self, entries: Sequence[MediaEntry]) -> None:
        """Store these, new or changed. Raises DatabaseTrouble."""

    async def delete(self, tokens: Sequence[str]) -> None:
        """Forget these. Raises DatabaseTrouble."""


class PhoneRow(Protocol):
    """A message in a queue."""

    @property
    def number(self) -> int: ...

    @property
    def message(self) -> PhoneMessage: ...


class PhoneMail(Protocol):
    """What waits for phones with the relay's app: a queue on disk for each device."""

    async def subscribed(self, device: Device) -> None:
        """This device wants messages from now on. Raises DatabaseTrouble."""

    async def waiting(self, device_id: str) -> Sequence[PhoneRow]:
        """Oldest first, without what is worth nothing any more. Raises DatabaseTrouble."""

    async def took(self, number: int) -> None:
        """The device has it. Raises DatabaseTrouble."""

    async def cancel(self, device_id: str, message_id: str | None) -> None:
        """Forget one message, or all that wait for this device. Raises DatabaseTrouble."""

    def on_mail(self, call: Callable[[str], None]) -> None:
        """``call(device id)`` when something waits for it."""

"""Credentials of the relay socket, tried against the device book, and the ``auth.ok`` they earn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from controlroom.core.relay import Credential, Hello
from controlroom.core.rights import is_active
from controlroom.gateway.channels import Profiles
from controlroom.gateway.ports import Devices
from controlroom.kit.clock import Clock
from controlroom.kit.http import Peer
from controlroom.wire.device import Device, DeviceHello, Issued

_log = structlog.get_logger("relay")
BOOK_S: Final = 10.0  # the store waits up to five seconds for a locked database, and may be busy
PROFILES_S: Final = 3.0  # reading a few small files; a slow disk must not cost the login


class BookFailed(Exception):
    """The device book cannot answer now."""


class Login:
    """Who a device is, by what it shows."""

    def __init__(self, devices: Devices, profiles: Profiles | None, version: str, clock: Clock) -> None:
        self._devices = devices
        self._profiles = profiles
        self._version = version
        self._clock = clock

    async def attempt(
        self, credential: Credential, hello: Hello, peer: Peer, known: Callable[[Device], None]
    ) -> Issued | None:
        """The device of a credential with the tokens to tell it, None when it is not good.

        ``known`` is called as soon as it is clear who it is, so that a revocation meanwhile is not missed.
        Raises BookFailed.
        """
        who = introduction(hello, peer)
        try:
            async with asyncio.timeout(BOOK_S):
                return await self._attempt(credential, hello, who, known)
        except Exception as error:
            _log.error("device book failed", exc_info=error)
            raise BookFailed from error

    async def _attempt(
        self, credential: Credential, hello: Hello, who: DeviceHello, known: Callable[[Device], None]
    ) -> Issued | None:
        if credential.kind == "session_token":
            return await self._reconnect(credential.secret, hello, who, known)
        if credential.kind == "refresh_token":
            issued = await self._devices.refresh(credential.secret, who)
        else:
            issued = await self._devices.claim(credential.secret, who)
        if issued is not None:
            known(issued.device)
        return issued

    async def _reconnect(
        self, token: str, hello: Hello, who: DeviceHello, known: Callable[[Device], None]
    ) -> Issued | None:
        device = await self._devices.by_token(token)
        if device is None or device.kind == "web":  # a browser's token is only half of its login
            return None
        known(device)
        refresh_token = None
        try:
            device = await self._devices.update(device, who)
            if hello.device_id and not hello.sent_refresh_token:
                refresh_token = await self._devices.give_refresh_token(device)
        except Exception as error:  # noqa: BLE001 - the edge: a full disk must not shut a known device out
            _log.error("device book cannot be written", exc_info=error)
        return Issued(device=device, token=token, refresh_token=refresh_token)

    async def answer(self, issued: Issued) -> dict[str, object]:
        """The payload of ``auth.ok`` (contract section 5.3); times are epoch seconds."""
        device = issued.device
        payload: dict[str, object] = {
            "session_token": issued.token,
            "server_version": self._version,
            # A row holds an agent's whole character, which is for devices that may read.
            "profiles": list(await self.profiles()) if self._may_read(device) else [],
            "expires_at": seconds(device.expires_ms),
            "grants": grants(device),
            "transport_hint": device.transport,
            "client_surface": device.surface,
            "device_form_factor": device.form_factor,
        }
        if issued.refresh_token is not None:
            payload["refresh_token"] = issued.refresh_token
        return payload

    def _may_read(self, device: Device) -> bool:
        return is_active(device.grants, "chat", self._clock.now_ms())

    async def profiles(self) -> Sequence[Mapping[str, object]]:
        """All profile rows; none when they cannot be read now."""
        if self._profiles is None:
            return ()
        try:
            async with asyncio.timeout(PROFILES_S):
                return await self._profiles.rows()
        except Exception as error:  # noqa: BLE001 - the edge: profiles are no reason to refuse a login
            _log.error("profiles failed", exc_info=error)
            return ()


def introduction(hello: Hello, peer: Peer) -> DeviceHello:
    """What a relay device said of itself, and where it came from."""
    said = DeviceHello(
        kind="relay",
        transport="wss" if peer.is_secure else "ws",
        address=peer.address,
        door=peer.door,
        tailscale_user=peer.tailscale_user,
        tailscale_name=peer.tailscale_name,
    )
    fields = ("name", "device_id", "model", "platform", "surface", "form_factor")
    given = {field: getattr(hello, field) for field in fields if getattr(hello, field)}
    return msgspec.structs.replace(said, **given)


def seconds(time_ms: int | None) -> float | None:
    """A time as the relay protocol writes it."""
    return None if time_ms is None else time_ms / 1000


def grants(device: Device) -> dict[str, float | None]:
    return {right: seconds(expiry) for right, expiry in device.grants.items()}

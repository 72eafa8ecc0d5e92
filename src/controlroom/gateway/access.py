"""Who may call an HTTP route of the device door (relay contract section 2; house.md section 3).

A peer address is never proof of the operator: the contract's loopback routes are off unless the setting says
otherwise, and then need the secret of the data folder too.
"""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Final

from aiohttp import web

from controlroom.core.rights import is_active
from controlroom.gateway.ports import Devices
from controlroom.kit.clock import Clock
from controlroom.kit.http import peer_of
from controlroom.wire.device import Device

SECRET_HEADER: Final = "X-Control-Room-Secret"  # noqa: S105 - a header's name
FORWARDING: Final = ("Forwarded", "Via", "X-Real-IP")
FORWARDING_PREFIXES: Final = ("x-forwarded-", "tailscale-")
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
LONGEST_TOKEN: Final = 512


class Access:
    """Finds the caller of a request, or refuses with the contract's status and text."""

    def __init__(self, devices: Devices, clock: Clock, secret: DoorSecret | None) -> None:
        self._devices = devices
        self._clock = clock
        self._secret = secret

    async def device(
        self, request: web.Request, right: str | None = None, *, refusal: str | None = None
    ) -> Device:
        """The paired device that calls. Raises 401, and 403 when it lacks ``right`` now (``refusal``: the
        contract's own words for it)."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not token:
            raise web.HTTPUnauthorized(text="Authorization: Bearer <session_token> required")
        token = token.strip()
        if not token:
            raise web.HTTPUnauthorized(text="empty bearer token")
        device = await self._devices.by_token(token) if len(token) <= LONGEST_TOKEN else None
        if device is None or device.kind == "web":  # a browser's token is only half of its login
            raise web.HTTPUnauthorized(text="invalid or expired session token")
        self._devices.seen_from(device.id, peer_of(request))
        if right is not None and not is_active(device.grants, right, self._clock.now_ms()):
            raise web.HTTPForbidden(text=refusal or f"{right} grant required")
        return device

    async def host(self, request: web.Request, *, refusal: web.HTTPException | None = None) -> None:
        """Let only a program of the person on this machine pass. Raises 403, or ``refusal``."""
        if not self._is_host(request):
            raise refusal or web.HTTPForbidden(reason="loopback only")

    async def host_or_device(
        self, request: web.Request, right: str | None = None, *, refusal: str | None = None
    ) -> Device | None:
        """A program on this machine (None) or a paired device. A bearer that is there must be valid."""
        if "Authorization" not in request.headers and self._is_host(request):
            return None
        return await self.device(request, right, refusal=refusal)

    def _is_host(self, request: web.Request) -> bool:
        peer = peer_of(request)
        headers = request.headers
        return (
            self._secret is not None
            and peer.door == "device"
            and peer.is_loopback
            and "Origin" not in headers
            and not any(name in headers for name in FORWARDING)
            and not any(name.lower().startswith(FORWARDING_PREFIXES) for name in headers)
            and _is_loopback_name(request.host)
            and (not request.can_read_body or request.content_type == "application/json")
            and self._secret.matches(headers.get(SECRET_HEADER, ""))
        )


def _is_loopback_name(host: str) -> bool:
    name, colon, port = host.rpartition(":")
    return host in LOOPBACK_NAMES or (bool(colon) and port.isdigit() and name in LOOPBACK_NAMES)


class DoorSecret:
    """The secret in ``<data>/door-secret`` that programs of this machine show on loopback routes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def matches(self, shown: str) -> bool:
        """Whether ``shown`` is the secret of the file now; never when there is none."""
        try:
            secret = self._path.read_bytes().strip()
        except OSError:
            return False
        return len(secret) >= 32 and hmac.compare_digest(secret, shown.encode(errors="replace"))

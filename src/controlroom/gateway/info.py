"""That we are here, and what this door can do (relay contract section 14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from aiohttp import web

from controlroom.gateway.access import Access
from controlroom.gateway.channels import Part
from controlroom.gateway.login import Login
from controlroom.gateway.ports import Devices
from controlroom.kit.clock import Clock
from controlroom.kit.http import json_answer

PROTOCOL_VERSION: Final = 1
HEALTH_S: Final = 2.0  # probes wait three seconds
_log = structlog.get_logger("relay")


class Info:
    """What the door says of itself; capabilities are those of the parts that are there."""

    def __init__(
        self,
        *,
        devices: Devices,
        access: Access,
        login: Login,
        parts: Sequence[Part],
        clients: Callable[[], int],
        clock: Clock,
        version: str,
    ) -> None:
        self._devices = devices
        self._access = access
        self._login = login
        self._parts = parts
        self._clients = clients
        self._clock = clock
        self._version = version
        self._began = clock.monotonic()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/health", self.health),
            web.get("/relay/info", self.info),
            web.get("/relay/update-check", self.update_check),
            web.get("/context/injected", self.context),
        ]

    async def health(self, _request: web.Request) -> web.Response:
        """Open to everybody; alive even when the device book is not."""
        status, sessions = "ok", 0
        try:
            async with asyncio.timeout(HEALTH_S):
                sessions = len(await self._devices.all())
        except Exception as error:  # noqa: BLE001 - the edge: a probe asks whether somebody is here
            _log.error("device book failed", exc_info=error)
            status = "degraded"
        return json_answer(
            {"status": status, "version": self._version, "clients": self._clients(), "sessions": sessions}
        )

    async def info(self, request: web.Request) -> web.Response:
        await self._access.host_or_device(request)
        sessions = len(await self._devices.all())
        numbers = {"pending_commands": 0, "media_entry_count": 0}
        for part in self._parts:
            numbers.update(part.numbers())
        return json_answer(
            {
                "version": self._version,
                "plugin_version": self._version,
                "protocol_version": PROTOCOL_VERSION,
                "capabilities": sorted({word for part in self._parts for word in part.capabilities}),
                "profiles": [
                    {
                        "name": "(default)" if row.get("name") == "default" else row.get("name"),
                        "relay_state": "absent",
                    }
                    for row in await self._login.profiles()
                ],
                "uptime_seconds": int(self._clock.monotonic() - self._began),
                "session_count": sessions,
                "paired_device_count": sessions,
                **numbers,
                "health": "ok",
                "gateway_heartbeat": {"status": "missing", "supported": False},
                "gateway_prior_exit": {"prior_exit": "unknown"},
            }
        )

    async def update_check(self, request: web.Request) -> web.Response:
        """We look nothing up: whether there is a newer version is not known here."""
        await self._access.host_or_device(request)
        return json_answer(
            {
                "current": self._version,
                "latest": None,
                "update_available": False,
                "update_command": None,
                "error": "This control room does not look for updates.",
            }
        )

    async def context(self, request: web.Request) -> web.Response:
        """We put nothing into agents' prompts."""
        await self._access.host_or_device(request)
        return json_answer({"enabled": False, "blocks": []})

"""``/sessions``: who is paired; ending a pairing; reducing one's own rights (relay contract section 8.3)."""

from __future__ import annotations

from aiohttp import web

from controlroom.core.rights import Refusal, Term, reduced
from controlroom.core.text import clean_line
from controlroom.gateway.access import LONGEST_TOKEN, Access
from controlroom.gateway.answers import failed
from controlroom.gateway.bodies import BadRequest, json_object, reduction
from controlroom.gateway.login import grants, seconds
from controlroom.gateway.ports import Devices
from controlroom.kit.clock import Clock
from controlroom.kit.http import json_answer
from controlroom.wire.device import Device


class Sessions:
    """The routes of the session list. Any paired device may list and end pairings, its own included."""

    def __init__(self, devices: Devices, access: Access, clock: Clock) -> None:
        self._devices = devices
        self._access = access
        self._clock = clock

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/sessions", self.list),
            web.patch("/sessions/{prefix}", self.patch),
            web.delete("/sessions/{prefix}", self.delete),
        ]

    async def list(self, request: web.Request) -> web.Response:
        caller = await self._access.host_or_device(request)
        return json_answer({"sessions": [_row(one, caller) for one in await self._devices.all()]})

    async def delete(self, request: web.Request) -> web.Response:
        caller = await self._access.host_or_device(request)
        found = await self._match(request)
        if isinstance(found, web.Response):
            return found
        await self._devices.revoke(found, "host" if caller is None else f"device:{caller.id}")
        is_self = caller is not None and caller.id == found.id
        return json_answer({"ok": True, "revoked": found.prefix, "revoked_self": is_self})

    async def patch(self, request: web.Request) -> web.Response:
        caller = await self._access.device(request)
        try:
            wished = reduction(json_object(await request.read()))
        except BadRequest as error:
            return failed(str(error), 400)
        found = await self._match(request)
        if isinstance(found, web.Response):
            return found
        if found.id != caller.id:
            raise web.HTTPForbidden(text="cannot modify another session")
        before = Term(found.expires_ms, dict(found.grants))
        term = reduced(before, wished.ttl_s, wished.grants, self._clock.now_ms())
        if isinstance(term, Refusal):
            return _refused(term)
        device = await self._devices.reduce(found, expires_ms=term.expires_ms, grants=term.grants)
        return json_answer(
            {
                "ok": True,
                "token_prefix": device.prefix,
                "expires_at": seconds(device.expires_ms),
                "grants": grants(device),
            }
        )

    async def _match(self, request: web.Request) -> Device | web.Response:
        """The one device of a token's beginning, or of a whole token: between them only hashes are kept."""
        prefix = request.match_info["prefix"]
        shown = clean_line(prefix, 80)
        found = [one for one in await self._devices.all() if one.prefix.startswith(prefix)]
        if not found and (device := await self._devices.by_token(prefix[:LONGEST_TOKEN])) is not None:
            found = [device]
        if not found:
            raise web.HTTPNotFound(text=f"no session matches prefix '{shown}'")
        if len(found) > 1:
            return failed(f"{len(found)} sessions match prefix '{shown}' — retry with more characters", 409)
        return found[0]


def _refused(refusal: Refusal) -> web.Response:
    right = clean_line(refusal.right, 80)
    if refusal.why == "unknown":
        return failed(f"unknown grant '{right}'", 400)
    if refusal.why == "session":
        raise web.HTTPForbidden(text="operator approval required to extend session")
    raise web.HTTPForbidden(text=f"operator approval required to expand grant '{right}'")


def _row(device: Device, caller: Device | None) -> dict[str, object]:
    return {
        "token_prefix": device.prefix,
        "device_name": device.name,
        "device_id": device.device_id,
        "created_at": seconds(device.created_ms),
        "first_seen": seconds(device.created_ms),
        "last_seen": seconds(device.last_seen_ms),
        "expires_at": seconds(device.expires_ms),
        "grants": grants(device),
        "transport_hint": device.transport,
        "client_surface": device.surface,
        "device_form_factor": device.form_factor,
        "device_model": device.model,
        "device_platform": device.platform,
        "is_current": caller is not None and caller.id == device.id,
    }

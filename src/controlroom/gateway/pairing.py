"""``/pairing/register``, ``/pairing/approve`` and ``/pairing/mint``: programs of this machine open codes.

All three give rights, so only the host may call them (``Access.host``), and each success clears the limiter
(relay contract sections 6, 7 and 9.4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast
from urllib.parse import urlsplit

from aiohttp import web

from controlroom.core.invite import Invite, Reach, Terms, invite
from controlroom.core.limiter import Limiter
from controlroom.core.qr import ApiAddress
from controlroom.gateway.access import Access
from controlroom.gateway.answers import failed
from controlroom.gateway.bodies import (
    BadRequest,
    Registration,
    endpoint_list,
    json_object,
    pairing_policy,
    registration,
)
from controlroom.gateway.ports import Devices
from controlroom.kit.http import json_answer
from controlroom.wire.device import PairingCode, PairingPolicy

NO_HOST: Final = "missing 'host' — API server address could not be resolved"
_UNUSABLE_HOSTS: Final = frozenset({"0.0.0.0", "::", "[::]"})  # noqa: S104 - compared, not bound


class Pairing:
    """The loopback routes that open pairing codes."""

    def __init__(
        self,
        *,
        devices: Devices,
        access: Access,
        limiter: Limiter,
        reach: Callable[[], Reach],
        secret: Callable[[], bytes | None],
    ) -> None:
        self._devices = devices
        self._access = access
        self._limiter = limiter
        self._reach = reach
        self._secret = secret

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/pairing/register", self.register),
            web.post("/pairing/approve", self.approve),
            web.post("/pairing/mint", self.mint),
        ]

    async def register(self, request: web.Request) -> web.Response:
        await self._host(request)
        return await self._open(request, repeats_endpoints=True)

    async def approve(self, request: web.Request) -> web.Response:
        await self._host(request)
        return await self._open(request, repeats_endpoints=False)

    async def _host(self, request: web.Request) -> None:
        text = f"{request.path} is restricted to localhost callers"
        await self._access.host(request, refusal=web.HTTPForbidden(text=text))

    async def _open(self, request: web.Request, *, repeats_endpoints: bool) -> web.Response:
        try:
            wished: Registration = registration(json_object(await request.read()))
        except BadRequest as error:
            return failed(str(error), 400)
        await self._devices.mint(wished.policy, wished.code)
        self._limiter.clear()
        answer: dict[str, object] = {"ok": True, "code": wished.code}
        if repeats_endpoints and wished.endpoints:
            answer["endpoints"] = wished.endpoints
        return json_answer(answer)

    async def mint(self, request: web.Request) -> web.Response:
        await self._access.host(request)
        try:
            body = await _mint_body(request)
            reach = self._reach()
            api, policy, endpoints, dashboard = _wished(body, reach)
            # Everything is checked before a code exists.
            self._invite(Terms(code="000000"), reach, api, body, endpoints, dashboard)
        except BadRequest as error:
            return failed(str(error), 400)
        code = await self._devices.mint(policy)
        self._limiter.clear()
        made = self._invite(_terms(code), reach, api, body, endpoints, dashboard)
        return json_answer(_minted(code, made, api, endpoints, dashboard))

    def _invite(
        self,
        terms: Terms,
        reach: Reach,
        api: ApiAddress,
        body: Mapping[str, object],
        endpoints: list[Mapping[str, object]],
        dashboard: str | None,
    ) -> Invite:
        key = body.get("api_key")
        try:
            return invite(
                terms,
                reach,
                secret=self._secret(),
                api=api,
                key=key if isinstance(key, str) else "",
                dashboard_url=dashboard,
                endpoints=endpoints,
            )
        except (ValueError, RecursionError):
            raise BadRequest("endpoints cannot be written into a QR code") from None


async def _mint_body(request: web.Request) -> dict[str, object]:
    """The optional body; what is JSON but no object is an empty one (contract section 9.4)."""
    raw = await request.read()
    if not raw.strip():
        return {}
    try:
        return json_object(raw)
    except BadRequest as error:
        if "object" in str(error):
            return {}
        raise BadRequest("invalid JSON") from None


def _wished(
    body: Mapping[str, object], reach: Reach
) -> tuple[ApiAddress, PairingPolicy, list[Mapping[str, object]], str | None]:
    port = body.get("port", reach.api.port)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 65536:
        raise BadRequest("'port' must be an integer")
    host = body.get("host", reach.api.host)
    if not isinstance(host, str) or not host.strip() or host.strip() in _UNUSABLE_HOSTS:
        raise BadRequest(NO_HOST)
    policy = pairing_policy(body)
    endpoints = endpoint_list(body) or []
    if not all(isinstance(one, dict) for one in endpoints):
        raise BadRequest("endpoints must be an array of objects")
    api = ApiAddress(host=host.strip(), port=port, tls=body.get("tls", reach.api.tls) is True)
    return api, policy, cast("list[Mapping[str, object]]", endpoints), _dashboard(body, reach)


def _dashboard(body: Mapping[str, object], reach: Reach) -> str | None:
    given = body.get("dashboard_url", body.get("dashboardUrl"))
    if given is None:
        return None if reach.hermes is None else reach.hermes.dashboard_url
    if not isinstance(given, str):
        raise BadRequest("'dashboard_url' must be a string")
    url = given.strip().rstrip("/")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadRequest("'dashboard_url' is not a URL") from None
    if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
        raise BadRequest("'dashboard_url' must be an http or https URL")
    return url or None


def _terms(code: PairingCode) -> Terms:
    policy = code.policy
    return Terms(code=code.code, ttl_s=policy.ttl_s, grants=policy.grants, transport_hint=policy.transport)


def _minted(
    code: PairingCode,
    made: Invite,
    api: ApiAddress,
    endpoints: list[Mapping[str, object]],
    dashboard: str | None,
) -> dict[str, object]:
    answer: dict[str, object] = {
        "ok": True,
        "code": code.code,
        "qr_payload": made.qr_text,
        "pairing_url": made.url,
        "expires_at": code.expires_ms // 1000,
        "host": api.host,
        "port": api.port,
        "tls": api.tls,
        "relay_url": made.relay_url,
    }
    if dashboard:
        answer["dashboard_url"] = dashboard
    if endpoints:
        answer["endpoints"] = made.payload["endpoints"]
    return answer

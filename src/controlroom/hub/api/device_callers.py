"""Paired devices as callers: by bearer token, or by cookie and key together (house.md section 3).

A cookie is shared by all ports of a host name, and agents run web servers there: so it is only half of a
browser's login, and a request with it must come from our own page. The other half is the key that pairing
told once; it comes in a header, or in the live socket's hello.
"""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from controlroom.core import origin
from controlroom.core.access import Rule
from controlroom.core.rights import is_active
from controlroom.hub.api.callers import Caller
from controlroom.hub.devices import DeviceBook
from controlroom.hub.errors import HubError
from controlroom.hub.glance import GlanceBook
from controlroom.hub.unlocks import Unlocks
from controlroom.kit.clock import Clock
from controlroom.kit.http import peer_of
from controlroom.wire.device import Device, DeviceEnd

KEY_HEADER = "X-Control-Room-Key"
LONGEST_KEY = 200  # characters; ours have 43


class DeviceCaller:
    """One device; what it may is asked of the book each time. ``has_key`` False: half of a login."""

    def __init__(
        self, book: DeviceBook, unlocks: Unlocks, clock: Clock, device_id: str, *, has_key: bool = True
    ) -> None:
        self._book = book
        self._unlocks = unlocks
        self._clock = clock
        self.device_id = device_id
        self.has_key = has_key

    @property
    def by(self) -> str:
        return f"device:{self.device_id}"

    def may(self, rule: Rule) -> bool:
        device = self._book.get(self.device_id)
        if device is None or rule.right in ("host", "local"):
            return False
        if rule.right in ("open", "cookie"):
            return True
        if not self.has_key or self._unlocks.is_due(device, rule):
            return False
        if rule.right == "paired":
            return True
        return is_active(device.grants, rule.right, self._clock.now_ms())

    def refusal(self, what: str, rule: Rule) -> HubError:
        device = self._book.get(self.device_id)
        if device is None or not self.has_key:
            return not_paired()
        if rule.right in ("host", "local"):
            return HubError("not_allowed", f"{what}: only the person at the machine itself may do this.")
        if self._unlocks.is_due(device, rule):
            return HubError("locked", f"{what}: this device is locked. Show its passkey first.")
        return HubError("not_allowed", f"{what}: this device does not have the right {rule.right} now.")

    def acts(self) -> None:
        device = self._book.get(self.device_id)
        if device is not None and self.has_key:
            self._unlocks.acted(device)


class GlanceCaller:
    """A widget: it may look at one thing."""

    def __init__(self, id_: str) -> None:
        self.by = f"glance:{id_}"

    def may(self, rule: Rule) -> bool:
        return rule.glance or rule.right == "open"

    def refusal(self, what: str, rule: Rule) -> HubError:
        return HubError("not_allowed", f"{what}: this token is for a widget, which may see /glance alone.")

    def acts(self) -> None:
        """Nobody does anything."""


class DeviceCallers:
    """Finds the device behind a request that came through a door."""

    def __init__(
        self,
        book: DeviceBook,
        unlocks: Unlocks,
        clock: Clock,
        hub_id: str,
        glances: GlanceBook | None = None,
    ) -> None:
        self._book = book
        self._glances = glances
        self._unlocks = unlocks
        self._clock = clock
        self.cookie = cookie_name(hub_id)

    async def of(self, request: web.Request) -> Caller:
        """Raises HubError ``not_paired``, and ``not_allowed`` for a request that a foreign page made."""
        if "Authorization" in request.headers:
            return await self._bearer(request)
        device = self._browser(request)
        if not is_from_our_page(request):
            raise foreign()
        if not self._book.has_key(device.id, request.headers.get(KEY_HEADER, "")[:LONGEST_KEY]):
            raise not_paired()
        return self._caller(device, request)

    async def by_half(self, request: web.Request) -> Caller:
        """A browser by its cookie; whether it has its key too is said of it."""
        if "Authorization" in request.headers:
            return await self._bearer(request)
        device = self._browser(request)
        if not is_from_our_page(request):
            raise foreign()
        has_key = self._book.has_key(device.id, request.headers.get(KEY_HEADER, "")[:LONGEST_KEY])
        return self._caller(device, request, has_key=has_key)

    async def greeting(self, request: web.Request) -> Callable[[str | None], Caller]:
        if "Authorization" in request.headers:
            caller = await self._bearer(request)
            return lambda _key: caller
        device = self._browser(request)
        if request.headers.get("Origin") is None or not is_same_origin(request):
            raise foreign()

        def greeted(key: str | None) -> Caller:
            if not self._book.has_key(device.id, (key or "")[:LONGEST_KEY]):
                raise not_paired()
            return self._caller(device, request)

        return greeted

    def browser_of(self, request: web.Request) -> Device | None:
        """The browser whose cookie this is, when it still lives; half a login, nothing more."""
        token = request.cookies.get(self.cookie)
        return None if token is None else self._book.by_cookie(token)

    def _browser(self, request: web.Request) -> Device:
        device = self.browser_of(request)
        if device is None:
            raise not_paired()
        return device

    async def _bearer(self, request: web.Request) -> Caller:
        scheme, _, token = request.headers["Authorization"].partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
        holder = await self._glances.holder(token) if self._glances is not None else None
        if holder is not None:
            return GlanceCaller(holder)
        device = await self._book.by_token(token) if token else None
        if device is None:
            raise not_paired()
        return self._caller(device, request)

    def _caller(self, device: Device, request: web.Request, *, has_key: bool = True) -> Caller:
        self._book.seen_from(device.id, peer_of(request))
        return DeviceCaller(self._book, self._unlocks, self._clock, device.id, has_key=has_key)


def cookie_name(hub_id: str) -> str:
    """Cookies are shared by all ports of a name: two hubs on one machine must not take each other's."""
    return f"controlroom-{hub_id}"


def is_from_our_page(request: web.Request) -> bool:
    """Whether the browser says that our own page made this request; saying nothing is not enough."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    return "Origin" in request.headers and is_same_origin(request)


def is_foreign(request: web.Request) -> bool:
    """Whether the browser says that a page of others made this request."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return True
    return "Origin" in request.headers and not is_same_origin(request)


def is_same_origin(request: web.Request) -> bool:
    """Whether scheme, host and port of ``Origin`` are exactly those of the request."""
    scheme = "https" if peer_of(request).is_secure else "http"
    return origin.is_same_origin(request.headers.get("Origin", ""), scheme, request.host)


def not_paired() -> HubError:
    return HubError("not_paired", "This device is not paired here, or not any more. Pair it with a code.")


def ended(why: DeviceEnd) -> HubError:
    """What a device hears whose sockets close."""
    match why:
        case "expired":
            text = "The time of this pairing is over. Pair the device again, or extend it on the host."
        case "revoked":
            text = "This device was revoked."
        case "replaced":
            text = "This device was paired anew, which ends its earlier pairing."
        case "renewed":
            text = "The token of this device was renewed: come again with the new one."
    return HubError("not_paired", text)


def foreign() -> HubError:
    return HubError("not_allowed", "This request does not come from the control room's own page.")

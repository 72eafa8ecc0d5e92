"""All channels of this hub. Each is made when it is first needed, in a thread: cryptography is slow to
import, and nothing of it is wanted on the way to ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from controlroom.core.text import clean_line
from controlroom.hub.channels import proactive
from controlroom.hub.channels.base import Answer, Channel, Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.outside import BadEndpoint, checked_endpoint
from controlroom.hub.channels.proactive import PhoneMail
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.devices import DeviceBook
from controlroom.hub.errors import HubError
from controlroom.kit.clock import Clock, new_id
from controlroom.kit.home import Home
from controlroom.kit.settings import Push
from controlroom.wire.device import Device
from controlroom.wire.push import PushTested, Subscribe, Subscription

if TYPE_CHECKING:
    from controlroom.hub.channels.vapid import Vapid

LONGEST_KEY: Final = 200  # characters; a browser's have 87 and 22
LONGEST_TOKEN: Final = 4096
TEST_EVERY_S: Final = 3.0  # a button that is pressed twice


class Ways:
    """``book`` names the targets; ``send`` brings a notice to one of them."""

    def __init__(
        self,
        book: Subscriptions,
        phones: PhoneMail,
        devices: DeviceBook,
        settings: Push,
        home: Home,
        clock: Clock,
    ) -> None:
        self.book = book
        self._settings = settings
        self._home = home
        self._clock = clock
        self._devices = devices
        self._vapid: Vapid | None = None
        self._made: dict[str, Channel] = {}
        self._lock = asyncio.Lock()
        self._tested: dict[str, float] = {}
        self._at_works: list[Callable[[Target], None]] = []
        self.phones = phones
        self._makers: dict[str, Callable[[], Channel]] = {
            "webpush": self._webpush,
            proactive.NAME: lambda: phones,
            "apprise": self._apprise,
        }
        if settings.apns_key_file:
            self._makers["apns"] = self._apns
        if settings.fcm_account_file:
            self._makers["fcm"] = self._fcm

    async def channel(self, name: str) -> Channel | None:
        """None: there is no such way (any more)."""
        async with self._lock:
            if name not in self._made and name in self._makers:
                self._made[name] = await asyncio.to_thread(self._makers[name])
            return self._made.get(name)

    async def send(self, target: Target, notice: Notice) -> Answer:
        channel = await self.channel(target.channel)
        device = None if target.device_id is None else self._devices.get(target.device_id)
        if device is not None:
            notice = for_device(notice, device)
        if channel is None:
            return Refused(f"This control room has no way “{clean_line(target.channel, 40)}”.")
        return await channel.send(target, notice)

    def on_works(self, call: Callable[[Target], None]) -> None:
        """``call(target)`` when a test got through."""
        self._at_works.append(call)

    async def aclose(self) -> None:
        for channel in self._made.values():
            await channel.aclose()

    # ---- what devices ask ------------------------------------------------------------------------------

    async def key(self) -> str:
        """What browsers subscribe with. Raises HubError ``failed``."""
        return (await asyncio.to_thread(self._own_vapid)).public

    async def subscribe(self, device: Device, wish: Subscribe) -> Subscription:
        """Raises HubError ``bad_request``, ``conflict`` for another key than ours now."""
        if wish.channel != "webpush":
            token = wish.token
            if not token or len(token) > LONGEST_TOKEN or not token.isascii() or not token.isprintable():
                raise HubError("bad_request", "token: this is no token.")
            if wish.channel not in self._makers:
                raise HubError("bad_request", f"channel: {wish.channel} is not set up here.")
            return await self.book.subscribe(device, wish.channel, token, {})
        try:
            endpoint = checked_endpoint(wish.endpoint, allow_private=self._settings.allow_private_endpoints)
        except BadEndpoint as error:
            raise HubError("bad_request", f"{error}.") from None
        if wish.keys is None or max(len(wish.keys.p256dh), len(wish.keys.auth)) > LONGEST_KEY:
            raise HubError("bad_request", "keys: p256dh and auth of the subscription are wanted.")
        keys = wish.keys
        if not await asyncio.to_thread(_are_keys, keys.p256dh, keys.auth):
            raise HubError("bad_request", "keys: these are no keys.")
        own = await self.key()
        if wish.key and wish.key.rstrip("=") != own:
            raise HubError("conflict", "key: this browser subscribed with another key; subscribe anew.")
        return await self.book.subscribe(
            device, "webpush", endpoint, {"p256dh": keys.p256dh, "auth": keys.auth, "vapid": own}
        )

    async def test(self, device: Device | None) -> PushTested:
        """One test to every way of this device, or, None, to all devices and services, now. Raises HubError
        ``not_found``, ``too_many``."""
        targets = self.book.all() if device is None else self.book.of(device.id)
        if not targets:
            whose = "No device has" if device is None else "This device has not"
            raise HubError("not_found", f"{whose} subscribed to notifications.")
        now_s, by = self._clock.monotonic(), "" if device is None else device.id
        if now_s - self._tested.get(by, -TEST_EVERY_S) < TEST_EVERY_S:
            raise HubError("too_many", "A test was sent just now.", int(TEST_EVERY_S * 1000))
        self._tested[by] = now_s
        notice = Notice(
            id=new_id("ntc"),
            kind="test",
            tag="test",
            title="A test of notifications",
            body="This is how you are told that something waits for you.",
            open="settings/notifications",
            at_ms=self._clock.now_ms(),
            badge=0,
            urgency="high",
            ttl_s=120,
        )
        answers = await asyncio.gather(*(self.send(target, notice) for target in targets))
        for target, answer in zip(targets, answers, strict=True):
            if isinstance(answer, Gone):
                await self.book.forget(target.id)
            elif isinstance(answer, Delivered):
                for call in self._at_works:
                    call(target)
        troubles = tuple(
            answer.text if device is not None else f"{target.name or target.channel}: {answer.text}"
            for target, answer in zip(targets, answers, strict=True)
            if not isinstance(answer, Delivered)
        )
        return PushTested(sent=len(answers) - len(troubles), troubles=troubles)

    # ---- how they are made -----------------------------------------------------------------------------

    def _own_vapid(self) -> Vapid:
        from controlroom.hub.channels.vapid import NoKey, Vapid

        if self._vapid is None:
            try:
                self._vapid = Vapid.in_folder(self._home.path, self._settings.contact)
            except NoKey as error:
                raise HubError("failed", f"Our key for push services is missing: {error}.") from None
        return self._vapid

    def _apns(self) -> Channel:
        from controlroom.hub.channels.apns import Apns
        from controlroom.hub.channels.http2 import Http2

        return Apns(self._settings, self._home.path, self._clock, Http2())

    def _fcm(self) -> Channel:
        from controlroom.hub.channels.fcm import Fcm
        from controlroom.hub.channels.http2 import Http2

        return Fcm(self._settings, self._home.path, self._clock, Http2())

    def _apprise(self) -> Channel:
        from controlroom.hub.channels.apprise import Apprise

        return Apprise()

    def _webpush(self) -> Channel:
        from controlroom.hub.channels.vapid import NoKey
        from controlroom.hub.channels.webpush import WebPush

        def vapid() -> Vapid:
            try:
                return self._own_vapid()
            except HubError as error:
                raise NoKey(error.text) from None

        return WebPush(vapid, self._clock, allow_private=self._settings.allow_private_endpoints)


def for_device(notice: Notice, device: Device) -> Notice:
    """What this device may show: one that is opened by a passkey says on its lock screen only that something
    waits. A test says what it says."""
    if not device.lock.app or notice.kind == "test":
        return notice
    count = max(1, notice.badge)
    return replace(
        notice,
        title=f"{count} thing{'s wait' if count > 1 else ' waits'} for you"
        if notice.badge
        else "Control Room",
        body="" if notice.badge else "There is something to read.",
        actions=(),
    )


def _are_keys(p256dh: str, auth: str) -> bool:
    from controlroom.hub.channels.sealed import BadKeys, checked_keys

    try:
        checked_keys(p256dh, auth)
    except BadKeys:
        return False
    return True

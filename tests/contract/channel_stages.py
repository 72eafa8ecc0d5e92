"""Each channel with the other side it speaks to, on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controlroom.hub.channels.apns import Apns
from controlroom.hub.channels.base import Answer, Channel, Notice, Target
from controlroom.hub.channels.fcm import Fcm
from controlroom.hub.channels.http2 import Http2
from controlroom.hub.channels.vapid import Vapid
from controlroom.hub.channels.webpush import WebPush
from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Push
from tests.support.native_services import NativeServices, Reply, native_services
from tests.support.push_service import push_service

NOW_MS = 1_796_000_000_000
NOW_TEXT = "Mon, 30 Nov 2026 00:53:20 GMT"
SECRET = "a-secret-of-the-browser"
NOBODY = "https://127.0.0.1:9"
SOON_S = 0.5  # for a channel whose other side hangs on purpose


@dataclass
class Stage:
    """``says`` makes the other side answer the next request with that status and these headers; ``hang`` lets
    it say nothing, and gives a channel without patience. ``heard``: what arrived, as our own app says it.
    """

    channel: Channel
    target: Target
    secret: str
    says: Callable[[int, dict[str, str]], None]
    ended: Callable[[], None]
    hang: Callable[[], Channel]
    away: Channel
    heard: Callable[[], list[dict[str, Any]]]


class Far:
    """Web Push to a service that is not there."""

    name = "webpush"
    clears = False

    def __init__(self, channel: Channel, target: Target) -> None:
        self._channel = channel
        self._there = replace(target, address=f"http://127.0.0.1:9/push/{SECRET}")

    async def send(self, target: Target, notice: Notice) -> Answer:
        return await self._channel.send(self._there, notice)

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        return await self._channel.clear(self._there, tags, badge)

    async def aclose(self) -> None:
        """The other one is closed."""


Make = Callable[[Path], AbstractAsyncContextManager[Stage]]


@asynccontextmanager
async def webpush(folder: Path) -> AsyncIterator[Stage]:
    vapid = Vapid.in_folder(folder)
    async with push_service() as service:
        channel = WebPush(lambda: vapid, FakeClock(NOW_MS), allow_private=True)
        impatient = WebPush(lambda: vapid, FakeClock(NOW_MS), allow_private=True, wait_s=SOON_S)
        target = Target(
            id="sub_1",
            channel="webpush",
            device_id="dev_1",
            address=service.endpoint,
            keys={**service.receiver.keys, "vapid": vapid.public},
        )

        def hang() -> Channel:
            service.hangs = True
            return impatient

        yield Stage(
            channel=channel,
            target=target,
            secret=SECRET,
            says=lambda status, headers: service.answers.append((status, headers)),
            ended=lambda: service.answers.append((410, {})),
            hang=hang,
            away=Far(channel, target),
            heard=lambda: service.heard,
        )
        await channel.aclose()
        await impatient.aclose()


@asynccontextmanager
async def apns(folder: Path) -> AsyncIterator[Stage]:
    async with native_services(folder) as services:
        services.apns_key(folder / "apns.p8")
        settings = Push(
            apns_key_file="apns.p8",
            apns_key_id="KEY1",
            apns_team="TEAM1",
            apns_topic="com.example.room",
            apns_url=services.url,
        )
        http = Http2(verify=services.trust)
        far = Apns(replace(settings, apns_url=NOBODY), folder, FakeClock(NOW_MS), http)
        channel = Apns(settings, folder, FakeClock(NOW_MS), http)
        quick = Http2(wait_s=SOON_S, verify=services.trust)
        impatient = Apns(settings, folder, FakeClock(NOW_MS), quick)

        def heard() -> list[dict[str, Any]]:
            return [{**one["room"], **one["aps"]["alert"]} for one in services.heard]

        ended = (410, {}, b'{"reason": "Unregistered"}')
        with _native(services, channel, far, impatient, "apns", ended, heard) as stage:
            yield stage
        await channel.aclose()
        await impatient.aclose()


@asynccontextmanager
async def fcm(folder: Path) -> AsyncIterator[Stage]:
    async with native_services(folder) as services:
        services.fcm_account(folder / "account.json")
        settings = Push(fcm_account_file="account.json", fcm_url=services.url)
        http = Http2(verify=services.trust)
        far = Fcm(replace(settings, fcm_url=NOBODY), folder, FakeClock(NOW_MS), http)
        channel = Fcm(settings, folder, FakeClock(NOW_MS), http)
        quick = Http2(wait_s=SOON_S, verify=services.trust)
        impatient = Fcm(settings, folder, FakeClock(NOW_MS), quick)

        def heard() -> list[dict[str, Any]]:
            return [json.loads(one["message"]["data"]["notice"]) for one in services.heard]

        unregistered = b'{"error": {"status": "NOT_FOUND", "details": [{"errorCode": "UNREGISTERED"}]}}'
        with _native(services, channel, far, impatient, "fcm", (404, {}, unregistered), heard) as stage:
            yield stage
        await channel.aclose()
        await impatient.aclose()


@contextmanager
def _native(
    services: NativeServices,
    channel: Channel,
    far: Channel,
    impatient: Channel,
    name: str,
    ended: Reply,
    heard: Callable[[], list[dict[str, Any]]],
) -> Iterator[Stage]:
    def hang() -> Channel:
        services.hangs = True
        return impatient

    yield Stage(
        channel=channel,
        target=Target(id="sub_1", channel=name, device_id="dev_1", address=SECRET),
        secret=SECRET,
        says=lambda status, headers: services.answers.append((status, headers, b"{}")),
        ended=lambda: services.answers.append(ended),
        hang=hang,
        away=far,
        heard=heard,
    )


STAGES: dict[str, Make] = {"webpush": webpush, "apns": apns, "fcm": fcm}

"""What is particular to Web Push; what all channels do stands in the contract suite."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controlroom.hub.channels.base import Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.vapid import FILE, NoKey, Vapid
from controlroom.hub.channels.webpush import WebPush, topic
from controlroom.kit.clock import FakeClock
from tests.support.push_service import PushService, push_service

NOTICE = Notice(
    id="ntc_1", kind="test", tag="test", title="A test", body="It works.", open="", at_ms=0, badge=0, ttl_s=60
)


def target(service: PushService, **keys: str) -> Target:
    return Target(
        id="sub_1",
        channel="webpush",
        device_id="dev_1",
        address=service.endpoint,
        keys={**service.receiver.keys, **keys},
    )


def test_the_key_is_made_once_and_private(tmp_path: Path) -> None:
    key = Vapid.in_folder(tmp_path).public
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert Vapid.in_folder(tmp_path).public == key
    (tmp_path / FILE).write_text("rubbish")
    with pytest.raises(NoKey, match=r"push-key\.pem holds no key"):
        Vapid.in_folder(tmp_path)


async def test_urgency_topic_and_time_to_live(tmp_path: Path) -> None:
    vapid, clock = Vapid.in_folder(tmp_path, "mailto:kim@example.com"), FakeClock()
    async with push_service() as service:
        channel = WebPush(lambda: vapid, clock, allow_private=True)
        assert await channel.send(target(service), replace(NOTICE, urgency="high")) == Delivered()
        assert await channel.send(target(service), replace(NOTICE, tag="other")) == Delivered()
        await channel.aclose()
    first, second = service.headers
    assert (first["Urgency"], first["TTL"], second["Urgency"]) == ("high", "60", "normal")
    assert first["Topic"] == topic("test") != second["Topic"]
    assert service.claims[0]["sub"] == "mailto:kim@example.com"
    assert clock.now_ms() // 1000 < service.claims[0]["exp"] <= clock.now_ms() // 1000 + 24 * 3600
    assert service.signers == [vapid.public] * 2


async def test_each_service_gets_claims_of_its_own(tmp_path: Path) -> None:
    """The fake checks the audience: claims that are used again carry the first one's."""
    vapid = Vapid.in_folder(tmp_path)
    async with push_service() as one, push_service() as two:
        channel = WebPush(lambda: vapid, FakeClock(), allow_private=True)
        for service in (one, two, one):
            assert await channel.send(target(service), NOTICE) == Delivered()
        await channel.aclose()


async def test_a_clock_that_is_wrong_is_made_up_for(tmp_path: Path) -> None:
    vapid, clock = Vapid.in_folder(tmp_path), FakeClock()
    async with push_service() as service:
        channel = WebPush(lambda: vapid, clock, allow_private=True)
        service.answers.append((403, {"Date": "Mon, 30 Nov 2037 00:00:00 GMT"}))
        assert await channel.send(target(service), NOTICE) == Delivered()
        assert await channel.send(target(service), NOTICE) == Delivered()
        await channel.aclose()
    now_s, ten_years_s = clock.now_ms() // 1000, 10 * 365 * 24 * 3600
    assert [one["exp"] - now_s > ten_years_s for one in service.claims] == [False, True, True]


async def test_a_subscription_with_another_key_is_gone(tmp_path: Path) -> None:
    vapid = Vapid.in_folder(tmp_path)
    async with push_service() as service:
        channel = WebPush(lambda: vapid, FakeClock(), allow_private=True)
        assert isinstance(await channel.send(target(service, vapid="older"), NOTICE), Gone)
        await channel.aclose()
    assert service.headers == []


async def test_without_its_key_the_whole_channel_is_refused() -> None:
    def none() -> Vapid:
        raise NoKey("push-key.pem cannot be read: Permission denied")

    async with push_service() as service:
        answer = await WebPush(none, FakeClock(), allow_private=True).send(target(service), NOTICE)
    assert isinstance(answer, Refused) and answer.whole_channel


async def test_private_addresses_are_not_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number, by a name that says so, and by a name that turns out to lead here."""
    real = socket.getaddrinfo

    def looked_up(host: str, *args: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host == "push.example.com" else host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    vapid = Vapid.in_folder(tmp_path)
    async with push_service() as service:
        channel = WebPush(lambda: vapid, FakeClock())
        port = service.url.rpartition(":")[2]
        for host in ("127.0.0.1", "[::1]", "localhost", "2130706433", "push.example.com"):
            there = replace(target(service), address=f"https://{host}:{port}/push/x")
            answer = await channel.send(there, NOTICE)
            assert isinstance(answer, Refused), host
            assert answer.text == "It points into a private network."
        await channel.aclose()
    assert service.headers == []

"""What is particular to Apple's and Google's services; what all channels do stands in the contract suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from controlroom.hub.channels.apns import Apns
from controlroom.hub.channels.base import Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.fcm import Fcm
from controlroom.hub.channels.http2 import Http2
from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Push
from tests.support.native_services import native_services

NOTICE = Notice(
    id="ntc_1", kind="question", tag="agt_1", title="limiter asks", body="Go?", open="", at_ms=0, badge=2
)
TARGET = Target(id="sub_1", channel="", device_id="dev_1", address="a1b2")
APNS = Push(apns_key_file="key.p8", apns_key_id="KEY1", apns_team="TEAM1", apns_topic="com.example.room")
FAR = {"Date": "Mon, 30 Nov 2037 00:00:00 GMT"}


async def test_apple_is_told_how_urgent_it_is_and_what_it_replaces(tmp_path: Path) -> None:
    async with native_services(tmp_path) as services:
        services.apns_key(tmp_path / "key.p8")
        clock = FakeClock()
        http = Http2(verify=services.trust)
        channel = Apns(replace(APNS, apns_url=services.url), tmp_path, clock, http)
        assert await channel.send(TARGET, replace(NOTICE, urgency="high")) == Delivered()
        assert await channel.send(TARGET, NOTICE) == Delivered()
        clock.advance(3600)
        assert await channel.clear(TARGET, ["agt_1"], 1) == Delivered()
        await channel.aclose()
    loud, usual, quiet = services.headers
    assert (loud["apns-priority"], usual["apns-priority"], quiet["apns-push-type"]) == (
        "10",
        "5",
        "background",
    )
    assert loud["apns-collapse-id"] == usual["apns-collapse-id"]
    assert loud["authorization"] == usual["authorization"] != quiet["authorization"]
    assert services.heard[0]["aps"]["interruption-level"] == "time-sensitive"
    assert services.heard[2] == {"aps": {"content-available": 1, "badge": 1}, "gone": ["agt_1"]}


async def test_apple_refuses_a_token_by_its_own_clock(tmp_path: Path) -> None:
    async with native_services(tmp_path) as services:
        services.apns_key(tmp_path / "key.p8")
        http = Http2(verify=services.trust)
        channel = Apns(replace(APNS, apns_url=services.url), tmp_path, FakeClock(), http)
        services.answers.append((403, FAR, b'{"reason": "ExpiredProviderToken"}'))
        assert await channel.send(TARGET, NOTICE) == Delivered()
        services.answers.append((400, {}, b'{"reason": "BadDeviceToken"}'))
        assert isinstance(await channel.send(TARGET, NOTICE), Gone)
        await channel.aclose()


async def test_google_sells_one_token_for_many_and_a_new_one_when_it_is_taken_back(tmp_path: Path) -> None:
    async with native_services(tmp_path) as services:
        services.fcm_account(tmp_path / "account.json")
        settings = Push(fcm_account_file="account.json", fcm_url=services.url)
        clock = FakeClock()
        channel = Fcm(settings, tmp_path, clock, Http2(verify=services.trust))
        for _ in range(3):
            assert await channel.send(TARGET, NOTICE) == Delivered()
        assert services.logins == 1
        services.answers.append((401, {}, b"{}"))
        assert await channel.send(TARGET, NOTICE) == Delivered()
        assert services.logins == 2
        clock.advance(3500)
        assert await channel.send(TARGET, NOTICE) == Delivered()
        assert services.logins == 3
        await channel.aclose()
    assert services.heard[0]["message"]["android"]["priority"] == "NORMAL"


@pytest.mark.parametrize("said", [None, b"rubbish", b'{"project_id": 5}'])
async def test_without_a_key_the_whole_channel_is_refused(tmp_path: Path, said: bytes | None) -> None:
    if said is not None:
        (tmp_path / "key.p8").write_bytes(said)
    for channel in (
        Apns(APNS, tmp_path, FakeClock(), Http2()),
        Fcm(Push(fcm_account_file="key.p8"), tmp_path, FakeClock(), Http2()),
    ):
        answer = await channel.send(TARGET, NOTICE)
        assert isinstance(answer, Refused) and answer.whole_channel and str(tmp_path) not in answer.text

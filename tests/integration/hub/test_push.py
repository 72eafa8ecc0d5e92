"""Subscriptions of devices, and a test that reaches them: a real door, a real database, a push service on
loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from controlroom.kit.settings import Push, Settings
from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door, open_door
from tests.support.push_service import PushService, push_service

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in Apprise's own modules


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as made:
        yield made


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    house.settings = msgspec.structs.replace(Settings(), push=Push(allow_private_endpoints=True))
    await house.restart()
    async with open_door(house) as door:
        yield door


def wish(service: PushService, key: str, name: str = "one") -> dict[str, object]:
    return {"endpoint": f"{service.url}/push/{name}", "keys": service.receiver.keys, "key": key}


async def test_a_browser_subscribes_and_a_test_reaches_it(
    house: House, door: Door, service: PushService
) -> None:
    browser = await door.browser()
    key = (await door.ask("GET", "/push/key", headers=browser)).body["key"]
    assert (await door.ask("POST", "/push/test", {}, browser)).code == "not_found"
    first = await door.ask("POST", "/push/subscriptions", wish(service, key), browser)
    assert first.status == 200 and "endpoint" not in first.body and "address" not in first.body
    again = await door.ask("POST", "/push/subscriptions", wish(service, key), browser)
    assert again.body == first.body
    tested = await door.ask("POST", "/push/test", {}, browser)
    assert tested.body == {"sent": 1}
    (heard,) = service.heard
    assert heard["title"] == "A test of notifications" and heard["open"] == "settings/notifications"
    assert service.signers == [key]
    assert (await door.ask("POST", "/push/test", {}, browser)).code == "too_many"
    (house.home.path / "notify-services").write_text("kitchen = smoke://secret\n")
    all_ways = await house.client.test_notifications()  # from the hub's own machine
    assert all_ways.sent == 1 and all_ways.troubles[0].startswith("kitchen: ")
    assert "secret" not in all_ways.troubles[0] and len(service.heard) == 2

    await house.restart()
    kept, kitchen = house.hub.ways.book.all()
    assert (kitchen.name, kitchen.device_id) == ("kitchen", None)
    assert kept.id == first.body["id"] and await house.hub.ways.key() == key


async def test_a_subscription_that_has_ended_is_forgotten(
    house: House, door: Door, service: PushService
) -> None:
    browser = await door.browser()
    await door.ask("POST", "/push/subscriptions", wish(service, ""), browser)
    service.answers.append((410, {}))
    tested = await door.ask("POST", "/push/test", {}, browser)
    assert tested.body["sent"] == 0 and len(tested.body["troubles"]) == 1
    assert (await door.ask("GET", "/push/subscriptions", headers=browser)).body == {"subscriptions": []}


async def test_it_moves_and_ends_with_its_browser(house: House, door: Door, service: PushService) -> None:
    """A browser has one; an endpoint belongs to whoever subscribed with it last; revoked is gone."""
    one, two = await door.browser(), await door.browser()
    await door.ask("POST", "/push/subscriptions", wish(service, "", "one"), one)
    await door.ask("POST", "/push/subscriptions", wish(service, "", "new"), one)
    assert [target.address.rpartition("/")[2] for target in house.hub.ways.book.all()] == ["new"]
    moved = await door.ask("POST", "/push/subscriptions", wish(service, "", "new"), two)
    (target,) = house.hub.ways.book.all()
    assert target.id == moved.body["id"]
    refused = await door.ask("DELETE", f"/push/subscriptions/{target.id}", headers=one)
    assert refused.code == "not_allowed"
    assert target.device_id is not None
    await door.ask("DELETE", f"/devices/{target.device_id}", headers=two)
    assert house.hub.ways.book.all() == ()
    await house.restart()
    assert house.hub.ways.book.all() == ()


async def test_what_is_no_subscription_is_refused(house: House, door: Door, service: PushService) -> None:
    browser = await door.browser()
    good = wish(service, "")
    for change, said in (
        ({"endpoint": "ftp://push.example.com/x"}, "endpoint"),
        ({"keys": None}, "keys"),
        ({"keys": {"p256dh": "AAAA", "auth": "AAAA"}}, "keys"),
        ({"channel": "apns", "token": ""}, "token"),
        ({"channel": "apns", "token": "ab12"}, "channel"),
        ({"channel": "smoke"}, "channel"),
    ):
        answer = await door.ask("POST", "/push/subscriptions", {**good, **change}, browser)
        assert answer.code == "bad_request" and said in answer.body["text"], change
    other = await door.ask("POST", "/push/subscriptions", {**good, "key": "B" * 87}, browser)
    assert other.code == "conflict"
    house.settings = Settings()
    await house.restart()
    async with open_door(house) as strict:
        answer = await strict.ask("POST", "/push/subscriptions", good, await strict.browser())
        assert answer.code == "bad_request"
    assert house.hub.ways.book.all() == ()


async def test_it_needs_the_right_to_read(house: House, door: Door, service: PushService) -> None:
    nobody = await door.laptop(PairingPolicy(grants={"chat": -1}))
    answer = await door.ask("POST", "/push/subscriptions", wish(service, ""), nobody)
    assert answer.code == "not_allowed"

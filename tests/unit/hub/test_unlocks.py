"""Which browsers are unlocked: by device, with the time and the settings of each."""

from __future__ import annotations

import pytest

from controlroom.core.access import RIGHTS
from controlroom.core.unlock import Site
from controlroom.hub.unlocks import Unlocks
from controlroom.kit.clock import FakeClock
from controlroom.wire.device import Device, LockSettings

SITE = Site("http://localhost:8767", "localhost")
FLEET, KEYS, UNLOCK = (
    RIGHTS["GET /api/v1/fleet"],
    RIGHTS["POST /api/v1/agents/{agent_id}/keys"],
    RIGHTS["POST /api/v1/unlock"],
)


def browser(id: str = "dev_1", passkeys: int = 1, **lock: object) -> Device:
    return Device(
        id=id,
        prefix="12345678",
        kind="web",
        name="Firefox",
        device_id="web_1",
        created_ms=1,
        last_seen_ms=1,
        expires_ms=None,
        grants={},
        lock=LockSettings(**lock),  # type: ignore[arg-type] # fields by name
        passkeys=passkeys,
    )


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def unlocks(clock: FakeClock) -> Unlocks:
    return Unlocks(clock)


def test_who_never_unlocked_is_locked_but_for_unlocking(unlocks: Unlocks) -> None:
    device = browser(app=True)
    assert unlocks.is_due(device, FLEET) and unlocks.is_due(device, KEYS)
    assert not unlocks.is_due(device, UNLOCK)
    assert not unlocks.is_due(browser(), FLEET)
    assert not unlocks.is_due(browser(passkeys=0, app=True), FLEET)


def test_an_unlock_is_the_device_s_own(unlocks: Unlocks, clock: FakeClock) -> None:
    one, other = browser(app=True), browser("dev_2", app=True)
    assert unlocks.open(one) == clock.now_ms() + 300_000
    assert not unlocks.is_due(one, FLEET) and unlocks.is_due(other, FLEET)
    unlocks.forget(one.id)
    assert unlocks.is_due(one, FLEET)


def test_an_end_that_was_seen_stays_an_end(unlocks: Unlocks, clock: FakeClock) -> None:
    device = browser(app=True)
    unlocks.open(device)
    clock.advance(300)
    assert unlocks.is_due(device, FLEET)
    clock.at_ms -= 30_000  # the clock was set back a little
    assert unlocks.is_due(device, FLEET)
    unlocks.acted(device)
    assert unlocks.is_due(device, FLEET)


def test_acts_keep_it_open(unlocks: Unlocks, clock: FakeClock) -> None:
    device = browser(terminal=True, idle_s=60)
    unlocks.open(device)
    for _ in range(5):
        clock.advance(59)
        assert not unlocks.is_due(device, KEYS)
        unlocks.acted(device)
    clock.advance(60)
    assert unlocks.is_due(device, KEYS) and not unlocks.is_due(device, FLEET)


def test_locking_is_told_when_it_locks_something(unlocks: Unlocks) -> None:
    told: list[str] = []
    unlocks.on_lock(lambda device: told.append(device.id))
    for device in (
        browser("a", app=True),
        browser("b", terminal=True),
        browser("c"),
        browser("d", 0, app=True),
    ):
        unlocks.open(device)
        unlocks.shut(device)
    assert told == ["a", "b"]


def test_a_challenge_is_for_its_device_purpose_and_site(unlocks: Unlocks) -> None:
    device = browser(app=True)
    challenge = unlocks.ask(device, "unlock", SITE)
    assert unlocks.take(browser("dev_2"), challenge.value, "unlock", SITE) is None
    assert unlocks.take(device, challenge.value, "register", SITE) is None
    assert unlocks.take(device, challenge.value, "unlock", Site("http://localhost:1", "localhost")) is None
    assert unlocks.take(device, challenge.value, "unlock", SITE) is None  # that try used it up
    challenge = unlocks.ask(device, "unlock", SITE)
    assert unlocks.take(device, challenge.value, "unlock", SITE) == challenge

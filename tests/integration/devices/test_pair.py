"""``controlroom pair`` and ``devices`` against a real hub."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controlroom.wire.device import DeviceHello
from tests.integration.devices.conftest import Cli, Room


@pytest.fixture
def here(room: Room, cli: Cli) -> Cli:
    """Commands at the control room itself."""
    return lambda *arguments, **more: cli("--home", str(room.house.home.path), *arguments, **more)


def claimed(room: Room, code: str, name: str = "Pixel") -> Any:
    return room.now(room.house.hub.devices.claim(code, DeviceHello(kind="relay", name=name)))


def devices(here: Cli) -> list[dict[str, Any]]:
    return list(json.loads(here("devices", "--json").out)["devices"])


def test_a_code_its_link_and_how_to_use_it(here: Cli) -> None:
    shown = here("pair").out
    (code,) = [line.split()[2] for line in shown.splitlines() if line.startswith("Pairing code")]
    assert f"/app/#pair={code}" in shown
    assert "controlroom login http" in shown


def test_the_policy_of_a_code_is_what_was_typed(room: Room, here: Cli) -> None:
    made = here(
        "pair", "--name", "Kitchen", "--ttl", "never", "--grants", "terminal=1h,bridge=none", "--json"
    )
    device = claimed(room, json.loads(made.out)["code"]).device
    assert (device.name, device.expires_ms) == ("Kitchen", None)
    assert device.grants["chat"] is None and "bridge" not in device.grants
    assert device.grants["terminal"] == device.created_ms + 3_600_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("pair", "--ttl", "soon"),
        ("pair", "--grants", "terminal"),
        ("pair", "--mode", "moon"),
        ("pair", "--mode", "public"),
        ("pair", "approve"),
        ("pair", "pending", "AB12CD"),
        ("pair", "approve", "AB"),
        ("devices", "revoke"),
        ("devices", "list", "x"),
        ("devices", "extend", "x"),
        ("devices", "revoke", "x", "--ttl", "1d"),
    ],
)
def test_wrong_use_is_said(here: Cli, arguments: tuple[str, ...]) -> None:
    said = here(*arguments)
    assert said.status == 2 and said.err.startswith("controlroom: ")


def test_a_phone_that_made_its_code_is_approved(room: Room, here: Cli) -> None:
    assert here("pair", "pending").out == "No device waits for approval.\n"
    assert claimed(room, "PHONE1") is None
    shown = here("pair", "pending").out
    assert shown.startswith("Pixel, ") and "PHONE1" not in shown and "pair approve CODE" in shown
    approved = here("pair", "approve", "phone1", "--ttl", "1d")
    assert approved.status == 0 and "Pixel may come in now" in approved.out
    issued = claimed(room, "PHONE1")
    assert issued.device.expires_ms == issued.device.created_ms + 86_400_000


def test_an_approval_of_a_code_that_nobody_showed_says_so(room: Room, here: Cli) -> None:
    assert claimed(room, "PHONE1") is None
    early = here("pair", "approve", "PHONE2")
    assert early.status == 0 and "No device has shown the code PHONE2 so far" in early.out
    assert "asked" not in json.loads(here("pair", "approve", "PHONE3", "--json").out)
    assert "Pixel" in here("pair", "pending").out
    assert claimed(room, "PHONE2").device.name == "Pixel"


def test_devices_are_listed_renamed_extended_and_revoked(room: Room, here: Cli) -> None:
    assert "No device is paired" in here("devices").out
    for name in ("Pixel", "Tablet"):
        claimed(room, json.loads(here("pair", "--json").out)["code"], name)
    shown = here("devices").out
    assert "Pixel" in shown and "Tablet" in shown and "relay app" in shown and "bridge (for " in shown
    assert here("devices", "rename", "pixel", "Kitchen").out == "Kitchen has its new name.\n"
    assert here("devices", "extend", "Kitchen", "--ttl", "never", "--grants", "answers=1d").status == 0
    (kitchen,) = [device for device in devices(here) if device["name"] == "Kitchen"]
    assert kitchen["expires_ms"] is None and kitchen["grants"]["answers"]
    assert here("devices", "revoke", kitchen["prefix"]).status == 0
    assert [device["name"] for device in devices(here)] == ["Tablet"]
    assert here("devices", "revoke", "Kitchen").status == 1


def test_a_name_that_two_devices_have_needs_an_id(room: Room, here: Cli) -> None:
    for _ in range(2):
        claimed(room, json.loads(here("pair", "--json").out)["code"])
    said = here("devices", "revoke", "Pixel")
    assert said.status == 1 and said.err.count("dev_") == 2
    assert here("devices", "revoke", devices(here)[0]["id"]).status == 0
    assert len(devices(here)) == 1

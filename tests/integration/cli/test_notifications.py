"""``controlroom notifications``: every push explained by one command."""

from __future__ import annotations

import json

import msgspec
import pytest

from controlroom.wire.notification import (
    Notification,
    NotificationSend,
    NotificationSettings,
    NotificationSnooze,
)
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.unit.cli.agents import NOW, agent

ORCHARD = agent("orchard")
TOLD = Notification(
    id="ntf_3fa94b12aa",
    kind="waiting",
    state="pushed",
    began_ms=NOW,
    at_ms=NOW,
    title="orchard waits at a prompt",
    text="It asks for your permission.",
    why="It was told at once.",
    open="agents/a/terminal",
    agent_id=ORCHARD.id,
    lines=("Bash: \x1b[2Jmake", "1. Yes"),
    sends=(
        NotificationSend(id="sub_1", channel="webpush", name="Phone", state="sent", at_ms=NOW),
        NotificationSend(
            id="sub_2", channel="apns", name="Tablet", state="failed", at_ms=NOW, text="It is unregistered."
        ),
    ),
)
HELD = Notification(
    id="ntf_77aa00bb11",
    kind="finished",
    state="dropped",
    began_ms=NOW,
    at_ms=NOW,
    title="orchard finished",
    text="Ready.",
    why="You have read it on one of your devices.",
    open="agents/a",
)
SETTINGS = NotificationSettings(
    question="on",
    waiting="on",
    finished="off",
    trouble="always",
    only_blocking=False,
    quiet="22:00-07:30",
    previews="words",
    agents={ORCHARD.id: "blocking"},
    snoozes=(NotificationSnooze(what="", until_ms=NOW + 3_600_000),),
    finished_after_s=60,
    waiting_after_s=120,
    zone="Europe/Berlin",
)


@pytest.fixture(autouse=True)
def room(hub: StubHub) -> None:
    hub.fleet = msgspec.structs.replace(hub.fleet, agents=(ORCHARD,))
    hub.notifications = (TOLD, HELD)
    hub.notification_settings = SETTINGS


def test_the_list_says_what_was_told_and_what_not(cli: Cli) -> None:
    out = cli("notifications").out
    assert "told     orchard waits at a prompt" in out
    assert "not told orchard finished" in out
    assert "notifications explain ntf_3fa94b" in out


def test_one_is_explained_whole(cli: Cli) -> None:
    """Why, the screen, and each device; outside text cannot steer the terminal."""
    out = cli("notifications", "explain", "ntf_3fa").out
    assert "Why: It was told at once." in out
    assert "taken by Phone (webpush)." in out
    assert "not taken by Tablet (apns): It is unregistered." in out
    assert "| 1. Yes" in out and "\x1b" not in out and "finished" not in out
    assert cli("notifications", "explain", "ntf_zz").status == 1


def test_for_scripts_and_by_agent(cli: Cli, hub: StubHub) -> None:
    told = json.loads(cli("notifications", "explain", "orchard", "--json").out)
    assert [one["id"] for one in told] == [TOLD.id, HELD.id]
    assert cli("notifications", "explain", "nobody").status == 1


def test_settings_are_shown_and_set(cli: Cli, hub: StubHub) -> None:
    out = cli("notifications", "settings").out
    assert "22:00-07:30 (Europe/Berlin)" in out and "orchard          blocking" in out
    assert "Held until" in out
    assert cli("notifications", "settings", "finished=on", "quiet=", "orchard=off").status == 0
    sent = json.loads(next(body for path, body in hub.calls if path.startswith("PATCH ")))
    assert {name: value for name, value in sent.items() if value is not None} == {
        "finished": "on",
        "quiet": "",
        "agents": {ORCHARD.id: "off"},
    }


def test_a_snooze_has_an_end(cli: Cli, hub: StubHub) -> None:
    assert "Held until" in cli("notifications", "snooze", "2h", "orchard").out
    assert json.loads(hub.calls[-1][1])["what"] == ORCHARD.id
    assert cli("notifications", "snooze", "end").out == "No longer held.\n"
    assert json.loads(hub.calls[-1][1])["until_ms"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("snooze",),
        ("snooze", "never"),
        ("snooze", "soon"),
        ("settings", "finished"),
        ("settings", "finished=loud"),
        ("settings", "only_blocking=maybe"),
        ("list", "orchard"),
    ],
)
def test_wrong_use(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli("notifications", *words).status == 2

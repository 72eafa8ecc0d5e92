"""What a device may show on its lock screen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controlroom.hub.channels.base import Action, Notice
from controlroom.hub.channels.ways import for_device
from controlroom.wire.device import Device, LockSettings

DEVICE = Device(
    id="dev_1",
    prefix="",
    kind="web",
    name="Phone",
    device_id="web_1",
    created_ms=0,
    last_seen_ms=0,
    expires_ms=None,
    grants={},
)
NOTICE = Notice(
    id="ntc_1",
    kind="question",
    tag="agt_1",
    title="limiter asks",
    body="Per tenant or per key?",
    open="inbox/q_1",
    at_ms=1,
    badge=1,
    actions=(Action(id="1", label="Per tenant"),),
)


@pytest.mark.parametrize(
    ("badge", "title"),
    [(1, "1 thing waits for you"), (3, "3 things wait for you"), (0, "Control Room")],
)
def test_a_device_that_is_opened_by_a_passkey_says_only_that_something_waits(badge: int, title: str) -> None:
    locked = replace(DEVICE, lock=LockSettings(app=True))
    shown = for_device(replace(NOTICE, badge=badge), locked)
    assert (shown.title, shown.actions) == (title, ())
    assert "tenant" not in shown.body and (shown.tag, shown.open) == (NOTICE.tag, NOTICE.open)


def test_others_say_what_it_is() -> None:
    assert for_device(NOTICE, DEVICE) == NOTICE
    assert for_device(NOTICE, replace(DEVICE, lock=LockSettings(terminal=True))) == NOTICE

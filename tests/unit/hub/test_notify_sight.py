"""Whom notifications reach, and who may answer from one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from controlroom.hub.channels.base import Target
from controlroom.hub.notify_sight import Sight
from controlroom.kit.clock import FakeClock
from controlroom.wire.device import LockSettings
from tests.unit.hub.channels.test_ways import DEVICE

PHONE = Target(id="sub_1", channel="webpush", device_id="dev_1", address="")
SERVICE = Target(id="sub_2", channel="apprise", device_id=None, address="")
BOTH: dict[str, int | None] = {"chat": None, "answers": None}


@pytest.mark.parametrize(
    ("changes", "reached"),
    [
        ({"grants": BOTH}, [("sub_1", True)]),
        ({"grants": {"chat": None}}, [("sub_1", False)]),
        ({"grants": {"chat": None, "answers": 1}}, [("sub_1", False)]),  # over
        ({"grants": {"answers": None}}, []),
        ({"grants": BOTH, "passkeys": 1, "lock": LockSettings(app=True)}, [("sub_1", False)]),
        ({"grants": BOTH, "passkeys": 1, "lock": LockSettings(terminal=True)}, [("sub_1", False)]),
        ({"grants": BOTH, "passkeys": 1}, [("sub_1", True)]),
    ],
)
def test_only_a_device_that_may_answer_and_has_no_lock_answers_from_a_notification(
    changes: dict[str, Any], reached: list[tuple[str, bool]]
) -> None:
    device = replace(DEVICE, **changes)
    sight = Sight(
        fleet=cast(Any, None),
        health=list,
        is_open=lambda chat_id: False,
        acts=cast(Any, None),
        book=cast(Any, SimpleNamespace(all=lambda: (PHONE, SERVICE))),
        devices=cast(Any, SimpleNamespace(get=lambda id: device)),
        clock=FakeClock(),
    )
    found = [(target.id, may_answer) for target, may_answer in sight.targets()]
    assert found == [*reached, ("sub_2", False)]

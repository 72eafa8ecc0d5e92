"""What each waiting message of one agent may do now."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.activity import Activity
from controlroom.core.delivery import Intent
from controlroom.core.queue import Verdict, WaitingMessage, has_begun, sort_out


def first(activity: Activity, **more: object) -> Verdict:
    return sort_out(activity, [WaitingMessage(id="m1", **more)])[0]  # type: ignore[arg-type] # by name


@pytest.mark.parametrize(
    ("activity", "code"),
    [
        ("idle", None),
        ("question", None),
        ("working", "working"),
        ("helpers", "working"),
        ("blocked", "dialog"),
        ("starting", "startup"),
        ("unknown", "offline"),
        ("gone", "gone"),
    ],
)
def test_a_message_goes_only_when_the_agent_is_at_its_prompt(activity: Activity, code: str | None) -> None:
    assert first(activity).code == code


@pytest.mark.parametrize("activity", ["working", "helpers"])
def test_now_goes_while_it_works(activity: Activity) -> None:
    assert first(activity, when="now").code is None


@pytest.mark.parametrize("activity", ["blocked", "starting", "unknown", "gone"])
def test_now_never_goes_into_a_dialog_or_the_unknown(activity: Activity) -> None:
    assert first(activity, when="now").code is not None


def test_a_message_that_has_begun_is_looked_for_whatever_the_agent_does() -> None:
    assert first("working", has_begun=True).code is None


def test_the_second_message_waits_for_the_first() -> None:
    verdicts = sort_out("idle", [WaitingMessage(id="m1"), WaitingMessage(id="m2", when="now")])
    assert [(verdict.id, verdict.code) for verdict in verdicts] == [("m1", None), ("m2", "working")]


def test_only_a_paste_makes_a_message_one_that_has_begun() -> None:
    """An intent that only keeps a replaced draft, or was taken back, leaves the message free to change."""
    intent = Intent(session_id="s", position="0", text="hello")
    assert not has_begun(None)
    assert not has_begun(intent)
    assert has_begun(msgspec.structs.replace(intent, pasted=True))

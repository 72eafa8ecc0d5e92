"""Agents' panes over the terminal channel: our mirror, with the checks of all keys."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from controlroom.app.panes import HubPanes
from controlroom.testing.fake_node import agent_state
from controlroom.wire.device import DeviceHello, PairingPolicy
from controlroom.wire.model import WaitingFor
from controlroom.wire.node import ActResult, FrameAnswer, KeysAct
from tests.integration.gateway import terminal_stage
from tests.integration.gateway.terminal_stage import RecordingLink, Stage, say
from tests.integration.hub.conftest import House
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until

DIALOG = WaitingFor(id="dlg_1", kind="permission", text="Proceed?", since_ms=1)


@pytest.fixture
async def house() -> AsyncIterator[House]:
    with tempfile.TemporaryDirectory(prefix="acr") as folder:
        house = House(Path(folder))
        await house.start()
        await house.node.put(agent_state())
        await house.node.draw("agt_1", "❯ hi", "")
        await house.until_agent()
        yield house
        await house.stop()


@pytest.fixture
async def stage(house: House, tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    stage = Stage(tmux_folder, panes=HubPanes(house.hub.fleet, house.hub.mirror, house.hub.acts))
    await stage.start()
    try:
        yield stage
    finally:
        await stage.aclose()


def pressed(house: House) -> list[tuple[tuple[str, ...], str, str | None]]:
    acts = [act for act in house.node.asked if isinstance(act, KeysAct)]
    return [(act.keys, act.paste, act.seen_revision) for act in acts]


async def shows(link: RecordingLink, text: str) -> None:
    await until(lambda: any(text in one["data"] for one in link.of("terminal.output")), f"{text!r} is shown")


@pytest.mark.parametrize("name", ["agent:shop", "agent:Shop", "agt_1"])
async def test_an_agent_is_shown_at_the_size_of_its_pane(stage: Stage, name: str) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", "a", session_name=name, cols=200, rows=60)
    kind, attached, id_ = link.sent[0]
    assert (kind, id_) == ("terminal.attached", "a")
    assert (attached["session_name"], attached["cols"], attached["rows"]) == (name, 80, 2)
    assert (attached["reattach"], attached["pid"]) == (False, 0)
    await shows(link, "❯ hi")
    assert stage.clients() == []


async def test_a_resize_is_answered_with_the_real_size(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await say(handler, "resize", "r", session_name="agent:shop", cols=200, rows=60)
    answers = [
        (p["cols"], p["rows"], p["reattach"], id_) for k, p, id_ in link.sent if k == "terminal.attached"
    ]
    assert answers[1:] == [(80, 2, True, "r")]


async def test_new_frames_follow_and_a_slow_phone_gets_the_newest(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await shows(link, "❯ hi")
    link.hold()
    for number in range(50):
        await house.node.draw("agt_1", f"frame {number}", "")
    link.let_go()
    await shows(link, "frame 49")
    assert len(link.of("terminal.output")) < 20


async def test_a_pane_that_changes_its_size_says_so(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await house.node.draw("agt_1", "a", "b", "c")
    await until(lambda: len(link.of("terminal.attached")) == 2, "the new size is said")
    assert link.of("terminal.attached")[1]["rows"] == 3


async def test_keys_and_pastes_go_through_the_hub(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await say(handler, "input", data="hi\r")
    await say(handler, "input", session_name="agent:shop", data="\x1b[200~one\ntwo\x1b[201~")
    assert pressed(house) == [(("h", "i", "Enter"), "", None), ((), "one\ntwo", None)]
    by = {receipt.by for receipt in (await house.client.receipts()).receipts}
    assert by == {"device:dev_1"}
    assert link.of("terminal.error") == []


async def test_what_is_no_key_is_refused_and_nothing_is_typed(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await say(handler, "input", "i", data="rm\x1b[99~\r")
    error = link.of("terminal.error")[0]
    assert error["session_name"] == "agent:shop" and "not typed" in error["message"]
    assert pressed(house) == []


async def pair(house: House, monkeypatch: pytest.MonkeyPatch, **grants: int) -> None:
    """From now on the sockets of the stage are those of a device that was really paired."""
    code = await house.hub.devices.mint(PairingPolicy(grants=grants))
    issued = await house.hub.devices.claim(code.code, DeviceHello(kind="relay", device_id="phone-1"))
    assert issued is not None
    monkeypatch.setattr(terminal_stage, "DEVICE", issued.device)


async def test_a_device_without_the_right_answers_cannot_type_into_a_dialog(
    stage: Stage, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair(house, monkeypatch)
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await house.node.put(agent_state(activity="blocked", waiting_for=DIALOG))
    await house.node.draw("agt_1", "Proceed?", "1. Yes")
    await house.until_agent(activity="blocked")
    await shows(link, "Proceed?")
    await say(handler, "input", "i", data="1")
    assert pressed(house) == []
    assert [error["message"] for error in link.of("terminal.error")] == [
        "A dialog is open, and this device does not have the right answers now."
    ]


async def test_a_dialog_is_answered_only_on_the_screen_that_was_sent(
    stage: Stage, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair(house, monkeypatch, answers=0)
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await house.node.put(agent_state(activity="blocked", waiting_for=DIALOG))
    await house.node.draw("agt_1", "Proceed?", "1. Yes")
    await house.until_agent(activity="blocked")
    await shows(link, "Proceed?")
    house.node.refuse = lambda act: ActResult(code="changed", text="The screen changed. No key was pressed.")
    await say(handler, "input", "i", data="1")
    assert pressed(house) == [(("1",), "", "Proceed?|1. Yes")]
    assert link.of("terminal.error")[0]["message"] == "The screen changed. No key was pressed."


async def test_a_name_of_no_agent_never_becomes_a_shell(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", "a", session_name="agent:nobody")
    assert link.sent[0][0] == "terminal.error" and "nobody" in link.sent[0][1]["message"]
    assert link.of("terminal.attached") == [] and stage.clients() == []


async def test_a_kill_does_not_end_an_agent(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    for name in ("agent:shop", "agt_1"):
        await say(handler, "kill", session_name=name)
    errors = link.of("terminal.error")
    assert [error["session_name"] for error in errors] == ["agent:shop", "agt_1"]
    assert link.of("terminal.detached") == []


async def test_a_mirror_ends_with_its_pane_and_with_its_client(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    await say(handler, "detach", session_name="agent:shop")
    assert link.of("terminal.detached") == [{"session_name": "agent:shop", "reason": "client detach"}]
    await until(lambda: house.node.watchers == 0, "nobody watches any more")
    await say(handler, "attach", session_name="agent:shop")
    await house.node.put(agent_state(activity="gone"))
    await until(lambda: len(link.of("terminal.detached")) == 2, "the mirror ends")
    assert link.of("terminal.detached")[1]["reason"] == "pane gone"
    await say(handler, "attach", "z", session_name="agt_1")
    assert link.sent[-1][0] == "terminal.error"


async def test_a_dropped_socket_ends_the_watching(stage: Stage, house: House) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:shop")
    link.drop()
    await handler.aclose("socket closed")
    await until(lambda: house.node.watchers == 0, "nobody watches any more")


async def test_a_frame_of_the_node_is_drawn_at_its_own_size() -> None:
    from controlroom.app.panes import frame_of

    answer = FrameAnswer(
        agent_id="agt_1",
        revision="r7",
        width=10,
        height=1,
        row=0,
        column=3,
        cursor_visible=False,
        rows=("abc",),
        ansi=("abc",),
        at_ms=0,
    )
    frame = frame_of(msgspec.structs.replace(answer))
    assert (frame.revision, frame.width, frame.height, frame.cursor.column) == ("r7", 10, 1, 3)
    assert not frame.cursor.visible

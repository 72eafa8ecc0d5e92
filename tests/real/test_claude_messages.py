"""A message arrives once, as it was written, at a moment when it does no harm; else it waits and says why."""

from __future__ import annotations

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk
from tests.real.support.room import Room, held
from tests.real.support.texts import text_of


async def test_a_message_to_an_idle_agent(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    claude_model.answer(Text("Going on."), match="Please go on")
    sent = await room.json("send", agent.id, "Please go on", "--wait")
    assert sent["state"] == "delivered"
    assert claude.typed() == ["Please go on"]
    await room.until_said(agent.id, "Going on.")
    users = [item for item in await room.chat(agent.id) if item.kind == "user"]
    assert [item.text for item in users] == ["Please go on"]


async def test_the_same_id_twice_is_one_message(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    for _ in range(2):
        await room.send(agent.id, "only once", message_id="msg_twice")
    await room.until_message("msg_twice", lambda message: message.state == "delivered")
    with pytest.raises(Refused) as refused:
        await room.send(agent.id, "another text", message_id="msg_twice")
    assert refused.value.code == "conflict"
    await room.until_activity(claude.pane, "idle")
    assert claude.typed() == ["only once"]


async def test_messages_wait_in_order_until_the_turn_ends(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    gate = Gate()
    claude_model.answer(gate, Text("Done."), match="long work")
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    await room.json("send", agent.id, "long work", "--wait")
    await gate.arrived()
    await room.until_activity(claude.pane, "working")
    first = await room.send(agent.id, "and then this")
    second = await room.send(agent.id, "and last that")
    await room.until_message(first, lambda message: held(message) == "working")
    assert claude.typed() == ["long work"]
    gate.open()
    await room.until_message(second, lambda message: message.state == "delivered")
    assert claude.typed() == ["long work", "and then this", "and last that"]


async def test_now_goes_into_the_queue_of_the_agent(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    gate = Gate()
    claude_model.answer(gate, Text("Done."), match="long work")
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    await room.json("send", agent.id, "long work", "--wait")
    await gate.arrived()
    await room.until_activity(claude.pane, "working")
    message_id = await room.send(agent.id, "hurry up", when="now")
    await room.until_message(message_id, lambda message: held(message) == "in_agents_queue")
    gate.open()
    await room.until_message(message_id, lambda message: message.state == "delivered")
    assert claude.typed() == ["long work", "hurry up"]


@pytest.mark.parametrize(
    "text", ["/clear the table", "/clear", "!touch harm", "@orchard is nice", "# heading\n\ntext", " /status"]
)
async def test_a_text_is_never_a_command(desk: Desk, room: Room, text: str) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    session = claude.session_id
    sent = await room.json("send", agent.id, text, "--wait")
    assert sent["state"] == "delivered"
    assert len(claude.typed()) == 1
    assert text.strip() in claude.typed()[0]
    assert claude.session_id == session
    assert not (claude.pane.folder / "harm").exists()


async def test_a_command_is_one_when_it_is_meant(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    session = claude.session_id
    await room.run("send", agent.id, "/clear", "--command")
    await room.until(claude.pane, lambda agent: agent.session_id not in (None, session))
    assert claude.session_id != session


@pytest.mark.parametrize("size", [1_023, 1_025, 5_000, 60_000])
async def test_a_long_text_arrives_byte_for_byte(desk: Desk, room: Room, size: int) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    text = text_of(size)
    await room.json("send", agent.id, "-", "--wait", stdin=text)
    assert claude.typed() == [text]
    users = [item for item in await room.chat(agent.id) if item.kind == "user"]
    assert len(users) == 1
    assert text.startswith((users[0].text or "")[:500])


async def test_a_draft_is_left_alone_until_it_is_gone(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    claude.pane.paste("half a thou")
    await claude.pane.until_text("half a thou")
    message_id = await room.send(agent.id, "a whole message")
    await room.until_message(message_id, lambda message: held(message) == "draft")
    assert "half a thou" in claude.pane.text()
    claude.pane.press("C-u")
    await room.until_message(message_id, lambda message: message.state == "delivered")
    assert claude.typed() == ["a whole message"]


async def test_a_draft_can_be_replaced(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    claude.pane.paste("half a thou")
    await claude.pane.until_text("half a thou")
    message_id = await room.send(agent.id, "a whole message", on_draft="replace")
    await room.until_message(message_id, lambda message: message.state == "delivered")
    assert claude.typed() == ["a whole message"]


async def test_a_message_waits_while_a_dialog_is_open(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude_model.answer(ToolUse("Bash", {"command": "touch picked", "description": "Pick"}), match="pick")
    claude_model.answer(Text("Picked."), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("pick one")
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    message_id = await room.send(agent.id, "1 and only")
    now_id = await room.send(agent.id, "Yes, right now", when="now")
    for waits in (message_id, now_id):
        await room.until_message(waits, lambda message: held(message) in ("dialog", "working"))
    assert not (claude.pane.folder / "picked").exists()
    await room.answer(agent.id, agent.waiting_for.id, "Yes")
    for waits in (message_id, now_id):
        await room.until_message(waits, lambda message: message.state == "delivered")
    assert sorted(claude.typed()) == sorted(["pick one", "1 and only", "Yes, right now"])


async def test_an_answer_to_a_dialog_that_has_gone_presses_nothing(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    """The same question opens again between the look and the key: that one nobody has seen."""
    pick = ToolUse("Bash", {"command": "touch picked", "description": "Pick"})
    claude_model.answer(pick, match="pick")
    claude_model.answer(ToolUse("Bash", {"command": "rm picked", "description": "Pick"}), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("pick one")
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    stale = agent.waiting_for.id
    await claude.pane.choose("1", "touch picked\n")
    second = await room.until(
        claude.pane, lambda agent: agent.waiting_for is not None and agent.waiting_for.id != stale
    )
    with pytest.raises(Refused) as refused:
        await room.answer(agent.id, stale, "Yes")
    assert refused.value.code == "changed"
    assert await room.refusal("answer", agent.id, "Yes", "--waiting-id", stale) == "changed"
    still = await room.until_activity(claude.pane, "blocked")
    assert second.waiting_for is not None
    assert still.waiting_for is not None
    assert still.waiting_for.id == second.waiting_for.id
    assert (claude.pane.folder / "picked").exists()

"""What the fleet says of a real Codex, and what arrives in it."""

from __future__ import annotations

import time

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_openai import FakeOpenAI, Say, Shell, usage_limit
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk
from tests.real.support.codex import EXECUTABLE, READY
from tests.real.support.pane import AGENT_S
from tests.real.support.room import Room, held
from tests.real.support.texts import text_of
from tests.support.waiting import until


async def test_a_whole_turn(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    assert (agent.kind, agent.folder) == ("codex", str(codex.pane.folder))
    gate = Gate()
    codex_model.answer(gate, Say("Three are ripe."), match="ripe")
    await codex.say("How many are ripe?")
    await gate.arrived()
    await room.until_activity(codex.pane, "working")
    gate.open()
    done = await room.until(codex.pane, lambda agent: agent.finished)
    assert done.id == agent.id
    assert done.finished is not None
    assert "Three are ripe." in done.finished.text
    items = (await room.json("chat", agent.id))["items"]
    assert [item["text"] for item in items if item["kind"] == "user"] == ["How many are ripe?"]
    assert [item["text"] for item in items if item["kind"] == "assistant"] == ["Three are ripe."]


async def test_an_approval_is_shown_whole_and_answered(
    desk: Desk, room: Room, codex_model: FakeOpenAI
) -> None:
    codex_model.answer(Shell("touch picked", escalate=True), match="pick")
    codex_model.answer(Say("Picked."), match=TOOL_RESULT)
    codex = await desk.codex()
    await codex.say("pick one")
    agent = await room.until_activity(codex.pane, "blocked")
    waiting = agent.waiting_for
    assert waiting is not None
    assert waiting.kind == "permission"
    assert "touch picked" in waiting.text
    first = (waiting.options or ())[0]
    assert first.label.startswith("Yes, proceed")
    with pytest.raises(Refused) as refused:
        await room.answer(agent.id, "dlg_never_seen", first.key)
    assert refused.value.code == "changed"
    await room.answer(agent.id, waiting.id, first.key)
    await room.until_said(agent.id, "Picked.")
    assert (codex.pane.folder / "picked").exists()
    await room.until_activity(codex.pane, "idle")


async def test_a_start_up_prompt_is_shown_and_answered(desk: Desk, room: Room) -> None:
    codex = await desk.codex(start=False)
    codex.pane.run("git", "init", "-q", str(desk.work_folder("stranger")))
    codex.pane.run("cd", str(desk.work_folder("stranger")))
    codex.pane.run("codex", "--no-daemon")
    await codex.pane.until_text("Trust this folder?")
    agent = await room.until(codex.pane, lambda agent: agent.waiting_for)
    assert agent.waiting_for is not None
    assert agent.waiting_for.kind == "startup"
    trust = next(option for option in agent.waiting_for.options or () if "Trust" in option.label)
    await room.answer(agent.id, agent.waiting_for.id, trust.key)
    ready = await room.until_activity(codex.pane, "idle")
    assert ready.id == agent.id


async def test_a_used_up_plan_is_not_blocked(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    codex_model.fail(usage_limit(int(time.time()) + 3600), match="go on")
    codex = await desk.codex()
    await codex.say("go on")
    await codex.until_event("task_complete")
    agent = await room.until(codex.pane, lambda agent: agent.fault and agent.activity == "idle")
    assert agent.fault is not None
    assert agent.fault.code == "usage_limit"


async def test_interrupting_ends_the_turn(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    gate = Gate()
    codex_model.answer(gate, Say("One, two."), match="count")
    codex = await desk.codex()
    await codex.say("count")
    await gate.arrived()
    agent = await room.until_activity(codex.pane, "working")
    await room.run("interrupt", agent.id)
    await codex.until_event("turn_aborted")
    await room.until_activity(codex.pane, "idle")


async def test_resuming_a_session_is_the_same_agent(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    codex_model.answer(Say("Good morning."), match="hello")
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    assert (await room.json("send", agent.id, "hello", "--wait"))["state"] == "delivered"
    await room.until_said(agent.id, "Good morning.")
    session = (await room.until(agent.id, lambda agent: agent.session_id)).session_id
    assert session is not None
    await room.until_activity(codex.pane, "idle")
    await codex.say("/quit")
    await room.until_activity(agent.id, "gone")
    codex.pane.type_line("clear")
    await until(lambda: READY not in codex.pane.text(), "a cleared screen", within_s=AGENT_S)
    await codex.start("resume", session)
    again = await room.until_session(codex.pane, session)
    assert again.id == agent.id


async def test_a_killed_agent_is_a_crash(desk: Desk, room: Room) -> None:
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    await room.json("send", agent.id, "hello", "--wait")
    await room.until_said(agent.id, "Understood.")
    codex.pane.kill_hard(EXECUTABLE)
    gone = await room.until(agent.id, lambda agent: agent.activity == "gone" and agent.fault)
    assert gone.fault is not None
    assert gone.fault.code == "crashed"


async def test_a_message_waits_until_the_turn_ends(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    gate = Gate()
    codex_model.answer(gate, Say("Done."), match="long work")
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    await room.json("send", agent.id, "long work", "--wait")
    await gate.arrived()
    await room.until_activity(codex.pane, "working")
    message_id = await room.send(agent.id, "and then this")
    await room.until_message(message_id, lambda message: held(message) == "working")
    gate.open()
    await room.until_message(message_id, lambda message: message.state == "delivered")
    await codex.until_typed("long work", "and then this")
    assert codex_model.cut_off == 0


async def test_now_steers_the_running_turn_and_says_so(
    desk: Desk, room: Room, codex_model: FakeOpenAI
) -> None:
    gate = Gate()
    codex_model.answer(gate, Say("Done."), match="long work")
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    await room.json("send", agent.id, "long work", "--wait")
    await gate.arrived()
    await room.until_activity(codex.pane, "working")
    message_id = await room.send(agent.id, "hurry up", when="now")
    message = await room.until_message(message_id, lambda message: message.state == "delivered")
    assert message.detail
    await codex.until_typed("long work", "hurry up")
    await until(lambda: codex_model.cut_off == 1, "the answer that ran is cut off")
    await room.until_activity(codex.pane, "idle")


@pytest.mark.parametrize("text", ["/status", "/quit now, please", "!touch harm", "@orchard", "# heading"])
async def test_a_text_is_never_a_command(desk: Desk, room: Room, text: str) -> None:
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    sent = await room.json("send", agent.id, text, "--wait")
    assert sent["state"] == "delivered"
    typed = await until(codex.typed, "what has reached it", within_s=AGENT_S)
    assert len(typed) == 1
    assert text in typed[0]
    assert not (codex.pane.folder / "harm").exists()


@pytest.mark.parametrize("size", [1_023, 1_025, 5_000, 60_000])
async def test_a_long_text_arrives_byte_for_byte(desk: Desk, room: Room, size: int) -> None:
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    text = text_of(size)
    await room.json("send", agent.id, "-", "--wait", stdin=text)
    await codex.until_typed(text)


async def test_a_draft_is_left_alone_until_it_is_gone(desk: Desk, room: Room) -> None:
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    codex.pane.paste("half a thou")
    await codex.pane.until_text("half a thou")
    message_id = await room.send(agent.id, "a whole message")
    await room.until_message(message_id, lambda message: held(message) == "draft")
    codex.pane.press("C-u")
    await room.until_message(message_id, lambda message: message.state == "delivered")
    await codex.until_typed("a whole message")

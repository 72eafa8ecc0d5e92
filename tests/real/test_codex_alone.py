"""Codex and our model server, without the control room: the ground that the other tests stand on."""

from __future__ import annotations

import time

from controlroom.testing.fake_openai import FakeOpenAI, Say, Shell, usage_limit
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk


async def test_it_answers_a_prompt(desk: Desk, codex_model: FakeOpenAI) -> None:
    gate = Gate()
    codex_model.answer(gate, Say("Apples are ripe."), match="ripe")
    codex = await desk.codex()
    await codex.say("Are they ripe?")
    await gate.arrived()
    await codex.pane.until_text("esc to interrupt")
    gate.open()
    await codex.until_event("task_complete")
    await codex.pane.until_text("Apples are ripe.")
    await codex.until_typed("Are they ripe?")


async def test_it_asks_before_it_leaves_the_sandbox(desk: Desk, codex_model: FakeOpenAI) -> None:
    codex_model.answer(Shell("touch picked", escalate=True), match="pick")
    codex_model.answer(Say("Picked."), match=TOOL_RESULT)
    codex = await desk.codex()
    await codex.say("pick one")
    await codex.pane.until_text("Would you like to run the following command?", "Yes, proceed")
    codex.pane.press("y")
    await codex.until_event("task_complete")
    assert (codex.pane.folder / "picked").exists()


async def test_a_used_up_plan_ends_the_turn(desk: Desk, codex_model: FakeOpenAI) -> None:
    codex_model.fail(usage_limit(int(time.time()) + 3600), match="go on")
    codex = await desk.codex()
    await codex.say("go on")
    done = await codex.until_event("task_complete")
    assert done["error"]["codex_error_info"] == "usage_limit_exceeded"
    await codex.pane.until_text("hit your usage limit")

"""Operations on scripted agents in a real tmux server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.testing.scripted.steps import Begin, Go, Hold, Quit, Say, Scene, Turn
from controlroom.wire.node import ActProgress, AmendAct, OperateAct, SendAct
from tests.integration.node.operations_stage import Stage, put_in_path
from tests.support.waiting import until

NAME = "orchard"
HELLO = Turn(prompt="hello", steps=(Say(text="Hello."),))
SPOKEN = Scene(name=NAME, turns=(HELLO,))


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    try:
        await stage.start()
        yield stage
    finally:
        await stage.close()


def states(told: ActProgress) -> dict[str, str]:
    return {step.name: step.state for step in told.steps}


async def test_a_restart_keeps_session_name_and_id_in_a_new_window(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    (old,) = stage.living()
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.state == "delivered", told
    assert set(states(told).values()) == {"done"}
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.chat_id, after.session_id) == (before.id, before.chat_id, before.session_id)
    assert after.pane != before.pane
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]
    assert stage.living() != [old] and len(stage.living()) == 1


async def test_the_new_process_has_the_environment_and_flags_of_the_old(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    (old,) = stage.living()
    words = Path(f"/proc/{old}/cmdline").read_bytes()
    await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    (new,) = stage.living()
    now = Path(f"/proc/{new}/cmdline").read_bytes()
    assert before.session_id is not None
    assert now == words + b"--resume\0" + before.session_id.encode() + b"\0"
    environ = Path(f"/proc/{new}/environ").read_bytes().split(b"\0")
    assert f"CLAUDE_CONFIG_DIR={stage.desk.config}".encode() in environ


async def test_the_old_process_ends_only_once_its_environment_was_read(stage: Stage) -> None:
    """On a busy machine the launcher may need longer to begin than the agent to end: here for as long as it
    waits for a tmux that does not answer."""
    before = await stage.agent(SPOKEN)
    (old,) = stage.living()
    slow = stage.folder / "slow"
    slow.mkdir()
    os.mkfifo(slow / "never")
    (slow / "tmux").write_text(f"#!/bin/sh\nread -r _ < '{slow}/never'\n")
    (slow / "tmux").chmod(0o755)
    stage.desk.tmux("set-environment", "-g", "PATH", f"{slow}:{os.environ['PATH']}")
    stage.desk.tmux("set-environment", "-g", "ORCHARD_KEY", "bitter")
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.state == "delivered", told
    (new,) = stage.living()
    environ = Path(f"/proc/{new}/environ").read_bytes().split(b"\0")
    assert new != old and b"ORCHARD_KEY=bitter" not in environ


async def test_fresh_is_the_same_agent_with_a_new_session_and_chat(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    told = await stage.done(OperateAct(id="op_1", kind="fresh", agent_id=before.id))
    assert told.state == "delivered", told
    after = await stage.until_agent(NAME, "idle")
    assert after.id == before.id
    assert after.session_id != before.session_id and after.chat_id != before.chat_id
    old = await stage.running.api.items(before.id, before.chat_id)
    assert any(item.text == "Hello." for item in old.items), "the old chat stays readable"


async def test_stop_leaves_the_pane_and_a_restart_brings_it_back(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    told = await stage.done(OperateAct(id="op_1", kind="stop", agent_id=before.id))
    assert told.state == "delivered", told
    assert (await stage.until_agent(NAME, "gone")).id == before.id
    assert (NAME, True) in [(name, dead) for _, name, dead in stage.panes()]
    again = await stage.done(OperateAct(id="op_2", kind="stop", agent_id=before.id))
    assert again.state == "delivered", "stopping a dead agent succeeds"
    back = await stage.done(OperateAct(id="op_3", kind="restart", agent_id=before.id))
    assert back.state == "delivered", back
    assert "environment of its new window" in (back.steps[1].detail or "")
    assert (await stage.until_agent(NAME, "idle")).id == before.id
    assert (NAME, False) in [(name, dead) for _, name, dead in stage.panes()]
    assert len(stage.panes()) == 2, "the pane in which it had ended is gone"


async def test_a_start_that_fails_says_why_and_leaves_the_old_place(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    stage.desk.tell(NAME, Quit())
    await stage.until_agent(NAME, "gone")
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.state == "failed" and told.error is not None
    assert "claude is not in the PATH of this window" in told.error.text
    assert [name for _, name, _ in stage.panes()] == ["cellar"], "the window that did not come up is gone"


async def test_without_its_folder_it_goes_on_where_it_is(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    living = stage.living()
    folder = Path(before.folder)
    folder.rename(folder.with_name("elsewhere"))
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.error is not None and told.error.text == "Its folder is gone."
    assert [step.state for step in told.steps] == ["failed"] + ["skipped"] * 5
    assert stage.living() == living


async def test_close_removes_the_pane_and_the_agent_leaves_the_list(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    told = await stage.done(OperateAct(id="op_1", kind="close", agent_id=before.id))
    assert told.state == "delivered", told

    async def has_left() -> bool:
        return NAME not in await stage.agents()

    await until(has_left, "it has left the list")
    assert [name for _, name, _ in stage.panes()] == ["cellar"]


async def test_a_rename_holds_for_agent_and_window_and_over_a_restart(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    told = await stage.done(OperateAct(id="op_1", kind="rename", agent_id=before.id, name="pear tree"))
    assert told.state == "delivered", told
    renamed = await stage.until_agent("pear tree", "idle")
    assert renamed.id == before.id
    assert [name for _, name, _ in stage.panes()] == ["pear tree"]
    await stage.done(OperateAct(id="op_2", kind="restart", agent_id=before.id))
    assert (await stage.until_agent("pear tree", "idle")).id == before.id
    assert [name for _, name, _ in stage.panes()] == ["pear tree"]


async def test_an_agent_below_a_shell_is_restarted(stage: Stage) -> None:
    before = await stage.agent(SPOKEN, in_shell=True)
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.state == "delivered", told
    assert (await stage.until_agent(NAME, "idle")).id == before.id
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]


async def test_a_working_agent_is_finished_first(stage: Stage) -> None:
    working = Turn(prompt="work", steps=(Hold(), Say(text="Done.")))
    before = await stage.agent(Scene(name=NAME, turns=(working,)), "working")
    assert (await stage.operate(OperateAct(id="op_1", kind="restart", agent_id=before.id))).code == "ok"

    async def waits() -> bool:
        told = (await stage.told("op_1"))[-1]
        return told.steps[0].state == "running" and "works" in (told.steps[0].detail or "")

    await until(waits, "it says that it waits, and for what")
    (old,) = stage.living()
    stage.desk.tell(NAME, Go())
    assert (await stage.until_over("op_1")).state == "delivered"
    assert stage.living() != [old]


async def test_now_drops_nothing_unasked(stage: Stage) -> None:
    working = Turn(prompt="work", steps=(Hold(), Say(text="Done.")))
    before = await stage.agent(Scene(name=NAME, turns=(working,)), "working")
    refused = await stage.done(OperateAct(id="op_1", kind="stop", agent_id=before.id, when="now"))
    assert refused.state == "failed" and refused.error is not None
    assert (refused.error.code, "the running turn" in refused.error.text) == ("busy", True)
    assert len(stage.living()) == 1
    told = await stage.done(OperateAct(id="op_2", kind="stop", agent_id=before.id, when="now", drop=True))
    assert told.state == "delivered" and "the running turn" in (told.steps[0].detail or "")
    assert stage.living() == []


async def test_a_waiting_operation_is_taken_back(stage: Stage) -> None:
    working = Turn(prompt="work", steps=(Hold(), Say(text="Done.")))
    before = await stage.agent(Scene(name=NAME, turns=(working,)), "working")
    await stage.operate(OperateAct(id="op_1", kind="stop", agent_id=before.id))
    result = await stage.running.api.act(AmendAct(id="amd_1", message_id="op_1", cancel=True))
    assert result.code == "ok"
    told = await stage.until_over("op_1")
    assert told.error is not None and told.error.code == "cancelled"
    assert len(stage.living()) == 1


async def test_one_behind_another_is_taken_back_at_once(stage: Stage) -> None:
    working = Turn(prompt="work", steps=(Hold(), Say(text="Done.")))
    before = await stage.agent(Scene(name=NAME, turns=(working,)), "working")
    for number in (1, 2):
        await stage.operate(OperateAct(id=f"op_{number}", kind="restart", agent_id=before.id))
    result = await stage.running.api.act(AmendAct(id="amd_1", message_id="op_2", cancel=True))
    assert result.code == "ok"
    told = (await stage.told("op_2"))[-1]
    assert told.state == "failed" and told.error is not None and told.error.code == "cancelled"
    stage.desk.tell(NAME, Go())
    assert (await stage.until_over("op_1")).state == "delivered"
    assert len(stage.living()) == 1


async def test_a_message_that_is_queued_meanwhile_arrives_after_once(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.operate(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    await stage.running.api.act(SendAct(id="msg_1", agent_id=before.id, text="Good morning"))
    assert (await stage.until_over("op_1")).state == "delivered"

    async def arrived() -> bool:
        return (await stage.told("msg_1"))[-1].state == "delivered"

    await until(arrived, "the message arrives", within_s=60)
    items = (await stage.running.api.items(before.id, before.chat_id)).items
    assert [item.text for item in items].count("Good morning") == 1


async def test_a_message_sent_while_an_operation_waits_goes_out_after_it(stage: Stage) -> None:
    working = Turn(prompt="work", steps=(Hold(), Say(text="Done.")))
    before = await stage.agent(Scene(name=NAME, turns=(working,)), "working")
    (old,) = stage.living()
    await stage.operate(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    await stage.running.api.act(SendAct(id="msg_1", agent_id=before.id, text="Good morning"))
    stage.desk.tell(NAME, Go())
    assert (await stage.until_over("op_1")).state == "delivered"

    async def arrived() -> bool:
        rows = await stage.told("msg_1")
        return bool(rows) and rows[-1].state == "delivered"

    await until(arrived, "the message arrives", within_s=60)
    assert stage.living() != [old]
    items = (await stage.running.api.items(before.id, before.chat_id)).items
    said = [item for item in items if item.text in ("Done.", "Good morning")]
    assert [item.text for item in said] == ["Done.", "Good morning"]
    over_ms = (await stage.told("op_1"))[-1].at_ms
    sent_ms = (await stage.told("msg_1"))[-1].at_ms
    assert sent_ms >= over_ms


async def test_two_operations_on_one_agent_go_one_after_the_other(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    for number in (1, 2):
        act = OperateAct(id=f"op_{number}", kind="restart", agent_id=before.id)
        assert (await stage.operate(act)).code == "ok"
        assert (await stage.operate(act)).code == "ok", "asked twice it is one"
    assert (await stage.until_over("op_1")).state == "delivered"
    assert (await stage.until_over("op_2")).state == "delivered"
    assert len(stage.panes()) == 1 and len(stage.living()) == 1


async def test_what_cannot_be_is_refused_at_once(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    for act, code in (
        (OperateAct(id="op_1", kind="stop", agent_id="agt_none"), "not_found"),
        (OperateAct(id="op_2", kind="rename", agent_id=before.id, name="two\nlines"), "bad_request"),
        (OperateAct(id="op_3", kind="start", agent_kind="claude", folder="/no/such/folder"), "bad_request"),
        (OperateAct(id="op_4", kind="start", agent_kind="unheard", folder="/"), "bad_request"),
    ):
        assert (await stage.operate(act)).code == code
        assert await stage.told(act.id) == [], "a refusal leaves no trace"


async def test_a_new_agent_is_started_and_named(stage: Stage) -> None:
    await stage.agent(SPOKEN)
    put_in_path(stage, Scene(name="scripted"))
    work = stage.folder / "home" / "work" / "pears"
    work.mkdir(parents=True)
    act = OperateAct(id="op_1", kind="start", agent_kind="claude", folder=str(work), name="pear tree")
    told = await stage.done(act)
    assert told.state == "delivered", told
    started = await stage.until_agent("pear tree", "idle")
    assert (started.id, started.folder, started.kind) == (told.agent_id, str(work), "claude")
    assert sorted(name for _, name, _ in stage.panes()) == [NAME, "pear tree"]
    again = await stage.operate(act)
    assert again.code == "ok" and len(stage.panes()) == 2, "asked twice it is one"


async def test_without_a_tmux_server_a_start_says_what_to_do(stage: Stage) -> None:
    told = await stage.done(OperateAct(id="op_1", kind="start", agent_kind="claude", folder="/"))
    assert told.state == "failed" and told.error is not None
    assert "tmux new-session -d" in told.error.text


async def test_a_program_that_ends_at_once_is_told_with_its_words(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    put_in_path(stage, Scene(name="scripted"))
    (transcript,) = stage.desk.config.glob(f"projects/*/{before.session_id}.jsonl")
    stage.desk.tell(NAME, Quit())
    await stage.until_agent(NAME, "gone")
    (stage.folder / "path" / "claude").write_text("#!/bin/sh\necho Error: no licence today\nexit 1\n")
    told = await stage.done(OperateAct(id="op_1", kind="restart", agent_id=before.id))
    assert told.state == "failed" and told.error is not None
    assert "Error: no licence today" in told.error.text
    assert [name for _, name, _ in stage.panes()] == ["cellar"]
    assert transcript.exists()


async def test_a_turn_that_runs_in_the_new_place_counts_as_up(stage: Stage) -> None:
    """Lesson 1: it was taken for not up, and lost its name."""
    before = await stage.agent(SPOKEN)
    await stage.operate(OperateAct(id="op_1", kind="restart", agent_id=before.id))

    async def is_new() -> bool:
        return len(stage.living()) == 1 and (await stage.agents())[NAME].pane != before.pane

    await until(is_new, "it lives in its new window", within_s=60)
    stage.desk.tell(NAME, Begin(turn=Turn(prompt="work", steps=(Hold(), Say(text="Done.")))))
    assert (await stage.until_over("op_1")).state == "delivered"
    assert [name for _, name, _ in stage.panes()] == [NAME]
    stage.desk.tell(NAME, Go())

"""Chat items: one for each thing that happened, and nothing that nobody said."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.node.agents.codex.chat import TEXT_LIMIT, TOOL_LIMIT, Chat
from controlroom.wire.model import Change, Item, Tokens
from tests.unit.node.agents.codex.samples import (
    ROLLOUTS,
    decoded,
    entries,
    event,
    item,
    response,
    rollout,
    said,
    session_id,
    written,
)


def items(name: str) -> list[Item]:
    chat = Chat(session_id(rollout(name)))
    chat.feed(entries(name))
    chat.settle()
    return list(chat.items())


def of(*lines: dict[str, object]) -> list[Item]:
    chat = Chat("s")
    chat.feed(written(*lines))
    chat.settle()
    return list(chat.items())


def shape(found: list[Item]) -> list[str]:
    """One short line for each item."""
    lines = []
    for one in found:
        if one.tool is not None:
            lines.append(f"tool {one.tool.state}: {one.tool.title}")
        else:
            lines.append(f"{one.kind}: {(one.text or '')[:60]}")
    return lines


def exec_call(source: str, call_id: str = "c1") -> dict[str, object]:
    return response("custom_tool_call", name="exec", input=source, call_id=call_id)


def output(text: object, call_id: str = "c1") -> dict[str, object]:
    return response("custom_tool_call_output", call_id=call_id, output=text)


def ran(command: str, *, id: str = "exec-1", code: int = 0, text: str = "", **more: str) -> dict[str, object]:
    words = ["/bin/bash", "-lc", command]
    return item("CommandExecution", id=id, command=words, exit_code=code, aggregated_output=text, **more)


RUN_LS = 'const r = await tools.exec_command({"cmd": "ls"}); text(r);'


# --- recordings -------------------------------------------------------------------------------------------


def test_tools_in_code_mode_are_one_item_each() -> None:
    found = shape(items("11-07-30"))
    assert [line.partition(":")[0] for line in found] == ["user", "tool done", "assistant"] * 3
    assert found[0::3] == [
        "user: sh wc -l README.md && ls",
        "user: sh sleep 6; echo slept",
        "user: patch notes/june.md",
    ]
    assert found[1::3] == [
        "tool done: Shell: wc -l README.md && ls",
        "tool done: Shell: sleep 6; echo slept",
        "tool done: Add notes/june.md",
    ]


def test_a_tool_carries_what_ran_its_output_and_its_changes() -> None:
    first, _, patch = [one.tool for one in items("11-07-30") if one.tool is not None]
    assert first is not None and patch is not None
    assert (first.name, first.input, first.output) == (
        "exec_command",
        "wc -l README.md && ls",
        "1 README.md\nREADME.md\n",
    )
    assert patch.name == "apply_patch" and patch.changes == (
        Change(path="notes/june.md", added=2, removed=0),
    )
    assert patch.input is not None and patch.input.startswith("*** Begin Patch")


def test_denied_approvals_are_refused_tools_and_a_notice() -> None:
    assert [line for line in shape(items("11-07-43")) if not line.startswith("assistant")] == [
        "user: shesc curl -s http://127.0.0.1:8790/v1/models",
        "tool done: Shell: curl -s http://127.0.0.1:8790/v1/models",
        "user: shesc curl -s http://127.0.0.1:8790/v1/usage",
        "tool refused: Shell: curl -s http://127.0.0.1:8790/v1/usage",
        "notice: Interrupted",
        "user: patchout /home/dev2/outside80.txt",
        "tool done: Add /home/dev2/outside80.txt",
    ]


def test_thinking_interruptions_errors_and_compaction() -> None:
    assert shape(items("11-07-59"))[:3] == [
        "user: slow 30 never",
        "thinking: **Thinking slowly**\n\nCounting ticks.",
        "notice: Interrupted",
    ]
    notices = [line for line in shape(items("11-08-18")) if line.startswith("notice")]
    assert len(notices) == 6 and "notice: Quota exceeded. Check your plan and billing details." in notices
    assert shape(items("11-08-08"))[-1].startswith("notice: You’ve hit your usage limit.")
    assert shape(items("11-10-59"))[4] == "notice: Conversation compacted"


def test_the_old_shape_reads_the_same() -> None:
    assert shape(items("sessions-0.60.1/11-18-23")) == [
        "user: say Old style answer.",
        "assistant: Old style answer.",
        "user: shesc curl -s http://127.0.0.1:8790/v1/models",
        "tool done: Shell: curl -s http://127.0.0.1:8790/v1/models",
        'assistant: Tool said: Exit code: 0\nWall time: 0 seconds\nOutput:\n{"model',
        "user: slow 20 never",
        "thinking: **Thinking slowly**\n\nCounting ticks.",
    ]
    assert "tool failed: Shell: curl -s http://127.0.0.1:8790/v1/models" in shape(
        items("sessions-0.60.1/11-17-15")
    )


def test_an_old_file_goes_on_under_the_new_version() -> None:
    old, new = items("sessions-0.60.1/11-17-15"), items("sessions-0.60.1-resumed-by-0.171.0/11-17-15")
    assert new[: len(old)] == old
    assert shape(new[len(old) :]) == [
        "user: say resumed by the new version",
        "assistant: resumed by the new version",
    ]


def test_a_moved_session_keeps_its_items() -> None:
    here, there = items("11-07-12"), items("sessions-moved-to-other-home/11-07-12")
    assert there[: len(here)] == here and len(there) == len(here) + 2


def test_a_fork_begins_with_where_it_comes_from() -> None:
    assert shape(items("11-12-24")) == [
        "notice: Forked from 01a22c27-8f97-73c3-b191-2923ddbb9fd0",
        "user: say forked now",
        "assistant: forked now",
    ]


def test_helpers_are_helper_activity() -> None:
    found = shape(items("sessions-helpers/13-42-32"))
    assert found[3:5] == ["tool done: Helper: count_ticks", "helper: Helper /root/count_ticks started"]
    assert "helper: /root/count_ticks to /root: Tool said: aborted" in found
    assert not any(line.startswith("user: Message Type") for line in found)


def test_model_and_tokens_stand_on_replies() -> None:
    replies = [one for one in items("11-07-12") if one.kind == "assistant"]
    assert {(one.model, one.tokens) for one in replies} == {("gpt-6-sol", Tokens(input=1200, output=34))}
    old = [one for one in items("sessions-0.60.1/11-18-23") if one.kind == "assistant"]
    assert {(one.model, one.tokens) for one in old} == {("gpt-5.1-codex-max", Tokens(input=1200, output=34))}


def test_an_open_question_is_a_running_tool() -> None:
    assert shape(items("11-19-08"))[-1] == "tool running: Question: Which bed should the beans go in?"


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: f"{path.parts[-5]}/{path.name[19:27]}")
def test_nothing_injected_is_a_bubble_and_ids_are_unique(path: Path) -> None:
    chat = Chat(session_id(path))
    chat.feed(decoded(path).entries)
    found = chat.items()
    for one in found:
        if one.kind in ("user", "assistant"):
            assert one.text is not None
            assert not one.text.startswith(("<", "# AGENTS.md"))
    assert len({one.id for one in found}) == len(found)
    assert [one.at_ms for one in found] == sorted(one.at_ms for one in found)


# --- rules ------------------------------------------------------------------------------------------------


def test_a_status_reply_is_no_bubble_and_blocks_make_their_kind() -> None:
    question = (
        "Done so far.\n\nQuestion for Founder: Ship it?\n- Yes: it goes out\n- No: it waits\nBlocking: yes"
    )
    found = of(
        said("Status: reading"), said(question), said("Result: It works.\nChanged: a.py"), said("plain")
    )
    assert [one.kind for one in found] == ["question", "result", "assistant"]
    assert found[0].text == question


def test_a_call_runs_until_its_output() -> None:
    assert shape(of(exec_call(RUN_LS))) == ["tool running: Shell: ls"]
    assert shape(of(exec_call(RUN_LS), ran("ls"))) == ["tool running: Shell: ls"]
    assert shape(of(exec_call(RUN_LS), ran("ls"), output("Script completed"))) == ["tool done: Shell: ls"]


def test_a_command_that_fails_is_a_failed_tool() -> None:
    assert shape(of(exec_call(RUN_LS), ran("ls", code=2), output("Script completed"))) == [
        "tool failed: Shell: ls"
    ]
    assert shape(of(exec_call(RUN_LS), output("Script failed\nno"))) == ["tool failed: Shell: ls"]


def test_a_second_command_that_was_refused_makes_the_tool_refused() -> None:
    found = of(exec_call(RUN_LS), ran("ls"), output("aborted by user after 2s"))
    assert shape(found) == ["tool refused: Shell: ls"]


def test_several_commands_of_one_call_are_one_item() -> None:
    (found,) = of(
        exec_call(RUN_LS), ran("ls", text="a\n"), ran("pwd", id="exec-2", text="/x\n"), output("ok")
    )
    assert found.tool is not None
    assert found.tool.title == "Shell: ls (+1 more)"
    assert (found.tool.input, found.tool.output) == ("ls\npwd", "a\n\n/x\n")


def test_a_command_that_ends_in_the_background_settles_its_own_call() -> None:
    running = output("Script running with cell ID 1")
    found = of(exec_call(RUN_LS), running, said("meanwhile"), ran("ls", code=1, text="late"))
    assert found[0].tool is not None
    assert (found[0].tool.state, found[0].tool.output) == ("failed", "late")


def test_a_killed_process_leaves_no_tool_running() -> None:
    found = of(exec_call(RUN_LS), event("task_started", turn_id="t2"))
    assert shape(found) == ["tool failed: Shell: ls"]


def test_a_command_typed_by_the_person_is_a_tool_of_its_own() -> None:
    found = of(ran("echo hi", id="some-uuid", text="hi\n", source="user_shell"))
    assert shape(found) == ["tool done: Shell: echo hi"]


def test_what_ran_without_its_call_is_an_item_once_the_file_is_whole() -> None:
    chat = Chat("s")
    chat.feed(written(ran("ls")))
    assert chat.items() == ()
    chat.settle()
    assert shape(list(chat.items())) == ["tool done: Shell: ls"]


def test_long_texts_are_clipped_and_say_so() -> None:
    reply, call = of(said("x" * (TEXT_LIMIT + 1)), exec_call(RUN_LS, "c2"))
    assert reply.clipped and len(reply.text or "") == TEXT_LIMIT and not call.clipped
    (tool,) = of(exec_call(RUN_LS), ran("ls", text="y" * (TOOL_LIMIT + 1)), output("ok"))
    assert tool.clipped and tool.tool is not None and len(tool.tool.output or "") == TOOL_LIMIT


def test_control_characters_do_not_come_through() -> None:
    (found,) = of(said("a\x1b[31mred\x07\nb"))
    assert found.text == "a[31mred\nb"


def test_injected_old_messages_are_no_bubbles() -> None:
    found = of(
        event("user_message", message="<environment_context>x</environment_context>"),
        event("user_message", message="secret rules", kind="user_instructions"),
        event("user_message", message="hello", kind="plain"),
        event("user_message", message="   "),
    )
    assert shape(found) == ["user: hello"]


def test_pictures_of_a_person_are_named() -> None:
    (found,) = of(item("UserMessage", content=[{"type": "text", "text": "see"}, {"type": "local_image"}]))
    assert found.text == "see\n[local image]"


def test_going_back_is_a_notice() -> None:
    assert shape(of(event("thread_rolled_back", num_turns=1))) == ["notice: Went back 1 message"]
    assert shape(of(event("thread_rolled_back", num_turns=2))) == ["notice: Went back 2 messages"]

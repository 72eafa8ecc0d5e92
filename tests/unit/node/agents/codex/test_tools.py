"""Tool calls for people: what ran, on one line."""

from __future__ import annotations

import json

import pytest

from controlroom.node.agents.codex import tools
from controlroom.node.agents.codex.protocol import FileDelta, ThreadItem, ToolCall
from controlroom.wire.model import Change


def call(name: str, arguments: object = None, **more: object) -> tools.Told:
    text = json.dumps(arguments) if arguments is not None else ""
    return tools.tell_call(ToolCall(name=name, arguments=text, **more))  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("told", "name", "title", "input"),
    [
        (call("exec_command", {"cmd": "ls -la\npwd"}), "exec_command", "Shell: ls -la", "ls -la\npwd"),
        (call("shell", {"command": ["bash", "-lc", "ls"]}), "exec_command", "Shell: ls", "ls"),
        (call("shell", {"command": ["git", "status"]}), "exec_command", "Shell: git status", "git status"),
        (call("shell_command", {"command": "ls"}), "exec_command", "Shell: ls", "ls"),
        (call("", None, action={"command": ["ls", "-a"]}), "exec_command", "Shell: ls -a", "ls -a"),
        (call("update_plan", {"plan": [{"status": "completed"}, {"status": "pending"}]}), "update_plan",
         "Plan: 1 of 2 steps done", None),
        (call("request_user_input", {"questions": [{"question": "Which bed?"}]}), "request_user_input",
         "Question: Which bed?", None),
        (call("spawn_agent", {"task_name": "count"}), "spawn_agent", "Helper: count", None),
        (call("view_image", {"path": "/x.png"}), "view_image", "view_image", None),
        (call("", None), "tool", "tool", ""),
    ],
)  # fmt: skip
def test_plain_calls(told: tools.Told, name: str, title: str, input: str | None) -> None:
    assert (told.name, told.title) == (name, title)
    assert input is None or told.input == input


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch\n"


@pytest.mark.parametrize(
    ("source", "name", "title", "input"),
    [
        ('await tools.exec_command({"cmd": "ls \\"a b\\""});', "exec_command", 'Shell: ls "a b"', 'ls "a b"'),
        ("await tools.exec_command({cmd: 'it\\'s'});", "exec_command", "Shell: it's", "it's"),
        ("await tools.exec_command({cmd: `ls`});", "exec_command", "Shell: ls", "ls"),
        ("await tools.exec_command({cmd: `rm ${x}`});", "exec_command", "Code: exec_command", None),
        (f"await tools.apply_patch({json.dumps(PATCH)});", "apply_patch", "Edit src/a.py and 1 more", PATCH),
        ("await tools.web__search({q: 1}); await tools.view_image({});", "web__search",
         "Code: web__search, view_image", None),
        ("text(1 + 1);", "exec", "Code: JavaScript", "text(1 + 1);"),
    ],
)  # fmt: skip
def test_code_mode_calls(source: str, name: str, title: str, input: str | None) -> None:
    told = tools.tell_call(ToolCall(name="exec", input=source))
    assert (told.name, told.title) == (name, title)
    assert told.input == (source if input is None else input)


def test_a_title_is_one_limited_line() -> None:
    told = call("exec_command", {"cmd": "\n\n  printf '\x1b[31m" + "x" * 500})
    assert "\n" not in told.title and "\x1b" not in told.title and len(told.title) == 160


@pytest.mark.parametrize(
    ("output", "state"),
    [
        ("Chunk ID: a\nWall time: 0.0 seconds\nProcess exited with code 0\n", "done"),
        ("Chunk ID: a\nProcess exited with code 2\n", "failed"),
        ("Exit code: 7\nWall time: 0 seconds\nOutput:\n", "failed"),
        ("aborted by user after 1.7s", "refused"),
        ("unsupported call: update_plan", "failed"),
        ("failed to parse function arguments", "failed"),
        ("Script completed\nOutput:\nfailed to start", "done"),
        ("", "done"),
    ],
)
def test_how_a_call_ended_by_its_output(output: str, state: str) -> None:
    assert tools.output_state(output) == state


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (ThreadItem("CommandExecution", exit_code=0, status="completed"), "done"),
        (ThreadItem("CommandExecution", exit_code=1, status="completed"), "failed"),
        (ThreadItem("CommandExecution", status="declined"), "refused"),
        (ThreadItem("FileChange", status="failed"), "failed"),
        (ThreadItem("McpToolCall", error={"message": "no"}), "failed"),
    ],
)
def test_how_a_part_ended(item: ThreadItem, state: str) -> None:
    assert tools.item_state(item) == state


def test_changes_count_lines_and_use_the_names_of_the_patch() -> None:
    item = ThreadItem(
        "FileChange",
        changes={
            "/w/a.py": FileDelta("update", unified_diff="--- a\n+++ b\n@@ -1,2 +1,3 @@\n-x\n+y\n+z\n same\n"),
            "/w/new.py": FileDelta("add", content="1\n2\n"),
            "/w/old.py": FileDelta("delete", content="1\n"),
            "/out/side.py": FileDelta("add", content=""),
        },
        stdout="Success. Updated the following files:\nM a.py\nA new.py\nD old.py\nA /out/side.py\n",
    )
    assert tools.changes(item) == (
        Change(path="a.py", added=2, removed=1),
        Change(path="new.py", added=2, removed=0),
        Change(path="old.py", added=0, removed=1),
        Change(path="/out/side.py", added=0, removed=0),
    )
    assert tools.tell_item(item).title == "Edit a.py and 3 more"


@pytest.mark.parametrize(
    ("item", "name", "title"),
    [
        (ThreadItem("McpToolCall", server="docs", tool="find"), "docs.find", "docs.find"),
        (ThreadItem("WebSearch", query="beans"), "web_search", "Web search: beans"),
        (ThreadItem("ImageView", path="/x.png"), "view_image", "Image: /x.png"),
    ],
)
def test_other_items(item: ThreadItem, name: str, title: str) -> None:
    told = tools.tell_item(item)
    assert (told.name, told.title) == (name, title)

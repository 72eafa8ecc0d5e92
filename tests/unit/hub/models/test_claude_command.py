"""``claude -p``: whose folders, which arguments, and what is left when it ends."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from controlroom.core.check_prompt import Request
from controlroom.hub.models import claude
from controlroom.hub.models.base import ModelError, NotPossible, RetryLater
from controlroom.hub.models.claude import ClaudeCommand
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.claude.processes import agents_below
from tests.support import claude_command
from tests.support.waiting import until

KEY = "sk-ant-oat01-invented"
REQUEST = Request("Judge.", "private words")


def command(tmp_path: Path, script: str, key: str = KEY) -> ClaudeCommand:
    programs = claude_command.install(tmp_path / "bin", script)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": "/home/kim", "SECRET": "x"}
    return ClaudeCommand("haiku", "claude", tmp_path / "checker", "", lambda: key, environment)


def printing(expression: str) -> str:
    return f"import json, os, sys\nsys.stdin.read()\nprint(json.dumps({{'result': {expression}}}))\n"


async def test_the_key_and_the_data_are_no_arguments(tmp_path: Path) -> None:
    answer = await command(tmp_path, printing("json.dumps(sys.argv)")).ask(REQUEST)
    assert KEY not in answer.text and "private words" not in answer.text
    assert '"-p"' in answer.text and '"--no-session-persistence"' in answer.text


async def test_it_gets_a_clean_environment(tmp_path: Path) -> None:
    answer = await command(tmp_path, printing("json.dumps(dict(os.environ))")).ask(REQUEST)
    assert "SECRET" not in answer.text and "/home/kim" not in answer.text and "TMUX" not in answer.text
    assert KEY in answer.text  # it is the login; only this user can read a process's environment


@pytest.mark.parametrize(
    ("key", "variable"),
    [("sk-ant-oat01-invented", "CLAUDE_CODE_OAUTH_TOKEN"), ("sk-ant-api03-invented", "ANTHROPIC_API_KEY")],
)
async def test_tokens_and_keys_go_where_they_belong(tmp_path: Path, key: str, variable: str) -> None:
    names = "[n for n in os.environ if n in ('CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY')]"
    answer = await command(tmp_path, printing(f"json.dumps({names})"), key).ask(REQUEST)
    assert answer.text == f'["{variable}"]'


async def test_its_folders_are_its_own_private_empty_and_gone_afterwards(tmp_path: Path) -> None:
    script = printing(
        "json.dumps([os.getcwd(), os.environ['CLAUDE_CONFIG_DIR'], os.environ['HOME'],"
        " os.listdir('.'), os.listdir(os.environ['CLAUDE_CONFIG_DIR']), oct(os.stat('.').st_mode)[-3:]])"
    )
    answer = await command(tmp_path, script).ask(REQUEST)
    assert answer.text.count(str(tmp_path / "checker" / "call-")) == 3
    assert answer.text.endswith('[], [], "700"]')
    assert list((tmp_path / "checker").iterdir()) == []
    assert (tmp_path / "checker").stat().st_mode & 0o077 == 0


async def test_what_a_killed_run_left_is_removed_by_the_first_call(tmp_path: Path) -> None:
    left = tmp_path / "checker" / "call-old"
    left.mkdir(parents=True)
    (left / "transcript").write_text("private words")
    (tmp_path / "checker" / "other").mkdir()
    model = command(tmp_path, printing("'ok'"))
    assert left.exists()  # whoever only makes it (controlroom doctor) changes nothing
    await model.ask(REQUEST)
    assert [path.name for path in (tmp_path / "checker").iterdir()] == ["other"]


async def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    (tmp_path / "checker").symlink_to(profile)
    with pytest.raises(RetryLater):
        await command(tmp_path, printing("'x'")).ask(REQUEST)
    assert list(profile.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("import sys; sys.exit(3)", RetryLater),
        ("print('not json')", RetryLater),
        ("print('[]')", RetryLater),
        ("print('{\"result\": 5}')", RetryLater),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", RetryLater),
        ("import sys; sys.exit(\"error: unknown option '--tools'\")", NotPossible),
        ("import os; os.kill(os.getpid(), 9)", RetryLater),
        ("import sys; sys.stderr.write('e' * 1000000); print('{\"result\": \"\"}')", RetryLater),
    ],
)
async def test_what_is_no_answer(tmp_path: Path, script: str, kind: type[ModelError]) -> None:
    with pytest.raises(kind) as caught:
        await command(tmp_path, script).ask(REQUEST)
    assert len(caught.value.text) < 300


async def test_no_such_program(tmp_path: Path) -> None:
    model = ClaudeCommand("haiku", "claude-x", tmp_path / "checker", "", lambda: KEY, {"PATH": "/nowhere"})
    with pytest.raises(NotPossible, match=r"checker\.command"):
        await model.ask(REQUEST)


async def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude, "ANSWER_S", 0.5)
    with pytest.raises(RetryLater, match="in time"):
        await command(tmp_path, "import time; time.sleep(600)").ask(REQUEST)


async def test_a_call_that_is_given_up_ends_with_all_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"""
        import os, pathlib, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        pathlib.Path({str(pids)!r} + "~").write_text(f"{{os.getpid()}} {{child.pid}}")
        os.rename({str(pids)!r} + "~", {str(pids)!r})
        time.sleep(600)
    """
    call = asyncio.get_running_loop().create_task(command(tmp_path, script).ask(REQUEST))
    await until(pids.exists)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    def living() -> list[str]:
        processes = ProcProcesses()
        processes.refresh()
        return [pid for pid in pids.read_text().split() if processes.get(int(pid)) is not None]

    await until(lambda: not living(), "it has ended")


async def test_it_is_no_agent_while_it_runs(tmp_path: Path) -> None:
    """Also when we run in a pane ourselves: whatever is below this process would be looked at."""
    script = f"""
        import pathlib, sys, time
        sys.stdin.read()
        pathlib.Path({str(tmp_path / "up")!r}).touch()
        while not pathlib.Path({str(tmp_path / "go")!r}).exists():
            time.sleep(0.01)
        print('{{"result": "ok"}}')
    """
    model = command(tmp_path, script)
    call = asyncio.get_running_loop().create_task(model.ask(REQUEST))
    await until(lambda: (tmp_path / "up").exists())
    processes = ProcProcesses()
    processes.refresh()
    seen = [process.pid for process in agents_below(processes, os.getpid())]
    (tmp_path / "go").touch()
    assert (await call).text == "ok"
    assert seen == []

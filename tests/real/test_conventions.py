"""The real programs read what ``controlroom conventions install`` writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from controlroom.core.conventions import conventions
from controlroom.testing.fake_anthropic import FakeAnthropic
from controlroom.testing.fake_openai import FakeOpenAI
from tests.real.conftest import Desk
from tests.real.support.room import COMMAND_S, LAUNCHER
from tests.support.waiting import until

TAUGHT = [
    line for line in conventions("controlroom").splitlines() if line.startswith(("Question", "Default:"))
]


def install(what: str, kind: str, environment: dict[str, str], *more: str) -> None:
    subprocess.run(
        [str(LAUNCHER), "conventions", what, "--agent", kind, "--yes", *more],
        env=os.environ | environment,
        check=True,
        capture_output=True,
        timeout=COMMAND_S,
    )


def taught(model: FakeAnthropic | FakeOpenAI, asked: str) -> bool | None:
    """Whether the model was told the conventions when it was asked that; None: it was not asked yet."""
    for request in model.requests:
        if not request.side and request.text.endswith(asked):
            found = [msgspec.json.encode(line)[1:-1].decode() in request.whole for line in TAUGHT]
            assert len(set(found)) == 1, "half of the conventions"
            return found[0]
    return None


@pytest.mark.parametrize("where", ["config folder", "project"])
async def test_claude_code(desk: Desk, claude_model: FakeAnthropic, where: str) -> None:
    claude = await desk.claude(start=False)
    more = () if where == "config folder" else ("--project", str(claude.pane.folder))
    install("install", "claude", claude.profile.environment, *more)
    await claude.start()
    await claude.say("Which crates are ripe?")
    await until(lambda: taught(claude_model, "Which crates are ripe?") is not None, "the model is asked")
    assert taught(claude_model, "Which crates are ripe?")
    install("remove", "claude", claude.profile.environment, *more)
    folder = claude.profile.folder if where == "config folder" else claude.pane.folder
    assert not Path(folder, "CLAUDE.md").exists()


@pytest.mark.parametrize("where", ["config folder", "project"])
async def test_codex(desk: Desk, codex_model: FakeOpenAI, where: str) -> None:
    codex = await desk.codex(start=False)
    more = () if where == "config folder" else ("--project", str(codex.pane.folder))
    install("install", "codex", codex.home.environment, *more)
    await codex.start()
    await codex.say("Which crates are ripe?")
    await until(lambda: taught(codex_model, "Which crates are ripe?") is not None, "the model is asked")
    assert taught(codex_model, "Which crates are ripe?")
    install("remove", "codex", codex.home.environment, *more)
    folder = codex.home.folder if where == "config folder" else codex.pane.folder
    assert not Path(folder, "AGENTS.md").exists()


async def test_without_them_nothing_is_taught(desk: Desk, claude_model: FakeAnthropic) -> None:
    claude = await desk.claude()
    await claude.say("Which crates are ripe?")
    await until(lambda: taught(claude_model, "Which crates are ripe?") is not None, "the model is asked")
    assert taught(claude_model, "Which crates are ripe?") is False
